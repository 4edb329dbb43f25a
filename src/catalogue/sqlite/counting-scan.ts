/** Counts a selection for which there is no table of counts, and keeps its ids for the page. Use within a read transaction. */
import { conditionsOf } from './filter-sql.ts'
import type { Source } from './candidate-indexes.ts'
import type { Statements } from './statements.ts'
import type { CheckDeadline, Wanted } from './strategy.ts'
import { orderBy } from './slices.ts'

export interface CountingLimits {
  /** Maximum number of ids that are kept, 8 bytes each; with more, the page is found along the index of its order. */
  readonly mostIds: number
  /** Maximum number of rows that are looked up to sort them by another key than the id. */
  readonly mostRows: number
}

const defaultLimits: CountingLimits = { mostIds: 500_000, mostRows: 100_000 }

export interface CountedSelection {
  readonly count: number
  /** All ids of the selection, lowest first; `undefined` if there are too many. */
  readonly ids: Float64Array | undefined
}

export interface CountingScan {
  /** Reads all files of a selection by a source: one pass for the count and the page. */
  all(source: Source, checkDeadline: CheckDeadline): CountedSelection
  /** The ids of a page; `undefined` if another strategy costs less. */
  page(counted: CountedSelection, wanted: Omit<Wanted, 'count'>): readonly number[] | undefined
}

export function openCountingScan(
  statements: Statements,
  { mostIds, mostRows } = defaultLimits,
): CountingScan {
  return {
    all({ from, slices }, checkDeadline) {
      const parts: number[][] = []
      let count = 0
      for (const slice of slices()) {
        const { sql, values } = conditionsOf(slice)
        if (count > mostIds)
          count += statements.value(`SELECT count(*) FROM ${from} WHERE ${sql}`, values) as number
        else {
          const ids = statements.column(`SELECT f.id FROM ${from} WHERE ${sql}`, values) as number[]
          count += ids.length
          parts.push(ids)
        }
        checkDeadline()
      }
      if (count > mostIds) return { count, ids: undefined }
      const ids = new Float64Array(count)
      let at = 0
      for (const part of parts) {
        ids.set(part, at)
        at += part.length
      }
      return { count, ids: ids.sort() }
    },
    page({ count, ids }, { ordering, offset, limit }) {
      if (offset >= count) return []
      if (ids === undefined) return undefined
      if (ordering.key === 'id') {
        const end = Math.min(offset + limit, count)
        return ordering.descending
          ? [...ids.subarray(count - end, count - offset)].reverse()
          : [...ids.subarray(offset, end)]
      }
      if (count > mostRows) return undefined
      return statements.column(
        `SELECT f.id FROM json_each(@ids) wanted CROSS JOIN file f NOT INDEXED ON f.id = wanted.value
         ORDER BY ${orderBy(ordering)} LIMIT +@limit OFFSET +@offset`,
        { ids: JSON.stringify([...ids]), limit, offset },
      ) as number[]
    },
  }
}
