/** One version or none: the bytes of a file, or of a range of it, as long as the file stays as it was opened. */
import { Readable } from 'node:stream'
import type { ByteRange } from './byte-range.ts'
import { FileChanged } from './download.ts'
import type { ArchivedFile } from './download.ts'
import { isSameVersion } from './file-version.ts'
import { openTurns } from './turns.ts'

/** Bytes read and sent at a time: fewer, larger pieces cost less, smaller ones hold less for a slow client. */
export const pieceBytes = 256 * 1024

/**
 * Pieces of all downloads together that are read at a time. Each is sent as soon as it is read, so this is also
 * what the event loop sends in one round before it comes to another request.
 */
const piecesAtATime = 4

export interface PieceReader {
  /**
   * Reads the piece of a range that begins at `position`. The last piece is given out only if the file has not
   * changed since it was opened, so that nobody ever holds the whole of a mixture.
   * @throws FileChanged
   */
  read(file: ArchivedFile, range: ByteRange, position: number): Promise<Buffer>
  /** The range from its first piece, read already, to its end. Closes the file, however it ends. */
  stream(file: ArchivedFile, range: ByteRange, firstPiece: Buffer): Readable
}

export function openPieceReader(): PieceReader {
  const turns = openTurns(piecesAtATime)
  const read: PieceReader['read'] = (file, range, position) =>
    turns.take(() => readPiece(file, range, position))
  return {
    read,
    stream(file, range, firstPiece) {
      let position = range.first
      const next = (): Promise<Buffer> =>
        position === range.first ? Promise.resolve(firstPiece) : read(file, range, position)
      return new Readable({
        highWaterMark: pieceBytes,
        read() {
          next().then(
            (piece) => {
              position += piece.length
              this.push(piece)
              if (position > range.last) this.push(null)
            },
            (error: unknown) => this.destroy(error as Error),
          )
        },
        destroy(error, done) {
          closeFile(file, error).then(done, done)
        },
      })
    },
  }
}

async function readPiece(file: ArchivedFile, range: ByteRange, position: number): Promise<Buffer> {
  const length = Math.min(pieceBytes, range.last + 1 - position)
  const piece = Buffer.allocUnsafeSlow(length)
  for (let filled = 0; filled < length;) {
    const rest = length - filled
    const { bytesRead } = await file.handle.read(piece, filled, rest, position + filled)
    if (bytesRead === 0) throw new FileChanged('cut short')
    filled += bytesRead
  }
  if (position + length > range.last) await checkUnchanged(file)
  return piece
}

async function checkUnchanged({ handle, stats }: ArchivedFile): Promise<void> {
  if (!isSameVersion(stats, await handle.stat())) throw new FileChanged('changed while it was read')
}

/** Closes a file and passes on what it is closed for. */
async function closeFile({ handle }: ArchivedFile, error: Error | null): Promise<Error | null> {
  await handle.close()
  return error
}
