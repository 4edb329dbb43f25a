/** Stations, from the counts of each station and kind. */
import { secondsPerDay } from '../../parse/calendar.ts'
import { countryOf } from '../../parse/countries.ts'
import type { FileDuration, FileType, FileVersion } from '../../parse/types.ts'
import type { StationOrdering } from '../filter.ts'
import type { Question } from '../question.ts'
import { rows } from '../question.ts'
import type { Head } from '../records.ts'
import type { QuestionContext } from '../selection/context.ts'
import type { Kind } from '../selection/kinds.ts'
import type { Sites } from '../selection/sites.ts'

/** A station, and the numbers of its live files by area, type, duration and version. */
export interface StationSummary {
  /** In upper case: 4 characters, or 9 with the country. */
  readonly code: string
  /** All codes whose files are counted, sorted. */
  readonly codes: readonly string[]
  /** UTC days since 1970-01-01 on which the earliest and the latest data start. */
  readonly firstDay: number
  readonly lastDay: number
  /** Latest start of data, in seconds since 1970. */
  readonly lastStart: number
  readonly files: number
  readonly byArea: Readonly<Partial<Record<string, number>>>
  readonly byType: Readonly<Partial<Record<FileType, number>>>
  readonly byDuration: Readonly<Partial<Record<FileDuration, number>>>
  readonly byVersion: Readonly<Partial<Record<FileVersion, number>>>
}

export interface StationsQuery {
  readonly limit: number
  readonly offset: number
  readonly countries?: readonly string[]
  /**
   * Only stations with these codes. A station is found by its `code` in the answer: the files of a
   * short code that belongs to a long code are found only by the long code.
   */
  readonly codes?: readonly string[]
  /** Only stations with a code that contains this text, in upper case. */
  readonly search?: string
  /** Only stations with a code that begins with one of these texts, in upper case. */
  readonly starts?: readonly string[]
  /**
   * Default: by code. Stations with equal sort keys are sorted by code. If the key is the country,
   * stations without a country come last.
   */
  readonly ordering?: StationOrdering
  /** Only files in these areas are counted; stations without files in them are left out. */
  readonly areas?: readonly string[]
}

/**
 * The files of a short code are counted with the long code to which it belongs (see
 * `selection/sites.ts`).
 */
export interface StationsPage {
  readonly head: Head
  readonly count: number
  /** Number of the countries of all of these. */
  readonly countries: number
  readonly stations: readonly StationSummary[]
}

export interface StationAnswer {
  readonly head: Head
  /** `undefined` without live files. */
  readonly station: StationSummary | undefined
}

/** The counts of the files of one kind that a station has. */
type StationKindRow = [
  station: number,
  kind: number,
  files: number,
  firstStart: number,
  lastStart: number,
]

/** The counts of all files of a station. */
type StationRow = [station: number, files: number, firstStart: number, lastStart: number]

/** A row of the list: a long code with the short code that belongs only to it, or a single code. */
interface StationTotal {
  readonly code: string
  readonly codes: readonly string[]
  readonly ids: readonly number[]
  readonly count: number
  readonly firstStart: number
  readonly lastStart: number
}

/** Kinds of the files that are counted; `undefined`: all. */
type KindIds = readonly number[] | undefined

/** A page of the list of stations. @throws NotBuilt */
export function* stations(query: StationsQuery, context: QuestionContext): Question<StationsPage> {
  const { limit, offset, ordering = byCode, countries, areas } = query
  const { head } = yield* context.lookups.refresh({ needsBuilt: true })
  const sites = yield* context.lookups.sites()
  const filter = { ...(countries && { countries }), ...(areas && { areas }) }
  const selection = yield* context.lookups.select(filter)
  if (selection === undefined) return { head, count: 0, countries: 0, stations: [] }
  const totals = yield* totalsOf(selection.kinds, sites, context)
  const wanted = selection.stations && new Set(selection.stations)
  const found = totals
    .filter(({ ids }) => wanted === undefined || ids.some((id) => wanted.has(id)))
    .filter(isWanted(query))
    .sort((a, b) => compare(a, b, ordering))
  const shown = found.slice(offset, offset + limit)
  return {
    head,
    count: found.length,
    countries: new Set(found.flatMap(({ code }) => countryOf(code) ?? [])).size,
    stations: yield* summariesOf(shown, selection.kinds, context),
  }
}

/**
 * A code of 4 characters stands for itself and all long codes that begin with it.
 * @throws NotBuilt
 */
export function* station(code: string, context: QuestionContext): Question<StationAnswer> {
  const { head } = yield* context.lookups.refresh({ needsBuilt: true })
  const { stations, kinds } = context.lookups
  const selection = yield* context.lookups.select({ stations: [code] })
  const counted = yield* countsOf(selection?.stations ?? [], undefined, context)
  const ids = [...new Set(counted.map(([station]) => station))]
  const codes = ids.map((id) => stations.get(id) ?? '').sort()
  const station = counted.length === 0 ? undefined : summaryOf({ code, codes }, counted, kinds)
  return { head, station }
}

/** All stations that have files of these kinds, with their counts; not sorted. */
function* totalsOf(
  kinds: KindIds,
  sites: Sites,
  context: QuestionContext,
): Question<StationTotal[]> {
  const found = yield* rows<StationRow>(
    `SELECT station, CAST(sum(files) AS bigint), min(first_date), max(last_date)
     FROM station_count WHERE ${ofKinds(kinds, context)} GROUP BY station ORDER BY station`,
    kinds && { kinds },
  )
  const totals = new Map<string, StationTotal>()
  for (const [station, files, firstStart, lastStart] of found) {
    const own = context.lookups.stations.get(station) ?? ''
    const code = sites.mainCode(own)
    const known = totals.get(code)
    totals.set(code, {
      code,
      codes: [...(known?.codes ?? []), own],
      ids: [...(known?.ids ?? []), station],
      count: files + (known?.count ?? 0),
      firstStart: Math.min(firstStart, known?.firstStart ?? Infinity),
      lastStart: Math.max(lastStart, known?.lastStart ?? -Infinity),
    })
  }
  return [...totals.values()]
}

function* summariesOf(
  shown: readonly StationTotal[],
  kinds: KindIds,
  context: QuestionContext,
): Question<StationSummary[]> {
  const counted = yield* countsOf(
    shown.flatMap(({ ids }) => ids),
    kinds,
    context,
  )
  const byStation = Map.groupBy(counted, ([station]) => station)
  return shown.map(({ code, codes, ids }) => {
    const own = ids.flatMap((id) => byStation.get(id) ?? [])
    return summaryOf({ code, codes: [...codes].sort() }, own, context.lookups.kinds)
  })
}

function countsOf(
  stations: readonly number[],
  kinds: KindIds,
  context: QuestionContext,
): Question<StationKindRow[]> {
  return rows<StationKindRow>(
    `SELECT station, kind, files, first_date, last_date FROM station_count
     WHERE ${context.dialect.isIn('station', 'stations')} AND ${ofKinds(kinds, context)}`,
    { stations, ...(kinds && { kinds }) },
  )
}

function ofKinds(kinds: KindIds, context: QuestionContext): string {
  return kinds === undefined ? 'TRUE' : context.dialect.isIn('kind', 'kinds')
}

const byCode: StationOrdering = { key: 'code', descending: false }

function isWanted({
  codes,
  search = '',
  starts = [''],
}: StationsQuery): (station: StationTotal) => boolean {
  const listed = codes && new Set(codes)
  return (station) =>
    listed?.has(station.code) !== false &&
    station.codes.some(
      (code) => code.includes(search) && starts.some((start) => code.startsWith(start)),
    )
}

/** Sort keys of stations. */
const sortKeys: Readonly<
  Record<StationOrdering['key'], (station: StationTotal) => number | string>
> = {
  code: ({ code }) => code,
  country: ({ code }) => countryOf(code) ?? '',
  count: ({ count }) => count,
  first_data_date: ({ firstStart }) => firstStart,
  last_data_date: ({ lastStart }) => lastStart,
}

function compare(a: StationTotal, b: StationTotal, { key, descending }: StationOrdering): number {
  const [first, second] = [sortKeys[key](a), sortKeys[key](b)]
  // Stations without a country come last in both directions.
  if (first === '' || second === '')
    return first === second ? (a.code < b.code ? -1 : 1) : first === '' ? 1 : -1
  if (first !== second) return first < second === descending ? 1 : -1
  return a.code < b.code ? -1 : 1
}

function summaryOf(
  codes: Pick<StationSummary, 'code' | 'codes'>,
  counted: readonly StationKindRow[],
  kinds: ReadonlyMap<number, Kind>,
): StationSummary {
  const sumBy = <Key extends string>(keyOf: (kind: Kind) => Key): Partial<Record<Key, number>> => {
    const sums: Partial<Record<Key, number>> = {}
    for (const [, id, files] of counted) {
      const kind = kinds.get(id)
      if (kind !== undefined) sums[keyOf(kind)] = (sums[keyOf(kind)] ?? 0) + files
    }
    return sums
  }
  const [firstStarts, lastStarts] = [counted.map((row) => row[3]), counted.map((row) => row[4])]
  return {
    ...codes,
    firstDay: Math.floor(Math.min(...firstStarts) / secondsPerDay),
    lastDay: Math.floor(Math.max(...lastStarts) / secondsPerDay),
    lastStart: Math.max(...lastStarts),
    files: counted.reduce((sum, [, , files]) => sum + files, 0),
    byArea: sumBy(({ area }) => area),
    byType: sumBy(({ type }) => type),
    byDuration: sumBy(({ duration }) => duration),
    byVersion: sumBy(({ version }) => version),
  }
}
