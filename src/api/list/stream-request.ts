/** What a request for a stream of the list asks for. Pure. */
import type { ChunkOrdering } from '../../catalogue/reader.ts'
import type { FileFilter } from '../../catalogue/filter.ts'
import { badFields } from '../errors.ts'
import { lastValue, parseInteger } from '../query.ts'
import type { Query } from '../query.ts'
import { parseListRequest } from './request.ts'

export interface StreamRequest {
  readonly filter: FileFilter
  readonly ordering: ChunkOrdering
  /** Whether records come with their details. */
  readonly details: boolean
  /** Most records; `Infinity` for all. */
  readonly limit: number
}

/**
 * As a page of the list is asked for, but a parameter that means nothing is refused: a mistyped filter must not download the
 * whole archive. There is no `offset`, and one key to sort by, which never changes: a stream goes on behind its last record.
 * @throws HttpError 400
 */
export function parseStreamRequest(query: Query): StreamRequest {
  const { filter, ordering, details } = parseListRequest(query, { isStrict: true })
  const { key, descending, then } = ordering
  if (key === 'modified' || then !== undefined)
    throw badFields({
      ordering: ['A stream is sorted by one of id, data_date, created and filename.'],
    })
  if ((lastValue(query, 'offset') ?? '') !== '')
    throw badFields({ offset: ['A stream begins at the first record; use limit to end it.'] })
  const limit = Number(parseInteger(lastValue(query, 'limit')) ?? 0)
  return { filter, details, ordering: { key, descending }, limit: limit === 0 ? Infinity : limit }
}
