/** The list of files: pages and chunks of it. */
import type { Question } from '../question.ts'
import type { QuestionContext } from '../selection/lookups.ts'
import { List } from './list.ts'
import type { ChunkQuery, Page, PageQuery, RecordChunk } from './list.ts'

/** A page of the list, with the number of all matching files. @throws NotBuilt */
export function page(query: PageQuery, { dialect, lookups }: QuestionContext): Question<Page> {
  return new List(dialect, lookups).page(query)
}

/**
 * Reads the list in chunks: repeat with `next` until it is `undefined`. No transaction stays open
 * between chunks.
 * @throws NotBuilt
 */
export function records(
  query: ChunkQuery,
  { dialect, lookups }: QuestionContext,
): Question<RecordChunk> {
  return new List(dialect, lookups).chunk(query)
}
