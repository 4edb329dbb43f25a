import { statfs } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { DiskSpace } from '../../catalogue/records.ts'

/** A disk that hangs must not delay the metrics. */
const timeoutMs = 500

/**
 * Returns a function that reads the space of the disk of a directory; `undefined` if the disk does not answer in time. While it
 * hangs, one read waits for it, and no further one starts: each would block a thread.
 */
export function openDiskSpace(
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
    return Promise.race([pending, delay(timeoutMs, undefined, { ref: false })])
  }
}
