/** The report of a week: which week, its bounds, and what counts in it. */
import type { Test } from 'tap'
import type { WireReport } from '../../../src/api/report/schema.ts'
import { arriving, change, newFile } from '../../catalogue/change.ts'
import { nameOf } from '../../rinex-names.ts'
import t, { exact } from '../../tap.ts'
import { openService } from '../service.ts'

const hourSeconds = 3600
const daySeconds = 86_400
const secondsOf = (time: string): number => Date.parse(`${time}Z`) / 1000
const directory = 'obs/2026/001'

/** Opens a service whose time begins with 2026. */
async function open(t: Test) {
  const service = await openService(t, { nowUs: secondsOf('2026-01-01T00:00') * 1e6 })
  return {
    ...service,
    /** Sends a request at a time, and returns the report. */
    report: async (time: string, query = '') => {
      await service.setNow(secondsOf(time))
      const answer = await service.app.inject(`/rinex/api/report/?${query}`)
      return answer.json<WireReport>()
    },
    /** A file arrives this many seconds after the end of its slot. */
    arrive: async (name: string, endSeconds: number, latency: number) => {
      await service.setNow(endSeconds + latency)
      const added = arriving([newFile(name)], service.clock.us)
      await service.writer.apply([change(directory, { added })])
    },
  }
}

const weekOf = ({ week, from, to }: WireReport) => ({ week, from, to })

t.test('without a week, the report is of the last whole GPS week', async (t) => {
  const { report } = await open(t)
  for (const [now, week, from, to] of [
    ['2026-01-24T23:59:59', '2401', '2026-01-11', '2026-01-17'],
    ['2026-01-25T00:00:00', '2402', '2026-01-18', '2026-01-24'],
    ['2026-01-26T00:00:00', '2402', '2026-01-18', '2026-01-24'],
    ['2026-01-31T23:59:59', '2402', '2026-01-18', '2026-01-24'],
    ['2026-02-01T00:00:00', '2403', '2026-01-25', '2026-01-31'],
  ] as const)
    for (const query of ['', 'week=', 'week=%20'])
      t.strictSame(weekOf(await report(now, query)), { week, from, to }, `${now} ${query}`)
  t.equal((await report('1970-01-01T00:00:00')).week, '0', 'a clock that is not set')
})

t.test('the report has the days of the week', async (t) => {
  const { report } = await open(t)
  for (const [query, week, from, to] of [
    ['2402', '2402', '2026-01-18', '2026-01-24'],
    ['0', '0', '1980-01-06', '1980-01-12'],
    ['0001', '1', '1980-01-13', '1980-01-19'],
  ] as const) {
    const found = await report('2026-02-10T00:00:00', `week=${query}`)
    t.strictSame(weekOf(found), { week, from, to }, query)
  }
})

t.test('a week that is no week, or has not begun, is a fault of its field', async (t) => {
  const { app, setNow } = await open(t)
  await setNow(secondsOf('2026-01-24T23:59:59'))
  const statusOf = async (week: string) => {
    const answer = await app.inject(`/rinex/api/report/?week=${encodeURIComponent(week)}`)
    if (answer.statusCode === 400) t.strictSame(Object.keys(answer.json<object>()), ['week'], week)
    return answer.statusCode
  }
  for (const week of ['x', '-1', '+1', '1.5', '10000', '24o2', '٢٤٠٢', '2026-W04'])
    t.equal(await statusOf(week), 400, week)
  for (const week of ['2403', '9999']) t.equal(await statusOf(week), 400, `${week} has not begun`)
  t.equal(await statusOf('2402'), 200)
  await setNow(secondsOf('2026-01-25T00:00:00'))
  t.equal(await statusOf('2403'), 200)
})

t.test('`when` means the week of its days', async (t) => {
  const { app, report } = await open(t)
  const now = '2026-01-26T00:00:00'
  for (const when of [
    'week 2402',
    '2026-01-18',
    '2026-024',
    '22 Jan 2026',
    '2026-01-18/2026-01-24',
  ])
    t.equal((await report(now, `when=${when}`)).week, '2402', when)
  for (const query of [
    ...[
      'January 2026',
      '2026-01-17/2026-01-18',
      '../2026-01-18',
      '2026-01-18/..',
      'x',
      'week 2403',
    ],
    '2026-01-18&week=2402',
  ]) {
    const answer = await app.inject(`/rinex/api/report/?when=${query}`)
    const isFault = query !== 'week 2403'
    t.equal(answer.statusCode, isFault ? 400 : 200, query)
    if (isFault) t.strictSame(Object.keys(answer.json<object>()), ['when'], query)
  }
})

t.test('the report of a country, and its page', async (t) => {
  const service = await open(t)
  const { report, setNow, page } = service
  const days = Array.from({ length: 20 }, (_, day) => secondsOf('2026-01-04T00:00') + day * 86_400)
  const stations = ['GRAZ00AUT', 'LINZ00AUT', 'WTZR00DEU']
  await service.addNames(
    directory,
    stations.flatMap((station) => days.map((start) => nameOf(station, start))),
  )
  const now = '2026-01-26T00:00:00'
  const codesOf = async (query: string) =>
    (await report(now, query)).stations.map(({ station }) => station)
  t.strictSame(await codesOf('week=2402'), stations)
  t.strictSame(await codesOf('country=Austria'), ['GRAZ00AUT', 'LINZ00AUT'])
  t.strictSame(await codesOf('station=WTZR,GR*'), ['GRAZ00AUT', 'WTZR00DEU'])
  await setNow(secondsOf(now))
  const html = await page('report/?country=AUT&when=2026-01-20')
  t.equal(html.one('h1').text, 'Report of GPS week 2402, Austria')
  t.match(html.one('main').text, 'Observation files of 2 stations')
  t.equal(html.one('input', { name: 'when' }).attribute('value'), 'week 2402')
  t.equal(html.hrefOf('Week before'), '?country=AUT&format=api&week=2401')
  t.ok(html.has('a', { href: '?country=AUT&format=csv&week=2402' }))
})

t.test('the pages of weeks lead to the weeks beside them', async (t) => {
  const service = await open(t)
  const { page, setNow } = service
  await service.addNames(directory, [nameOf('GRAZ00AUT', secondsOf('2026-01-04T00:00'))])
  await setNow(secondsOf('2026-03-10T00:00:00'))
  for (const [week, before, after] of [
    ['2402', '2401', '2403'],
    // The first file is of Sunday, 4 January.
    ['2401', '2400', '2402'],
    ['2400', null, '2401'],
    ['0', null, '1'],
    ['2409', '2408', null],
  ] as const) {
    const html = await page(`report/?week=${week}`)
    const weeks = ['prev', 'next'].map((rel) => {
      const [link] = html.links({ rel, href: /week=/ })
      return link === undefined ? null : new URLSearchParams(link.href).get('week')
    })
    t.strictSame(weeks, [before, after], week)
  }
})

t.test('only the days of the week count', async (t) => {
  for (const station of ['GRAZ00AUT', 'GRAZ']) {
    const { report, arrive } = await open(t)
    const first = secondsOf('2026-01-01T00:00')
    // The files of two Sundays are missing: 18 and 25 January, days 018 and 025.
    for (let day = 0; day < 35; day++)
      if (day !== 17 && day !== 24) {
        const start = first + day * daySeconds
        await arrive(nameOf(station, start), start + daySeconds, 60)
      }
    const now = '2026-02-10T00:00:00'
    for (const [week, day] of [
      ['2402', '018'],
      ['2403', '025'],
    ] as const) {
      const { stations } = await report(now, `week=${week}`)
      const pattern =
        station.length === 9 ? `${station}_?_2026${day}????_01D_*O.*` : `graz${day}0.26[oOdD]*`
      t.equal(stations.length, 1)
      t.match(stations[0], { station, hourly: null, daily: { possible: 7, delivered: 6 } }, week)
      t.strictSame(stations[0]?.missing, [pattern], week)
    }
    const whole = await report(now, 'week=2401')
    t.strictSame(whole.stations[0]?.missing, [])
  }
})

t.test(
  'a series counts in the weeks until its last file, and is counted apart after it',
  async (t) => {
    const { report, arrive } = await open(t)
    const first = secondsOf('2026-01-01T00:00')
    for (const [station, days] of [
      ['GRAZ00AUT', 100],
      ['LINZ00AUT', 27],
    ] as const)
      for (let day = 0; day < days; day++) {
        const start = first + day * daySeconds
        await arrive(nameOf(station, start), start + daySeconds, 60)
      }
    const now = '2026-04-11T06:00:00'
    const alive = await report(now, 'week=2402')
    t.match(alive.stations, exact([{ daily: { ended: false } }, { daily: { ended: false } }]))
    // The last file of LINZ00AUT is of 27 January.
    const last = await report(now, 'week=2403')
    t.match(last.stations, exact([{ daily: { ended: false } }, { daily: { ended: true } }]))
    t.match(last.stations[1]?.daily, { possible: 3, delivered: 3, class: null })
    t.equal(last.ended, 1)
    const after = await report(now, 'week=2410')
    t.match(after, { ended: 1, stations: exact([{ station: 'GRAZ00AUT' }]) })
  },
)

t.test('a file is in time until ten minutes after its hour, this second included', async (t) => {
  const { report, arrive } = await open(t)
  const first = secondsOf('2026-01-10T00:00')
  // Every fourth file arrives late by one second.
  for (let hour = 0; hour < 15 * 24; hour++) {
    const start = first + hour * hourSeconds
    await arrive(
      nameOf('GRAZ00AUT', start, { period: '01H', source: 'S' }),
      start + hourSeconds,
      hour % 4 === 0 ? 601 : 600,
    )
  }
  const { stations } = await report('2026-01-26T00:00:00', 'week=2402')
  t.match(stations, exact([{ within_600: 0.75, timeliness: 'poor', hourly: { possible: 168 } }]))
})
