/**
 * Pages and chunks of the list, by three rules. Seek: a page of kinds and ids in the order of ids
 * has a known range of ids. Latest days: the newest files of some dates are on the days with the
 * highest ids. Otherwise sort or walk: what the filter finds is sorted, or the index of the order
 * is walked past files that do not match.
 */
import { secondsPerDay } from '../../parse/calendar.ts'
import { defaultOrdering } from '../filter.ts'
import type { FileFilter, OrderKey, ChunkCursor, ChunkOrdering, Ordering } from '../filter.ts'
import type { Head, ListedFile } from '../records.ts'
import { conditionsOf, orderBy, orders } from '../selection/conditions.ts'
import { Counts } from '../selection/counts.ts'
import { intersect } from '../selection/date-ranges.ts'
import type { DateRange } from '../selection/date-ranges.ts'
import type { Dialect } from '../dialect.ts'
import { sumsOf } from './facets.ts'
import { listed, listedWithDetails, toListed } from './listed.ts'
import type { ListedRow, WithDetails } from './listed.ts'
import type { Lookups } from '../selection/lookups.ts'
import { Narrowest } from '../selection/narrowest.ts'
import type { IndexChoice } from '../selection/narrowest.ts'
import { column, rows, value } from '../question.ts'
import type { Question } from '../question.ts'
import { afterAll, common, everyId, hasOnly, select, selectAfter } from '../selection/selection.ts'
import type { PagePosition, Selection } from '../selection/selection.ts'
import type { Counting, PageSums } from '../sums.ts'

export interface PageQuery extends WithDetails {
  /** At least 1. */
  readonly limit: number
  /** At least 0; an offset after the end gives no records. */
  readonly offset: number
  /** Default: all live records. */
  readonly filter?: FileFilter
  /** Default: highest id first. */
  readonly ordering?: Ordering
  /** Also sums up all matching records. */
  readonly sums?: Counting | undefined
}

/** A page of the list and the count, both at the state `head`. */
export interface Page {
  readonly head: Head
  /** Number of all matching live records, not only of those on this page. */
  readonly count: number
  readonly records: readonly ListedFile[]
  /** Only if they were requested. */
  readonly sums?: PageSums | undefined
}

export interface ChunkQuery extends WithDetails {
  /** `next` of the previous chunk; without it, the chunk is the first of the list. */
  readonly after?: ChunkCursor
  /** At least 1. */
  readonly limit: number
  readonly filter?: FileFilter
  /**
   * Default: highest id first. The key must never change for a record, because chunks are read at
   * different times.
   */
  readonly ordering?: ChunkOrdering
}

/** A part of the list, with the epoch of the database. */
export interface RecordChunk {
  readonly epoch: string
  readonly records: readonly ListedFile[]
  /**
   * `after` for the next chunk; `undefined` at the end of the list. A chunk before the end may be
   * empty.
   */
  readonly next: ChunkCursor | undefined
}

/** Highest `offset + limit` of a page that is searched day by day. */
const deepestByDay = 2000

/**
 * At most this many files are found and sorted, in some tenths of a second. A walk assumes that
 * matching files are spread evenly between the first and the last one, and may take seconds where
 * they are not. A chunk of a stream sorts less, because the next one sorts again.
 */
export interface Few {
  readonly ofPage: number
  readonly ofChunk: number
}
const usualFew: Few = { ofPage: 300_000, ofChunk: 50_000 }

const byId: ChunkOrdering = { key: 'id', descending: true }

interface Place extends PagePosition {
  readonly details?: boolean | undefined
}

/** How to read a page: the index, and whether its order is that of the page. */
interface Way extends Place {
  readonly index: string
  readonly isOrdered: boolean
}

export class List {
  readonly #dialect: Dialect
  readonly #lookups: Lookups
  readonly #counts: Counts
  readonly #narrowest: Narrowest
  readonly #few: Few

  constructor(dialect: Dialect, lookups: Lookups, few = usualFew) {
    this.#dialect = dialect
    this.#lookups = lookups
    this.#counts = new Counts(dialect)
    this.#narrowest = new Narrowest(dialect, this.#counts)
    this.#few = few
  }

  /** @throws NotBuilt */
  *page({ sums, ...query }: PageQuery): Question<Page> {
    const page = yield* this.#page(query)
    if (sums === undefined) return page
    const parts = {
      dialect: this.#dialect,
      lookups: this.#lookups,
      counts: this.#counts,
      narrowest: this.#narrowest,
    }
    return { ...page, sums: yield* sumsOf(sums, query.filter ?? {}, parts) }
  }

  *#page({ filter = {}, ordering = defaultOrdering, ...query }: PageQuery): Question<Page> {
    const { head } = yield* this.#lookups.refresh({ needsBuilt: needsBuilt(filter, ordering.key) })
    const selection = yield* this.#select(filter)
    if (selection === undefined) return { head, count: 0, records: [] }
    const known = yield* this.#knownCount(selection)
    const narrowest = known ?? (yield* this.#narrowest.of(selection))
    const count =
      typeof narrowest === 'number' ? narrowest : yield* this.#countIn(narrowest, selection)
    if (query.offset >= count) return { head, count, records: [] }
    const choice = typeof narrowest === 'number' ? undefined : narrowest
    const found = { count, choice }
    return { head, count, records: yield* this.#records(selection, { ...query, ordering }, found) }
  }

  /** @throws NotBuilt */
  *chunk(query: ChunkQuery): Question<RecordChunk> {
    const { filter = {}, ordering = byId, after, limit, details } = query
    const { head } = yield* this.#lookups.refresh({ needsBuilt: needsBuilt(filter, ordering.key) })
    const { epoch } = head
    const selection = yield* this.#select(filter)
    const rest = selection && after ? selectAfter(selection, after, ordering) : selection
    if (rest === undefined) return { epoch, records: [], next: undefined }
    const position = { ordering, offset: 0, limit, details }
    if (ordering.key === 'id' && !isSeekable(rest, position))
      return { epoch, ...(yield* this.#chunkOfIds(rest, position)) }
    const records = yield* this.#following(rest, position)
    const last = records.length < limit ? undefined : records.at(-1)
    return { epoch, records, next: last && (yield* this.#cursorOf(last, ordering)) }
  }

  *#select(filter: FileFilter): Question<Selection | undefined> {
    const sites = filter.countries && (yield* this.#lookups.sites())
    const { stations, kinds } = this.#lookups
    return select(filter, { stations, kinds, sites })
  }

  /** The number of files in a selection by the tables of counts, as far as these have it. */
  *#knownCount(selection: Selection): Question<number | undefined> {
    const { kinds, ids, stations, dates } = selection
    if (hasOnly(selection, ['kinds', 'ids'])) return yield* this.#counts.ofIds(kinds, ids)
    if (stations !== undefined && hasOnly(selection, ['stations', 'kinds']))
      return yield* this.#counts.ofStations(stations, kinds)
    if (dates !== undefined && hasOnly(selection, ['dates', 'kinds']))
      return yield* this.#counts.ofDates(dates, kinds)
    return undefined
  }

  *#countIn({ index }: IndexChoice, selection: Selection): Question<number> {
    const { sql, values } = conditionsOf(selection, this.#dialect)
    const from = `file f ${this.#dialect.using(index)}`
    return (yield* value<number>(`SELECT count(*) FROM ${from} WHERE ${sql}`, values)) ?? 0
  }

  /**
   * @param found the number of files in the selection, more than the offset, and its narrowest
   * index, if it was needed already
   */
  *#records(
    selection: Selection,
    position: Place,
    { count, choice }: { readonly count: number; readonly choice: IndexChoice | undefined },
  ): Question<ListedFile[]> {
    if (isSeekable(selection, position)) return yield* this.#seek(selection, position, count)
    if (isByDays(selection, position)) return yield* this.#latestDays(selection, position)
    const { offset, limit } = position
    const isFew = !hasOnly(selection, []) && count <= this.#few.ofPage
    const passed = ((offset + limit) * (yield* this.#counts.ofIds(undefined))) / count
    if (!isFew && passed <= count) return yield* this.#walk(selection, position)
    const { index } = choice ?? (yield* this.#narrowest.of(selection))
    return yield* this.#read(selection, { ...position, index, isOrdered: false })
  }

  *#walk(selection: Selection, position: Place): Question<ListedFile[]> {
    const { key } = position.ordering
    const bounded = yield* this.#bounded(selection, key)
    const way = { ...position, index: orders[key].index, isOrdered: true }
    return bounded === undefined ? [] : yield* this.#read(bounded, way)
  }

  /**
   * A selection with the range of the key in which all its files are: names begin with the codes
   * of their stations, and the dates of stations and kinds are counted. So a walk does not begin
   * far from the first file. `undefined` if the range is empty.
   */
  *#bounded(selection: Selection, key: OrderKey): Question<Selection | undefined> {
    const { stations, kinds, dates, nameRange } = selection
    if (key === 'filename' && stations !== undefined) {
      const codes = stations.map((id) => (this.#lookups.stations.get(id) ?? '').toLowerCase())
      const sites = codes.map((code) => code.slice(0, 4)).sort()
      const [first = '', last = ''] = [sites[0], sites.at(-1)]
      const range = { from: first, to: last + afterAll }
      return { ...selection, nameRange: nameRange ? common(nameRange, range) : range }
    }
    if (key !== 'data_date' || (stations ?? kinds) === undefined) return selection
    const range = yield* this.#counts.dateRange(stations, kinds)
    const bounded = range === undefined ? [] : dates ? intersect(dates, [range]) : [range]
    return bounded.length === 0 ? undefined : { ...selection, dates: bounded }
  }

  /** The inner query finds ids in an index, the outer one reads the rows of the page. */
  *#read(selection: Selection, way: Way): Question<ListedFile[]> {
    const { ordering, offset, limit } = way
    const { columns, joins } = way.details === true ? listedWithDetails : listed
    const { sql, values } = conditionsOf(selection, this.#dialect)
    const found = yield* rows<ListedRow>(
      `SELECT ${columns} FROM (
         SELECT f.id FROM file f ${this.#dialect.using(way.index)} WHERE ${sql}
         ORDER BY ${orderBy(ordering, this.#dialect, !way.isOrdered)}
         LIMIT CAST(@limit AS bigint) OFFSET CAST(@offset AS bigint)) AS page
       LEFT JOIN file f ON f.id = page.id ${joins} ORDER BY ${orderBy(ordering, this.#dialect)}`,
      { ...values, limit, offset },
    )
    return found.map(toListed)
  }

  /** The page of kinds and ids in the order of ids, at any offset. */
  *#seek(
    { kinds, ids }: Selection,
    { ordering, offset, limit, details }: Place,
    count: number,
  ): Question<ListedFile[]> {
    const size = Math.min(limit, count - offset)
    const isOpen = ids === undefined || ids.to === Infinity
    const above = isOpen ? 0 : yield* this.#counts.ofIds(kinds, { from: ids.to + 1, to: Infinity })
    const first = above + (ordering.descending ? offset : count - offset - size)
    const { skip, ...range } = yield* this.#counts.idsAt(kinds, { offset: first, limit: size })
    const found = yield* this.#read(
      { ...(kinds && { kinds }), ids: range },
      {
        ordering: byId,
        offset: skip,
        limit: size,
        details,
        index: kinds === undefined ? '' : 'file_kind',
        isOrdered: true,
      },
    )
    return ordering.descending ? found : found.reverse()
  }

  /**
   * The newest files of some dates. Begins each range of dates with the day and kind that have the
   * highest id, and ends it when no further day and kind can have an id of the page.
   */
  *#latestDays(
    { dates = [], kinds }: Selection,
    { offset, limit, details }: Place,
  ): Question<ListedFile[]> {
    const most = offset + limit
    let best: number[] = []
    for (const range of dates)
      for (let [lastId, isEnd] = [Number.MAX_SAFE_INTEGER, false]; !isEnd;) {
        const { dayKinds, areAll } = yield* this.#counts.latestDays(range, kinds, lastId)
        isEnd = areAll
        for (const [day, kind, last] of dayKinds) {
          if (best.length >= most && last <= (best[most - 1] ?? 0)) {
            isEnd = true
            break
          }
          const found = yield* this.#newestOfDay({ ...range, kinds: [kind] }, day, most)
          best = [...best, ...found].sort((a, b) => b - a).slice(0, most)
          lastId = last
        }
      }
    return yield* this.#byIds(best.slice(offset), details)
  }

  #newestOfDay({ from, to, kinds = [] }: DateRange, day: number, most: number) {
    return column<number>(
      `SELECT f.id FROM file f ${this.#dialect.using('file_date')}
       WHERE ${this.#dialect.inTime('f.id')} AND f.data_date BETWEEN @from AND @to
         AND f.kind = @kind ORDER BY f.id DESC LIMIT CAST(@most AS bigint)`,
      {
        from: Math.max(from, day * secondsPerDay),
        to: Math.min(to, (day + 1) * secondsPerDay - 1),
        kind: kinds[0] ?? 0,
        most,
      },
    )
  }

  *#byIds(ids: readonly number[], details = false): Question<ListedFile[]> {
    const { columns, joins } = details ? listedWithDetails : listed
    const found = yield* rows<ListedRow>(
      `SELECT ${columns} FROM ${this.#dialect.each('ids')}
       LEFT JOIN file f ON f.id = r.value ${joins} ORDER BY r.key`,
      { ids },
    )
    return found.map(toListed)
  }

  /** The first files of a selection in an order, for chunks that begin after their cursor. */
  *#following(rest: Selection, position: Place): Question<ListedFile[]> {
    if (isSeekable(rest, position)) {
      if (!hasOnly(rest, ['ids'])) {
        const count = yield* this.#counts.ofIds(rest.kinds, rest.ids)
        return count === 0 ? [] : yield* this.#seek(rest, position, count)
      }
      return yield* this.#walk(rest, position)
    }
    const { index, entries } = yield* this.#narrowest.of(rest)
    return entries <= this.#few.ofChunk
      ? yield* this.#read(rest, { ...position, index, isOrdered: false })
      : yield* this.#walk(rest, position)
  }

  /**
   * A chunk in the order of ids that examines a limited number of ids: if the filter finds few
   * files in many, it may be empty, and its cursor is the last id that was examined.
   */
  *#chunkOfIds(
    rest: Selection,
    position: Place & { readonly ordering: ChunkOrdering },
  ): Question<Omit<RecordChunk, 'epoch'>> {
    const { index, entries } = yield* this.#narrowest.of(rest)
    const { descending } = position.ordering
    const { ids = everyId } = rest
    const isFew = entries <= this.#few.ofChunk
    const part = isFew ? ids : yield* this.#counts.nextIds(ids, descending)
    if (part === undefined) return { records: [], next: undefined }
    const records = isFew
      ? yield* this.#read(rest, { ...position, index, isOrdered: false })
      : yield* this.#walk({ ...rest, ids: part }, position)
    const last = records.length < position.limit ? undefined : records.at(-1)
    if (last !== undefined) return { records, next: { id: last.id, key: last.id } }
    const end = descending ? part.from : part.to
    const isEnd = isFew || (descending ? end <= ids.from : end >= ids.to)
    return { records, next: isEnd ? undefined : { id: end, key: end } }
  }

  *#cursorOf({ id }: ListedFile, { key }: ChunkOrdering): Question<ChunkCursor> {
    if (key === 'id') return { id, key: id }
    const sortKey = key === 'filename' ? 'lower(f.name)' : orders[key].column
    const found = yield* value<number | string>(`SELECT ${sortKey} FROM file f WHERE f.id = @id`, {
      id,
    })
    return { id, key: found ?? id }
  }
}

/** The conditions that a first scan can answer already, in the order of ids. */
const early: readonly string[] = ['idAbove', 'idBelow', 'problems']

function needsBuilt(filter: FileFilter, key: OrderKey): boolean {
  const conditions = Object.entries(filter).filter(([, condition]) => condition !== undefined)
  return key !== 'id' || conditions.some(([name]) => !early.includes(name))
}

function isSeekable(selection: Selection, { ordering }: Pick<PagePosition, 'ordering'>): boolean {
  return ordering.key === 'id' && hasOnly(selection, ['kinds', 'ids'])
}

function isByDays(selection: Selection, { ordering, offset, limit }: PagePosition): boolean {
  const isFirst = ordering.key === 'id' && ordering.descending && offset + limit <= deepestByDay
  return isFirst && selection.dates !== undefined && hasOnly(selection, ['dates', 'kinds'])
}
