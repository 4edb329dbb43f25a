/** Streams the whole list, one record per line, in chunks and in constant memory. */
import type { CatalogueReader, ChunkOrdering, ChunkCursor } from '../../catalogue/reader.ts'
import type { ListedFile } from '../../catalogue/records.ts'
import { CatalogueUnavailable } from '../../catalogue/reader-errors.ts'
import { isUnfiltered } from '../../catalogue/filter.ts'
import type { FileFilter } from '../../catalogue/filter.ts'
import type { Requester } from '../http/limits.ts'
import { downloadUrl } from '../http/links.ts'
import type { Links, Parameter } from '../http/links.ts'
import { csvValue } from '../http/formats.ts'
import { contentType } from '../http/formats.ts'
import type { Format } from '../http/formats.ts'
import { lastValue, parseInteger } from '../http/links.ts'
import type { Query } from '../http/links.ts'
import { parseStream } from './list-request.ts'
import { wireFields, wireFileFields } from './schema.ts'
import { serialiseRecord } from './serialise.ts'
import type { WireRecord } from './serialise.ts'
import { changesFilters } from '../parameters/file-filters.ts'

/**
 * Maximum number of records in a chunk, because building a chunk blocks the event loop for a few
 * milliseconds.
 */
const recordsPerChunk = 250

interface LineFormat {
  readonly mediaType: string
  /** The header line, if the format has one. */
  readonly header?: (details: boolean) => string
  readonly line: (file: ListedFile, links: Links) => string
}

/**
 * The header line.
 * @param details adds the columns of `file` after those of the record
 */
export function csvHeader(details: boolean): string {
  return [...wireFields, ...(details ? wireFileFields : [])].join(',')
}

/** The line of a record: its ten fields, then the fields of `file` if the record has it. */
export function recordCsv(record: WireRecord): string {
  const { file } = record
  const values = wireFields.map((field) => record[field])
  const details = file === undefined ? [] : wireFileFields.map((field) => file[field])
  return [...values, ...details].map(csvValue).join(',')
}

/** The formats of streams. Lines end with a line feed. */
export const lineFormats = {
  ndjson: {
    mediaType: contentType('ndjson'),
    line: (file, links) => JSON.stringify(serialiseRecord(file, links)),
  },
  csv: {
    mediaType: `${contentType('csv')}; header=present`,
    header: csvHeader,
    line: (file, links) => recordCsv(serialiseRecord(file, links)),
  },
  urls: {
    mediaType: contentType('urls'),
    line: ({ directory, name }, links) => downloadUrl(links, directory, name),
  },
} as const satisfies Partial<Record<Format, LineFormat>>

interface Selection {
  readonly filter: FileFilter
  readonly ordering: ChunkOrdering
  /** True if the records contain their details. */
  readonly details: boolean
  /** Maximum number of records that are sent; `Infinity` for all. */
  readonly limit: number
}

interface ListSource extends Selection {
  readonly reader: Pick<CatalogueReader, 'records'>
  readonly links: Links
  /** Epoch of the head in the response's headers. */
  readonly epoch: string
  /** Each chunk is read and built in a turn of the requester. */
  readonly requester: Requester
}

/**
 * Yields the lines of the list. No transaction is open between two chunks, so the stream is no
 * snapshot. It lacks a record that is removed before its chunk is read. It may lack a record that
 * is restored meanwhile. Both changes are in the change feed after the head that was read before
 * the first chunk. A stream in descending order of ids does not contain files that are added
 * meanwhile, so it ends however fast files are added. The feed has these files too.
 * @throws CatalogueUnavailable when the database was replaced by another one
 */
export async function* listLines(
  { reader, links, epoch, filter, ordering, details, limit, requester }: ListSource,
  { header, line }: LineFormat,
): AsyncGenerator<Buffer> {
  // The header line is a part of the first chunk, so that it is not sent if the first query fails.
  let before = header === undefined ? '' : `${header(details)}\n`
  let left = limit
  let after: ChunkCursor | undefined
  do {
    const query = { limit: Math.min(left, recordsPerChunk), filter, ordering, details }
    await requester.turn()
    const chunk = await reader.records({ ...query, ...(after && { after }) }, requester)
    // The answer to a filtered query may come from a query worker, at a time that is no turn.
    if (!isUnfiltered(filter)) await requester.turn()
    if (chunk.epoch !== epoch) throw new CatalogueUnavailable('the catalogue was rebuilt meanwhile')
    const text = chunk.records.map((file) => `${line(file, links)}\n`).join('')
    if (before + text !== '') yield Buffer.from(before + text)
    before = ''
    left -= chunk.records.length
    after = chunk.next
  } while (after !== undefined && left > 0)
}

interface StreamRequest extends Selection {
  /**
   * Parameters of the feed that follows the stream: its filters, if the feed has them, and
   * `expand`.
   */
  readonly followed: readonly Parameter[]
}

/**
 * Parses the query string. Without `limit` all records are sent.
 * @throws BadFields with all faults
 */
export function parseStreamRequest(query: Query): StreamRequest {
  const { filter, ordering, details, kept } = parseStream(query)
  const limit = Number(parseInteger(lastValue(query, 'limit')) ?? 0)
  return {
    filter,
    details,
    ordering,
    limit: limit === 0 ? Infinity : limit,
    followed: kept.filter(([name]) => changesFilters.has(name) || name === 'expand'),
  }
}
