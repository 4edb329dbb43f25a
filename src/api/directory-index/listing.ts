/** Answers requests for directories with their listings. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type {
  DirectoryState,
  Entries,
  EntriesQuery,
  FileEntry,
  Subdirectory,
} from '../../catalogue/questions/directories.ts'
import type { CatalogueReader } from '../../catalogue/questions/reader.ts'
import {
  formatHttpDate,
  isFresh,
  parseHttpDate,
  sendNotModified,
} from '../http/conditional-requests.ts'
import type { ApiContext } from '../http/context.ts'
import { digest } from '../http/context.ts'
import { notFound } from '../http/errors.ts'
import { mediaTypes, namedFormat, UnknownFormat } from '../http/formats.ts'
import { pageHeaders } from '../http/headers.ts'
import type { Requester } from '../http/limits.ts'
import { sendChunks } from '../http/send.ts'
import type { Totals } from './listing-page.ts'
import { beginPage, endPage, entryLine } from './listing-page.ts'

/** Answers a request for a directory of the catalogue, given by its path below the root. */
export type DirectoryHandler = (
  request: FastifyRequest,
  reply: FastifyReply,
  directory: string,
) => Promise<FastifyReply>

/** Answers with the listing of a directory. */
export function createListings(context: ApiContext): DirectoryHandler {
  const { reader, dataPath, tag, nowUs, limits } = context
  return async (request, reply, directory) => {
    const format = formatOf(request)
    const state = await reader.directory(directory)
    if (state === undefined) throw notFound()
    reply.header('vary', 'Accept-Encoding')
    // Each directory has tags of its own: wget2 reads no page whose tag it has seen. They are not
    // those of pages, because a listing does not show the number of alerts.
    const name = digest(directory).slice(0, 8)
    const version = `${state.epoch}-${state.version}-${name}-${format.name}`
    const date = listingDate(state, nowUs())
    const { 'if-none-match': tags, 'if-modified-since': since } = request.headers
    const matches = isFresh(request, reply, tag(version, 'json'))
    // If-None-Match takes precedence over If-Modified-Since (RFC 9110, 13.2.2).
    if (matches || (tags === undefined && date.matches(since)))
      return sendNotModified(reply.headers(date.headers))
    const headers = { ...date.headers, ...contentHeaders[format.name] }
    if (request.method === 'HEAD') return reply.headers(headers).send()
    const { turn } = await limits.page(request, reply)
    const path = directory === '' ? dataPath : `${dataPath}${directory}/`
    return sendChunks(reply, headers, listingOf(reader, { directory, path, format, turn }))
  }
}

const contentHeaders = { html: pageHeaders, json: { 'content-type': mediaTypes.json } }

/** JSON if `format` names it, else HTML: programs that read listings accept anything. */
function formatOf(request: FastifyRequest): ListingFormat {
  const format = namedFormat(request)
  if (format === undefined) return listingFormats.html
  if (format === 'json') return listingFormats.json
  throw new UnknownFormat(['html', 'json'])
}

/** Microseconds until all changes of a second are visible: a busy disk commits seconds later. */
const unsettledUs = 10_000_000

/**
 * The time of the latest change. While more changes of its second may become visible, it is a
 * second earlier and matches nothing, so that no client keeps an outdated listing. Pure.
 */
export function listingDate({ changedUs }: DirectoryState, nowUs: number) {
  if (changedUs === undefined) return { headers: {}, matches: () => false }
  const second = Math.floor(Math.min(changedUs, nowUs) / 1_000_000)
  const isSettled = nowUs - changedUs >= unsettledUs
  return {
    headers: { 'last-modified': formatHttpDate(isSettled ? second : second - 1) },
    /** True if the listing did not change since the `If-Modified-Since` of a client. */
    matches: (text: string | undefined) => isSettled && parseHttpDate(text ?? '') === second,
  }
}

interface ListingFormat {
  readonly name: 'html' | 'json'
  readonly begin: (path: string, isRoot: boolean) => string
  /** The time of a directory is the latest change of anything in it or below it. */
  readonly directory: (entry: Subdirectory) => string
  readonly file: (entry: FileEntry) => string
  readonly separator: string
  readonly end: (totals: Totals) => string
}

const html: ListingFormat = {
  name: 'html',
  begin: beginPage,
  directory: ({ name, changedUs }) => entryLine(`${name}/`, shortTime(changedUs), undefined),
  file: ({ name, mtimeUs, size }) => entryLine(name, shortTime(mtimeUs), size),
  separator: '',
  end: endPage,
}

/** The JSON of nginx (`autoindex_format json`). A directory has no size. */
const json: ListingFormat = {
  name: 'json',
  begin: () => '[\n',
  directory: ({ name, changedUs }) =>
    JSON.stringify({ name, type: 'directory', mtime: httpDate(changedUs) }),
  file: ({ name, mtimeUs, size }) =>
    JSON.stringify({ name, type: 'file', mtime: httpDate(mtimeUs), size }),
  separator: ',\n',
  end: () => '\n]\n',
}

export const listingFormats = { html, json } as const

/** Entries in a chunk, because building it blocks the event loop for a few milliseconds. */
const chunkSize = { directories: 250, files: 1000 }

interface ListingQuery {
  /** Path in the catalogue; empty for the root. */
  readonly directory: string
  /** Path of the request, with a trailing slash. */
  readonly path: string
  readonly format: ListingFormat
  /** Waits for the client's turn; each chunk is read and written in a turn. */
  readonly turn: Requester['turn']
}

/**
 * Yields the listing of a directory in chunks: subdirectories, then files, by name. A change
 * between two chunks may or may not be in it, so its ETag must be that of the state before.
 */
export async function* listingOf(
  reader: Pick<CatalogueReader, 'subdirectories' | 'filesIn'>,
  { directory, path, format, turn }: ListingQuery,
): AsyncGenerator<Buffer> {
  const { begin, separator, end } = format
  const totals: Totals = { directories: 0, files: 0, bytes: 0 }
  // The beginning is a part of the first chunk, so that it is not sent if the first query fails.
  let [opening, before] = [begin(path, directory === ''), '']
  const write = <T>(entries: readonly T[], line: (entry: T) => string): Buffer => {
    const text = opening + before + entries.map(line).join(separator)
    opening = ''
    before = separator
    return Buffer.from(text)
  }
  const directories: Subdirectory[] = []
  const subdirectories = { path: directory, limit: chunkSize.directories }
  for await (const chunk of inChunks((query) => reader.subdirectories(query), subdirectories, turn))
    directories.push(...chunk)
  // In the order of bytes, as the catalogue sorts files.
  directories.sort((a, b) => (a.name < b.name ? -1 : 1))
  totals.directories = directories.length
  for (let start = 0; start < directories.length; start += chunkSize.files)
    yield write(directories.slice(start, start + chunkSize.files), format.directory)
  const files = { path: directory, limit: chunkSize.files }
  for await (const chunk of inChunks((query) => reader.filesIn(query), files, turn)) {
    totals.files += chunk.length
    for (const { size } of chunk) totals.bytes += size
    if (chunk.length > 0) yield write(chunk, format.file)
  }
  yield Buffer.from(opening + end(totals))
}

/** Reads all entries in chunks, each in a turn. */
async function* inChunks<T>(
  read: (query: EntriesQuery) => Promise<Entries<T>>,
  query: Omit<EntriesQuery, 'after'>,
  turn: Requester['turn'],
): AsyncGenerator<readonly T[]> {
  for (let after: string | undefined = ''; after !== undefined;) {
    await turn()
    const { entries, next } = await read({ ...query, after })
    yield entries
    after = next
  }
}

/** Formats a time as `22-Jan-2026 05:00`. An unknown time is a dash, padded to the same width. */
function shortTime(us: number | undefined): string {
  const [, day, month, year, clock] = httpDate(us)?.split(/,? |:\d\d /) ?? []
  return clock === undefined ? '-'.padStart(17) : `${day}-${month}-${year} ${clock}`
}

function httpDate(us: number | undefined): string | null {
  return us === undefined ? null : formatHttpDate(Math.floor(us / 1_000_000))
}
