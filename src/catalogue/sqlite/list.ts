/**
 * Plans pages and chunks of the list: the exact counts tell which index finds them with the least work. To be used within a
 * read transaction.
 */
import type { Database } from 'better-sqlite3'
import type { ChunkQuery, Head, ListedFile, Page, PageQuery, RecordChunk } from '../catalogue.ts'
import { defaultOrdering } from '../filter.ts'
import type { FileFilter, OrderKey } from '../filter.ts'
import { prepareCounts } from './counts.ts'
import type { Counts } from './counts.ts'
import { conditionsOf, hasAny, hasOnly, select } from './filter-sql.ts'
import type { Selection } from './filter-sql.ts'
import { openGather } from './gather.ts'
import { cheapest, openSources, rowUs } from './sources.ts'
import type { Source } from './sources.ts'
import { openLookups } from './lookups.ts'
import { prepareListRows } from './list-rows.ts'
import type { ListRows } from './list-rows.ts'
import { openStrategies } from './strategies.ts'
import type { CheckDeadline, Strategy } from './strategy.ts'
import { openSlices } from './slices.ts'
import type { Slices } from './slices.ts'
import { openStatements } from './statements.ts'
import type { Statements } from './statements.ts'

/** A query whose cost is known before it is run. */
export interface Plan<Answer> {
  /** CPU microseconds, estimated. */
  readonly costUs: number
  run(checkDeadline: CheckDeadline): Answer
}

export interface List {
  /** @throws NotBuilt */
  page(query: PageQuery): Plan<Page>
  /** @throws NotBuilt */
  records(query: ChunkQuery): Plan<RecordChunk>
}

/** What an order needs besides `id_count`. */
const neededByOrder: Readonly<Record<OrderKey, readonly string[]>> = {
  id: [],
  data_date: ['file_date', 'day_count'],
  created: ['file_created'],
  modified: ['file_modified'],
  filename: ['file_name', 'station_count'],
}

export function prepareList(db: Database, head: () => Head): List {
  const statements = openStatements(db)
  const counts = prepareCounts(db)
  const lookups = openLookups(db)
  const slices = openSlices(statements, { counts, lookups })
  const sourcesOf = openSources(statements, { counts, slices })
  const choose = (selection: Selection): Source => cheapest(sourcesOf(selection))
  const gather = openGather(statements)
  const strategies = openStrategies(statements, { counts, lookups, slices })
  const rows = prepareListRows(db)
  const takeChunk = prepareChunks(statements, { slices, rows })
  const resolve = (filter: FileFilter): Selection | undefined => {
    counts.require(...neededBy(filter))
    lookups.refresh()
    return select(filter, lookups)
  }

  const page = ({ limit, offset, filter = {}, ordering = defaultOrdering }: PageQuery) => {
    const now = head()
    counts.require(...neededByOrder[ordering.key])
    const selection = resolve(filter)
    if (selection === undefined) return planOf(0, () => ({ head: now, count: 0, records: [] }))
    const source = once(() => choose(selection))
    const known = knownCount(counts, selection)
    const strategy = (count: number): Strategy =>
      offset >= count
        ? { costUs: 0, ids: () => [] }
        : strategies.choose(selection, { offset, limit, ordering, count }, source)
    const countUs = known === undefined ? source().costUs : 0
    return planOf(countUs + strategy(known ?? source().entries).costUs, (checkDeadline): Page => {
      if (known !== undefined)
        return { head: now, count: known, records: rows.byIds(strategy(known).ids(checkDeadline)) }
      const gathered = gather.all(source(), checkDeadline)
      const { count } = gathered
      const ids =
        gather.page(gathered, { ordering, offset, limit }) ?? strategy(count).ids(checkDeadline)
      return { head: now, count, records: rows.byIds(ids) }
    })
  }

  const records = ({ before, limit, filter = {} }: ChunkQuery): Plan<RecordChunk> => {
    const { epoch } = head()
    const selection = resolve(filter)
    if (selection === undefined) return planOf(0, () => ({ epoch, records: [], next: undefined }))
    if (!hasAny(selection))
      return planOf(limit * 3, () => ({ epoch, ...chunkOf(rows.below(before, limit), limit) }))
    const { from = -Infinity, to = Infinity } = selection.ids ?? {}
    const rest = { ...selection, ids: { from, to: Math.min(to, before - 1) } }
    if (hasOnly(rest, ['kinds', 'ids'])) {
      const wanted = { offset: 0, limit, ordering: defaultOrdering }
      return planOf(limit * 5, (checkDeadline) => {
        const count = counts.ofIds(rest.kinds, rest.ids)
        const ids =
          count === 0 ? [] : strategies.choose(rest, { ...wanted, count }, never).ids(checkDeadline)
        return { epoch, ...chunkOf(rows.byIds(ids), limit) }
      })
    }
    return planOf(Infinity, (checkDeadline) => {
      const source = choose(rest)
      const passed = (limit * counts.ofIds(undefined, rest.ids)) / Math.max(1, source.entries)
      const wanted = { offset: 0, limit, ordering: defaultOrdering, count: source.entries }
      if (passed * rowUs < source.costUs) return { epoch, ...takeChunk(rest, limit, checkDeadline) }
      const ids = strategies.choose(rest, wanted, () => source).ids(checkDeadline)
      return { epoch, ...chunkOf(rows.byIds(ids), limit) }
    })
  }
  return { page, records }
}

function planOf<Answer>(
  costUs: number,
  run: (checkDeadline: CheckDeadline) => Answer,
): Plan<Answer> {
  return { costUs, run }
}

function never(): never {
  throw new Error('ids and kinds need no other index')
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}

function neededBy(filter: FileFilter): string[] {
  const { created, modified, names } = filter
  const { stations, countries, days, dataDate, overlaps } = filter
  const kinds = [filter.areas, filter.types, filter.durations, filter.versions]
  const parts = [filter.intervals, filter.contents, filter.sources]
  const isAny = (...conditions: unknown[]) => conditions.some((each) => each !== undefined)
  return [
    ...(isAny(...kinds, ...parts) ? ['file_kind'] : []),
    ...(isAny(stations, countries) ? ['file_station', 'station_count'] : []),
    ...(isAny(days, dataDate, overlaps) ? ['file_date', 'day_count'] : []),
    ...(isAny(created) ? ['file_created'] : []),
    ...(isAny(modified) ? ['file_modified'] : []),
    ...(isAny(names) ? ['file_name', 'station_count'] : []),
  ]
}

/** By the tables of counts, where these alone tell it. */
function knownCount(counts: Counts, selection: Selection): number | undefined {
  const { kinds, ids, stations, dates } = selection
  if (hasOnly(selection, ['kinds', 'ids'])) return counts.ofIds(kinds, ids)
  if (stations !== undefined && hasOnly(selection, ['stations', 'kinds']))
    return counts.ofStations(stations, kinds)
  if (dates !== undefined && hasOnly(selection, ['dates', 'kinds']))
    return counts.ofDates(dates, kinds)
  return undefined
}

/** A chunk that was read at one go: where it is not full, the list ends. */
function chunkOf(records: readonly ListedFile[], limit: number) {
  return { records, next: records.length < limit ? undefined : records.at(-1)?.id }
}

/** So long a chunk is looked for before it is sent as it is. */
const chunkMs = 200

/** Chunks of a list with many matches, by id. */
function prepareChunks(
  statements: Statements,
  { slices, rows }: { readonly slices: Slices; readonly rows: ListRows },
) {
  return (selection: Selection, limit: number, checkDeadline: CheckDeadline) => {
    const endMs = performance.now() + chunkMs
    const found: number[] = []
    for (const slice of slices.along('id', selection, true)) {
      const { sql, values } = conditionsOf(slice)
      const ids = statements.column(
        `SELECT f.id FROM file f NOT INDEXED WHERE ${sql} ORDER BY f.id DESC LIMIT +@limit`,
        { ...values, limit: limit - found.length },
      ) as number[]
      found.push(...ids)
      if (found.length === limit) return { records: rows.byIds(found), next: found.at(-1) }
      if (performance.now() > endMs) return { records: rows.byIds(found), next: slice.ids?.from }
      checkDeadline()
    }
    return { records: rows.byIds(found), next: undefined }
  }
}
