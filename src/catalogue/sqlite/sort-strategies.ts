/** Finds all files of a selection with the index that reads the fewest other files, and sorts them. To be used within a read transaction. */
import type { OrderKey, OrderStep, Ordering } from '../filter.ts'
import { conditionsOf } from './filter-sql.ts'
import { orderBy, orders, sortKey } from './slices.ts'
import { lookupUs } from './candidate-indexes.ts'
import type { Source } from './candidate-indexes.ts'
import type { Statements } from './statements.ts'
import type { CheckDeadline, Strategy, Wanted } from './strategy.ts'

/** Maximum files that SQLite itself sorts. */
interface First {
  readonly ordering: Ordering
  readonly most: number
  readonly checkDeadline: CheckDeadline
  readonly bounds?: { readonly lowest: number; readonly highest: number }
}

/** Maximum keys that are sorted in memory, 8 bytes each; with more, an index in the order of the keys is read. */
const mostKeys = 2_000_000
/** CPU microseconds to pass a key, or a row with its key, from SQLite for sorting. */
const keyUs = 0.3
const rowsUs = 10

export function openSortStrategies(statements: Statements) {
  /** The first files that a source finds, in order, with keys within bounds. */
  const first = (source: Source, { ordering, most, checkDeadline, bounds }: First): SortRow[] => {
    const { key } = orders[ordering.key]
    const steps = [ordering, ...(ordering.then ?? [])]
    const keys = steps.map((step) => sortKey(step.key))
    const within = bounds === undefined ? '' : `AND ${key} BETWEEN @lowest AND @highest`
    let best: SortRow[] = []
    for (const slice of source.slices()) {
      const { sql, values } = conditionsOf(slice)
      const found = statements.rows(
        `SELECT f.id, ${keys.join(', ')} FROM ${source.from} WHERE ${sql} ${within}
         ORDER BY ${orderBy(ordering)} LIMIT +@most`,
        { ...values, ...bounds, most },
      ) as SortRow[]
      best = best.length === 0 ? found : merged(best, found, steps).slice(0, most)
      checkDeadline()
    }
    return best
  }

  /** All keys of the files that a source finds, ascending. */
  const keysOf = (source: Source, key: OrderKey, checkDeadline: CheckDeadline): Float64Array => {
    const parts: Float64Array[] = []
    for (const slice of source.slices()) {
      const { sql, values } = conditionsOf(slice)
      const select = `SELECT ${orders[key].key} FROM ${source.from} WHERE ${sql}`
      parts.push(Float64Array.from(statements.column(select, values) as number[]))
      checkDeadline()
    }
    const keys = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0))
    let at = 0
    for (const part of parts) {
      keys.set(part, at)
      at += part.length
    }
    return keys.sort()
  }

  /** The cost to find all files of a selection and their sort keys. */
  const findUs = ({ ordering, count }: Wanted, source: Source): number =>
    source.costUs + (source.covers.has(ordering.key) ? 0 : count * lookupUs)

  /** All files of the selection, sorted by SQLite, which keeps only the page and the files before it. */
  const byRows = (wanted: Wanted, source: Source): Strategy => {
    const { ordering, offset, limit } = wanted
    const most = offset + limit
    return {
      costUs: findUs(wanted, source) + most * rowsUs,
      ids: (checkDeadline) =>
        first(source, { ordering, most, checkDeadline })
          .slice(offset)
          .map(([id]) => id),
    }
  }

  /** Sorts the keys of all files, then reads the files between the first and the last key of the page. */
  const byKeys = (wanted: Wanted, source: Source): Strategy => {
    const { ordering, offset, limit, count } = wanted
    const { descending } = ordering
    const isPossible = ordering.key !== 'filename' && count <= mostKeys
    return {
      costUs: isPossible ? 2 * findUs(wanted, source) + count * keyUs : Infinity,
      ids(checkDeadline) {
        const keys = keysOf(source, ordering.key, checkDeadline)
        const last = Math.min(offset + limit, keys.length) - 1
        const at = (rank: number) => keys[descending ? keys.length - 1 - rank : rank] ?? 0
        const [one, other] = [at(offset), at(last)]
        const bounds = { lowest: Math.min(one, other), highest: Math.max(one, other) }
        const before = descending ? keys.length - 1 - keys.lastIndexOf(one) : keys.indexOf(one)
        const skip = offset - before
        return first(source, { ordering, most: skip + limit, checkDeadline, bounds })
          .slice(skip)
          .map(([id]) => id)
      },
    }
  }

  return { byRows, byKeys }
}

/** An id and its sort key. */
type SortRow = [id: number, ...keys: (number | string)[]]

/** Both are sorted already. */
function merged(
  a: readonly SortRow[],
  b: readonly SortRow[],
  steps: readonly OrderStep[],
): SortRow[] {
  const byId = steps.at(-1)?.descending === true ? -1 : 1
  return [...a, ...b].sort(([id, ...keys], [otherId, ...otherKeys]) => {
    for (const [index, { descending }] of steps.entries()) {
      const [key, other] = [keys[index] ?? 0, otherKeys[index] ?? 0]
      if (key !== other) return key < other === descending ? 1 : -1
    }
    return byId * (id - otherId)
  })
}
