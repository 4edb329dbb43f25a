/** The space on the disk of a directory, for the metrics. */
import { statfs } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { DiskSpace } from '../../catalogue/records.ts'

/** Milliseconds that the metrics wait for a disk, because a disk that hangs must not delay them. */
const diskTimeoutMs = 500

/**
 * Returns a function that reads the free and the total space of a directory's disk; `undefined` if
 * the read fails or the disk does not answer in time. While the disk hangs, one read waits for it,
 * and no further read starts, because each would block a thread.
 */
export function createDiskSpace(
  directory: string,
  read: typeof statfs = statfs,
): () => Promise<DiskSpace | undefined> {
  let pending: Promise<DiskSpace | undefined> | undefined
  const start = (): Promise<DiskSpace | undefined> =>
    read(directory)
      .then(
        ({ bavail, blocks, bsize }) => ({ freeBytes: bavail * bsize, totalBytes: blocks * bsize }),
        () => undefined,
      )
      .finally(() => {
        pending = undefined
      })
  return () => {
    pending ??= start()
    return Promise.race([pending, delay(diskTimeoutMs, undefined, { ref: false })])
  }
}
