/**
 * Reads a whole file for its checksum, and finds out whether its content is complete and readable,
 * and whether the file changed meanwhile.
 */
import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, statSync } from 'node:fs'
import { compareIdentity, isSameVersion, toIdentity } from '../../catalogue/identity.ts'
import type { FileIdentity } from '../../catalogue/records.ts'
import { suffixOf } from '../../parse/filename.ts'
import type { Form } from '../read/form.ts'
import { endsLine, isDisguised, readForm } from '../read/form.ts'
import { chunksOf, inflateChunks } from '../read/inflate.ts'
import { LzwDecoder } from '../read/lzw.ts'

/**
 * A file to read, with its size and mtime in the catalogue. If the file on disk has another size or
 * mtime, it is not read.
 */
export interface DigestRequest {
  readonly path: string
  readonly size: number
  readonly mtimeUs: number
}

/**
 * The checksum and identity of a file that did not change during the read; with the mtime of the
 * request, of which that on disk may be cut (see `isSameVersion`).
 */
export interface Digest extends FileIdentity {
  /** In hexadecimal digits. */
  readonly sha256: string
  readonly md5: string
  /**
   * What is wrong with the content: a gzip stream has no end, or a text no newline at its end; a
   * stream is damaged, or is none; or all is well, but not what the name says.
   */
  readonly problem: ContentProblem | undefined
}

export type ContentProblem = 'incomplete' | 'broken' | 'disguised'

/** Maximum number of attempts to read a file that changes during the read. */
const attempts = 3

/**
 * Reads a whole file. Returns `undefined` if its size or mtime is not the requested one, if it is
 * no regular file or cannot be read, or if it changes during every attempt.
 */
export async function digestFile(
  request: DigestRequest,
  onProgress: () => void = () => undefined,
): Promise<Digest | undefined> {
  try {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const digest = await readOnce(request, onProgress)
      if (digest !== 'touched') return digest
    }
    return undefined
  } catch {
    return undefined // gone or unreadable
  }
}

/**
 * Returns the identity of the file at a path; `undefined` if there is no file or it cannot be
 * reached.
 */
export function identifyFile(path: string): FileIdentity | undefined {
  try {
    return toIdentity(statSync(path))
  } catch {
    return undefined
  }
}

/**
 * Makes one attempt to read a file. Each attempt opens the path anew, because the path may lead to
 * another file since the last attempt.
 * @returns `touched` if the file changed during the read; `undefined` if it is no regular file, or
 * not the requested version
 */
async function readOnce(
  request: DigestRequest,
  onProgress: () => void,
): Promise<Digest | 'touched' | undefined> {
  // The file is opened without blocking, because it may have become a pipe without a writer.
  const file = openSync(request.path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = fstatSync(file)
    const before = toIdentity(stats)
    if (!stats.isFile() || !isSameVersion(request, before)) return undefined
    const form = readForm(file)
    const read = await readToEnd(file, { ...request, size: before.size, form }, onProgress)
    // A program can set mtime back after a write, but not ctime.
    const after = toIdentity(fstatSync(file))
    if (compareIdentity(before, after) !== 'same') return 'touched'
    return { ...before, mtimeUs: request.mtimeUs, ...read }
  } finally {
    closeSync(file)
  }
}

async function readToEnd(
  file: number,
  found: Pick<DigestRequest, 'path' | 'size'> & { readonly form: Form },
  onProgress: () => void,
) {
  const { path, size, form } = found
  const [sha256, md5] = [createHash('sha256'), createHash('md5')]
  const source = chunksOf(file, size)
  function* chunks(): Generator<Buffer> {
    // A loop with `of` would end the source when the stream is damaged.
    for (let next = source.next(); next.done !== true; next = source.next()) {
      onProgress()
      sha256.update(next.value)
      md5.update(next.value)
      yield next.value
    }
  }
  const check = async () => {
    if (form === 'lzw') return decode(chunks())
    // What is no stream at all is damaged; an empty file is one without its end.
    if (form === 'gzip' || suffixOf(path) === '.gz') return inflateChunks(chunks(), onProgress)
    if (suffixOf(path) === '.Z') return 'broken'
    return endsLine(file, size) ? 'complete' : 'incomplete'
  }
  const state = await check()
  // The checksum also covers the bytes after the place at which the stream is damaged.
  const rest = chunks()
  while (rest.next().done !== true);
  const problem = state !== 'complete' ? state : isDisguised(path, form) ? 'disguised' : undefined
  return { sha256: sha256.digest('hex'), md5: md5.digest('hex'), problem } as const
}

/** Decodes an LZW stream, which has no end: it may be cut anywhere after its header. */
function decode(chunks: Iterable<Buffer>): 'complete' | 'broken' {
  const decoder = new LzwDecoder()
  for (const chunk of chunks) {
    decoder.push(chunk)
    if (decoder.isBroken) break
  }
  return decoder.hasBegun ? 'complete' : 'broken'
}
