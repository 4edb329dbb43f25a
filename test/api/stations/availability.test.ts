import t, { exact } from '../../tap.ts'
import type { Test } from 'tap'
import { dayStartSeconds, secondsPerDay } from '../../../src/parse/calendar.ts'
import { openService, startUs } from '../service.ts'
import { arriving, change, newFile } from '../../catalogue/change.ts'

/** The clock of these tests, 2026-01-22T05:06:07Z: day 022 of 2026. */
const today = dayStartSeconds(2026, 22) / secondsPerDay

interface Answer {
  readonly states: string
  readonly slots: number
  readonly expected: number
  readonly delivered: number
  readonly possible: number
  readonly present: number
  readonly completeness: number | null
  readonly share: number | null
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
  let nowUs = startUs
  const service = await openService(t, { deps: () => ({ nowUs: () => nowUs }) })
  const get = async (target: string) => {
    const { statusCode, headers, body } = await service.app.inject(`/rinex/api/station/${target}`)
    return { statusCode, headers, body }
  }
  const answer = async (target: string) => JSON.parse((await get(target)).body) as Answer
  const { app, writer } = service
  await writer.heartbeat({ atUs: startUs, limitSeconds: 180 })
  const addNames = (directory: string, names: readonly string[]) =>
    service.addNames(directory, names)
  return {
    app,
    writer,
    addNames,
    get,
    answer,
    /** Sets the clock, with a heartbeat at this time. */
    setDay: (day: number) => {
      nowUs = day * secondsPerDay * 1e6
      return writer.heartbeat({ atUs: nowUs, limitSeconds: 180 })
    },
  }
}

const dayName = (day: number) =>
  `GRAZ00AUT_R_2026${String(day).padStart(3, '0')}0000_01D_30S_MO.crx.gz`
const hourName = (hour: number) =>
  `GRAZ00AUT_S_2026022${String(hour).padStart(2, '0')}00_01H_30S_MO.crx.gz`

t.test(
  'with measure=delivered, days without a file are unknown before deliveries are known',
  async (t) => {
    const { answer, writer, setDay } = await open(t)
    const directory = 'obs/2026/023'
    const added = [newFile(dayName(23)), newFile('GRAZ00AUT_R_20260230000_01D_MN.rnx.gz')]
    await writer.apply([change(directory, { added: arriving(added, startUs) })])
    await writer.apply([change(directory, { removed: [1] })])
    const range = 'from=2026-01-20&to=2026-01-26&measure=delivered'
    await setDay(today + 390)
    const before = await answer(`GRAZ/availability/?${range}`)
    t.match(before, { known_from: '2026-01-22T05:06:07Z', states: '-3R1S3' })
    await setDay(today + 410)
    const after = await answer(`GRAZ/availability/?${range}`)
    t.match(after, { known_from: '2026-02-01T00:00:00Z', states: '-7' })
    t.match(await answer(`GRAZ/availability/?from=2026-01-20&to=2026-01-26`), { states: 'S7' })
  },
)

t.test('the answer has the states, the share and the class of daily files', async (t) => {
  const { answer, writer, setDay } = await open(t)
  for (let day = 1; day <= 30; day++)
    if (day !== 25) {
      const path = `obs/2026/${String(day).padStart(3, '0')}`
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
  // The first three days are not expected.
  t.match(graz, { possible: 30, present: 29, completeness: 0.9667, class: 'good' })
  t.match(graz, { expected: 27, delivered: 26, share: 0.963, ended: false })
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
  const [archived, delivered] = [
    await answer('GRAZ/availability/?from=2026-019'),
    await answer('GRAZ/availability/?from=2026-019&measure=delivered'),
  ]
  t.equal(archived.states, 'S1P1R1F1')
  t.equal(delivered.states, '-1P1R1F1')
  t.match(archived, { possible: 1, present: 1 }, 'a removed file is not possible')
  t.match(delivered, { possible: 2, present: 2 })
  t.same(archived.share, null, 'nothing is expected of a series of two days')
})

t.test('the hours of today are present, due or in the future', async (t) => {
  const { answer, writer, setDay } = await open(t)
  for (let day = today - 3; day < today; day++)
    for (let hour = 0; hour < 24; hour++) {
      const name = `GRAZ00AUT_S_2026${String(day - today + 22).padStart(3, '0')}${String(hour).padStart(2, '0')}00_01H_30S_MO.crx.gz`
      await writer.apply([change('nrt/2026/019/00', { added: arriving([newFile(name)], startUs) })])
    }
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
    ['file_type=x&measure=y', { file_type: [/valid choice/], measure: [/valid choice/] }],
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
  t.match(JSON.parse(empty.body), { expected: 0, delivered: 0, share: null, spans: exact([]) })
})

t.test('the last day that there is has its page', async (t) => {
  const { app, addNames } = await open(t)
  await addNames('obs/2026/001', [dayName(1)])
  const url = '/rinex/api/station/GRAZ00AUT/availability/?to=9999-12-31'
  const { statusCode } = await app.inject({ url, headers: { accept: 'text/html' } })
  t.equal(statusCode, 200)
})

t.test('CSV, text and SVG show the same states', async (t) => {
  const { get, writer } = await open(t)
  const added = [17, 18, 20].map((day) => newFile(dayName(day)))
  await writer.apply([change('obs/2026/017', { added })])
  const csv = await get('GRAZ/availability/?format=csv&to=2026-020')
  t.same(csv.body.split('\r\n').slice(0, 2), [
    'start,end,slots,state',
    '2026-01-17T00:00:00Z,2026-01-19T00:00:00Z,2,present',
  ])
  const text = await get('GRAZ/availability/?format=txt&to=2026-020')
  t.equal(text.body, `2026 ${' '.repeat(16)}PPSP\n`)
  const hours = await get('GRAZ/availability/?format=txt&period=01H&from=2026-021')
  t.equal(hours.body.split('\n')[0], `2026-021 ${'S'.repeat(24)}`)
  const svg = await get('GRAZ/availability/?format=svg&to=2026-020')
  t.match(svg.headers, { 'content-type': 'image/svg+xml' })
  t.match(svg.body, /<title>2026-01-17T00:00:00Z to 2026-01-19T00:00:00Z: present, 2<\/title>/)
  t.notMatch(svg.body, /<script|style=/)
})

t.test('the ETag of the answer changes with the heartbeat', async (t) => {
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

t.test(
  'CSV, text and SVG may be cached until the end of the minute, JSON and HTML not',
  async (t) => {
    const { app, addNames, setDay } = await open(t)
    await addNames('nrt/2026/022/04', [hourName(4)])
    const get = (query: string, headers: Record<string, string> = {}) =>
      app.inject({ url: `/rinex/api/station/GRAZ/${query}`, headers })
    const cachingAt = async (query: string, second: number) => {
      await setDay(today + 0.5 + second / secondsPerDay)
      return (await get(query)).headers['cache-control']
    }
    for (const format of ['csv', 'txt', 'svg']) {
      const query = `availability/?period=01H&format=${format}`
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
  },
)
