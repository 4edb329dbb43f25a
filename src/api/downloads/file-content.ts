/** One version or none: the bytes of a file, or of a range of it, as long as the file stays as it was opened. */
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { ByteRange } from '../http/ranges.ts'
import { FileChanged, isUnchanged } from './archived-file.ts'
import type { OpenFile } from './archived-file.ts'
import { Semaphore } from '../http/semaphore.ts'

/** Bytes read and sent at a time: larger chunks cost less, smaller ones hold less memory for a slow client. */
export const chunkBytes = 256 * 1024

/** Chunks of all downloads together that are read at a time; the others wait and hold no memory. */
const readsAtATime = 4

/** Buffers kept for the downloads that come: new memory for each costs several times what reading into it does. */
const buffersKept = 64

export interface ContentReader {
  /**
   * Reads a range of a file: the whole of it where it fits into one chunk, else a stream whose first chunk is read
   * already. The last chunk is given out only if the file has not changed since it was opened, so that nobody ever
   * holds the whole of a mixture. The memory is used again when the response has closed. The stream closes the file;
   * without one, the caller does.
   * @throws FileChanged, ClientGone; the stream fails with the same
   */
  open(wanted: Wanted): Promise<Buffer | Readable>
}

export interface Wanted {
  readonly file: OpenFile
  readonly range: ByteRange
  /** What it is sent with: once that has closed, nobody waits for it. */
  readonly response: ServerResponse
}

/** The client left before its file was read. */
export class ClientGone extends Error {}

/** Reads the chunk of a range that begins at a position. */
type ReadChunk = (buffer: Buffer, position: number) => Promise<Buffer>

export function openContentReader(): ContentReader {
  const reads = new Semaphore({ permits: readsAtATime })
  const free: Buffer[] = []
  const borrow = (): Buffer => free.pop() ?? Buffer.allocUnsafeSlow(chunkBytes)
  const giveBack = (buffer: Buffer): void => {
    if (free.length < buffersKept) free.push(buffer)
  }
  return {
    async open({ file, range, response }) {
      const inTurn = <T>(work: () => Promise<T>): Promise<T> =>
        reads.run(() => {
          if (response.destroyed) throw new ClientGone('the client left before its file was read')
          return work()
        })
      const read: ReadChunk = (buffer, position) =>
        inTurn(() => readChunk(buffer, { file, range, position }))
      // What waits for its turn holds no memory.
      const [buffer, first] = await inTurn(async () => {
        const taken = borrow()
        return [taken, await readChunk(taken, { file, range, position: range.first })] as const
      })
      const isWhole = range.first + first.length > range.last
      if (isWhole)
        onClose(response, () => {
          giveBack(buffer)
        })
      return isWhole ? first : streamOf({ file, range, first, read, buffer, response, giveBack })
    },
  }
}

/** By then the kernel has the bytes, or will never take them. */
function onClose(response: ServerResponse, then: () => void): void {
  if (!response.destroyed) response.once('close', then)
}
interface Streamed extends Wanted {
  readonly first: Buffer
  /** That of the first chunk. */
  readonly buffer: Buffer
  readonly read: ReadChunk
  readonly giveBack: (buffer: Buffer) => void
}

/**
 * Two buffers take turns. A chunk is larger than what a response buffers, so the pipe waits for `drain` after each, when
 * the kernel has all of it; and the stream asks for the chunk after the next when the next is taken. By then the
 * buffer of the one before is free.
 */
function streamOf({ file, range, first, buffer, response, read, giveBack }: Streamed): Readable {
  let buffers: readonly [Buffer, Buffer] = [buffer, Buffer.allocUnsafeSlow(chunkBytes)]
  let next: Buffer | undefined = first
  let position = range.first
  let isReading = false
  const chunk = async (): Promise<Buffer> => {
    if (next !== undefined) return next
    isReading = true
    const taken = await read(buffers[0], position)
    isReading = false
    return taken
  }
  const advance = async (stream: Readable): Promise<void> => {
    try {
      const taken = await chunk()
      next = undefined
      buffers = [buffers[1], buffers[0]]
      position += taken.length
      stream.push(taken)
      if (position > range.last) stream.push(null)
    } catch (error) {
      stream.destroy(error as Error)
    }
  }
  onClose(response, () => {
    // One that is still being read into is left to the garbage collector.
    if (!isReading) buffers.forEach(giveBack)
  })
  return new Readable({
    highWaterMark: chunkBytes,
    read() {
      void advance(this)
    },
    destroy(error, done) {
      file.handle.close().then(() => {
        done(error)
      }, done)
    },
  })
}

interface Chunk extends Pick<Wanted, 'file' | 'range'> {
  readonly position: number
}

async function readChunk(buffer: Buffer, { file, range, position }: Chunk): Promise<Buffer> {
  const length = Math.min(chunkBytes, range.last + 1 - position)
  for (let filled = 0; filled < length;) {
    const { bytesRead } = await file.handle.read(buffer, filled, length - filled, position + filled)
    if (bytesRead === 0) throw new FileChanged('cut short while it was sent')
    filled += bytesRead
  }
  const isLast = position + length > range.last
  if (isLast && !(await isUnchanged(file))) throw new FileChanged('changed while it was sent')
  return buffer.subarray(0, length)
}
