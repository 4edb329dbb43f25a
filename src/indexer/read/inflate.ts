/** Looks into files to find out whether they are complete; inflates gzip streams for this. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, gunzipSync } from 'node:zlib'
import { toUs } from '../../catalogue/identity.ts'
import type { Form } from '../../rinex/form.ts'
import { errorCode } from '../../runtime/error-code.ts'
import { endsLine, readForm } from './form.ts'

/**
 * What a look into a file has found. `complete` is false if the gzip stream has no end or is
 * damaged, or if the file changed during the read; of a file that is neither a gzip stream nor LZW,
 * if its last byte is no newline. Size and mtime of a gzip stream are from before the read, because
 * later values would hide a write during the read; those of others from after it.
 */
export interface Inflated {
  readonly complete: boolean
  /** `undefined` if nobody has looked: the file is back as it was. */
  readonly form: Form | undefined
  readonly size: number
  readonly mtimeUs: number
}

/**
 * Largest file (bytes) that is read and inflated in one buffer. Of a small file this costs several
 * times less than a stream, and the text stays in the cache of the processor that inflated it.
 */
const largestBufferedFile = 4 * 1024 * 1024
/**
 * Maximum number of bytes that are inflated into one buffer; RINEX files grow three- to sixfold. A
 * file with a larger content is inflated as a stream.
 */
const largestOutput = 32 * 1024 * 1024

const chunkBytes = 256 * 1024

/**
 * Checks whether a file is complete; returns `undefined` if it does not exist, is no regular file,
 * or cannot be read.
 * @param onProgress called at the start and, if the file is inflated as a stream, after each
 * inflated chunk; shows that the disk answers
 */
export async function inflate(
  path: string,
  onProgress: () => void = () => undefined,
): Promise<Inflated | undefined> {
  let file
  onProgress()
  try {
    // The file is opened without blocking, because it may have become a pipe without a writer.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const before = fstatSync(file)
    if (!before.isFile()) return undefined
    const form = readForm(file)
    const complete =
      form === 'gzip'
        ? (await inflateFile(chunksOf(file, before.size), before.size, onProgress)) === 'complete'
        : form === 'lzw' || endsLine(file, before.size)
    const after = fstatSync(file)
    const isUnchanged = before.size === after.size && before.mtimeMs === after.mtimeMs
    const { size, mtimeMs } = form === 'gzip' ? before : after
    return { complete: complete && isUnchanged, form, size, mtimeUs: toUs(mtimeMs) }
  } catch {
    return undefined // gone or unreadable
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** State of a gzip stream: with its end, without its end, or damaged. */
type GzipState = 'complete' | 'incomplete' | 'broken'

/**
 * Inflates a file of a size from its chunks: a small one in one buffer.
 * @param onProgress called after each inflated chunk of a file that is inflated as a stream
 * @param onText called with the text in chunks, which it may keep, up to the first damage
 */
export async function inflateFile(
  chunks: Iterable<Buffer>,
  size: number,
  onProgress: () => void,
  onText?: (text: Buffer) => void,
): Promise<GzipState> {
  const onChunk = (text: Buffer): void => {
    onProgress()
    onText?.(text)
  }
  if (size > largestBufferedFile) return inflateChunks(chunks, onChunk)
  // A file system may return less than was asked for.
  const read = [...chunks]
  const content = read.length === 1 && read[0] ? read[0] : Buffer.concat(read)
  let text
  try {
    text = gunzipSync(content, { chunkSize: chunkBytes, maxOutputLength: largestOutput })
  } catch (error) {
    const isTooLarge = errorCode(error) === 'ERR_BUFFER_TOO_LARGE'
    // Only a stream hands over the text before the damage.
    return isTooLarge || onText !== undefined
      ? inflateChunks([content], onChunk)
      : stateAfter(error)
  }
  onText?.(text)
  return 'complete'
}

/**
 * zlib throws Z_BUF_ERROR for a stream without its end, and other errors of its own for damage.
 * @throws every other error, for example of the disk
 */
function stateAfter(error: unknown): GzipState {
  const code = errorCode(error)
  if (!code.startsWith('Z_')) throw error
  return code === 'Z_BUF_ERROR' ? 'incomplete' : 'broken'
}

/**
 * Inflates a stream of chunks; stops at the first damage, without taking the remaining chunks. An
 * error of the chunks themselves, for example of the disk, is thrown.
 * @param onText called with each inflated chunk, which it may keep
 */
export async function inflateChunks(
  chunks: Iterable<Buffer>,
  onText: (text: Buffer) => void,
): Promise<GzipState> {
  const sink = new Writable({
    write(text: Buffer, _encoding, done) {
      onText(text)
      done()
    },
  })
  try {
    await pipeline(chunks, createGunzip({ chunkSize: chunkBytes }), sink)
    return 'complete'
  } catch (error) {
    return stateAfter(error)
  }
}

/**
 * Reads an open file in chunks; a small one at once. A stream of node:fs would, when aborted,
 * also close the descriptor; by then its number may belong to another file.
 */
export function* chunksOf(file: number, size: number): Generator<Buffer> {
  const mostBytes = size > largestBufferedFile ? chunkBytes : size
  for (let position = 0; position < size;) {
    const chunk = Buffer.allocUnsafe(Math.min(mostBytes, size - position))
    const length = readSync(file, chunk, 0, chunk.length, position)
    if (length === 0) return
    position += length
    yield chunk.subarray(0, length)
  }
}
