import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs'
import type { FileIdentity } from '../../catalogue/records.ts'
import { compareIdentity, toIdentity } from '../../catalogue/identity.ts'
import { inflatePieces, inflateWhole, pieceSize } from '../tree/inflate.ts'

/** A file, and what the catalogue knows of it: another version of it is not read. */
export interface DigestRequest {
  readonly path: string
  readonly size?: number | undefined
  readonly mtimeUs?: number | undefined
}

/** What was read of a file that did not change meanwhile, and which file that was. */
export interface Digest extends FileIdentity {
  /** In hexadecimal. */
  readonly sha256: string
  /** What is wrong with its gzip stream: it has no end, or is damaged before it. */
  readonly problem: 'incomplete' | 'broken' | null
}

/** Files up to this size are read, hashed and inflated in one piece, which is several times cheaper than a stream. */
const onePiece = 1024 * 1024

/** A file that somebody has touched while it was read is read again, so often. */
const attempts = 3

/** Reads a file to its end; `undefined` when there is no such version of it, it cannot be read, or it keeps changing. */
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
    return undefined // gone, or not ours to read
  }
}

/** Which file lies at a path now; `undefined` for none, or one that cannot be reached. */
export function identifyFile(path: string): FileIdentity | undefined {
  try {
    return toIdentity(statSync(path))
  } catch {
    return undefined
  }
}

/** Opens the file anew each time: another one may lie at the path by then. */
async function readOnce(
  request: DigestRequest,
  onProgress: () => void,
): Promise<Digest | 'touched' | undefined> {
  // Not blocking: what was a file a moment ago may be a pipe that nobody writes to.
  const file = openSync(request.path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = fstatSync(file)
    const before = toIdentity(stats)
    if (!stats.isFile() || !isWanted(request, before)) return undefined
    const read = await readToItsEnd(file, before.size, onProgress)
    // A time can be set back after a file was written, the time of that cannot.
    const after = toIdentity(fstatSync(file))
    return compareIdentity(before, after) === 'same' ? { ...before, ...read } : 'touched'
  } finally {
    closeSync(file)
  }
}

function isWanted(request: DigestRequest, found: FileIdentity): boolean {
  if (request.size === undefined || request.mtimeUs === undefined) return true
  return request.size === found.size && request.mtimeUs === found.mtimeUs
}

async function readToItsEnd(file: number, size: number, onProgress: () => void) {
  const hash = createHash('sha256')
  let position = 0
  function* pieces(): Generator<Buffer> {
    while (position < size) {
      const longest = size <= onePiece ? size : pieceSize
      const piece = Buffer.allocUnsafe(Math.min(longest, size - position))
      const length = readSync(file, piece, 0, piece.length, position)
      if (length === 0) return
      position += length
      onProgress()
      const content = piece.subarray(0, length)
      hash.update(content)
      yield content
    }
  }
  const state =
    size <= onePiece
      ? await inflateWhole(Buffer.concat([...pieces()]), onProgress)
      : await inflatePieces(pieces(), onProgress)
  // What lies behind the place where the stream breaks belongs to the file all the same.
  while (pieces().next().done !== true);
  return { sha256: hash.digest('hex'), problem: state === 'whole' ? null : state }
}
