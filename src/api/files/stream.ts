/** Streams the whole list, one record per line, in chunks and in constant memory. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { CatalogueUnavailable } from '../../catalogue/errors.ts'
import type { ChunkCursor, ChunkOrdering, FileFilter } from '../../catalogue/filter.ts'
import { isUnfiltered } from '../../catalogue/filter.ts'
import type { CatalogueReader } from '../../catalogue/questions/reader.ts'
import type { ListedFile } from '../../catalogue/records.ts'
import type { Layout } from '../../parse/layout.ts'
import type { ApiContext } from '../http/context.ts'
import type { Format } from '../http/formats.ts'
import { contentType } from '../http/formats.ts'
import type { Requester } from '../http/limits.ts'
import { Semaphore } from '../http/limits.ts'
import type { Links } from '../http/links.ts'
import { downloadUrl, linkUnlessTooLong, pageUrl } from '../http/links.ts'
import { sendChunks } from '../http/send.ts'
import type { Expansion, FilterParameters } from '../parameters/file-filters.ts'
import { expand, feedParameters, fileFilters } from '../parameters/file-filters.ts'
import { limit, parseInteger } from '../parameters/paging.ts'
import type { Parameter } from '../parameters/parameter.ts'
import type { Query } from '../parameters/request.ts'
import { readRequest } from '../parameters/request.ts'
import { orderingOfFiles } from './list-request.ts'
import { csvHeader, recordCsv, serialiseRecord } from './serialise.ts'

/** Records in a chunk, because building it blocks the event loop for a few milliseconds. */
const recordsPerChunk = 250

interface LineFormat {
  readonly mediaType: string
  readonly header?: (expansion: Expansion) => string
  readonly line: (file: ListedFile, links: Links, layout: Layout) => string
}

/** The formats of streams. Lines end with a line feed. */
export const lineFormats = {
  ndjson: {
    mediaType: contentType('ndjson'),
    line: (file, links, layout) => JSON.stringify(serialiseRecord(file, links, layout)),
  },
  csv: {
    mediaType: `${contentType('csv')}; header=present`,
    header: csvHeader,
    line: (file, links, layout) => recordCsv(serialiseRecord(file, links, layout)),
  },
  urls: {
    mediaType: contentType('urls'),
    line: ({ directory, name }, links) => downloadUrl(links, directory, name),
  },
} as const satisfies Partial<Record<Format, LineFormat>>

interface StreamedFiles extends Expansion {
  readonly filter: FileFilter
  readonly ordering: ChunkOrdering
  /** Maximum number of records that are sent; `Infinity` for all. */
  readonly limit: number
}

interface ListSource extends StreamedFiles {
  readonly reader: Pick<CatalogueReader, 'records'>
  readonly links: Links
  readonly layout: Layout
  /** Epoch of the head in the response's headers. */
  readonly epoch: string
  /** Each chunk is read and built in a turn of the requester. */
  readonly requester: Requester
}

/**
 * Yields the lines of the list. No transaction is open between two chunks, so the stream is no
 * snapshot: it lacks records that are removed before their chunk, and perhaps some that are
 * restored. The change feed after the head that was read before has these changes. In descending
 * order of ids it lacks the files that are added meanwhile, so it ends however fast they come.
 * @throws CatalogueUnavailable when the database was replaced by another one
 */
export async function* listLines(
  { reader, links, layout, epoch, limit, requester, ...asked }: ListSource,
  { header, line }: LineFormat,
): AsyncGenerator<Buffer> {
  // The header line is a part of the first chunk, so that it is not sent if the first query fails.
  let before = header === undefined ? '' : `${header(asked)}\n`
  let left = limit
  let after: ChunkCursor | undefined
  do {
    const query = { ...asked, limit: Math.min(left, recordsPerChunk) }
    await requester.turn()
    const chunk = await reader.records({ ...query, ...(after && { after }) }, requester)
    // The answer to a filtered query may come from a query worker, at a time that is no turn.
    if (!isUnfiltered(asked.filter)) await requester.turn()
    if (chunk.epoch !== epoch) throw new CatalogueUnavailable('the catalogue was rebuilt meanwhile')
    const text = chunk.records.map((file) => `${line(file, links, layout)}\n`).join('')
    if (before + text !== '') yield Buffer.from(before + text)
    before = ''
    left -= chunk.records.length
    after = chunk.next
  } while (after !== undefined && left > 0)
}

/** One sort key, whose values never change: each chunk continues after the last record before. */
const orderingOfStreams: Parameter<ChunkOrdering> = {
  ...orderingOfFiles,
  read: (words) => {
    const read = orderingOfFiles.read(words)
    if ('fault' in read) return read
    const { key, descending, then } = read.value
    return key === 'modified' || then !== undefined
      ? { fault: 'A stream is sorted by one of id, data_date, created and filename.' }
      : { value: { key, descending } }
  },
}

const noOffset: Parameter<undefined> = {
  schema: {},
  takes: 'last',
  read: ([text]) =>
    text === undefined
      ? { value: undefined }
      : { fault: 'A stream starts at the first record; limit ends it.' },
}

/** A stream has no maximum; without a limit it has all records. */
const streamLimit: Parameter<number> = {
  ...limit(Infinity),
  read: ([text]) => ({ value: parseInteger(text) || Infinity, isKept: false }),
}

const streamParameters = {
  ordering: orderingOfStreams,
  expand,
  limit: streamLimit,
  offset: noOffset,
}

/**
 * Reads a request like that of a page, but an unknown parameter is an error, because a mistyped
 * filter must not download the whole archive, and so is an `offset`. `limit` has no maximum;
 * without it all records are sent. There is one sort key.
 * @throws BadFields with all faults
 */
export function parseStreamRequest(query: Query, filters: FilterParameters) {
  const { values, filter, kept } = readRequest(query, {
    parameters: streamParameters,
    filters,
    alwaysStrict: true,
  })
  const { expand, ordering, limit } = values
  return { filter, ...expand, ordering, limit, followed: feedParameters(kept, filters) }
}

/** Maximum number of streams at the same time: each chunk delays all other requests. */
const maxStreams = 50

/** Streams the whole list. */
export function createStream({ reader, links, limits, settings }: ApiContext) {
  const { layout } = settings
  const filters = fileFilters(layout)
  const streams = new Semaphore({
    permits: maxStreams,
    full: 'Too many clients are reading the whole list.',
  })
  return async (name: keyof typeof lineFormats, request: FastifyRequest, reply: FastifyReply) => {
    const format = lineFormats[name]
    const { followed, ...streamRequest } = parseStreamRequest(request.query as Query, filters)
    const requester = request.method === 'HEAD' ? undefined : limits.stream(request, reply)
    if (requester !== undefined) streams.holdFor(reply)
    // The head is read before the first line, so that the change feed after it has all changes made
    // during the stream.
    const { epoch, seq } = await reader.head()
    const feed = pageUrl(links(), 'changes', [
      ...followed,
      ['epoch', epoch],
      ['since', String(seq)],
    ])
    const headers = {
      'content-type': format.mediaType,
      'catalogue-seq': String(seq),
      ...linkUnlessTooLong(`<${feed}>; rel="monitor"`),
    }
    if (requester === undefined) return reply.headers(headers).send()
    const lines = listLines(
      { ...streamRequest, reader, links: links(), layout, epoch, requester },
      format,
    )
    return sendChunks(reply, headers, lines)
  }
}
