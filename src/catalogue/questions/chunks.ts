/** The list in chunks, for streams: each begins after the last record of the one before. */
import { withFacts } from '../facts/facts.ts'
import type { ChunkCursor, ChunkOrdering, FileFilter } from '../filter.ts'
import { needsBuilt } from '../filter.ts'
import type { Expanded } from '../list/listed.ts'
import type { Place } from '../list/read.ts'
import { byId, read } from '../list/read.ts'
import { isSeekable, seek } from '../list/seek.ts'
import { walk } from '../list/sort-or-walk.ts'
import type { Question } from '../question.ts'
import { value } from '../question.ts'
import type { ListedFile } from '../records.ts'
import { orders } from '../selection/conditions.ts'
import type { QuestionContext } from '../selection/context.ts'
import type { Selection } from '../selection/selection.ts'
import { everyId, hasOnly, selectAfter } from '../selection/selection.ts'

export interface ChunkQuery extends Expanded {
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

/**
 * Reads the list in chunks: repeat with `next` until it is `undefined`. No transaction stays open
 * between chunks.
 * @throws NotBuilt
 */
export function* records(
  { facts = false, ...query }: ChunkQuery,
  context: QuestionContext,
): Question<RecordChunk> {
  const chunk = yield* chunkAlone(query, context)
  return facts ? { ...chunk, records: yield* withFacts(chunk.records, context) } : chunk
}

/** The chunk without facts. */
function* chunkAlone(query: ChunkQuery, context: QuestionContext): Question<RecordChunk> {
  const { lookups } = context
  const { filter = {}, ordering = byId, after, limit, details } = query
  const { head } = yield* lookups.refresh({ needsBuilt: needsBuilt(filter, ordering.key) })
  const { epoch } = head
  const selection = yield* lookups.select(filter)
  const rest = selection && after ? selectAfter(selection, after, ordering) : selection
  if (rest === undefined) return { epoch, records: [], next: undefined }
  const place = { ordering, offset: 0, limit, details }
  if (ordering.key === 'id' && !isSeekable(rest, place))
    return { epoch, ...(yield* chunkOfIds(rest, place, context)) }
  const records = yield* following(rest, place, context)
  const last = records.length < limit ? undefined : records.at(-1)
  return { epoch, records, next: last && (yield* cursorOf(last, ordering)) }
}

/** The first files of a selection in an order. */
function* following(
  rest: Selection,
  place: Place,
  context: QuestionContext,
): Question<ListedFile[]> {
  if (isSeekable(rest, place)) {
    if (hasOnly(rest, ['ids'])) return yield* walk(rest, place, context)
    const count = yield* context.counts.ofIds(rest.kinds, rest.ids)
    return count === 0 ? [] : yield* seek(rest, place, count, context)
  }
  const { index, entries } = yield* context.narrowest.of(rest)
  return entries <= context.few.ofChunk
    ? yield* read(rest, { ...place, index, isOrdered: false }, context.dialect)
    : yield* walk(rest, place, context)
}

/**
 * A chunk in the order of ids that examines a limited number of ids: if the filter finds few files
 * in many, it may be empty, and its cursor is the last id that was examined.
 */
function* chunkOfIds(
  rest: Selection,
  place: Place & { readonly ordering: ChunkOrdering },
  context: QuestionContext,
): Question<Omit<RecordChunk, 'epoch'>> {
  const { index, entries } = yield* context.narrowest.of(rest)
  const { descending } = place.ordering
  const { ids = everyId } = rest
  const isFew = entries <= context.few.ofChunk
  const part = isFew ? ids : yield* context.counts.nextIds(ids, descending)
  if (part === undefined) return { records: [], next: undefined }
  const records = isFew
    ? yield* read(rest, { ...place, index, isOrdered: false }, context.dialect)
    : yield* walk({ ...rest, ids: part }, place, context)
  const last = records.length < place.limit ? undefined : records.at(-1)
  if (last !== undefined) return { records, next: { id: last.id, key: last.id } }
  const end = descending ? part.from : part.to
  const isEnd = isFew || (descending ? end <= ids.from : end >= ids.to)
  return { records, next: isEnd ? undefined : { id: end, key: end } }
}

function* cursorOf({ id }: ListedFile, { key }: ChunkOrdering): Question<ChunkCursor> {
  if (key === 'id') return { id, key: id }
  const sortKey = key === 'filename' ? 'lower(f.name)' : orders[key].column
  const sql = `SELECT ${sortKey} FROM file f WHERE f.id = @id`
  return { id, key: (yield* value<number | string>(sql, { id })) ?? id }
}
