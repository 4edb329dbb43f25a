/**
 * Seek, the rule for a page of kinds and ids in the order of ids: the tables of counts know its
 * range of ids, at any offset.
 */
import type { Question } from '../question.ts'
import type { ListedFile } from '../records.ts'
import type { QuestionContext } from '../selection/context.ts'
import type { PagePosition, Selection } from '../selection/selection.ts'
import { hasOnly } from '../selection/selection.ts'
import type { Place } from './read.ts'
import { byId, read } from './read.ts'

export function isSeekable(
  selection: Selection,
  { ordering }: Pick<PagePosition, 'ordering'>,
): boolean {
  return ordering.key === 'id' && hasOnly(selection, ['kinds', 'ids'])
}

/** @param count number of files in the selection */
export function* seek(
  { kinds, ids }: Selection,
  { ordering, offset, limit, details }: Place,
  count: number,
  context: QuestionContext,
): Question<ListedFile[]> {
  const { counts } = context
  const size = Math.min(limit, count - offset)
  const isOpen = ids === undefined || ids.to === Infinity
  const above = isOpen ? 0 : yield* counts.ofIds(kinds, { from: ids.to + 1, to: Infinity })
  const first = above + (ordering.descending ? offset : count - offset - size)
  const { skip, ...range } = yield* counts.idsAt(kinds, { offset: first, limit: size })
  const index = kinds === undefined ? '' : 'file_kind'
  const found = yield* read(
    { ...(kinds && { kinds }), ids: range },
    { ordering: byId, offset: skip, limit: size, details, index, isOrdered: true },
    context.dialect,
  )
  return ordering.descending ? found : found.reverse()
}
