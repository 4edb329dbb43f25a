/** Reads a file, or a range of it, and fails if it changes meanwhile: no client gets a mixture. */
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { ByteRange } from '../http/conditional-requests.ts'
import type { Semaphore } from '../http/limits.ts'
import type { OpenFile } from './archived-file.ts'
import { FileChanged, isUnchanged } from './archived-file.ts'

/** Bytes of a chunk. Larger ones take less CPU; smaller ones less memory for a slow client. */
export const chunkBytes = 256 * 1024

/** Buffers in the pool, because allocating one takes several times as long as reading into it. */
const maxPooledBuffers = 64

export interface ReadRequest {
  readonly file: OpenFile
  readonly range: ByteRange
  /** The response for which the file is read. Reading stops when the response closes. */
  readonly response: ServerResponse
}

/** Thrown if the client has left before its file was read. */
export class ClientGone extends Error {}

export class ContentReader {
  readonly #threads: Semaphore
  readonly #pool: Buffer[] = []

  /** @param threads permits of the threads that may read */
  constructor(threads: Semaphore) {
    this.#threads = threads
  }

  /**
   * Reads a range: as a buffer if it fits into one chunk, else as a stream whose first chunk is
   * read. The caller holds a permit meanwhile; the stream waits for one for each chunk. The last
   * chunk is returned only if the file has not changed. The stream closes the file; with a buffer,
   * the caller does.
   * @throws FileChanged, ClientGone; a stream fails with the same errors
   */
  async open(request: ReadRequest): Promise<Buffer | Readable> {
    const { range, response } = request
    throwIfGone(response)
    const buffer = this.#pool.pop() ?? Buffer.allocUnsafeSlow(chunkBytes)
    const first = await readChunk(buffer, request, range.first)
    if (range.first + first.length <= range.last) return this.#stream(request, buffer, first)
    onClose(response, () => {
      this.#release(buffer)
    })
    return first
  }

  #release(buffer: Buffer): void {
    if (this.#pool.length < maxPooledBuffers) this.#pool.push(buffer)
  }

  /**
   * Streams with two buffers that alternate. A chunk is larger than the write buffer of a response,
   * so the pipe waits for `drain` after each chunk; the kernel then has the whole chunk. The stream
   * reads chunk 3 when the pipe takes chunk 2. At that time the kernel has chunk 1, so the buffer
   * of chunk 1 is free for chunk 3.
   */
  #stream(request: ReadRequest, buffer: Buffer, first: Buffer): Readable {
    const { file, range, response } = request
    const threads = this.#threads
    let buffers: readonly [Buffer, Buffer] = [buffer, Buffer.allocUnsafeSlow(chunkBytes)]
    let next: Buffer | undefined = first
    let position = range.first
    let isReading = false
    const chunk = async (): Promise<Buffer> => {
      if (next !== undefined) return next
      isReading = true
      const bytes = await threads.run(() => {
        throwIfGone(response)
        return readChunk(buffers[0], request, position)
      })
      isReading = false
      return bytes
    }
    const advance = async (stream: Readable): Promise<void> => {
      try {
        const bytes = await chunk()
        next = undefined
        buffers = [buffers[1], buffers[0]]
        position += bytes.length
        stream.push(bytes)
        if (position > range.last) stream.push(null)
      } catch (error) {
        stream.destroy(error as Error)
      }
    }
    onClose(response, () => {
      // During a read, one buffer is still in use. Both are then left to the garbage collector.
      if (!isReading) for (const each of buffers) this.#release(each)
    })
    return new Readable({
      highWaterMark: chunkBytes,
      read() {
        void advance(this)
      },
      destroy(error, done) {
        threads
          .run(() => file.handle.close())
          .then(() => {
            done(error)
          }, done)
      },
    })
  }
}

function throwIfGone(response: ServerResponse): void {
  if (response.destroyed) throw new ClientGone('the client left before its file was read')
}

/** Calls a listener when a response closes: the kernel has taken its bytes, or never will. */
function onClose(response: ServerResponse, listener: () => void): void {
  if (!response.destroyed) response.once('close', listener)
}

/**
 * Reads from a position to the end of the range, or as much as a chunk has.
 * @throws FileChanged, at the end of the range also if the file is not as it was opened
 */
export async function readChunk(
  buffer: Buffer,
  { file, range }: Pick<ReadRequest, 'file' | 'range'>,
  position: number,
): Promise<Buffer> {
  const length = Math.min(chunkBytes, range.last + 1 - position)
  for (let filled = 0; filled < length;) {
    const { bytesRead } = await file.handle.read(buffer, filled, length - filled, position + filled)
    if (bytesRead === 0) throw new FileChanged('truncated while it was sent')
    filled += bytesRead
  }
  const isLast = position + length > range.last
  if (isLast && !(await isUnchanged(file))) throw new FileChanged('changed while it was sent')
  return buffer.subarray(0, length)
}
