import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, gunzipSync } from 'node:zlib'
import { toUs } from '../../catalogue/identity.ts'

/**
 * A file as it was before it was inflated; without `complete` it has no end, is no gzip file, or changed meanwhile.
 * Were it told as it was afterwards, a file that was finished in between would look as if it had not changed since.
 */
export interface Inflated {
  readonly complete: boolean
  readonly size: number
  readonly mtimeUs: number
}

/** Files up to this size are inflated in one piece, which is several times cheaper than a stream. */
const onePiece = 4 * 1024 * 1024
/** What one piece may inflate to; RINEX files grow three- to sixfold. */
const largestOutput = 64 * 1024 * 1024

export const pieceSize = 256 * 1024

/**
 * Whether a gzip file inflates to its end; `undefined` when there is no such file.
 * @param onProgress called again and again: the disk answers
 */
export async function inflate(
  path: string,
  onProgress: () => void = () => undefined,
): Promise<Inflated | undefined> {
  let file
  onProgress()
  try {
    // Not blocking: what was a file a moment ago may be a pipe that nobody writes to.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const before = fstatSync(file)
    if (!before.isFile()) return undefined
    const complete = (await inflateFile(file, before.size, onProgress)) === 'whole'
    const after = fstatSync(file)
    const unchanged = before.size === after.size && before.mtimeMs === after.mtimeMs
    return { complete: complete && unchanged, size: before.size, mtimeUs: toUs(before.mtimeMs) }
  } catch {
    return undefined // gone, or not ours to read
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

async function inflateFile(file: number, size: number, onProgress: () => void): Promise<GzipState> {
  if (size > onePiece) return inflatePieces(piecesOf(file, size), onProgress)
  const content = Buffer.allocUnsafe(size)
  const length = readSync(file, content, 0, size, 0)
  return inflateWhole(content.subarray(0, length), onProgress)
}

/** How a gzip stream inflates: to its end, to where it stops without one, or to where it is damaged. */
export type GzipState = 'whole' | 'incomplete' | 'broken'

/** How what lies in memory inflates. */
export async function inflateWhole(content: Buffer, onProgress: () => void): Promise<GzipState> {
  try {
    gunzipSync(content, { maxOutputLength: largestOutput })
    return 'whole'
  } catch (error) {
    const isTooLarge = (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE'
    return isTooLarge ? inflatePieces([content], onProgress) : stateAfter(error)
  }
}

/** By what zlib throws: its words for a stream that stops too early, or for one that it cannot make sense of. */
function stateAfter(error: unknown): GzipState {
  return (error as { code?: string }).code === 'Z_BUF_ERROR' ? 'incomplete' : 'broken'
}

/** How what comes in pieces inflates. Where it is damaged, not all of them are asked for. */
export async function inflatePieces(
  pieces: Iterable<Buffer>,
  onProgress: () => void,
): Promise<GzipState> {
  const nowhere = new Writable({
    write(_chunk, _encoding, done) {
      onProgress()
      done()
    },
  })
  try {
    await pipeline(pieces, createGunzip({ chunkSize: pieceSize }), nowhere)
    return 'whole'
  } catch (error) {
    return stateAfter(error)
  }
}

/** Not a stream of `node:fs`: that closes its file when it breaks off, and the number may then be another's. */
function* piecesOf(file: number, size: number): Generator<Buffer> {
  for (let position = 0; position < size;) {
    const piece = Buffer.allocUnsafe(Math.min(pieceSize, size - position))
    const length = readSync(file, piece, 0, piece.length, position)
    if (length === 0) return
    position += length
    yield piece.subarray(0, length)
  }
}
