/**
 * Reads pages and chunks of the list. There are several ways to read them; the way with the lowest estimated cost is chosen (see
 * `candidate-indexes.ts`). To be used within a read transaction.
 */
import type { Database } from 'better-sqlite3'
import type { ChunkCursor, ChunkOrdering, ChunkQuery, Page, PageQuery } from '../reader.ts'
import type { RecordChunk } from '../reader.ts'
import type { Head, ListedFile } from '../records.ts'
import { defaultOrdering } from '../filter.ts'
import type { FileFilter, OrderKey } from '../filter.ts'
import { cheapest, openCandidateIndexes, scanCostUs, sortUs } from './candidate-indexes.ts'
import type { CandidateIndex } from './candidate-indexes.ts'
import { openStatements } from './connection.ts'
import { prepareCounts } from './counts.ts'
import type { Counts } from './counts.ts'
import { orders } from './filter-sql.ts'
import { prepareListRows } from './list-rows.ts'
import { openLookups } from './lookup-cache.ts'
import { mostIds, openPageIds } from './page-ids.ts'
import type { CheckDeadline } from './page-ids.ts'
import { everyId, hasAny, hasOnly, select, selectAfter } from './selection.ts'
import type { PagePosition, Selection } from './selection.ts'
import { openSlices } from './slices.ts'

/** A query with its estimated cost. */
export interface Plan<Answer> {
  /** CPU microseconds. */
  readonly costUs: number
  run(checkDeadline: CheckDeadline): Answer
}

export interface List {
  /** @throws NotBuilt */
  page(query: PageQuery): Plan<Page>
  /** @throws NotBuilt */
  records(query: ChunkQuery): Plan<RecordChunk>
}

/** Indexes and counts that each sort key needs besides `id_count`. */
const neededByOrder: Readonly<Record<OrderKey, readonly string[]>> = {
  id: [],
  data_date: ['file_date', 'day_count'],
  created: ['file_created'],
  modified: ['file_modified'],
  filename: ['file_name', 'station_count'],
}

/** Highest `offset + limit` of a page that is searched day by day. */
const deepestByDay = 2000

/**
 * If an index is read and sorted within this estimated time (CPU microseconds), one statement does so, without a check of the
 * deadline.
 */
const oneStatementUs = 50_000

/** A scan for a chunk in the order of ids ends after this time in milliseconds and returns the files found so far. */
const chunkMs = 200

const byId: ChunkOrdering = { key: 'id', descending: true }

export function prepareList(db: Database, head: () => Head): List {
  const statements = openStatements(db)
  const counts = prepareCounts(db)
  const lookups = openLookups(db)
  const slices = openSlices(statements, { counts, lookups })
  const indexesOf = openCandidateIndexes(statements, { counts, slices })
  const find = openPageIds(statements, { counts, slices })
  const rows = prepareListRows(db)
  const resolve = (filter: FileFilter, key: OrderKey): Selection | undefined => {
    counts.require(...neededBy(filter), ...neededByOrder[key])
    lookups.refresh()
    return select(filter, lookups)
  }

  /** Plans how to find the ids of a page with the least work. */
  const planIds = (
    selection: Selection,
    position: PagePosition,
    { count, index }: { readonly count: number; readonly index: () => CandidateIndex },
  ): Plan<readonly number[]> => {
    if (position.offset >= count) return planOf(0, () => [])
    if (isSeekable(selection, position))
      return planOf(500, () => find.seek(selection, position, count))
    if (isByDays(selection, position))
      return planOf(5000, (checkDeadline) => find.latestDays(selection, position, checkDeadline))
    const scanUs = scanCostUs(counts, selection, { ...position, count })
    const collectUs =
      count > mostIds ? Infinity : index().costUs + count * sortUs(index(), position)
    const collect = (checkDeadline: CheckDeadline) =>
      sortedUs(index(), position) <= oneStatementUs
        ? find.sortFew(index(), selection, position)
        : find.sort(find.collect(index(), checkDeadline).ids ?? new Float64Array(), position)
    if (collectUs < scanUs) return planOf(collectUs, collect)
    return planOf(scanUs, (checkDeadline) => {
      // The estimate assumes that matching files are spread evenly. If they are not, the scan ends after `mostMs`, and all ids
      // are collected.
      const mostMs = Math.max(10, collectUs / 500)
      const { ids, end } = find.scan(selection, position, { checkDeadline, mostMs })
      return end === undefined ? ids : collect(checkDeadline)
    })
  }

  const page = ({ limit, offset, details, ...query }: PageQuery): Plan<Page> => {
    const { filter = {}, ordering = defaultOrdering } = query
    const now = head()
    const pageOf = (count: number, ids: readonly number[]): Page => ({
      head: now,
      count,
      records: rows.byIds(ids, details),
    })
    const selection = resolve(filter, ordering.key)
    if (selection === undefined) return planOf(0, () => pageOf(0, []))
    const position = { ordering, offset, limit }
    const index = once(() => cheapest(indexesOf(selection)))
    const known = knownCount(counts, selection)
    if (known !== undefined) {
      const plan = planIds(selection, position, { count: known, index })
      return planOf(plan.costUs, (checkDeadline) => pageOf(known, plan.run(checkDeadline)))
    }
    const costUs = sortedUs(index(), position)
    return planOf(costUs, (checkDeadline) => {
      if (costUs <= oneStatementUs)
        return pageOf(find.countFew(index(), selection), find.sortFew(index(), selection, position))
      const { count, ids } = find.collect(index(), checkDeadline)
      if (ids !== undefined) return pageOf(count, find.sort(ids, position))
      return pageOf(count, planIds(selection, position, { count, index }).run(checkDeadline))
    })
  }

  const records = ({ after, limit, details = false, ...query }: ChunkQuery): Plan<RecordChunk> => {
    const { filter = {}, ordering = byId } = query
    const { epoch } = head()
    const chunkOf = (files: readonly ListedFile[]): RecordChunk => {
      const last = files.length < limit ? undefined : files.at(-1)
      return { epoch, records: files, next: last && cursorOf(last, ordering) }
    }
    const all = resolve(filter, ordering.key)
    const rest = all && after ? selectAfter(all, after, ordering) : all
    if (all === undefined || rest === undefined) return planOf(0, () => chunkOf([]))
    const position = { ordering, offset: 0, limit }
    if (ordering.key === 'id' && ordering.descending && !hasAny(all))
      return planOf(limit * 3, () => chunkOf(rows.below(after?.id ?? Infinity, limit, details)))
    if (isSeekable(rest, position))
      return planOf(limit * 5, () => {
        const count = counts.ofIds(rest.kinds, rest.ids)
        return chunkOf(rows.byIds(count <= 0 ? [] : find.seek(rest, position, count), details))
      })
    return planOf(Infinity, (checkDeadline) => {
      const index = cheapest(indexesOf(rest))
      const count = index.entries
      if (
        index.costUs + count * sortUs(index, position) <
        scanCostUs(counts, rest, { ...position, count })
      ) {
        const { ids } = find.collect(index, checkDeadline)
        if (ids !== undefined) return chunkOf(rows.byIds(find.sort(ids, position), details))
      }
      const mostMs = ordering.key === 'id' ? chunkMs : Infinity
      const { ids, end } = find.scan(rest, position, { checkDeadline, mostMs })
      const files = rows.byIds(ids, details)
      return end === undefined
        ? chunkOf(files)
        : { epoch, records: files, next: endOf(end, ordering) }
    })
  }

  const cursorOf = ({ id }: ListedFile, { key }: ChunkOrdering): ChunkCursor => {
    const column = key === 'filename' ? 'lower(f.name)' : orders[key].key
    const sql = `SELECT ${column} FROM file f WHERE f.id = @id`
    return { id, key: key === 'id' ? id : (statements.value(sql, { id }) as number | string) }
  }

  return { page, records }
}

/** CPU microseconds to read all entries of an index and to sort them. */
function sortedUs(index: CandidateIndex, position: PagePosition): number {
  return index.costUs + index.entries * sortUs(index, position)
}

function planOf<Answer>(
  costUs: number,
  run: (checkDeadline: CheckDeadline) => Answer,
): Plan<Answer> {
  return { costUs, run }
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

/** The number of files in a selection, by the tables of counts; `undefined` if they are not sufficient. */
function knownCount(counts: Counts, selection: Selection): number | undefined {
  const { kinds, ids, stations, dates } = selection
  if (hasOnly(selection, ['kinds', 'ids'])) return counts.ofIds(kinds, ids)
  if (stations !== undefined && hasOnly(selection, ['stations', 'kinds']))
    return counts.ofStations(stations, kinds)
  if (dates !== undefined && hasOnly(selection, ['dates', 'kinds']))
    return counts.ofDates(dates, kinds)
  return undefined
}

function isSeekable(selection: Selection, { ordering }: PagePosition): boolean {
  return ordering.key === 'id' && hasOnly(selection, ['kinds', 'ids'])
}

function isByDays(selection: Selection, { ordering, offset, limit }: PagePosition): boolean {
  const isFirst = ordering.key === 'id' && ordering.descending && offset + limit <= deepestByDay
  return isFirst && selection.dates !== undefined && hasOnly(selection, ['dates', 'kinds'])
}

/** The cursor after the last id of a slice, for chunks in the order of ids. */
function endOf({ ids = everyId }: Selection, { descending }: ChunkOrdering): ChunkCursor {
  const id = descending ? ids.from : ids.to
  return { id, key: id }
}
