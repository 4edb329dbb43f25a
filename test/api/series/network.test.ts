/**
 * The series of the network, their missing files, availability and totals, compared with a slow
 * reference that replays histories.
 */
import type { Test } from 'tap'
import type { ExpectedSeries } from '../../../src/series/expectation.ts'
import { change, newFile } from '../../catalogue/change.ts'
import { fc } from '../../random.ts'
import type { History, MissingSlot, NowAnswer, RangeAnswer } from '../../series/oracle.ts'
import { oracleHalf, oracleMissing, oracleNow, oracleRange } from '../../series/oracle.ts'
import t, { exact } from '../../tap.ts'
import { FilesOfSeries } from './files-reference.ts'
import type { NameStyle, Period } from './network.ts'
import { dayOf, daySeconds, firstDay, iso, lengths, nameOf, openNetwork } from './network.ts'

interface Row {
  readonly station: string
  readonly file_type: string
  readonly period: Period
  readonly state: string
  readonly since: string | null
  readonly start: string
  readonly last_slot: string | null
}

interface Page {
  readonly count: number
  readonly next: string | null
  readonly as_of: string | null
  readonly results: readonly Row[]
}

async function open(t: Test, options: { startUs: number; expected?: readonly ExpectedSeries[] }) {
  const service = await openNetwork(t, options)
  return {
    ...service,
    get: async <T = Page>(target: string) => JSON.parse(await service.text(target)) as T,
  }
}

const days = 40

/**
 * A series with losses, gaps, late files, removals, returns, second files for a slot, damaged files
 * and better copies, and names that are written in several ways.
 */
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
    /** Every so many slots a file is damaged, in one way or another. */
    damagedEvery: fc.constantFrom(undefined, undefined, 2, 3, 5, 17),
    /** Every so many slots the epochs of its files are counted. */
    countedEvery: fc.constantFrom(undefined, 2, 3, 7),
    damage: fc.constantFrom('arrives', 'is empty', 'is overwritten', 'is found', 'is mended'),
    style: fc.constantFrom<NameStyle>('usual', 'usual', 'unit', 'start'),
    /**
     * Slots of the years before, which a scan finds: their last days before the history, and a
     * misdated one.
     */
    old: fc.record({
      days: fc.constantFrom(0, 0, 1, 4, 30, 200),
      daysBefore: fc.constantFrom(0, 0, 5, 100, 420, 900),
      misdated: fc.constantFrom(undefined, undefined, -3000, -500, 60),
    }),
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
  madeOnDay: fc.constantFrom(0, 0, 7, 21, 40),
  hoursLater: fc.integer({ min: 1, max: 50 }),
  /** The answers are read on these days too, so that later ones read only what changed. */
  readDays: fc.array(fc.integer({ min: 0, max: days }), { maxLength: 3 }),
  hoursBack: fc.integer({ min: 0, max: 30 }),
  /** The indexer stops, and the states stand still. */
  hoursStopped: fc.integer({ min: 1, max: 100 }),
  /** First day of the range of availability, before the end. */
  rangeDays: fc.constantFrom(1, 10, 45, 400, 1000),
})
type NetworkHistory = typeof networks extends fc.Arbitrary<infer T> ? T : never

/** A thousand histories take an hour or two. */
const timeout = process.env['HISTORIES'] === undefined ? 600_000 : 86_400_000
t.setTimeout(timeout)

t.test('every answer about series equals that of a simple reference', { timeout }, async (t) => {
  const numRuns = Number(process.env['HISTORIES'] ?? (process.env['SLOW'] === '1' ? 24 : 6))
  await fc.assert(
    fc.asyncProperty(networks, (network) => checkHistory(t, network)),
    { numRuns },
  )
})

type Known = FilesOfSeries

async function checkHistory(t: Test, network: NetworkHistory): Promise<void> {
  const { series, firstDay, madeOnDay, hoursLater, readDays, hoursBack } = network
  const made = (firstDay + madeOnDay) * daySeconds
  const service = await open(t, { startUs: made * 1e6 })
  const events = series.flatMap((each, index) => eventsOf(each, index, firstDay))
  events.push(
    ...readDays.map((day) => ({ at: (firstDay + day) * daySeconds, kind: 'read' }) as const),
  )
  events.sort((a, b) => a.at - b.at)
  const known = new Map<string, Known>()
  await scanBefore(service, events, { made, known })
  for (const event of events) if (event.at >= made) await replay(service, event, known)
  const now = (firstDay + days) * daySeconds + hoursLater * 3600
  const check = (asOf: number) => checkAnswers(t, service, { known, asOf, network })
  for (const at of [now, now - hoursBack * 3600]) {
    await service.setNow(at)
    await check(at)
  }
  const stopped = now - hoursBack * 3600
  service.passTo(stopped + network.hoursStopped * 3600)
  await check(stopped)
  await checkFresh(t, service, [...known.keys()])
  await service.app.close()
  service.reader.close()
  service.writer.close()
}

async function checkAnswers(
  t: Test,
  service: Service,
  answers: {
    readonly known: ReadonlyMap<string, Known>
    readonly asOf: number
    readonly network: NetworkHistory
  },
): Promise<void> {
  const { known, asOf, network } = answers
  const { results, as_of } = await service.get('series/?limit=100')
  t.equal(as_of, iso(asOf))
  const found = new Map(results.map((row) => [`${row.station} ${row.period}`, row]))
  t.same([...found.keys()].sort(), [...known.keys()].sort())
  const [lastDay, firstMissing] = [
    Math.floor(asOf / daySeconds),
    Math.floor(asOf / daySeconds) - 27,
  ]
  const [missing, half]: [object[], object[]] = [[], []]
  const rows = new Map<string, NowAnswer>()
  for (const [key, files] of known) {
    const [station, period] = key.split(' ') as [string, Period]
    const history: History = { period, ...files.history, asOf }
    const wanted = oracleNow(history)
    rows.set(key, wanted)
    const row = wireNow(wanted)
    t.strictSame(pick(found.get(key) ?? {}, row), row, key)
    const perDay = daySeconds / lengths[period]
    const recent = { from: firstMissing * perDay, to: (lastDay + 1) * perDay - 1 }
    for (const row of oracleMissing(history, recent))
      missing.push({ station, file_type: 'o', period, ...wireMissing(row, period) })
    for (const row of oracleHalf(history, recent))
      half.push({ station, file_type: 'o', period, ...wireMissing(row, period) })
    const range = {
      from: (lastDay - Math.min(network.rangeDays, 100_000 / perDay - 1)) * perDay,
      to: (lastDay + 1) * perDay - 1,
    }
    const target = `period=${period}&from=${dateOf(range.from, period)}`
    const body = await service.get<object>(`station/${station}/availability/?${target}`)
    const oracle = wireRange(oracleRange(history, range))
    t.strictSame(pick(body, oracle), oracle, `${key} ${target}`)
  }
  const listed = await service.get<{ results: object[] }>('missing/?limit=10000')
  const text = (rows: readonly object[], like: object) =>
    rows.map((row) => JSON.stringify(pick(row, like))).sort()
  const like = missing[0] ?? {}
  t.strictSame(text(listed.results, like), text(missing, like))
  const asked = await service.get<{ results: object[] }>('missing/?state=half&limit=10000')
  t.strictSame(text(asked.results, half[0] ?? {}), text(half, half[0] ?? {}))
  const totals = await service.get<Record<string, unknown>>('network/')
  const stations = stationsOf(rows)
  t.match(totals, exact(totalsOf([...rows.values()], stations)))
  t.match(totals, { verdict: { late: stations.late, down: stations.down } })
  for (const [state, count] of Object.entries(stations)) {
    const found = await service.get<{ count: number }>(`station/?state=${state}`)
    t.equal(found.count, count, `stations that are ${state}`)
  }
}

/** A long-lived API and one that has just been started answer the same. */
async function checkFresh(t: Test, service: Service, series: readonly string[]): Promise<void> {
  const fresh = await service.startAnother()
  const paths = ['series/?limit=100', 'missing/?limit=10000', 'network/', 'alerts/', 'report/']
  for (const key of series) {
    const [station = '', period = ''] = key.split(' ')
    paths.push(`station/${station}/availability/?period=${period}`)
  }
  for (const path of paths)
    t.strictSame((await fresh.inject(`/rinex/api/${path}`)).body, await service.text(path), path)
  await fresh.close()
}

/** The members of an object that another one has, in its order. */
function pick(object: object, like: object): object {
  const values = object as Record<string, unknown>
  return Object.fromEntries(Object.keys(like).map((key) => [key, values[key]]))
}

const isoOrNull = (seconds: number | null) => (seconds === null ? null : iso(seconds))
const rounded = (share: number | null) =>
  share === null ? null : Math.round(share * 10_000) / 10_000

function wireNow(now: NowAnswer) {
  // The counts are in the totals of the network.
  return {
    state: stateOf(now),
    since: isoOrNull(now.since),
    usual_s: now.usual_s,
    late_after_s: now.late_after_s,
    last_slot: isoOrNull(now.last_slot),
    last_arrival: isoOrNull(now.last_arrival),
    completeness_28d: rounded(now.completeness_28d),
    half_28d: now.half_28d,
    within_target_28d: rounded(now.within_target_28d),
    class: now.class,
  }
}

function wireRange(range: RangeAnswer) {
  return {
    ...range,
    first: isoOrNull(range.first),
    last: isoOrNull(range.last),
    completeness: rounded(range.completeness),
    gaps: range.gaps.map(([from, to, slots, state]) => [iso(from), iso(to), slots, state]),
    spans: range.spans.map(([from, to]) => [iso(from), iso(to)]),
  }
}

function wireMissing(missing: MissingSlot, period: Period) {
  const start = missing.slot * lengths[period]
  return {
    start: iso(start),
    end: iso(start + lengths[period]),
    expected_by: iso(missing.expected_by),
    state: missing.state,
    since: iso(missing.since),
  }
}

/** The states from bad to good. */
const order = ['down', 'late', 'present', 'silent', 'ended'] as const
type Counts = Record<(typeof order)[number], number>

const stateOf = ({ state, ended }: NowAnswer) => (ended ? 'ended' : state)

/** Numbers of stations by the worst state of their series. @param rows by station and period */
function stationsOf(rows: ReadonlyMap<string, NowAnswer>): Counts {
  const states = Map.groupBy(rows, ([key]) => key.split(' ')[0])
  const worst = Array.from(states.values(), (own) =>
    order.find((state) => own.some(([, row]) => stateOf(row) === state)),
  )
  const count = (wanted: string) => worst.filter((state) => state === wanted).length
  return Object.fromEntries(order.map((state) => [state, count(state)])) as Counts
}

function totalsOf(rows: readonly NowAnswer[], { ended, ...states }: Counts) {
  const counted = rows.filter(
    (row) => !row.ended && (row.expected_28d > 0 || row.delivered_28d > 0),
  )
  const sum = (key: 'possible_28d' | 'delivered_28d' | 'half_28d') =>
    counted.reduce((total, row) => total + row[key], 0)
  const possible = sum('possible_28d')
  return {
    stations: Object.values(states).reduce((total, count) => total + count, 0),
    states,
    ended,
    possible_28d: possible,
    delivered_28d: sum('delivered_28d'),
    half_28d: sum('half_28d'),
    completeness_28d: possible === 0 ? null : rounded(sum('delivered_28d') / possible),
  }
}

function dateOf(slot: number, period: Period): string {
  return iso(slot * lengths[period]).slice(0, 10)
}

type Service = Awaited<ReturnType<typeof open>>

/** Finds the files that are there when the catalogue is made, as its first scan does. */
async function scanBefore(
  service: Service,
  events: readonly HistoryEvent[],
  { made, known }: { readonly made: number; readonly known: Map<string, Known> },
): Promise<void> {
  const files = new Map<string, FileEvent & { readonly isDamaged: boolean }>()
  for (const event of events) {
    if (event.kind === 'read' || event.at >= made) continue
    const { name, kind } = event
    const before = files.get(name)
    if (kind === 'remove') files.delete(name)
    else if (kind === 'count') {
      if (before?.isDamaged === false) files.set(name, { ...before, share: event.share })
    } else if (kind !== 'find') files.set(name, { ...event, isDamaged: kind !== 'put' })
    else if (before !== undefined) files.set(name, { ...before, isDamaged: true })
  }
  const added = Array.from(files.values(), ({ name, isDamaged }) => ({
    ...newFile(name, { size: 100, mtimeUs: 1 }),
    incomplete: isDamaged,
  }))
  if (added.length > 0) await service.writer.apply([change('obs/2026/001', { added })])
  for (const { slot, station, period, name, isDamaged, share } of files.values()) {
    const own = knownOf(known, station, period)
    own.put(slot, name, { isDamaged, arrival: undefined, at: made })
    if (share !== undefined && own.count(slot, name, share)) await service.count(name, share)
  }
}

function knownOf(known: Map<string, Known>, station: string, period: Period): Known {
  const key = `${station} ${period}`
  const found = known.get(key) ?? new FilesOfSeries(lengths[period])
  known.set(key, found)
  return found
}

/** Applies an event to the catalogue, and to the reference. */
async function replay(
  service: Service,
  event: HistoryEvent,
  known: Map<string, Known>,
): Promise<void> {
  const { at, kind } = event
  service.passTo(at)
  if (kind === 'read') {
    await service.setNow(at)
    await service.get('series/')
    return
  }
  const { slot, station, period, name, share } = event
  const files = known.get(`${station} ${period}`)
  const isThere = files?.isThere(slot, name) === true
  if (kind === 'remove') {
    await service.removeName(name)
    files?.remove(slot, name)
  } else if (kind === 'count') {
    if (files?.count(slot, name, share) === true) await service.count(name, share)
  } else if (kind === 'find') {
    if (!isThere) return
    await service.findBroken(name)
    files.find(slot, name, at)
  } else {
    // Only a file that is there is overwritten.
    if (event.isVersion && !isThere) return
    const isDamaged = kind !== 'put'
    await service.put(name, { isDamaged, isEmpty: kind === 'put empty' })
    knownOf(known, station, period).put(slot, name, { isDamaged, arrival: at, at })
  }
}

interface FileEvent {
  readonly at: number
  /** A good, a damaged or an empty file; one is found to be broken, or its epochs are counted. */
  readonly kind: 'put' | 'put damaged' | 'put empty' | 'find' | 'count' | 'remove'
  readonly share?: number | undefined
  /** True for another version of a file. */
  readonly isVersion?: boolean
  readonly slot: number
  readonly station: string
  readonly period: Period
  readonly name: string
}

type HistoryEvent = FileEvent | { readonly at: number; readonly kind: 'read' }
type SeriesHistory = typeof histories extends fc.Arbitrary<infer T> ? T : never

function eventsOf(series: SeriesHistory, index: number, firstDay: number): HistoryEvent[] {
  const { period, isShort, startDay, endDay, lossEvery, gap, latency, removedEvery, old } = series
  const { style } = series
  const long = ['GRAZ00AUT', 'ZIMM00CHE', 'ONSA00SWE'][index] ?? ''
  const station = isShort ? long.slice(0, 4) : long
  const perDay = daySeconds / lengths[period]
  const events: FileEvent[] = []
  const fileOf = (slot: number, source = 'R') => ({
    slot,
    station,
    period,
    name: nameOf(slot, station, period, source, style),
  })
  const scanned = { at: -Infinity, kind: 'put' } as const
  const oldEnd = (firstDay - old.daysBefore) * perDay
  const oldDays = period === '15M' ? Math.min(old.days, 4) : old.days
  for (let slot = oldEnd - oldDays * perDay; slot < oldEnd; slot++)
    if (slot % 11 !== 0)
      events.push({
        ...fileOf(slot),
        ...scanned,
        kind: isDamagedSlot(series, slot) ? 'put damaged' : 'put',
      })
  if (old.misdated !== undefined)
    events.push({ ...fileOf((firstDay + old.misdated) * perDay + perDay - 1), ...scanned })
  for (let day = startDay; day < endDay; day++)
    for (let n = 0; n < perDay; n++) {
      const slot = (firstDay + day) * perDay + n
      if (slot % lossEvery === 0 || (day >= gap[0] && day < gap[0] + gap[1])) continue
      const at = (slot + 1) * lengths[period] + ((slot * 7919) % (latency + 1))
      const isRemoved = slot % removedEvery === 0
      const file = fileOf(slot)
      events.push(...versionsOf(series, file, at), ...countsOf(series, file, at))
      if (isRemoved) events.push({ ...file, at: at + 600, kind: 'remove' })
      if (isRemoved && slot % 3 === 0) events.push({ ...file, at: at + 7200, kind: 'put' })
      const hasSecond = !isShort && slot % removedEvery === 1
      const second = fileOf(slot, 'S')
      if (hasSecond)
        events.push(
          { ...second, at: at + 5000, kind: 'put' },
          ...countsOf(series, second, at + 5000),
        )
    }
  return events
}

/** Shares of epochs, of which nobody knows one; half is enough. */
const shares = [0.2, 0.499, undefined, 0.5, 0.45, 1]

function countsOf(
  { countedEvery }: SeriesHistory,
  file: Omit<FileEvent, 'at' | 'kind'>,
  at: number,
): FileEvent[] {
  if (countedEvery === undefined || file.slot % countedEvery !== 0) return []
  const share = shares[(Math.floor(file.slot / countedEvery) + file.name.indexOf('_S_')) % 6]
  return [{ ...file, at: at + 300, kind: 'count', share }]
}

const isDamagedSlot = ({ damagedEvery }: SeriesHistory, slot: number): boolean =>
  damagedEvery !== undefined && slot % damagedEvery === 0

/** A file comes, and may be damaged then or later. Some of these are mended, by a good copy. */
function versionsOf(
  series: SeriesHistory,
  file: Omit<FileEvent, 'at' | 'kind'>,
  at: number,
): FileEvent[] {
  if (!isDamagedSlot(series, file.slot)) return [{ ...file, at, kind: 'put' }]
  const later = { ...file, isVersion: true }
  const mended: FileEvent[] = file.slot % 4 === 0 ? [{ ...later, at: at + 9000, kind: 'put' }] : []
  const good = { ...file, at, kind: 'put' } as const
  switch (series.damage) {
    case 'arrives':
      return [{ ...file, at, kind: 'put damaged' }, ...mended]
    case 'is empty':
      return [{ ...file, at, kind: 'put empty' }, ...mended]
    case 'is overwritten':
      return [good, { ...later, at: at + 4000, kind: 'put damaged' }, ...mended]
    case 'is found':
      return [good, { ...later, at: at + 4000, kind: 'find' }, ...mended]
    case 'is mended':
      return [
        { ...file, at, kind: 'put damaged' },
        { ...later, at: at + 1000, kind: 'put' },
      ]
  }
}

t.test(
  'an expected series that never arrived is down, and late after its first file',
  async (t) => {
    const start = (firstDay + 10) * daySeconds
    const rule = { hours: new Set([0, 12]), fromDay: firstDay + 11, toDay: undefined }
    const { get, setNow, arrive, text } = await open(t, {
      startUs: start * 1e6,
      expected: [{ station: 'WTZR', fileType: 'o', period: '01H', rule }],
    })
    await setNow(start + 1.5 * daySeconds)
    const { results } = await get('series/')
    t.match(results, exact([{ station: 'WTZR', period: '01H', state: 'down', since: null }]))
    const missing = await get('missing/?station=wtzr')
    t.same(
      missing.results.map(({ start, state }) => [start, state]),
      [['2025-12-12T00:00:00Z', 'late']],
    )
    await setNow(start + 1.1 * daySeconds)
    await arrive(((firstDay + 11) * daySeconds) / 3600, 'WTZR00DEU', '01H')
    await setNow(start + 1.9 * daySeconds)
    const [row] = (await get('series/?state=late')).results
    t.match(row, { station: 'WTZR00DEU', state: 'late', since: '2025-12-12T01:00:00Z' })
    const week = await text('report/?week=2396&format=csv')
    t.match(week, /^WTZR00DEU,DEU,,,,,,,\d+,1,.* ?WTZR00DEU_\?_202534612\?\?_01H_\*O\.\*/m)
  },
)

t.test('a file that comes before its day ends has its own time of arrival', async (t) => {
  const start = (firstDay + 10) * daySeconds
  const { app, get, setNow, arrive } = await open(t, { startUs: start * 1e6 })
  await setNow(start + 14.39 * 3600)
  const arrival = iso(start + 14.39 * 3600)
  await arrive(firstDay + 10, 'GRAZ00AUT', '01D')
  await setNow(start + 15.7 * 3600)
  const network = await get<{ verdict: { newest_file: string } }>('network/')
  t.equal(network.verdict.newest_file, arrival)
  t.match((await get('series/')).results, exact([{ last_arrival: arrival, usual_s: 0 }]))
  const latency = await app.inject('/rinex/api/station/GRAZ/latency/?period=01D')
  t.match(latency.json(), { arrivals: 1, median_s: 0 }, 'no latency is below 0')
})

t.test('changes of old files change the states of a series that delivers nothing', async (t) => {
  const { get, scan, remove, setNow } = await open(t, { startUs: firstDay * daySeconds * 1e6 })
  const old = firstDay - 600
  const files = (days: readonly number[]) =>
    days.map((day) => [old + day, 'GRAZ00AUT', '01D'] as const)
  await scan(files([0, 10, 20, 29]))
  const row = { station: 'GRAZ00AUT', state: 'silent', last_slot: iso((old + 29) * daySeconds) }
  t.match((await get('series/')).results, exact([row]), 'never steady')
  // As many files, and the same ends.
  for (const day of [10, 20]) await remove(old + day, 'GRAZ00AUT', '01D')
  await scan(files([1, 2]))
  await setNow(firstDay * daySeconds + 60)
  t.match((await get('series/')).results, exact([{ ...row, state: 'ended' }]))
})

t.test('a range with too many missing files, or before all files, is answered', async (t) => {
  const rule = { hours: undefined, fromDay: undefined, toDay: undefined }
  const { app, get, scan } = await open(t, {
    startUs: firstDay * daySeconds * 1e6,
    expected: [{ station: 'WTZR', fileType: 'o', period: '15M', rule }],
  })
  await scan([[firstDay - 1, 'GRAZ00AUT', '01D']])
  const many = await app.inject('/rinex/api/missing/?station=WTZR&from=2000-01-01&to=2025-01-01')
  t.match(many, { statusCode: 400 })
  t.match(many.json(), { from: exact(['The range has more than 100000 missing files.']) })
  const early = 'missing/?station=GRAZ00AUT&from=0001-01-01&to=0040-12-31'
  t.match(await get(early), { count: 0 })
  t.match(await get('report/?week=0'), { stations: exact([]) })
})

t.test('filters, pages and formats work, and faulty parameters get 400', async (t) => {
  const { app, get, text, arrive, setNow } = await open(t, { startUs: firstDay * daySeconds * 1e6 })
  for (let slot = firstDay; slot < firstDay + 8; slot++) {
    await setNow((slot + 1) * daySeconds + 600)
    for (const station of ['GRAZ00AUT', 'WTZR00DEU']) await arrive(slot, station, '01D')
  }
  await setNow((firstDay + 10) * daySeconds)
  t.equal((await get('series/?country=aut')).count, 1)
  t.equal((await get('series/?period=01H')).count, 0)
  const first = await get('series/?limit=1&ordering=-station')
  t.match(first.results, exact([{ station: 'WTZR00DEU' }]))
  t.match(first.next, 'ordering=-station')
  t.equal((await text('series/?format=csv')).split('\r\n').length, 4)
  t.match(await text('missing/?format=csv'), /^station,.*\r\nGRAZ00AUT,o,01D,2025-12-09T/)
  const bad = {
    'series/?state=away&period=1&ordering=x': ['period', 'state', 'ordering'],
    'missing/?from=2026-13-01': ['from'],
    'missing/?from=2026-01-02&to=2026-01-01': ['from'],
    'missing/?from=2020-01-01&to=2026-01-01': ['from'],
    'report/?week=2025-W50': ['week'],
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
    await setNow((firstDay + 10) * daySeconds + 61)
    const later = await app.inject({ url: `/rinex/api/${target}`, headers: tag })
    t.equal(later.statusCode, 200, `${target} a minute later`)
    await setNow((firstDay + 10) * daySeconds)
  }
})
