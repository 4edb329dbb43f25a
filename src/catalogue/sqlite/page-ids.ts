/**
 * Finds the ids of a page in several ways, which all find the same ids. `list.ts` chooses the way. To be used within a read
 * transaction.
 */
import { secondsPerDay } from '../../parse/calendar.ts'
import type { CandidateIndex } from './candidate-indexes.ts'
import type { Statements } from './connection.ts'
import type { Counts } from './counts.ts'
import type { DateRange } from './date-ranges.ts'
import { conditionsOf, orderBy, orders } from './filter-sql.ts'
import type { Values } from './filter-sql.ts'
import type { PagePosition, Selection } from './selection.ts'
import type { Slices } from './slices.ts'

/** Called between slices; throws to end a query. */
export type CheckDeadline = () => void

/** The number of files in a selection, and their ids. */
export interface Collected {
  readonly count: number
  /** Lowest id first; `undefined` if there are too many. */
  readonly ids: Float64Array | undefined
}

/** Maximum number of ids that are collected, 8 bytes each. */
export const mostIds = 500_000

export type PageIds = ReturnType<typeof openPageIds>

export function openPageIds(
  statements: Statements,
  { counts, slices }: { readonly counts: Counts; readonly slices: Slices },
) {
  /**
   * Reads only the range of ids that `idsAt` gives for a page. For selections by kinds and ids only, ordered by id.
   * @param count number of files in the selection; more than `offset`
   */
  const seek = ({ kinds, ids }: Selection, page: PagePosition, count: number): number[] => {
    const { offset, ordering } = page
    const limit = Math.min(page.limit, count - offset)
    const isOpen = ids === undefined || ids.to === Infinity
    const above = isOpen ? 0 : counts.ofIds(kinds, { from: ids.to + 1, to: Infinity })
    const first = above + (ordering.descending ? offset : count - offset - limit)
    const { from, to, skip } = counts.idsAt(kinds, { offset: first, limit })
    const { sql, values } = conditionsOf({ ...(kinds && { kinds }), ids: { from, to } })
    const index = kinds === undefined ? 'NOT INDEXED' : 'INDEXED BY file_kind'
    const found = statements.column(
      `SELECT f.id FROM file f ${index} WHERE ${sql} ORDER BY f.id DESC LIMIT +@limit OFFSET +@skip`,
      { ...values, limit, skip },
    ) as number[]
    return ordering.descending ? found : found.toReversed()
  }

  /**
   * Finds the ids of a page by day and kind. Begins each range of dates with the day and kind that have the highest `lastId`, and
   * ends it when no further day and kind can have an id of the page. Only for pages in descending order of ids, and for
   * selections that have no conditions but dates and kinds.
   */
  const latestDays = (
    { dates = [], kinds }: Selection,
    { offset, limit }: PagePosition,
    checkDeadline: CheckDeadline,
  ): number[] => {
    const most = offset + limit
    const ofDay = ({ from, to }: DateRange, kind: number) =>
      statements.column(
        `SELECT f.id FROM file f INDEXED BY file_date WHERE f.data_date BETWEEN @from AND @to AND f.kind = @kind
         ORDER BY f.id DESC LIMIT +@most`,
        { from, to, kind, most },
      ) as number[]
    let best: number[] = []
    for (const range of dates)
      for (const { day, kind, lastId } of counts.latestDays(range, kinds)) {
        if (best.length >= most && lastId <= (best[most - 1] ?? 0)) break
        const from = Math.max(range.from, day * secondsPerDay)
        const to = Math.min(range.to, (day + 1) * secondsPerDay - 1)
        best = [...best, ...ofDay({ from, to }, kind)].sort((a, b) => b - a).slice(0, most)
        checkDeadline()
      }
    return best.slice(offset)
  }

  /**
   * Reads the index of the order, and skips files that do not match. In slices before the page, files are only counted.
   * @param mostMs ends the scan after this time; `end` is then the last slice that was read
   */
  const scan = (
    selection: Selection,
    { ordering, offset, limit }: PagePosition,
    { checkDeadline, mostMs }: { readonly checkDeadline: CheckDeadline; readonly mostMs: number },
  ): { readonly ids: readonly number[]; readonly end: Selection | undefined } => {
    const endMs = performance.now() + mostMs
    const { from } = orders[ordering.key]
    let skip = offset
    const ids: number[] = []
    for (const slice of slices.along(ordering.key, selection, ordering.descending)) {
      const { sql, values } = conditionsOf(slice.selection)
      const where = `FROM ${from} WHERE ${sql}`
      const files = skip === 0 ? 0 : (slice.count?.() ?? countOf(where, values))
      if (skip > 0 && files <= skip) skip -= files
      else {
        const found = statements.column(
          `SELECT f.id ${where} ORDER BY ${orderBy(ordering)} LIMIT +@limit OFFSET +@skip`,
          { ...values, limit: limit - ids.length, skip },
        ) as number[]
        skip = 0
        ids.push(...found)
        if (ids.length === limit) break
      }
      checkDeadline()
      if (performance.now() > endMs) return { ids, end: slice.selection }
    }
    return { ids, end: undefined }
  }

  /** Reads all files of a selection with an index. If there are more than `most`, they are only counted. */
  const collect = (
    { from, slices }: CandidateIndex,
    checkDeadline: CheckDeadline,
    most = mostIds,
  ): Collected => {
    const parts: Float64Array[] = []
    let count = 0
    for (const { selection } of slices()) {
      const { sql, values } = conditionsOf(selection)
      const where = `FROM ${from} WHERE ${sql}`
      if (count > most) count += countOf(where, values)
      else {
        const ids = new Float64Array(statements.column(`SELECT f.id ${where}`, values) as number[])
        count += ids.length
        parts.push(ids)
      }
      checkDeadline()
    }
    if (count > most) return { count, ids: undefined }
    const ids = new Float64Array(count)
    let at = 0
    for (const part of parts) {
      ids.set(part, at)
      at += part.length
    }
    return { count, ids: ids.sort() }
  }

  /** Reads an index that has few entries in one statement, in which SQLite sorts the files. */
  const sortFew = (
    { from }: CandidateIndex,
    selection: Selection,
    { ordering, offset, limit }: PagePosition,
  ): readonly number[] => {
    const { sql, values } = conditionsOf(selection)
    return statements.column(
      `SELECT f.id FROM ${from} WHERE ${sql} ORDER BY ${orderBy(ordering)} LIMIT +@limit OFFSET +@offset`,
      { ...values, limit, offset },
    ) as number[]
  }

  /** Counts the files of a selection with an index that has few entries. */
  const countFew = ({ from }: CandidateIndex, selection: Selection): number => {
    const { sql, values } = conditionsOf(selection)
    return countOf(`FROM ${from} WHERE ${sql}`, values)
  }

  /** Sorts the collected ids of a selection, and returns those of the page. */
  const sort = (
    ids: Float64Array,
    { ordering, offset, limit }: PagePosition,
  ): readonly number[] => {
    if (offset >= ids.length) return []
    if (ordering.key === 'id') {
      const { length } = ids
      const end = Math.min(offset + limit, length)
      return ordering.descending
        ? [...ids.subarray(length - end, length - offset)].reverse()
        : [...ids.subarray(offset, end)]
    }
    return statements.column(
      `SELECT f.id FROM json_each(@ids) wanted CROSS JOIN file f NOT INDEXED ON f.id = wanted.value
       ORDER BY ${orderBy(ordering)} LIMIT +@limit OFFSET +@offset`,
      { ids: JSON.stringify([...ids]), limit, offset },
    ) as number[]
  }

  const countOf = (where: string, values: Values): number =>
    statements.value(`SELECT count(*) ${where}`, values) as number

  return { seek, latestDays, scan, collect, sort, sortFew, countFew }
}
