import type { Test } from 'tap'
import { dayStartSeconds, secondsPerDay } from '../../../src/parse/calendar.ts'
import { arriving, change, newFile } from '../../catalogue/change.ts'
import { directoryOf, nameOf, startOf } from '../../rinex-names.ts'
import t, { exact } from '../../tap.ts'
import { openService, startUs } from '../service.ts'

/** The clock of these tests, 2026-01-22T05:06:07Z: day 022 of 2026. */
const today = dayStartSeconds(2026, 22) / secondsPerDay

interface Answer {
  readonly states: string
  readonly slots: number
  readonly possible: number
  readonly delivered: number
  readonly completeness: number | null
  readonly class: string | null
  readonly spans: readonly (readonly string[])[]
  readonly ambiguous: readonly string[]
  readonly known_from: string
  readonly usual_s: number | null
  readonly late_after_s: number
  readonly ended: boolean
  readonly first: string | null
  readonly last: string | null
  readonly gaps: readonly (readonly unknown[])[]
  readonly as_of: string | null
  readonly from: string
  readonly to: string
}

async function open(t: Test) {
  const service = await openService(t, { nowUs: startUs })
  const get = async (target: string) => {
    const { statusCode, headers, body } = await service.app.inject(`/rinex/api/station/${target}`)
    return { statusCode, headers, body }
  }
  const answer = async (target: string) => JSON.parse((await get(target)).body) as Answer
  const { app, writer } = service
  await writer.setAsOf({ atUs: startUs, limitSeconds: 180 })
  const addNames = (directory: string, names: readonly string[]) =>
    service.addNames(directory, names)
  return {
    app,
    writer,
    addNames,
    get,
    answer,
    /** Sets the clock, and until when the catalogue speaks. */
    setDay: (day: number) => service.setNow(day * secondsPerDay),
  }
}

const dayName = (day: number) => nameOf('GRAZ00AUT', startOf(2026, day))
/** @param hour since the midnight of day 022 */
const hourName = (hour: number) =>
  nameOf('GRAZ00AUT', startOf(2026, 22, hour), { period: '01H', source: 'S' })

t.test('deliveries of removed files are known for 400 days', async (t) => {
  const { answer, writer, setDay } = await open(t)
  const directory = 'obs/2026/023'
  const added = [newFile(dayName(23)), newFile('GRAZ00AUT_R_20260230000_01D_MN.rnx.gz')]
  await writer.apply([change(directory, { added: arriving(added, startUs) })])
  await writer.apply([change(directory, { removed: [1] })])
  const range = 'GRAZ/availability/?from=2026-01-20&to=2026-01-26'
  await setDay(today + 390)
  const before = await answer(range)
  t.match(before, { known_from: '2026-01-22T05:06:07Z', states: 'S3R1S3', delivered: 1 })
  await setDay(today + 410)
  const after = await answer(range)
  t.match(after, { known_from: '2026-02-01T00:00:00Z', states: 'S7', delivered: 0 })
})

t.test('files of campaigns, each far from the next, are all there', async (t) => {
  const { answer, addNames, app } = await open(t)
  const years = [10, 12, 14, 16]
  for (const year of years) await addNames(`obs/20${year}/152`, [`camp1520.${year}o.gz`])
  const found = await answer('CAMP/availability/')
  const [first, last] = ['2010-06-01T00:00:00Z', '2016-05-31T00:00:00Z']
  t.match(found, { from: first, first, last, delivered: 4, class: 'poor' })
  t.equal(found.spans.length, 4)
  // All days but today, and yesterday, which is not due yet.
  const toYesterday = (today * secondsPerDay - Date.UTC(2010, 5, 1) / 1000) / secondsPerDay - 1
  t.equal(found.possible, toYesterday)
  const year = await answer('CAMP/availability/?from=2012-01-01&to=2012-12-31')
  t.match(year, { possible: 366, delivered: 1, states: 'S151P1S214', first, last })
  const { body } = await app.inject({
    method: 'POST',
    url: '/rinex/api/availability/',
    headers: { 'content-type': 'text/plain' },
    payload: 'CAMP o 01D 2010-01-01 2016-12-31',
  })
  const { series } = JSON.parse(body) as { series: readonly Answer[] }
  t.match(series, exact([{ delivered: 4, spans: exact(found.spans) }]))
})

t.test('the first day of a station is there', async (t) => {
  const { answer, addNames } = await open(t)
  await addNames('obs/2026/021', [dayName(21)])
  const day = '2026-01-21T00:00:00Z'
  t.match(await answer('GRAZ/availability/'), { from: day, first: day, states: 'P1F1' })
  t.match(await answer('GRAZ/availability/'), { possible: 1, delivered: 1, completeness: 1 })
})

t.test('the answer has the states, the completeness and the class of daily files', async (t) => {
  const { answer, writer, setDay } = await open(t)
  for (let day = 1; day <= 30; day++)
    if (day !== 25) {
      const path = directoryOf('obs', startOf(2026, day))
      await writer.apply([change(path, { added: arriving([newFile(dayName(day))], startUs) })])
    }
  await setDay(dayStartSeconds(2026, 31) / secondsPerDay + 0.5)
  const graz = await answer('GRAZ/availability/')
  t.match(graz, {
    station: 'GRAZ',
    file_type: 'o',
    period: '01D',
    from: '2026-01-01T00:00:00Z',
    to: '2026-02-01T00:00:00Z',
    slots: 31,
    states: 'P24L1P5F1',
    known_from: '2026-01-22T05:06:07Z',
    ambiguous: exact([]),
  })
  t.match(graz, { possible: 30, delivered: 29, completeness: 0.9667, class: 'good' })
  t.equal(graz.ended, false)
  t.match(graz, { first: '2026-01-01T00:00:00Z', last: '2026-01-30T00:00:00Z' })
  t.strictSame(graz.gaps, [['2026-01-25T00:00:00Z', '2026-01-26T00:00:00Z', 1, 'late']])
  t.same(graz.spans, [
    ['2026-01-01T00:00:00Z', '2026-01-25T00:00:00Z'],
    ['2026-01-26T00:00:00Z', '2026-01-31T00:00:00Z'],
  ])
  await setDay(dayStartSeconds(2026, 33) / secondsPerDay + 0.5)
  const later = await answer('graz00aut/availability/?from=2026-01-24&to=2026-033')
  t.equal(later.states, 'P1M1P5L1D1F1', 'a day is missing a week after its end')
})

t.test('a removed file counts as delivered', async (t) => {
  const { answer, writer } = await open(t)
  const files = [20, 21].map((day) => newFile(dayName(day)))
  await writer.apply([change('obs/2026/020', { added: arriving(files, startUs) })])
  await writer.apply([change('obs/2026/020', { removed: [2] })])
  const graz = await answer('GRAZ/availability/?from=2026-019')
  t.match(graz, { states: 'S1P1R1F1', possible: 2, delivered: 2, gaps: exact([]) })
  t.strictSame(graz.spans, [['2026-01-20T00:00:00Z', '2026-01-21T00:00:00Z']])
})

t.test('the hours of today are present, due or in the future', async (t) => {
  const { answer, writer, setDay } = await open(t)
  const before = Array.from({ length: 72 }, (_, index) => newFile(hourName(index - 72)))
  await writer.apply([change('nrt/2026/019/00', { added: arriving(before, startUs) })])
  for (const hour of [0, 1, 3, 6])
    await writer.apply([
      change('nrt/2026/022/00', { added: arriving([newFile(hourName(hour))], startUs) }),
    ])
  await setDay(today + 9.5 / 24)
  const hours = await answer('GRAZ/availability/?period=01h&from=2026-01-22')
  t.equal(hours.states, 'P2L1P1L2P1L1D1F15', 'nine hours have ended, the ninth half an hour ago')
  t.equal(hours.late_after_s, 3600, 'what came days late does not set the limit')
})

t.test(
  'both forms of names fill a series, unless a short code belongs to several stations',
  async (t) => {
    const { answer, get, writer } = await open(t)
    await writer.apply([
      change('obs/2026/020', { added: [newFile(dayName(20)), newFile('graz0210.26d.gz')] }),
    ])
    t.match(await answer('GRAZ/availability/'), { states: 'P2F1', ambiguous: exact([]) })
    t.match(await answer('GRAZ00AUT/availability/'), { states: 'P2F1' })
    await writer.apply([
      change('obs/2026/020', { added: [newFile('GRAZ01AUT_R_20260200000_01D_30S_MO.crx.gz')] }),
    ])
    t.match(await answer('GRAZ/availability/?from=2026-020'), {
      states: 'S1P1F1',
      ambiguous: exact(['GRAZ00AUT', 'GRAZ01AUT']),
    })
    t.match(await answer('GRAZ00AUT/availability/?from=2026-020'), { states: 'P1D1F1' })
    t.equal((await get('ZIMM/availability/')).statusCode, 404)
  },
)

t.test('invalid values are named by field, and ranges have limits', async (t) => {
  const { get, addNames } = await open(t)
  await addNames('obs/2026/001', [dayName(1)])
  for (const [query, faults] of [
    ['period=01M', { period: ['Select a valid choice. 01M is not one of the available choices.'] }],
    ['file_type=x', { file_type: [/valid choice/] }],
    ['from=2026-02-30', { from: ['Enter a valid date.'] }],
    ['from=2026-02-03&to=2026-02-01', { from: ['The range ends before it begins.'] }],
    ['from=1980-01-01', { from: [/at most 40 years/] }],
    ['period=01H&from=2010-01-01', { from: [/at most 100000 slots/] }],
  ] as const) {
    const { statusCode, body } = await get(`GRAZ/availability/?${query}`)
    t.equal(statusCode, 400, query)
    t.match(JSON.parse(body), exact(faults), query)
  }
  const ignored = await get('GRAZ/availability/?colour=red')
  t.match(ignored, { statusCode: 200, headers: { 'ignored-parameters': 'colour' } })
  t.equal((await get('GRAZ/availability/?format=xml')).statusCode, 404)
  const empty = await get('GRAZ/availability/?file_type=m')
  t.match(JSON.parse(empty.body), { possible: 0, delivered: 0, spans: exact([]) })
})

t.test('the last day that there is has its page', async (t) => {
  const { app, addNames } = await open(t)
  await addNames('obs/2026/001', [dayName(1)])
  const url = '/rinex/api/station/GRAZ00AUT/availability/?to=9999-12-31'
  const { statusCode } = await app.inject({ url, headers: { accept: 'text/html' } })
  t.equal(statusCode, 200)
})

t.test('the CSV has the same states', async (t) => {
  const { get, writer } = await open(t)
  const added = [17, 18, 20].map((day) => newFile(dayName(day)))
  await writer.apply([change('obs/2026/017', { added })])
  const csv = await get('GRAZ/availability/?format=csv&to=2026-020')
  t.same(csv.body.split('\r\n').slice(0, 2), [
    'start,end,slots,state',
    '2026-01-17T00:00:00Z,2026-01-19T00:00:00Z,2,present',
  ])
  for (const format of ['txt', 'svg'])
    t.equal((await get(`GRAZ/availability/?format=${format}`)).statusCode, 404)
})

t.test('the ETag of the answer changes with its as-of', async (t) => {
  const { get, app, addNames, setDay } = await open(t)
  await addNames('obs/2026/001', [dayName(1)])
  const first = await get('GRAZ/availability/')
  const again = async () =>
    app.inject({
      url: '/rinex/api/station/GRAZ/availability/',
      headers: { 'if-none-match': String(first.headers['etag']) },
    })
  t.equal((await again()).statusCode, 304)
  await setDay(today + 2)
  t.equal((await again()).statusCode, 200)
})

t.test('CSV may be cached until the end of the minute, JSON and HTML not', async (t) => {
  const { app, addNames, setDay } = await open(t)
  await addNames('nrt/2026/022/04', [hourName(4)])
  const get = (query: string, headers: Record<string, string> = {}) =>
    app.inject({ url: `/rinex/api/station/GRAZ/${query}`, headers })
  const cachingAt = async (query: string, second: number) => {
    await setDay(today + 0.5 + second / secondsPerDay)
    return (await get(query)).headers['cache-control']
  }
  {
    const query = 'availability/?period=01H&format=csv'
    t.equal(await cachingAt(query, 0), 'public, max-age=60')
    t.equal(await cachingAt(query, 0.5), 'public, max-age=59')
    t.equal(await cachingAt(query, 59.5), 'public, max-age=0')
    t.equal(await cachingAt(query, 125.25), 'public, max-age=54')
    const etag = String((await get(query)).headers.etag)
    const again = await get(query, { 'if-none-match': etag })
    t.match(again, { statusCode: 304, headers: { 'cache-control': 'public, max-age=54' } })
  }
  for (const query of [
    'availability/?format=json',
    'availability/?format=csv&from=never',
    'latency/',
    '',
  ])
    t.equal(await cachingAt(query, 0), 'no-cache', query)
  const unknown = await app.inject('/rinex/api/station/ZIMM/availability/?format=csv')
  t.match(unknown, { statusCode: 404, headers: { 'cache-control': 'no-cache' } })
  for (const query of ['availability/', 'latency/', ''])
    t.equal((await get(query, { accept: 'text/html' })).headers['cache-control'], 'no-cache')
})
