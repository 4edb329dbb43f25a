/**
 * Is this file complete? Nobody tells when a file was closed, so a young one is believed when its gzip stream
 * inflates to its end, and one that does not is believed after it has not changed for long. Rules without I/O.
 */

import { settleMs } from '../catalogue/settling.ts'

/** Delays between two looks at a file that is not complete: it grows, or it has stopped. */
const growingMs = 1000
const longestMs = 60_000

/**
 * A file that is written to within one tick of its file system's clock may keep its time and its size. Ticks are some
 * milliseconds, on old file systems up to this time: then what was read so long after the file was first seen as it
 * is holds all that was written under that time.
 */
const longestTickMs = 2000

export interface FileLook {
  readonly size: number
  readonly mtimeUs: number
}

/** What to do with a file that is new or has changed. */
export type Verdict =
  /** It is old enough to be as it is meant to be. */
  | 'take'
  /** It was waited for long enough, and lacks its end all the same. */
  | 'take-incomplete'
  /** Whether it is complete has to be seen by inflating it. */
  | 'inflate'
  /** It was not complete, and cannot have changed since. */
  | 'wait'

export interface Settling {
  /** What to do with a file of which this was seen. Times are of a steady clock and of the day, in ms. */
  judge(path: string, snapshot: FileLook, now: { steadyMs: number; wallMs: number }): Verdict
  /**
   * The file was inflated and has no end yet. Gives the delay until it should be looked at again.
   * @param readMs from when on it was read, on the steady clock
   */
  isIncomplete(path: string, snapshot: FileLook, steadyMs: number, readMs?: number): number
  /** The file could not be read, which may change without a change of its size and mtime. Gives the delay too. */
  isUnreadable(path: string, snapshot: FileLook, steadyMs: number): number
  /** When the file was last found incomplete; `undefined` for one that is not waited for. */
  readAtMs(path: string): number | undefined
  /** The file was taken, or is gone. */
  forget(path: string): void
  /** Files below a directory that are waited for. */
  within(directory: string): string[]
  /** Some of those that are waited for, longest unchanged first. */
  list(most: number): readonly SettlingLook[]
  readonly size: number
}

/** A file that is waited for. */
export interface SettlingLook {
  readonly path: string
  /** Since when it has been as it is, on the steady clock. */
  readonly sinceMs: number
  readonly readable: boolean
}

interface Pending {
  size: number
  mtimeUs: number
  /** Since when it has been as it is. */
  sinceMs: number
  readAtMs: number
  delayMs: number
  readable: boolean
  /** Whether it was read late enough to hold all that was written while it looked as it does. */
  sure: boolean
}

export function openSettling(): Settling {
  const directories = new Map<string, Map<string, Pending>>()
  let size = 0
  const locate = (path: string): [string, string] => {
    const slash = path.lastIndexOf('/')
    return [path.slice(0, slash), path.slice(slash + 1)]
  }
  const find = (path: string): Pending | undefined => {
    const [directory, name] = locate(path)
    return directories.get(directory)?.get(name)
  }
  const wait = (
    path: string,
    snapshot: FileLook & { readable: boolean },
    { steadyMs, readMs }: { steadyMs: number; readMs: number },
  ): number => {
    const [directory, name] = locate(path)
    const files = directories.get(directory) ?? new Map<string, Pending>()
    directories.set(directory, files)
    const before = files.get(name)
    if (before === undefined) size++
    const unchanged = isAsBefore(before, snapshot)
    const sinceMs = unchanged ? before.sinceMs : steadyMs
    const sure = unchanged && (before.sure || readMs - sinceMs >= longestTickMs)
    const delayMs = sure ? Math.min(before.delayMs * 2, longestMs) : growingMs
    files.set(name, { ...snapshot, sinceMs, readAtMs: steadyMs, delayMs, sure })
    return delayMs
  }
  return {
    judge(path, snapshot, now) {
      const waiting = find(path)
      const unchanged = isAsBefore(waiting, snapshot)
      // Many a program sets an old time when it has written a file: what has changed is inflated, whatever its age.
      if (waiting !== undefined && !unchanged) return 'inflate'
      // So is what may have changed behind the same time.
      if (waiting?.readable === true && !waiting.sure) return 'inflate'
      const restedMs = unchanged ? now.steadyMs - waiting.sinceMs : 0
      // A time in the future says nothing of the age; then only what we have seen ourselves counts.
      if (now.wallMs - snapshot.mtimeUs / 1000 >= settleMs || restedMs >= settleMs)
        return waiting?.readable === true ? 'take-incomplete' : 'take'
      return waiting?.readable === true ? 'wait' : 'inflate'
    },
    isIncomplete: (path, { size, mtimeUs }, steadyMs, readMs = steadyMs) =>
      wait(path, { size, mtimeUs, readable: true }, { steadyMs, readMs }),
    isUnreadable: (path, { size, mtimeUs }, steadyMs) =>
      wait(path, { size, mtimeUs, readable: false }, { steadyMs, readMs: steadyMs }),
    readAtMs: (path) => find(path)?.readAtMs,
    forget(path) {
      const [directory, name] = locate(path)
      const files = directories.get(directory)
      if (files?.delete(name) !== true) return
      size--
      if (files.size === 0) directories.delete(directory)
    },
    list: (most) =>
      [...directories]
        .flatMap(([directory, files]) =>
          [...files].map(([name, { sinceMs, readable }]) => ({
            path: `${directory}/${name}`,
            sinceMs,
            readable,
          })),
        )
        .sort((a, b) => a.sinceMs - b.sinceMs)
        .slice(0, most),
    within: (directory) => [...(directories.get(directory)?.keys() ?? [])],
    get size() {
      return size
    },
  }
}

function isAsBefore(before: Pending | undefined, snapshot: FileLook): before is Pending {
  return before?.size === snapshot.size && before.mtimeUs === snapshot.mtimeUs
}
