/** Random questions of all kinds, about the files of `random-histories.ts`. */
import type { FileFilter, Ordering, TimeRange } from '../../src/catalogue/filter.ts'
import {
  feedConditions,
  listedProblems,
  orderKeys,
  problems,
  stationOrderKeys,
} from '../../src/catalogue/filter.ts'
import type { NetworkDeliveries } from '../../src/catalogue/questions/network-deliveries.ts'
import type { CatalogueReader } from '../../src/catalogue/questions/reader.ts'
import { flagNames } from '../../src/rinex/facts.ts'
import { fc } from '../random.ts'
import { codes, countries, days, directories, names, startUs } from './random-histories.ts'

/** A question with the name of its kind, for messages; asks one of two catalogues. */
export interface RandomQuestion {
  readonly kind: string
  readonly query: unknown
  readonly ask: (reader: CatalogueReader) => Promise<unknown>
}

const some = <T>(values: readonly T[]) =>
  fc.subarray([...values], { maxLength: Math.min(4, values.length) })
const id = fc.oneof(fc.nat(120), fc.constantFrom(262_145, 262_150, 2 ** 40, 2 ** 53 - 1))
const limit = fc.integer({ min: 1, max: 40 })
const offset = fc.oneof(fc.constant(0), fc.nat(40), fc.constant(Number.MAX_SAFE_INTEGER))
const directory = fc.constantFrom(...directories, '', 'obs', 'obs/2026', 'nowhere', 'obs\\2026')
const seq = fc.nat(300)
const name = fc.oneof(
  fc.constantFrom(...names),
  fc.constantFrom(...names).map((each) => each.toUpperCase()),
)

/** Also texts that a pattern, a type or an encoding could take for something else. */
const oddTexts = [
  '',
  'g\0',
  '\ud800',
  '%',
  '_',
  '\\',
  '\\\\',
  '%0',
  '_0',
  "'",
  '"',
  '\u212a',
  '\u00df',
  '\ud83d\ude00',
  '[',
  '*',
  '$1',
  '@id',
  '?',
]
const text = fc.oneof(
  fc.constantFrom('graz', '0010', '_mo', 'aut_r_2', '.26d.gz', 'zi', '001', '\\', '_r_'),
  fc.constantFrom(...oddTexts),
)

/** Times in µs, around those of the history. */
const timeUs = fc.nat(400).map((n) => startUs + n)
const rangeOf = (time: fc.Arbitrary<number>): fc.Arbitrary<TimeRange> =>
  fc.record({ fromUs: time, toUs: time }, { requiredKeys: [] })
const dataUs = fc
  .tuple(fc.constantFrom(...days), fc.integer({ min: -2, max: 30 }))
  .map(([day, hours]) => (day * 24 + hours) * 3600e6)

const filter: fc.Arbitrary<FileFilter> = fc
  .record(
    {
      stations: some([...codes, 'NOBO']),
      countries: some([...countries, 'XXX']),
      areas: some(['obs', 'nrt'] as const),
      types: some(['o', 'n', 'm'] as const),
      durations: some(['d', 'h', 'm', 'y'] as const),
      versions: some(['r2', 'r3'] as const),
      intervals: some(['30S', '01S']),
      contents: some(['MO', 'MN']),
      sources: some(['R', 'S', 'U']),
      years: some([2026, 2149, 1970, 0]),
      days: some(days),
      start: rangeOf(dataUs),
      overlaps: rangeOf(dataUs),
      created: rangeOf(timeUs),
      modified: rangeOf(timeUs),
      problems: some(problems),
      idAbove: id,
      idBelow: id,
      names: fc.array(
        fc.record({ how: fc.constantFrom('is', 'starts', 'contains' as const), text }),
        { maxLength: 2 },
      ),
      flags: some(flagNames),
      shareBelow: fc.constantFrom(1, 750_000, 750_001, 1_000_000),
      rinex_version: some(['2.11', '3.04']),
      rinex_versionBegins: some(['3', '2.1', '4']),
      receiver: some(['receiver 1', 'sept polarx5']),
      receiverBegins: some(['receiver 1', 'receiver', 'x']),
      firmware: some(['5.4.0']),
      firmwareBegins: some(['5.', '']),
      antenna: some(['antenna.r0', 'antenna.r2']),
      antennaBegins: some(['antenna', 'lei']),
      radome: some(['none', 'leit']),
      radomeBegins: some(['no']),
      systems: some(['G', 'R', 'C']),
      signals: some(['C1C', 'L1', 'X']),
      box: fc.constantFrom(
        { west: 179, south: -20, east: -179, north: 0 },
        { west: 0, south: 0, east: 180, north: 90 },
      ),
    } satisfies Record<keyof FileFilter, fc.Arbitrary<unknown>>,
    { requiredKeys: [] },
  )
  // Few conditions at a time: most filters are to find something.
  .chain((all) =>
    fc
      .subarray(Object.entries(all), { maxLength: Math.min(3, Object.keys(all).length) })
      .map((few) => Object.fromEntries(few) as FileFilter),
  )

const ofNames: ReadonlySet<string> = new Set(feedConditions)

const ofFeed = filter.map((filters) =>
  Object.fromEntries(Object.entries(filters).filter(([key]) => ofNames.has(key))),
)

const step = fc.record({ key: fc.constantFrom(...orderKeys), descending: fc.boolean() })
const ordering: fc.Arbitrary<Ordering> = fc
  .uniqueArray(step, { minLength: 1, maxLength: 4, selector: ({ key }) => key })
  .map(([first, ...then]) => ({ ...(first ?? { key: 'id', descending: true }), then }))
const chunkOrdering = fc.record({
  key: fc.constantFrom('id', 'data_date', 'created', 'filename' as const),
  descending: fc.boolean(),
})

const series = {
  fileType: fc.constantFrom('o', 'n' as const),
  period: fc.constantFrom('01D', '01H', '15M' as const),
}
/** Slots of days around those of the files, by their period. */
const seriesQuery = fc
  .record({
    ...series,
    code: fc.constantFrom(...codes, 'NOBO'),
    day: fc.constantFrom(...days),
    days: fc.nat(40),
    isOpen: fc.boolean(),
    ahead: fc.integer({ min: -3, max: 3 }),
  })
  .map(({ day, days, isOpen, ahead, period, ...rest }) => {
    const perDay = { '01D': 1, '01H': 24, '15M': 96 }[period]
    const to = (day + 1) * perDay
    const from = to - days * perDay
    return {
      ...rest,
      period,
      from: isOpen ? undefined : from,
      to,
      now: to + ahead,
      mostSlots: 200,
      least: from,
    }
  })

/** Reads all chunks. */
async function chunks(
  reader: CatalogueReader,
  query: Parameters<CatalogueReader['records']>[0],
): Promise<unknown[]> {
  const all = []
  for (let after = query.after, end = false; !end;) {
    const chunk = await reader.records({ ...query, ...(after && { after }) })
    all.push(chunk)
    after = chunk.next
    end = after === undefined
  }
  return all
}

/** Neither the series nor those of a start have an order. */
function inOrder({ series, days, ...rest }: NetworkDeliveries): unknown {
  const keyed = series.map((each) => ({ ...each, ids: [...each.ids].sort((a, b) => a - b) }))
  const started = days.map(({ day, starts }) => ({
    day,
    starts: starts.map(({ start, ids, latencies }) => ({
      start,
      arrived: [...ids].map((id, at) => `${id} ${latencies[at]}`).sort(),
    })),
  }))
  return { ...rest, series: keyed.map((each) => JSON.stringify(each)).sort(), days: started }
}

/** Whatever the most is, both engines count the same. */
const sums = fc.option(
  fc.record({ facets: fc.boolean(), most: fc.constantFrom(0, 100, 1000, 1e6) }),
  { nil: undefined },
)

const ask =
  <Q>(kind: string, how: (reader: CatalogueReader, query: Q) => Promise<unknown>) =>
  (query: Q): RandomQuestion => ({ kind, query, ask: (reader) => how(reader, query) })

const entries = fc.record({
  path: directory,
  after: fc.oneof(fc.constant(''), name, fc.constantFrom('2026', '2026/001')),
  limit,
})
const file = fc.record({ directory, name })
const details = fc.boolean()

export const question: fc.Arbitrary<RandomQuestion> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .record({ limit, offset, filter, ordering, details, sums })
      .map(ask('page', (reader, query) => reader.page(query))),
  },
  {
    weight: 3,
    arbitrary: fc
      .record({ limit, filter, ordering: chunkOrdering, details })
      .map(ask('records', chunks)),
  },
  {
    weight: 3,
    arbitrary: fc
      .record({
        since: seq,
        limit,
        details,
        filters: ofFeed,
      })
      .map(ask('changes', (reader, query) => reader.changes(query))),
  },
  {
    weight: 2,
    arbitrary: fc
      .record(
        {
          limit,
          offset,
          countries: some([...countries, 'XXX']),
          codes: some(codes),
          search: fc.oneof(fc.constantFrom('GRA', '00', 'A', '9'), fc.constantFrom(...oddTexts)),
          start: fc.constantFrom('GRA', 'Z', '0', 'GRAZ00AUT', "'"),
          ordering: fc.record({
            key: fc.constantFrom(...stationOrderKeys),
            descending: fc.boolean(),
          }),
          areas: some(['obs', 'nrt'] as const),
        },
        { requiredKeys: ['limit', 'offset'] },
      )
      .map(ask('stations', (reader, query) => reader.stations(query))),
  },
  {
    weight: 2,
    arbitrary: seriesQuery.map(ask('seriesSlots', (reader, query) => reader.seriesSlots(query))),
  },
  seriesQuery.map(
    ask('seriesArrivals', (reader, query) =>
      reader.seriesArrivals({ ...query, from: query.from ?? query.least }),
    ),
  ),
  fc
    .record({
      now: fc.constantFrom(...days).map((day) => (day + 2) * 86_400),
      series: fc.array(
        fc.record(
          {
            ...series,
            station: fc.constantFrom(...codes),
            firstDelivered: fc.nat(30_000),
            range: fc
              .record({ day: fc.constantFrom(...days), slots: fc.nat(100) })
              .map(({ day, slots }) => ({ from: day, to: day + slots })),
            withRecorded: fc.boolean(),
          },
          { requiredKeys: ['station', 'fileType', 'period', 'firstDelivered'] },
        ),
        { maxLength: 4 },
      ),
    })
    .map(ask('liveSlots', (reader, query) => reader.liveSlots(query))),
  fc.record({ fromDay: fc.constantFrom(...days), length: fc.nat(60), seq }).map(
    ask('deliveries', async (reader, { fromDay, length, seq }) => {
      const since = seq < 100 ? undefined : { ...(await reader.head()), seq }
      return inOrder(await reader.deliveries({ fromDay, toDay: fromDay + length, since }))
    }),
  ),
  fc
    .record({ fromDay: fc.constantFrom(...days), length: fc.nat(60) })
    .map(
      ask('damagedFiles', (reader, { fromDay, length }) =>
        reader.damagedFiles({ fromDay, toDay: fromDay + length }),
      ),
    ),
  fc
    .record({ fromDay: fc.constantFrom(...days), length: fc.nat(60) })
    .map(
      ask('flaggedFiles', (reader, { fromDay, length }) =>
        reader.flaggedFiles({ fromDay, toDay: fromDay + length }),
      ),
    ),
  fc.record({ id, details }).map(ask('record', (reader, query) => reader.record(query))),
  file.map(ask('file', (reader, query) => reader.file(query))),
  file.map(ask('nameInOtherCase', (reader, query) => reader.nameInOtherCase(query))),
  fc
    .record({
      directories: fc.subarray([...directories, 'nowhere']),
      names: fc.array(
        name.map((each) => each.toLowerCase()),
        { maxLength: 6 },
      ),
    })
    .map(ask('unlisted', (reader, query) => reader.unlisted(query))),
  directory.map(ask('checksumsVersion', (reader, query) => reader.checksumsVersion(query))),
  fc
    .record({ directory, after: fc.oneof(fc.constant(''), name) })
    .map(ask('checksums', (reader, query) => reader.checksums(query))),
  id.map(ask('awaitsChecksum', (reader, query) => reader.awaitsChecksum(query))),
  fc
    .constantFrom(...codes, 'NOBO', '')
    .map(ask('station', (reader, query) => reader.station(query))),
  fc
    .constantFrom(...codes, 'NOBO')
    .map(ask('equipment', (reader, query) => reader.equipment(query))),
  fc.constant(undefined).map(ask('stationPositions', (reader) => reader.stationPositions())),
  fc
    .record({
      of: fc.constantFrom('receiver', 'antenna'),
      search: fc.constantFrom('', '', 'A.R1', 'leit', 'RECEIVER 2', 'nothing'),
      ordering: fc.record({
        key: fc.constantFrom('type', 'files'),
        descending: fc.boolean(),
      }),
      limit: fc.nat(4),
      offset: fc.nat(2),
    })
    .map(ask('equipmentTypes', (reader, query) => reader.equipmentTypes(query))),
  directory.map(ask('directory', (reader, query) => reader.directory(query))),
  entries.map(ask('subdirectories', (reader, query) => reader.subdirectories(query))),
  entries.map(ask('filesIn', (reader, query) => reader.filesIn(query))),
  fc.constant(undefined).map(ask('lastScan', (reader) => reader.lastScan())),
  fc.constant(undefined).map(ask('summary', (reader) => reader.summary())),
  fc
    .record({ fromDay: fc.constantFrom(...days), length: fc.nat(60) })
    .map(
      ask('volumes', (reader, { fromDay, length }) =>
        reader.volumes({ days: { fromDay, toDay: fromDay + length } }),
      ),
    ),
  fc
    .record({ kinds: some(listedProblems), limit: fc.nat(40), offset })
    .map(ask('problems', (reader, query) => reader.problems(query))),
)
