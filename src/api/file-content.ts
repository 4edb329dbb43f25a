/** One version or none: the bytes of a file, or of a range of it, as long as the file stays as it was opened. */
import { Readable } from 'node:stream'
import type { ByteRange } from './byte-range.ts'
import { FileChanged, isUnchanged } from './download.ts'
import type { ArchivedFile } from './download.ts'
import { openTurns } from './turns.ts'

/** Bytes read and sent at a time: larger chunks cost less, smaller ones hold less memory for a slow client. */
export const chunkBytes = 256 * 1024

/** Chunks of all downloads together that are read at a time; the others wait and hold no memory. */
const readsAtATime = 4

export interface ContentReader {
  /**
   * Reads a range of a file: the whole of it where it fits into one chunk, else a stream whose first chunk is read
   * already. The last chunk is given out only if the file has not changed since it was opened, so that nobody ever
   * holds the whole of a mixture. The stream closes the file; without one, the caller does.
   * @throws FileChanged, ClientGone; the stream fails with the same
   */
  open(wanted: Wanted): Promise<Buffer | Readable>
}

export interface Wanted {
  readonly file: ArchivedFile
  readonly range: ByteRange
  /** Whether a client still waits for it: asked when its turn has come. */
  readonly isAwaited: () => boolean
}

/** The client left before its file was read. */
export class ClientGone extends Error {}

type ReadChunk = (position: number, isAwaited: () => boolean) => Promise<Buffer>

export function openContentReader(): ContentReader {
  const turns = openTurns(readsAtATime)
  return {
    async open({ file, range, isAwaited }) {
      const read: ReadChunk = (position, isWanted) =>
        turns.take(() => {
          if (!isWanted()) throw new ClientGone('the client left before its file was read')
          return readChunk(file, range, position)
        })
      const first = await read(range.first, isAwaited)
      const isWhole = range.first + first.length > range.last
      return isWhole ? first : streamOf({ file, range, first, read })
    },
  }
}

interface Streamed extends Pick<Wanted, 'file' | 'range'> {
  readonly first: Buffer
  readonly read: ReadChunk
}

/** A chunk is read when the one before it was taken, so that a slow client holds two of them at most. */
function streamOf({ file, range, first, read }: Streamed): Readable {
  let next: Buffer | undefined = first
  let position = range.first
  const advance = async (stream: Readable): Promise<void> => {
    try {
      const chunk = next ?? (await read(position, () => !stream.destroyed))
      next = undefined
      position += chunk.length
      stream.push(chunk)
      if (position > range.last) stream.push(null)
    } catch (error) {
      stream.destroy(error as Error)
    }
  }
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

async function readChunk(file: ArchivedFile, range: ByteRange, position: number): Promise<Buffer> {
  const length = Math.min(chunkBytes, range.last + 1 - position)
  const chunk = Buffer.allocUnsafeSlow(length)
  for (let filled = 0; filled < length;) {
    const { bytesRead } = await file.handle.read(chunk, filled, length - filled, position + filled)
    if (bytesRead === 0) throw new FileChanged('cut short while it was sent')
    filled += bytesRead
  }
  const isLast = position + length > range.last
  if (isLast && !(await isUnchanged(file))) throw new FileChanged('changed while it was sent')
  return chunk
}
