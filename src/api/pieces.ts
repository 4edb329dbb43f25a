/** One version or none: the bytes of a file, or of a range of it, as long as the file stays as it was opened. */
import type { ByteRange } from './byte-range.ts'
import { FileChanged } from './download.ts'
import type { ArchivedFile } from './download.ts'
import { isSameVersion } from './file-version.ts'
import { openTurns } from './turns.ts'

/** Bytes read and sent at a time: fewer, larger pieces cost less, smaller ones hold less for a slow client. */
export const pieceBytes = 512 * 1024

/**
 * Pieces of all downloads together that are read at a time. Each is sent as soon as it is read, so this is also
 * what the event loop sends in one round before it comes to another request.
 */
const piecesAtATime = 4

/** Of downloads that have ended, for those that come: memory that was never used costs more than what is read into it. */
const buffersKept = 16
/** While so many are under way, new memory for a small download is no larger than what it fills. */
const buffersLent = 64

export interface PieceReader {
  /**
   * Reads the piece of a range that begins at `position`, into memory of its own. The last piece is given out only if the
   * file has not changed since it was opened, so that nobody ever holds the whole of a mixture. With it the file is closed.
   * @throws FileChanged, ClientGone
   */
  read(wanted: Wanted, position: number): Promise<Buffer>
  /**
   * Reads the first piece of a range, and gives all of them in turn. Each lies where the one before it did, so that who
   * sends them asks for the next when the last one has gone.
   * @throws FileChanged, ClientGone
   */
  all(wanted: Wanted): Promise<Pieces>
}

export interface Wanted {
  readonly file: ArchivedFile
  readonly range: ByteRange
  /** Whether there is somebody to whom it could still be sent: asked when its turn has come. */
  readonly isAwaited: () => boolean
}

/** Whoever asked for a file left before it was read. */
export class ClientGone extends Error {}

export type Pieces = AsyncGenerator<Buffer, void>

export function openPieceReader(): PieceReader {
  const turns = openTurns(piecesAtATime)
  const buffers = openBuffers()
  /** What waits for its turn holds no memory. */
  const inItsTurn = <T>({ isAwaited }: Wanted, work: () => Promise<T>): Promise<T> =>
    turns.take(() => {
      if (!isAwaited()) throw new ClientGone('left while waiting')
      return work()
    })
  async function* pieces(wanted: Wanted, first: Buffer, buffer: Buffer) {
    try {
      yield first
      const { file, range } = wanted
      for (let at = range.first + first.length; at <= range.last; at += pieceBytes)
        yield await inItsTurn(wanted, () => readPiece(file, range, at, buffer))
    } finally {
      buffers.giveBack(buffer)
    }
  }
  return {
    read: (wanted, position) =>
      inItsTurn(wanted, () => readPiece(wanted.file, wanted.range, position)),
    all: (wanted) =>
      inItsTurn(wanted, async () => {
        const { file, range } = wanted
        const buffer = buffers.borrow(range.last + 1 - range.first)
        try {
          return pieces(wanted, await readPiece(file, range, range.first, buffer), buffer)
        } catch (error) {
          buffers.giveBack(buffer)
          throw error
        }
      }),
  }
}

function openBuffers() {
  const free: Buffer[] = []
  let lent = 0
  return {
    /** @param most bytes of it that will be used */
    borrow(most: number): Buffer {
      const size = lent++ < buffersLent ? pieceBytes : Math.min(pieceBytes, most)
      return free.pop() ?? Buffer.allocUnsafeSlow(size)
    },
    giveBack(buffer: Buffer): void {
      lent--
      if (buffer.length === pieceBytes && free.length < buffersKept) free.push(buffer)
    },
  }
}

async function readPiece(
  file: ArchivedFile,
  range: ByteRange,
  position: number,
  into?: Buffer,
): Promise<Buffer> {
  const length = Math.min(pieceBytes, range.last + 1 - position)
  const piece = into?.subarray(0, length) ?? Buffer.allocUnsafeSlow(length)
  for (let filled = 0; filled < length;) {
    const bytes = await file.read(piece.subarray(filled), position + filled)
    if (bytes === 0) throw new FileChanged('cut short')
    filled += bytes
  }
  if (position + length > range.last) {
    await checkUnchanged(file)
    file.close()
  }
  return piece
}

async function checkUnchanged(file: ArchivedFile): Promise<void> {
  if (!isSameVersion(file.stats, await file.look()))
    throw new FileChanged('changed while it was read')
}
