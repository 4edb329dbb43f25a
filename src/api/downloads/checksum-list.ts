/** The checksums of a directory in the format of `sha256sum -c` or `md5sum -c`: virtual files. */
import type { ChecksumEntry } from '../../catalogue/questions/checksums.ts'
import type { CatalogueReader } from '../../catalogue/questions/reader.ts'
import type { Hashed } from '../../catalogue/records.ts'
import type { DirectoryHandler } from '../directory-index/listing.ts'
import { isFresh, sendNotModified } from '../http/conditional-requests.ts'
import type { ApiContext } from '../http/context.ts'
import { notFound } from '../http/errors.ts'
import type { Requester } from '../http/limits.ts'
import { sendChunks } from '../http/send.ts'

/** Virtual files with the checksums of a directory; real files of these names are not served. */
export const checksumLists = {
  SHA256SUMS: { algorithm: 'sha256', label: 'SHA-256' },
  MD5SUMS: { algorithm: 'md5', label: 'MD5' },
} as const

export type ChecksumList = keyof typeof checksumLists

export function isChecksumList(name: string): name is ChecksumList {
  return Object.hasOwn(checksumLists, name)
}

/** Answers with the checksums of a directory. */
export function createChecksums(
  { reader, tag, limits, settings }: ApiContext,
  name: ChecksumList,
): DirectoryHandler {
  const { algorithm } = checksumLists[name]
  const unhashedNote = settings.checksums === 'all' ? 'not hashed yet' : 'not hashed'
  return async (request, reply, directory) => {
    const version = await reader.checksumsVersion(directory)
    if (version === undefined) throw notFound()
    if (isFresh(request, reply, tag(version, 'txt'))) return sendNotModified(reply)
    const headers = { 'content-type': 'text/plain; charset=utf-8' }
    if (request.method === 'HEAD') return reply.headers(headers).send()
    const { turn } = await limits.page(request, reply)
    const chunks = () => checksumsOf(directory, algorithm, reader, turn)
    const notes = await notesOf(chunks(), unhashedNote)
    // The checksums are read a second time, so that a large directory takes no memory while it is
    // sent.
    return sendChunks(reply, headers, checksumLines(chunks(), notes))
  }
}

interface Entry extends Pick<ChecksumEntry, 'name' | 'problem'> {
  readonly sum: Uint8Array | undefined
}

type Chunks = AsyncGenerator<readonly Entry[]>

/** The comment lines: how many files have no checksum, and the names of those with a problem. */
async function notesOf(chunks: Chunks, unhashedNote: string): Promise<string> {
  const problems: string[] = []
  let unhashed = 0
  for await (const files of chunks)
    for (const { name, sum, problem } of files) {
      if (problem !== undefined) problems.push(`# ${problem}: ${name}\n`)
      if (sum === undefined) unhashed++
    }
  return (unhashed > 0 ? `# ${unhashed} files are ${unhashedNote}\n` : '') + problems.join('')
}

async function* checksumLines(chunks: Chunks, notes: string): AsyncGenerator<Buffer> {
  let before = notes
  for await (const files of chunks) {
    const lines = files.map(({ name, sum }) =>
      sum === undefined ? '' : `${Buffer.from(sum).toString('hex')}  ${name}\n`,
    )
    yield Buffer.from(before + lines.join(''))
    before = ''
  }
}

/**
 * Reads the checksums in chunks, each in a turn. A change between two of them may or may not be in
 * the list, so its ETag must be that of the state before.
 * @throws HttpError 404 for a directory that was removed meanwhile
 */
async function* checksumsOf(
  directory: string,
  algorithm: keyof Hashed,
  reader: CatalogueReader,
  turn: Requester['turn'],
): Chunks {
  for (let after: string | undefined = ''; after !== undefined;) {
    // A large directory takes some hundredths of a second.
    await turn()
    const chunk = await reader.checksums({ directory, after })
    if (chunk === undefined) throw notFound()
    yield chunk.files.map((file) => ({ ...file, sum: file[algorithm] }))
    after = chunk.next
  }
}
