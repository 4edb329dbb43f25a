/** The whole list as one stream, a record a line, a chunk at a time, in constant memory. */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { CatalogueReader, ChunkOrdering, ChunkPlace } from '../../catalogue/reader.ts'
import type { ListedFile } from '../../catalogue/records.ts'
import { CatalogueUnavailable } from '../../catalogue/reader.ts'
import { isUnfiltered } from '../../catalogue/filter.ts'
import type { FileFilter } from '../../catalogue/filter.ts'
import { downloadUrl } from '../http/links.ts'
import type { Links } from '../http/links.ts'
import { csvHeader, recordCsv } from './csv.ts'
import type { Semaphore } from '../http/semaphore.ts'
import { serialiseRecord } from './serialise.ts'
import { badFields } from '../http/errors.ts'
import { lastValue, parseInteger } from '../http/query.ts'
import type { Query } from '../http/query.ts'
import { parseListRequest } from './list-request.ts'

/** Records read and written at a time: a few milliseconds in which nobody else is served. */
const recordsPerChunk = 500

interface LineFormat {
  readonly mediaType: string
  /** A first line, with the names of details or without. */
  readonly header?: (details: boolean) => string
  readonly line: (file: ListedFile, links: Links) => string
}

/** By the word that asks for it. A line ends with a line feed, which is what scripts expect. */
export const lineFormats: ReadonlyMap<string, LineFormat> = new Map<string, LineFormat>([
  [
    'ndjson',
    {
      mediaType: 'application/x-ndjson',
      line: (file, links) => JSON.stringify(serialiseRecord(file, links)),
    },
  ],
  [
    'csv',
    {
      mediaType: 'text/csv; charset=utf-8; header=present',
      header: csvHeader,
      line: (file, links) => recordCsv(serialiseRecord(file, links)),
    },
  ],
  [
    'urls',
    {
      mediaType: 'text/plain; charset=utf-8',
      line: ({ directory, name }, links) => downloadUrl(links, directory, name),
    },
  ],
])

export interface ListSource {
  readonly reader: Pick<CatalogueReader, 'records'>
  readonly links: Links
  /** Names the database that gave the number the stream is announced with. */
  readonly epoch: string
  readonly filter: FileFilter
  readonly ordering: ChunkOrdering
  /** Whether records come with their details. */
  readonly details: boolean
  /** Most records; `Infinity` for all. */
  readonly limit: number
  /** Limits the chunks that all streams make at the same time, so that others are served after each. */
  readonly chunks: Semaphore
  /** Ends a long query when the client has gone. */
  readonly signal: AbortSignal
}

/**
 * Nothing is held between two chunks, so the stream shows no one moment: a record that is removed before its chunk is read
 * is missing, one that comes back may be there or not. Both are in the change feed from the number that was the latest
 * before the first chunk. By falling ids new records are left to the feed, which is why this comes to an end however fast
 * they arrive.
 * @throws CatalogueUnavailable when another database has taken the place of the one that the stream began with
 */
export async function* listLines(
  { reader, links, epoch, filter, ordering, details, limit, chunks, signal }: ListSource,
  { header, line }: LineFormat,
): AsyncGenerator<Buffer> {
  if (header !== undefined) yield Buffer.from(`${header(details)}\n`)
  let left = limit
  let after: ChunkPlace | undefined
  do {
    const asked = { limit: Math.min(left, recordsPerChunk), filter, ordering, details }
    const read = () => reader.records({ ...asked, ...(after && { after }) }, signal)
    // Questions with filters are answered beside this thread, and may take long.
    const answered = isUnfiltered(filter) ? undefined : await read()
    const { text, count, next } = await chunks.run(async () => {
      await yieldToOthers()
      const chunk = answered ?? (await read())
      if (chunk.epoch !== epoch)
        throw new CatalogueUnavailable('the catalogue was rebuilt meanwhile')
      const text = chunk.records.map((file) => `${line(file, links)}\n`).join('')
      return { text, count: chunk.records.length, next: chunk.next }
    })
    if (text !== '') yield Buffer.from(text)
    left -= count
    after = next
  } while (after !== undefined && left > 0)
}

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
