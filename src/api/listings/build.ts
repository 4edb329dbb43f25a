import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { CatalogueReader, Entries, EntriesQuery } from '../../catalogue/reader.ts'
import type { Subdirectory } from '../../catalogue/records.ts'
import type { ListingFormat } from './formats.ts'

/** Entries of a chunk: it blocks the event loop for a few milliseconds. */
const chunkSize = { directories: 250, files: 1000 }

export type ListingReader = Pick<CatalogueReader, 'subdirectories' | 'filesIn'>

export interface ListingQuery {
  /** Path in the catalogue; empty for the root. */
  readonly directory: string
  /** Path of the request, with a trailing slash. */
  readonly path: string
  readonly format: ListingFormat
}

/**
 * The listing of a directory: subdirectories by name, then files by name. It is read in chunks, so a change in between may or
 * may not be in it: its ETag must be of the state before.
 */
export async function buildListing(
  reader: ListingReader,
  { directory, path, format }: ListingQuery,
): Promise<Buffer> {
  const { begin, separator, end } = format
  const chunks = [Buffer.from(begin(path, directory === ''))]
  const write = <T>(entries: readonly T[], line: (entry: T) => string): void => {
    if (entries.length === 0) return
    const before = chunks.length === 1 ? '' : separator
    chunks.push(Buffer.from(before + entries.map(line).join(separator)))
  }
  const directories: Subdirectory[] = []
  const subdirectories = inChunks((query) => reader.subdirectories(query), {
    path: directory,
    limit: chunkSize.directories,
  })
  for await (const chunk of subdirectories) directories.push(...chunk)
  directories.sort(byName)
  for (let start = 0; start < directories.length; start += chunkSize.files) {
    write(directories.slice(start, start + chunkSize.files), format.directory)
    await yieldToEventLoop()
  }
  const files = inChunks((query) => reader.filesIn(query), {
    path: directory,
    limit: chunkSize.files,
  })
  for await (const chunk of files) write(chunk, format.file)
  chunks.push(Buffer.from(end))
  return Buffer.concat(chunks)
}

/** Yields to the event loop between two chunks. */
async function* inChunks<T>(
  read: (query: EntriesQuery) => Promise<Entries<T>>,
  query: Omit<EntriesQuery, 'after'>,
): AsyncGenerator<readonly T[]> {
  for (let after = ''; ;) {
    const { entries, next } = await read({ ...query, after })
    yield entries
    if (next === undefined) return
    after = next
    await yieldToEventLoop()
  }
}

/** In the order of bytes, as the catalogue sorts files. */
function byName(a: Subdirectory, b: Subdirectory): number {
  return a.name < b.name ? -1 : 1
}
