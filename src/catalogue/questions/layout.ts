/** The layout of the tree that the records are of. */
import type { LayoutLists } from '../../parse/layout.ts'
import type { Question } from '../question.ts'
import { value } from '../question.ts'

/** The lists as the last indexer used them; `undefined` before the first start of an indexer. */
export function* layout(): Question<LayoutLists | undefined> {
  const text = yield* value<string>('SELECT layout FROM catalogue WHERE one = 1')
  return text === undefined ? undefined : (JSON.parse(text) as LayoutLists)
}
