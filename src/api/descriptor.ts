/**
 * A file that is open for reading, by its number. A `FileHandle` is safer to hold, but closing it, or looking at it again,
 * takes another thread. That is a quarter of what a small download costs with it.
 */
import { close, closeSync, fstat, fstatSync, open, read } from 'node:fs'
import type { Stats } from 'node:fs'
import { promisify } from 'node:util'

export interface Descriptor {
  readonly fd: number
  /** As it was opened. */
  readonly stats: Stats
  /** @returns how many bytes there were from a position on, at most as many as have room; none at the end */
  read(into: Buffer, position: number): Promise<number>
  /** Looks at it again. */
  look(): Stats | Promise<Stats>
  /** At once, or when the reads that are under way have ended; only the first time counts. */
  close(): void
}

const openNumber = promisify(open)
const lookElsewhere = promisify(fstat)

/**
 * Opens a file.
 * @param isLocal whether what is known of the files of a device, by one of its paths, is in this machine's memory
 * @throws what opening it does
 */
export async function openDescriptor(
  path: string,
  flags: number,
  isLocal: (device: number, path: string) => boolean,
): Promise<Descriptor> {
  const fd = await openNumber(path, flags)
  const stats = firstLook(fd)
  const waitsForNobody = isLocal(stats.dev, path)
  const end = (): void => {
    try {
      if (waitsForNobody) closeSync(fd)
      else close(fd, () => undefined)
    } catch {
      // The number is free whatever closing it says.
    }
  }
  let reads = 0
  let isClosed = false
  return {
    fd,
    stats,
    read: (into, position) =>
      new Promise((resolve, reject) => {
        // The number may be that of another file by now.
        if (isClosed) throw new Error('read after it was closed')
        read(fd, into, 0, into.length, position, (error, bytes) => {
          reads--
          if (isClosed && reads === 0) end()
          if (error === null) resolve(bytes)
          else reject(error)
        })
        reads++
      }),
    look: () => (waitsForNobody ? fstatSync(fd) : lookElsewhere(fd)),
    close() {
      if (!isClosed && reads === 0) end()
      isClosed = true
    },
  }
}

/** Of what was just opened the kernel knows this by heart; asking another thread would cost ten times as much. */
function firstLook(fd: number): Stats {
  try {
    return fstatSync(fd)
  } catch (error) {
    close(fd, () => undefined)
    throw error
  }
}
