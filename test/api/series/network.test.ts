/** The series of the network, their missing files and their weeks, compared with a slow reference that replays histories. */
import t, { exact } from '../../tap.ts'
import type { Test } from 'tap'
import type { ExpectedSeries } from '../../../src/series/expectation.ts'
import { fc } from '../../random.ts'
import { dayOf, daySeconds, firstDay, iso, lengths, openNetwork } from './network.ts'
import type { Period } from './network.ts'

interface Row {
  readonly station: string
  readonly file_type: string
  readonly period: Period
  readonly state: string
  readonly since: string | null
  readonly start: string
  readonly usual_s: number
  readonly last_slot: string | null
  readonly last_arrival: string | null
  readonly share_28d: number | null
  readonly within_target_28d: number | null
  readonly class: string | null
}

interface Page {
  readonly count: number
  readonly next: string | null
  readonly results: readonly Row[]
}

async function open(t: Test, options: { startUs: number; expected?: readonly ExpectedSeries[] }) {
  const service = await openNetwork(t, options)
  return {
    ...service,
    get: async (target: string) => JSON.parse(await service.text(target)) as Page,
  }
}

interface Arrival {
  readonly slot: number
  /** `undefined` if a scan found the file. */
  readonly latency: number | undefined
}

/** Least usual latency, how long a slot is late, and slots of the 28 days before that make it expected. */
const rules = {
  '15M': { least: 300, lateFor: 3 * daySeconds, enough: 96 },
  '01H': { least: 600, lateFor: 3 * daySeconds, enough: 24 },
  '01D': { least: 7200, lateFor: 7 * daySeconds, enough: 3 },
} as const

/** A series by the definitions, slot by slot. */
function oracle(period: Period, arrivals: readonly Arrival[], knownFrom: number, now: number) {
  const length = lengths[period]
  const { least, lateFor, enough } = rules[period]
  const perDay = daySeconds / length
  const current = Math.floor(now / length)
  const delivered = new Map(arrivals.map(({ slot, latency }) => [slot, latency]))
  const recent = arrivals.filter(({ slot }) => slot >= current - 28 * perDay && slot <= current)
  const sorted = recent.flatMap(({ latency }) => latency ?? []).sort((a, b) => a - b)
  const p95 = sorted[Math.ceil(0.95 * sorted.length) - 1] ?? 0
  const usual = Math.min(Math.max(p95, least), daySeconds)
  const isExpected = (slot: number): boolean => {
    const dayStart = Math.floor(slot / perDay) * perDay
    const before = [...delivered.keys()].filter((s) => s < dayStart && s >= dayStart - 28 * perDay)
    return before.length >= enough && before.length * 2 >= dayStart - Math.min(...before)
  }
  const slots = Array.from({ length: 28 * perDay + 1 }, (_, n) => current - 28 * perDay + n)
  const states = slots.map((slot) => {
    const end = (slot + 1) * length
    if (delivered.has(slot)) return 'present'
    if (end > now) return 'future'
    if (slot * length < knownFrom) return 'unknown'
    if (!isExpected(slot)) return 'silent'
    if (now < end + usual) return 'due'
    return now < end + lateFor ? 'late' : 'missing'
  })
  const judged = slots.filter((_, n) => !['future', 'due'].includes(states[n] ?? ''))
  const last = judged.at(-1) ?? NaN
  const state = states[last - current + 28 * perDay] ?? 'silent'
  let since: number | undefined = judged.length
  while (since > 0 && delivered.has(judged[since - 1] ?? NaN) === (state === 'present')) since--
  const newest = Math.max(...delivered.keys())
  const sinceSlot =
    since > 0 || state === 'present' ? judged[since] : newest > 0 ? newest + 1 : undefined
  const counted = slots.filter(
    (slot) => slot * length >= knownFrom && isExpected(slot) && now >= (slot + 1) * length + usual,
  )
  const present = counted.filter((slot) => delivered.has(slot))
  const share = counted.length === 0 ? null : present.length / counted.length
  const inTime = sorted.filter((latency) => latency <= least).length
  const round = (value: number) => Math.round(value * 10_000) / 10_000
  const lastArrival = Math.max(
    ...arrivals.map(({ slot, latency }) => (slot + 1) * length + (latency ?? -Infinity)),
  )
  return {
    row: {
      state,
      since: sinceSlot === undefined ? null : iso(sinceSlot * length),
      usual_s: usual,
      last_slot: newest > 0 ? iso(newest * length) : null,
      last_arrival: lastArrival > 0 ? iso(lastArrival) : null,
      share_28d: share === null ? null : round(share),
      within_target_28d: sorted.length === 0 ? null : round(inTime / sorted.length),
      class: share === null ? null : share > 0.9 ? 'good' : share >= 0.8 ? 'fair' : 'poor',
    },
    undelivered: slots
      .map((slot, n) => [slot, states[n] ?? ''] as const)
      .filter(([, state]) => ['late', 'missing'].includes(state)),
  }
}

const days = 40

/** A series with losses, gaps, late files, removals, returns and second files for a slot. */
const historiesOf = (periods: readonly Period[], [startDay, latestStart, firstEnd]: number[]) =>
  fc.record({
    period: fc.constantFrom(...periods),
    isShort: fc.boolean(),
    startDay: fc.integer({ min: startDay ?? 0, max: latestStart ?? 0 }),
    endDay: fc.integer({ min: firstEnd ?? 0, max: days }),
    lossEvery: fc.integer({ min: 2, max: 60 }),
    gap: fc.tuple(fc.integer({ min: startDay ?? 0, max: days }), fc.integer({ min: 0, max: 6 })),
    latency: fc.integer({ min: 0, max: 20_000 }),
    removedEvery: fc.integer({ min: 2, max: 9 }),
  })

/** Of quarters of an hour only the last days: a series has 96 a day. */
const histories = fc.oneof(
  { weight: 2, arbitrary: historiesOf(['01D', '01H'], [0, 30, 20]) },
  { weight: 1, arbitrary: historiesOf(['15M'], [33, 35, 37]) },
)

const networks = fc.record({
  series: fc.array(histories, { minLength: 1, maxLength: 3 }),
  // The end of a year, and a leap day.
  firstDay: fc.constantFrom(dayOf(2025, 12, 1), dayOf(2028, 2, 5)),
  /** The catalogue is made on this day of the history: a scan finds the files before it. */
  madeOnDay: fc.constantFrom(0, 0, 0, 7, 21),
  hoursLater: fc.integer({ min: 1, max: 50 }),
  /** The answers are read on these days too, so that later ones read only what changed. */
  readDays: fc.array(fc.integer({ min: 0, max: days }), { maxLength: 3 }),
  hoursBack: fc.integer({ min: 0, max: 30 }),
})
type NetworkHistory = typeof networks extends fc.Arbitrary<infer T> ? T : never

t.test('series and missing files equal those of a simple reference implementation', async (t) => {
  const numRuns = Number(process.env['HISTORIES'] ?? 12)
  await fc.assert(
    fc.asyncProperty(networks, (network) => checkHistory(t, network)),
    { numRuns },
  )
})

async function checkHistory(t: Test, network: NetworkHistory): Promise<void> {
  const { series, firstDay, madeOnDay, hoursLater, readDays, hoursBack } = network
  const made = (firstDay + madeOnDay) * daySeconds
  const service = await open(t, { startUs: made * 1e6 })
  const events = series.flatMap((each, index) => eventsOf(each, index, firstDay))
  events.push(
    ...readDays.map((day) => ({ at: (firstDay + day) * daySeconds, kind: 'read' }) as const),
  )
  events.sort((a, b) => a.at - b.at)
  const arrivals = new Map<string, Arrival[]>()
  for (const event of events) await replay(service, event, { made, arrivals })
  const now = (firstDay + days) * daySeconds + hoursLater * 3600
  for (const at of [now, now - hoursBack * 3600]) {
    service.setNow(at)
    const { results } = await service.get('series/?limit=100')
    const found = new Map(results.map((row) => [`${row.station} ${row.period}`, row]))
    t.same([...found.keys()].sort(), [...arrivals.keys()].sort())
    const missing = await service.get('missing/?limit=10000')
    const starts: string[] = []
    for (const [key, known] of arrivals) {
      const period = key.split(' ')[1] as Period
      const wanted = oracle(period, known, made, at)
      t.match(found.get(key), wanted.row, key)
      const first = (Math.floor(at / daySeconds) - 27) * daySeconds
      for (const [slot, state] of wanted.undelivered)
        if (slot * lengths[period] >= first)
          starts.push(`${key} ${iso(slot * lengths[period])} ${state}`)
    }
    const listed = missing.results.map(
      (row) => `${row.station} ${row.period} ${row.start} ${row.state}`,
    )
    t.same(listed.sort(), starts.sort())
    t.equal(missing.count, starts.length)
  }
  await service.app.close()
  service.reader.close()
  service.writer.close()
}

type Service = Awaited<ReturnType<typeof open>>

/** Applies an event to the catalogue, and records the first delivery of each slot. */
async function replay(
  service: Service,
  event: HistoryEvent,
  { made, arrivals }: { readonly made: number; readonly arrivals: Map<string, Arrival[]> },
): Promise<void> {
  const { at, kind } = event
  service.setNow(Math.max(at, made))
  if (kind === 'read') {
    await service.get('series/')
    return
  }
  const { slot, station, period } = event
  if (kind === 'remove') {
    await service.remove(slot, station, period)
    return
  }
  const arrived = at >= made
  // Before the catalogue was made, only files that are still there count.
  if (kind === 'arrive' && !arrived && event.removedAt < made) return
  const source = kind === 'second' ? 'S' : 'R'
  await service.arrive(slot, station, period, { source, arrived })
  const known = arrivals.get(`${station} ${period}`) ?? []
  arrivals.set(`${station} ${period}`, known)
  if (known.some((each) => each.slot === slot)) return
  const end = (slot + 1) * lengths[period]
  known.push({ slot, latency: arrived ? at - end : undefined })
}

interface FileEvent {
  readonly at: number
  readonly kind: 'arrive' | 'remove' | 'return' | 'second'
  readonly slot: number
  readonly station: string
  readonly period: Period
  readonly removedAt: number
}

type HistoryEvent = FileEvent | { readonly at: number; readonly kind: 'read' }
type History = typeof histories extends fc.Arbitrary<infer T> ? T : never

function eventsOf(series: History, index: number, firstDay: number): HistoryEvent[] {
  const { period, isShort, startDay, endDay, lossEvery, gap, latency, removedEvery } = series
  const long = ['GRAZ00AUT', 'ZIMM00CHE', 'ONSA00SWE'][index] ?? ''
  const station = isShort ? long.slice(0, 4) : long
  const perDay = daySeconds / lengths[period]
  const events: FileEvent[] = []
  for (let day = startDay; day < endDay; day++)
    for (let n = 0; n < perDay; n++) {
      const slot = (firstDay + day) * perDay + n
      if (slot % lossEvery === 0 || (day >= gap[0] && day < gap[0] + gap[1])) continue
      const at = (slot + 1) * lengths[period] + ((slot * 7919) % (latency + 1))
      const isRemoved = slot % removedEvery === 0
      const removedAt = isRemoved ? at + 600 : Infinity
      const event = { slot, station, period, removedAt }
      events.push({ ...event, at, kind: 'arrive' })
      if (isRemoved) events.push({ ...event, at: removedAt, kind: 'remove' })
      if (isRemoved && slot % 3 === 0) events.push({ ...event, at: at + 7200, kind: 'return' })
      const hasSecond = !isShort && slot % removedEvery === 1
      if (hasSecond) events.push({ ...event, at: at + 5000, kind: 'second' })
    }
  return events
}

t.test('an expected series that never arrived is late, then missing', async (t) => {
  const start = (firstDay + 10) * daySeconds
  const rule = { hours: new Set([0, 12]), fromDay: firstDay + 11, toDay: undefined }
  const { get, setNow, arrive, text } = await open(t, {
    startUs: start * 1e6,
    expected: [{ station: 'WTZR', fileType: 'o', period: '01H', rule }],
  })
  setNow(start + 1.5 * daySeconds)
  const { results } = await get('series/')
  t.match(results, exact([{ station: 'WTZR', period: '01H', state: 'late', last_slot: null }]))
  const missing = await get('missing/?station=wtzr')
  t.same(
    missing.results.map(({ start, state }) => [start, state]),
    [['2025-12-12T00:00:00Z', 'late']],
  )
  setNow(start + 1.1 * daySeconds)
  await arrive(((firstDay + 11) * daySeconds) / 3600, 'WTZR00DEU', '01H')
  setNow(start + 1.9 * daySeconds)
  const [row] = (await get('series/?state=late')).results
  t.match(row, { station: 'WTZR00DEU', state: 'late', since: '2025-12-12T12:00:00Z' })
  const week = await text('report/?week=2025-W50&format=txt')
  t.match(week, /^WTZR00DEU\s+-\s+1\/2\s+50\.0 %/m)
  t.match(week, '\n  WTZR00DEU_?_20253461200_01H_*O.*\n')
})

t.test('filters, pages and formats work, and faulty parameters get 400', async (t) => {
  const { app, get, text, arrive, setNow } = await open(t, { startUs: firstDay * daySeconds * 1e6 })
  for (let slot = firstDay; slot < firstDay + 8; slot++) {
    setNow((slot + 1) * daySeconds + 600)
    for (const station of ['GRAZ00AUT', 'WTZR00DEU']) await arrive(slot, station, '01D')
  }
  setNow((firstDay + 10) * daySeconds)
  t.equal((await get('series/?country=aut')).count, 1)
  t.equal((await get('series/?period=01H')).count, 0)
  const first = await get('series/?limit=1&ordering=-station')
  t.match(first.results, exact([{ station: 'WTZR00DEU' }]))
  t.match(first.next, 'ordering=-station')
  t.equal((await text('series/?format=csv')).split('\r\n').length, 4)
  t.match(await text('missing/?format=csv'), /^station,.*\r\nGRAZ00AUT,o,01D,2025-12-09T/)
  const bad = {
    'series/?state=away&period=1&ordering=x': ['state', 'period', 'ordering'],
    'missing/?from=2026-13-01': ['from'],
    'missing/?from=2026-01-02&to=2026-01-01': ['from'],
    'missing/?from=2020-01-01&to=2026-01-01': ['from'],
    'report/?week=2026-W54': ['week'],
    'report/?week=9999': ['week'],
    'report/?week=%3Cb%3E': ['week'],
  }
  for (const [target, fields] of Object.entries(bad)) {
    const { statusCode, body } = await app.inject(`/rinex/api/${target}`)
    t.equal(statusCode, 400, target)
    t.same(Object.keys(JSON.parse(body) as object), fields)
  }
  for (const target of ['network/', 'series/', 'missing/', 'report/']) {
    const { headers } = await app.inject(`/rinex/api/${target}`)
    const tag = { 'if-none-match': String(headers.etag) }
    const again = await app.inject({ url: `/rinex/api/${target}`, headers: tag })
    t.equal(again.statusCode, 304, target)
    setNow((firstDay + 10) * daySeconds + 61)
    const later = await app.inject({ url: `/rinex/api/${target}`, headers: tag })
    t.equal(later.statusCode, 200, `${target} a minute later`)
    setNow((firstDay + 10) * daySeconds)
  }
})
