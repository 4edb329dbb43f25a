/**
 * Plans pages and chunks of the list: the exact counts determine the index that needs the least work. To be used within a read
 * transaction.
 */
import type { Database } from 'better-sqlite3'
import type { ChunkQuery, Page, PageQuery, RecordChunk } from '../reader.ts'
import type { Head } from '../records.ts'
import { defaultOrdering } from '../filter.ts'
import type { FileFilter, OrderKey } from '../filter.ts'
import { prepareChunks } from './chunks.ts'
import { prepareCounts } from './counts.ts'
import type { Counts } from './counts.ts'
import { hasOnly, select } from './filter-sql.ts'
import type { Selection } from './filter-sql.ts'
import { openCountingScan } from './counting-scan.ts'
import { cheapest, openCandidateIndexes } from './candidate-indexes.ts'
import type { Source } from './candidate-indexes.ts'
import { openLookups } from './lookup-cache.ts'
import { prepareListRows } from './list-rows.ts'
import { openStrategies } from './strategies.ts'
import { planOf } from './strategy.ts'
import type { Plan, Strategy } from './strategy.ts'
import { openSlices } from './slices.ts'
import { openStatements } from './statements.ts'

export interface List {
  /** @throws NotBuilt */
  page(query: PageQuery): Plan<Page>
  /** @throws NotBuilt */
  records(query: ChunkQuery): Plan<RecordChunk>
}

/** Indexes and counts that an order needs besides `id_count`. */
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
  const sourcesOf = openCandidateIndexes(statements, { counts, slices })
  const choose = (selection: Selection): Source => cheapest(sourcesOf(selection))
  const countingScan = openCountingScan(statements)
  const strategies = openStrategies(statements, { counts, lookups, slices })
  const rows = prepareListRows(db)
  const resolve = (filter: FileFilter, key: OrderKey): Selection | undefined => {
    counts.require(...neededBy(filter), ...neededByOrder[key])
    lookups.refresh()
    return select(filter, lookups)
  }

  const page = ({ limit, offset, details, ...query }: PageQuery) => {
    const { filter = {}, ordering = defaultOrdering } = query
    const now = head()
    const selection = resolve(filter, ordering.key)
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
        return {
          head: now,
          count: known,
          records: rows.byIds(strategy(known).ids(checkDeadline), details),
        }
      const counted = countingScan.all(source(), checkDeadline)
      const { count } = counted
      const ids =
        countingScan.page(counted, { ordering, offset, limit }) ??
        strategy(count).ids(checkDeadline)
      return { head: now, count, records: rows.byIds(ids, details) }
    })
  }

  const parts = { head, resolve, counts, slices, strategies, choose, rows }
  return { page, records: prepareChunks(statements, parts) }
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

/** From the tables of counts, if they are sufficient. */
function knownCount(counts: Counts, selection: Selection): number | undefined {
  const { kinds, ids, stations, dates } = selection
  if (hasOnly(selection, ['kinds', 'ids'])) return counts.ofIds(kinds, ids)
  if (stations !== undefined && hasOnly(selection, ['stations', 'kinds']))
    return counts.ofStations(stations, kinds)
  if (dates !== undefined && hasOnly(selection, ['dates', 'kinds']))
    return counts.ofDates(dates, kinds)
  return undefined
}
