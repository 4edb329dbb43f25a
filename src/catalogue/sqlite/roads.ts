/** The ways to find the ids of a page, each with its cost. To be used within a read transaction. */
import { secondsPerDay } from '../../parse/calendar.ts'
import type { OrderKey, Ordering } from '../filter.ts'
import type { Counts } from './counts.ts'
import { intersect } from './date-ranges.ts'
import type { DateRange } from './date-ranges.ts'
import { afterAll, conditionsOf } from './filter-sql.ts'
import type { Selection } from './filter-sql.ts'
import { cheapest, entryUs, lookupUs, rowUs } from './sources.ts'
import type { Source } from './sources.ts'
import type { Lookups } from './lookups.ts'
import { orders, siteOf } from './slices.ts'
import type { Slices } from './slices.ts'
import type { Statements } from './statements.ts'

/** Is called between slices; throws to end a query. */
export type Pause = () => void

export interface Wanted {
  readonly ordering: Ordering
  readonly offset: number
  readonly limit: number
  /** Files of the selection. */
  readonly count: number
}

/** One way to the ids of a page. */
export interface Road {
  /** CPU microseconds, estimated. */
  readonly costUs: number
  ids(pause: Pause): readonly number[]
}

/** A way that may be given up for another. */
interface Walk {
  readonly costUs: number
  /** @returns `undefined` when the time was up */
  ids(pause: Pause, mostMs: number): readonly number[] | undefined
}

/** Files that are still skipped where counts tell the day, or the site, on which a page begins. */
const restBy = { days: 20_000, sites: 15_000, index: 15_000 }

type Place = Pick<Wanted, 'ordering' | 'offset'>

/** What is sorted by SQLite itself. */
interface First {
  readonly ordering: Ordering
  readonly most: number
  readonly pause: Pause
  readonly bounds?: { readonly lowest: number; readonly highest: number }
}

/** The part of a selection from which on it is read, and how many of its files come before the page. */
interface Start {
  readonly selection: Selection
  readonly skip: number
}

/** Keys that are sorted in memory, 8 bytes each; beyond it an index in the order of the keys is read. */
const mostKeys = 2_000_000
/** CPU microseconds of a key, and of a row with its key, that SQLite hands over to be sorted. */
const keyUs = 0.3
const rowsUs = 2
/** Deepest place of a page that is looked for day by day. */
const deepestByDay = 2000

export interface RoadParts {
  readonly counts: Counts
  readonly lookups: Lookups
  readonly slices: Slices
}

export function openRoads(statements: Statements, { counts, lookups, slices }: RoadParts) {
  /** Selections on kinds and ids alone, by id: the counts tell between which ids the page lies. */
  const byIdCounts = ({ kinds, ids }: Selection, wanted: Wanted): Road => ({
    costUs: 500,
    ids() {
      const { offset, count, ordering } = wanted
      const limit = Math.min(wanted.limit, count - offset)
      const above =
        ids === undefined || ids.to === Infinity
          ? 0
          : counts.ofIds(kinds, { from: ids.to + 1, to: Infinity })
      const first = above + (ordering.descending ? offset : count - offset - limit)
      const { from, to, skip } = counts.idsAt(kinds, { offset: first, limit })
      const { sql, values } = conditionsOf({ ...(kinds && { kinds }), ids: { from, to } })
      const index = kinds === undefined ? 'NOT INDEXED' : 'INDEXED BY file_kind'
      const found = statements.column(
        `SELECT f.id FROM file f ${index} WHERE ${sql} ORDER BY f.id DESC LIMIT +@limit OFFSET +@skip`,
        { ...values, limit, skip },
      ) as number[]
      return ordering.descending ? found : found.toReversed()
    },
  })

  /** Selections on dates and kinds alone, highest id first: days are asked in turn until no other can have a higher id. */
  const byLatestDays = ({ dates = [], kinds }: Selection, { offset, limit }: Wanted): Road => {
    const most = offset + limit
    const top = ({ from, to }: DateRange, kind: number) =>
      statements.column(
        `SELECT f.id FROM file f INDEXED BY file_date WHERE f.data_date BETWEEN @from AND @to AND f.kind = @kind
         ORDER BY f.id DESC LIMIT +@most`,
        { from, to, kind, most },
      ) as number[]
    const days = dates.reduce((sum, { from, to }) => sum + (to - from) / secondsPerDay, 0)
    return {
      costUs: 3000 + Math.min(days, 40_000) * (kinds?.length ?? lookups.kinds.size) * 0.5,
      ids(pause) {
        let best: number[] = []
        for (const range of dates)
          for (const { day, kind, lastId } of counts.latestDays(range, kinds)) {
            if (best.length >= most && lastId <= (best[most - 1] ?? 0)) break
            const ofDay = {
              from: Math.max(range.from, day * secondsPerDay),
              to: Math.min(range.to, (day + 1) * secondsPerDay - 1),
            }
            best = [...best, ...top(ofDay, kind)].sort((a, b) => b - a).slice(0, most)
            pause()
          }
        return best.slice(offset)
      },
    }
  }

  /** The first ranks of all files that a source finds, among those whose keys are within bounds. */
  const first = (source: Source, { ordering, most, pause, bounds }: First): SortRow[] => {
    const { key } = orders[ordering.key]
    const way = ordering.descending ? 'DESC' : 'ASC'
    const within = bounds === undefined ? '' : `AND ${key} BETWEEN @lowest AND @highest`
    let best: SortRow[] = []
    for (const slice of source.slices()) {
      const { sql, values } = conditionsOf(slice)
      const found = statements.rows(
        `SELECT f.id, ${sortKey(ordering.key)} FROM ${source.from} WHERE ${sql} ${within}
         ORDER BY ${key} ${way}, f.id ${way} LIMIT +@most`,
        { ...values, ...bounds, most },
      ) as SortRow[]
      best = best.length === 0 ? found : merged(best, found, ordering.descending).slice(0, most)
      pause()
    }
    return best
  }

  /** All keys of the files that a source finds, in rising order. */
  const keysOf = (source: Source, key: OrderKey, pause: Pause): Float64Array => {
    const parts: Float64Array[] = []
    for (const slice of source.slices()) {
      const { sql, values } = conditionsOf(slice)
      const select = `SELECT ${orders[key].key} FROM ${source.from} WHERE ${sql}`
      parts.push(Float64Array.from(statements.column(select, values) as number[]))
      pause()
    }
    const keys = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0))
    let at = 0
    for (const part of parts) {
      keys.set(part, at)
      at += part.length
    }
    return keys.sort()
  }

  /** What it costs to find all files of a selection and the keys that they are sorted by. */
  const findUs = ({ ordering, count }: Wanted, source: Source): number =>
    source.costUs + (source.knows.has(ordering.key) ? 0 : count * lookupUs)

  /** All files of the selection, sorted by SQLite, which keeps no more than the page and what comes before it. */
  const byRows = (wanted: Wanted, source: Source): Road => {
    const { ordering, offset, limit } = wanted
    const most = offset + limit
    return {
      costUs: findUs(wanted, source) + most * rowsUs,
      ids: (pause) =>
        first(source, { ordering, most, pause })
          .slice(offset)
          .map(([id]) => id),
    }
  }

  /** The keys of all files, sorted; then the files between those of the first and the last of the page. */
  const byKeys = (wanted: Wanted, source: Source): Road => {
    const { ordering, offset, limit, count } = wanted
    const { descending } = ordering
    const isPossible = ordering.key !== 'filename' && count <= mostKeys
    return {
      costUs: isPossible ? 2 * findUs(wanted, source) + count * keyUs : Infinity,
      ids(pause) {
        const keys = keysOf(source, ordering.key, pause)
        const last = Math.min(offset + limit, keys.length) - 1
        const at = (rank: number) => keys[descending ? keys.length - 1 - rank : rank] ?? 0
        const [one, other] = [at(offset), at(last)]
        const bounds = { lowest: Math.min(one, other), highest: Math.max(one, other) }
        const before = descending ? keys.length - 1 - keys.lastIndexOf(one) : keys.indexOf(one)
        const skip = offset - before
        return first(source, { ordering, most: skip + limit, pause, bounds })
          .slice(skip)
          .map(([id]) => id)
      },
    }
  }

  /** From the beginning of the order, or from where the counts tell, along its index, past files that do not match. */
  const walk = (selection: Selection, wanted: Wanted, matchesPer: number): Walk => {
    const { ordering, offset, limit } = wanted
    const { key, from } = orders[ordering.key]
    const way = ordering.descending ? 'DESC' : 'ASC'
    const by = skipsBy(selection, ordering.key)
    const passed =
      (Math.min(limit, wanted.count) + (by === undefined ? offset : Math.min(offset, restBy[by]))) /
      matchesPer
    return {
      costUs: (by === undefined ? 100 : 2000) + passed * walkUs(selection, ordering.key),
      ids(pause, mostMs) {
        const endMs = performance.now() + mostMs
        const { selection: rest, skip: before } = startOf(selection, wanted, pause)
        let skip = before
        const found: number[] = []
        for (const slice of slices.along(ordering.key, rest, ordering.descending)) {
          const { sql, values } = conditionsOf(slice)
          const where = `FROM ${from} WHERE ${sql}`
          const files =
            skip > 0 ? (statements.value(`SELECT count(*) ${where}`, values) as number) : 0
          if (skip > 0 && files <= skip) skip -= files
          else {
            const ids = statements.column(
              `SELECT f.id ${where} ORDER BY ${key} ${way}, f.id ${way} LIMIT +@limit OFFSET +@skip`,
              { ...values, limit: limit - found.length, skip },
            ) as number[]
            skip = 0
            found.push(...ids)
            if (found.length === limit) break
          }
          pause()
          if (performance.now() > endMs) return undefined
        }
        return found
      },
    }
  }

  /** Which counts tell where a page begins in an order. */
  const skipsBy = (selection: Selection, key: OrderKey): 'days' | 'sites' | 'index' | undefined => {
    if (key === 'data_date' && hasOnly(selection, ['dates', 'kinds'])) return 'days'
    if (key === 'filename' && hasOnly(selection, ['stations', 'kinds'])) return 'sites'
    if (key === 'filename' && hasOnly(selection, ['stations', 'kinds', 'dates', 'ids']))
      return 'index'
    return undefined
  }

  const startOf = (selection: Selection, { ordering, offset }: Wanted, pause: Pause): Start => {
    const by = skipsBy(selection, ordering.key)
    const at = { ordering, offset }
    if (by === 'days') return startByDay(selection, at)
    if (by === 'sites')
      return startBySite(selection, counts.byStation(selection.stations, selection.kinds), at)
    if (by === 'index' && offset > 0)
      return startBySite(selection, countStations(selection, pause), at)
    return { selection, skip: offset }
  }

  const startByDay = (selection: Selection, { ordering, offset }: Place): Start => {
    const { dates, kinds } = selection
    const { descending } = ordering
    let skip = offset
    for (const { day, files } of counts.byDay(dates, kinds, descending)) {
      const whole = { from: day * secondsPerDay, to: (day + 1) * secondsPerDay - 1 }
      // A range may take a part of the day, or some kinds of it.
      const isWhole = dates === undefined || dates.every((range) => has(range, whole))
      const taken = isWhole ? files : counts.ofDates(intersect(dates, [whole]), kinds)
      if (skip < taken) {
        const rest = descending ? { from: -1e15, to: whole.to } : { from: whole.from, to: 1e15 }
        return { selection: { ...selection, dates: intersect(dates ?? [rest], [rest]) }, skip }
      }
      skip -= taken
    }
    return { selection, skip }
  }

  /** Files of each station, by its index. */
  const countStations = (selection: Selection, pause: Pause): ReadonlyMap<number, number> => {
    const files = new Map<number, number>()
    for (const slice of slices.byStation(selection)) {
      const { sql, values } = conditionsOf(slice)
      const rows = statements.rows(
        `SELECT f.station, count(*) FROM file f INDEXED BY file_station WHERE ${sql} GROUP BY f.station`,
        values,
      ) as [number, number][]
      for (const [station, count] of rows) files.set(station, (files.get(station) ?? 0) + count)
      pause()
    }
    return files
  }

  const startBySite = (
    selection: Selection,
    byStation: ReadonlyMap<number, number>,
    { ordering, offset }: Place,
  ): Start => {
    const bySite = new Map<string, number>()
    for (const [station, files] of byStation) {
      const site = siteOf(lookups.stations.get(station) ?? '')
      bySite.set(site, (bySite.get(site) ?? 0) + files)
    }
    const sites = [...bySite].sort(([a], [b]) => (a < b ? -1 : 1))
    let skip = offset
    for (const [site, files] of ordering.descending ? sites.toReversed() : sites) {
      if (skip < files) {
        const nameRange = ordering.descending ? { to: site + afterAll } : { from: site }
        return { selection: { ...selection, nameRange }, skip }
      }
      skip -= files
    }
    return { selection, skip }
  }

  /** From the first file of the order on, unless that takes too long. */
  const walking = (selection: Selection, wanted: Wanted): Walk => {
    const { key } = wanted.ordering
    const total = totalAlong(counts, selection, key)
    return walk(withLastId(selection, key), wanted, Math.min(1, wanted.count / Math.max(1, total)))
  }

  /** Ways that find all files of a selection first. */
  const gathering = (selection: Selection, wanted: Wanted, source: Source): [Road, ...Road[]] => {
    const { ordering, offset, limit } = wanted
    const isByDay = ordering.key === 'id' && ordering.descending && offset + limit <= deepestByDay
    return [
      byRows(wanted, source),
      byKeys(wanted, source),
      ...(isByDay && selection.dates !== undefined && hasOnly(selection, ['dates', 'kinds'])
        ? [byLatestDays(selection, wanted)]
        : []),
    ]
  }

  return {
    /** Every way to a page that is not past the end, for tests: each gives the same ids. */
    all: (selection: Selection, wanted: Wanted, source: Source): Road[] => [
      ...(isByCounts(selection, wanted) ? [byIdCounts(selection, wanted)] : []),
      toTheEnd(walking(selection, wanted)),
      ...gathering(selection, wanted, source).filter(({ costUs }) => costUs !== Infinity),
    ],
    choose(selection: Selection, wanted: Wanted, source: () => Source): Road {
      if (isByCounts(selection, wanted)) return byIdCounts(selection, wanted)
      const walk = walking(selection, wanted)
      if (!hasAny(selection)) return toTheEnd(walk)
      const other = cheapest(gathering(selection, wanted, source()))
      if (other.costUs < walk.costUs) return other
      // The matches may lie elsewhere than the estimate supposes.
      const mostMs = Math.max(10, (2 * other.costUs) / 1000)
      return { costUs: walk.costUs, ids: (pause) => walk.ids(pause, mostMs) ?? other.ids(pause) }
    },
  }

  function toTheEnd(walk: Walk): Road {
    return { costUs: walk.costUs, ids: (pause) => walk.ids(pause, Infinity) ?? [] }
  }

  /** Files with data of some days have no ids above the last of these days. */
  function withLastId(selection: Selection, key: OrderKey): Selection {
    const { dates, ids } = selection
    if (dates === undefined || key !== 'id') return selection
    const to = Math.min(ids?.to ?? Infinity, counts.lastIdOf(dates))
    return { ...selection, ids: { from: ids?.from ?? -Infinity, to } }
  }
}

/** An id and what it is sorted by. */
type SortRow = [id: number, key: number | string]

/** As it is compared in JavaScript: in ASCII, case does not count. */
function sortKey(key: OrderKey): string {
  return key === 'filename' ? 'lower(f.name)' : orders[key].key
}

/** Both are in order already. */
function merged(a: readonly SortRow[], b: readonly SortRow[], descending: boolean): SortRow[] {
  const sign = descending ? -1 : 1
  return [...a, ...b].sort(([id, key], [otherId, otherKey]) =>
    key === otherKey ? sign * (id - otherId) : key < otherKey ? -sign : sign,
  )
}

export function hasOnly(selection: Selection, parts: readonly (keyof Selection)[]): boolean {
  return (Object.keys(selection) as (keyof Selection)[]).every((part) => parts.includes(part))
}

export function hasAny(selection: Selection): boolean {
  return Object.keys(selection).length > 0
}

function isByCounts(selection: Selection, { ordering }: Wanted): boolean {
  return ordering.key === 'id' && hasOnly(selection, ['kinds', 'ids'])
}

function has({ from, to, kinds }: DateRange, other: DateRange): boolean {
  return kinds === undefined && from <= other.from && to >= other.to
}

/** What a file costs that is passed by: whether it matches, its index may know or its row. */
function walkUs(selection: Selection, key: OrderKey): number {
  const known: Readonly<Record<OrderKey, readonly (keyof Selection)[]>> = {
    id: [],
    data_date: ['dates', 'kinds', 'ids'],
    created: ['created', 'ids'],
    modified: ['modified', 'ids'],
    filename: ['names', 'ids'],
  }
  if (key === 'id') return rowUs
  if (hasOnly(selection, known[key])) return entryUs
  // Times are nearly in the order of ids, and so are the rows.
  return entryUs + (key === 'created' || key === 'modified' ? rowUs : lookupUs)
}

/** Files among which those of the selection lie in the index of an order. */
function totalAlong(counts: Counts, selection: Selection, key: OrderKey): number {
  const { dates, stations, ids } = selection
  if (key === 'data_date' && dates !== undefined) return counts.ofDates(dates, undefined)
  if (key === 'filename' && stations !== undefined) return counts.ofStations(stations, undefined)
  return counts.ofIds(undefined, key === 'id' ? ids : undefined)
}
