import type { Database } from 'better-sqlite3'
import type { OrderKey } from '../../filter.ts'
import { openDateOrder } from './date-order.ts'
import { openModified } from './modified.ts'
import { openNameOrder } from './name-order.ts'
import type { Order } from './order.ts'
import { ranksIn } from './parts.ts'
import type { Listed, Stretch } from './places.ts'
import { orderByCreation, orderByModification } from './time-order.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Ids of one statement. */
const idsPerStatement = 10_000

type SortKey = Exclude<OrderKey, 'id'>

/** What each key is in SQL, on `file` as `f`. */
const expressions: Readonly<Record<SortKey, string>> = {
  data_date: 'f.data_date',
  created: 'f.created_us',
  modified: 'coalesce(f.modified_us, f.created_us)',
  filename: 'lower(f.name)',
}

export interface Sorted extends Stretch {
  readonly key: SortKey
  /** Of the whole list. */
  readonly count: number
}

/**
 * Finds a stretch of a sorted list without sorting it: only the records are read and sorted of which the columns cannot tell
 * that they come before or after. To be used within a read transaction.
 */
export function openSorting(db: Database, vocabulary: Vocabulary) {
  const readKeys = prepareKeys(db)
  const orders: Readonly<Record<SortKey, Order>> = {
    data_date: openDateOrder(),
    created: orderByCreation,
    modified: orderByModification(openModified(db)),
    filename: openNameOrder(vocabulary),
  }
  return (listed: Listed, { key, count, ...stretch }: Sorted): number[] | undefined => {
    const ranks = ranksIn(count, stretch)
    const found = orders[key](listed, ranks)
    if (found === undefined) return undefined
    const { ids, before } = found
    const sorted = readKeys(key, ids).sort(byKey)
    const asked = sorted.slice(ranks.first - before, ranks.end - before).map(([id]) => id)
    return stretch.descending ? asked.reverse() : asked
  }
}

/** As it comes out of the table: tens of thousands of objects would take twice as long. */
type Keyed = readonly [id: number, key: number | string]

function byKey([aId, aKey]: Keyed, [bId, bKey]: Keyed): number {
  if (aKey === bKey) return aId - bId
  return aKey < bKey ? -1 : 1
}

function prepareKeys(db: Database) {
  return (key: SortKey, ids: readonly number[]): Keyed[] => {
    const select = db
      .prepare(
        `SELECT f.id, ${expressions[key]}
         FROM json_each(?) wanted CROSS JOIN file f ON f.id = wanted.value`,
      )
      .raw()
    const keyed: Keyed[] = []
    for (let start = 0; start < ids.length; start += idsPerStatement)
      for (const row of select.all(JSON.stringify(ids.slice(start, start + idsPerStatement))))
        keyed.push(row as Keyed)
    return keyed
  }
}
