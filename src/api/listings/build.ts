import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { CatalogueReader, Entries, EntriesQuery } from '../../catalogue/reader.ts'
import type { Subdirectory } from '../../catalogue/records.ts'
import type { ListingFormat } from './formats.ts'

/** Read and written in one go: a few milliseconds in which nobody else is served. */
const mostInOneGo = { directories: 250, files: 1000 }

export type ListingReader = Pick<CatalogueReader, 'subdirectories' | 'filesIn'>

export interface ListingOf {
  /** In the catalogue; empty for the root. */
  readonly directory: string
  /** Of the request, with its slash. */
  readonly path: string
  readonly format: ListingFormat
}

/**
 * The listing of a directory, directories first, each kind by name. It is read in pieces, and what changes meanwhile may
 * be in it or not: its tag is to be of the state before.
 */
export async function buildListing(
  reader: ListingReader,
  { directory, path, format }: ListingOf,
): Promise<Buffer> {
  const { begin, separator, end } = format
  const pieces = [Buffer.from(begin(path, directory === ''))]
  const write = <T>(entries: readonly T[], line: (entry: T) => string): void => {
    if (entries.length === 0) return
    const before = pieces.length === 1 ? '' : separator
    pieces.push(Buffer.from(before + entries.map(line).join(separator)))
  }
  const directories: Subdirectory[] = []
  const subdirectories = inPieces((query) => reader.subdirectories(query), {
    path: directory,
    limit: mostInOneGo.directories,
  })
  for await (const some of subdirectories) directories.push(...some)
  directories.sort(byName)
  for (let start = 0; start < directories.length; start += mostInOneGo.files) {
    write(directories.slice(start, start + mostInOneGo.files), format.directory)
    await yieldToOthers()
  }
  const files = inPieces((query) => reader.filesIn(query), {
    path: directory,
    limit: mostInOneGo.files,
  })
  for await (const some of files) write(some, format.file)
  pieces.push(Buffer.from(end))
  return Buffer.concat(pieces)
}

/** Lets others be served between two pieces. */
async function* inPieces<T>(
  read: (query: EntriesQuery) => Promise<Entries<T>>,
  of: Omit<EntriesQuery, 'after'>,
): AsyncGenerator<readonly T[]> {
  for (let after = ''; ;) {
    const { entries, next } = await read({ ...of, after })
    yield entries
    if (next === undefined) return
    after = next
    await yieldToOthers()
  }
}

/** As bytes sort, which is how the catalogue has the files. */
function byName(a: Subdirectory, b: Subdirectory): number {
  return a.name < b.name ? -1 : 1
}
