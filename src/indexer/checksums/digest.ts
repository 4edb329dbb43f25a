/**
 * Reads a whole file for its checksum, and finds out whether its gzip stream is complete and
 * whether the file changed meanwhile.
 */
import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, statSync } from 'node:fs'
import { compareIdentity, isSameVersion, toIdentity } from '../../catalogue/identity.ts'
import type { FileIdentity } from '../../catalogue/records.ts'
import { suffixOf } from '../../parse/filename.ts'
import { chunksOf, inflateChunks } from '../read/inflate.ts'

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
  /**
   * The problem of the gzip stream: it has no end, or is damaged before its end; `undefined` for a
   * complete stream, and for a file that is none by its name.
   */
  readonly problem: 'incomplete' | 'broken' | undefined
}

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
    const isGzip = suffixOf(request.path) === '.gz'
    const read = await readToEnd(file, { size: before.size, isGzip }, onProgress)
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
  { size, isGzip }: { readonly size: number; readonly isGzip: boolean },
  onProgress: () => void,
) {
  const hash = createHash('sha256')
  const source = chunksOf(file, size)
  function* chunks(): Generator<Buffer> {
    // A loop with `of` would end the source when the stream is damaged.
    for (let next = source.next(); next.done !== true; next = source.next()) {
      onProgress()
      hash.update(next.value)
      yield next.value
    }
  }
  const state = isGzip ? await inflateChunks(chunks(), onProgress) : 'complete'
  // The checksum also covers the bytes after the place at which the stream is damaged.
  const rest = chunks()
  while (rest.next().done !== true);
  return { sha256: hash.digest('hex'), problem: state === 'complete' ? undefined : state }
}
