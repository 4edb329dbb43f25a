/** Reads the rows of a page by an index. */
import type { Dialect } from '../dialect.ts'
import type { ChunkOrdering } from '../filter.ts'
import type { Question } from '../question.ts'
import { rows } from '../question.ts'
import type { ListedFile } from '../records.ts'
import { conditionsOf, filesBy, orderBy } from '../selection/conditions.ts'
import type { PagePosition, Selection } from '../selection/selection.ts'
import type { ListedRow } from './listed.ts'
import { listed, listedWithDetails, toListed } from './listed.ts'

export const byId: ChunkOrdering = { key: 'id', descending: true }

/** The place of a page, and whether its files have their details. */
export interface Place extends PagePosition {
  readonly details?: boolean | undefined
}

/** How to read a page: the index, and whether its order is that of the page. */
interface Way extends Place {
  readonly index: string
  readonly isOrdered: boolean
}

/** The inner query finds ids in an index, the outer one reads the rows of the page. */
export function* read(
  selection: Selection,
  { ordering, offset, limit, details = false, index, isOrdered }: Way,
  dialect: Dialect,
): Question<ListedFile[]> {
  const { columns, joins } = details ? listedWithDetails : listed
  const { sql, values } = conditionsOf(selection, dialect, index)
  const found = yield* rows<ListedRow>(
    `SELECT ${columns} FROM (
       SELECT f.id FROM ${filesBy(index, dialect)} WHERE ${sql}
       ORDER BY ${orderBy(ordering, dialect, !isOrdered)}
       LIMIT CAST(@limit AS bigint) OFFSET CAST(@offset AS bigint)) AS page
     LEFT JOIN file f ON f.id = page.id ${joins} ORDER BY ${orderBy(ordering, dialect)}`,
    { ...values, limit, offset },
  )
  return found.map(toListed)
}

/** The files of these ids, in their order. */
export function* filesOf(
  ids: readonly number[],
  details: boolean | undefined,
  dialect: Dialect,
): Question<ListedFile[]> {
  const { columns, joins } = details === true ? listedWithDetails : listed
  const found = yield* rows<ListedRow>(
    `SELECT ${columns} FROM ${dialect.each('ids')}
     LEFT JOIN file f ON f.id = r.value ${joins} ORDER BY r.key`,
    { ids },
  )
  return found.map(toListed)
}
