import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, gunzipSync } from 'node:zlib'
import { toUs } from '../../catalogue/exact.ts'

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
    const complete = await inflatesToItsEnd(file, before.size, onProgress)
    const after = fstatSync(file)
    const unchanged = before.size === after.size && before.mtimeMs === after.mtimeMs
    return { complete: complete && unchanged, size: before.size, mtimeUs: toUs(before.mtimeMs) }
  } catch {
    return undefined // gone, or not ours to read
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

async function inflatesToItsEnd(
  file: number,
  size: number,
  onProgress: () => void,
): Promise<boolean> {
  if (size > onePiece) return streamInflates(piecesOf(file, size), onProgress)
  const content = Buffer.allocUnsafe(size)
  const length = readSync(file, content, 0, size, 0)
  return wholeInflates(content.subarray(0, length), onProgress)
}

/** Whether what lies in memory inflates to its end. */
export async function wholeInflates(content: Buffer, onProgress: () => void): Promise<boolean> {
  try {
    gunzipSync(content, { maxOutputLength: largestOutput })
    return true
  } catch (error) {
    const tooLarge = (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE'
    return tooLarge && streamInflates([content], onProgress)
  }
}

/** Whether what comes in pieces does. Where it does not, not all of them are asked for. */
export async function streamInflates(
  pieces: Iterable<Buffer>,
  onProgress: () => void,
): Promise<boolean> {
  const nowhere = new Writable({
    write(_chunk, _encoding, done) {
      onProgress()
      done()
    },
  })
  try {
    await pipeline(pieces, createGunzip({ chunkSize: pieceSize }), nowhere)
    return true
  } catch {
    return false
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
