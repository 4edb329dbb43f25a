/**
 * Rules without I/O that decide whether a file is complete. No event says reliably that a file was closed. So a young
 * file is accepted when its gzip stream is complete, and otherwise as incomplete when it has not changed for ten minutes.
 */

import { settleMs } from '../catalogue/identity.ts'

/** Delay before an incomplete file is read again: while it grows, and at most when it does not. */
const growingMs = 1000
const longestMs = 60_000

/**
 * Longest tick of a file system's clock: milliseconds on new file systems, up to this on old ones. A write within a tick
 * may leave mtime and size unchanged. A read this long after the present size and mtime were first seen includes all writes.
 */
const longestTickMs = 2000

/** Size and mtime of a file when it was read. */
export interface FileState {
  readonly size: number
  readonly mtimeUs: number
}

/** The next step for a file that is new or has changed. */
export type SettlingDecision =
  /** Catalogue it: it is old enough. */
  | 'take'
  /** Catalogue it as incomplete: it has not changed for long and its gzip stream has no end. */
  | 'take-incomplete'
  /** Inflate it to see whether it is complete. */
  | 'inflate'
  /** Wait: it was incomplete and cannot have changed since. */
  | 'wait'

export interface Settling {
  /** Times are of the steady clock and of the wall clock, in ms. */
  decide(path: string, file: FileState, now: { steadyMs: number; wallMs: number }): SettlingDecision
  /**
   * Notes that the file was inflated and has no end yet.
   * @param readMs when the read began, on the steady clock
   * @returns the delay until the next read (ms)
   */
  markIncomplete(path: string, file: FileState, steadyMs: number, readMs?: number): number
  /** Notes that the file could not be read; it may become readable with the same size and mtime. @returns the delay */
  markUnreadable(path: string, file: FileState, steadyMs: number): number
  /** When the file was last found incomplete; `undefined` for a file that is not settling. */
  readAtMs(path: string): number | undefined
  /** Removes a file that was accepted or is gone. */
  delete(path: string): void
  /** Names of the settling files of a directory. */
  namesIn(directory: string): string[]
  /** At most `most` settling files, longest unchanged first. */
  list(most: number): readonly SettlingEntry[]
  readonly size: number
}

/** A file that is settling. */
export interface SettlingEntry {
  readonly path: string
  /** Since when it is unchanged, on the steady clock. */
  readonly sinceMs: number
  readonly readable: boolean
}

interface WaitingFile extends FileState {
  /** Since when it is unchanged. */
  readonly sinceMs: number
  readonly readAtMs: number
  readonly delayMs: number
  readonly readable: boolean
  /** Whether it was read late enough to include all writes with this size and mtime. */
  readonly sure: boolean
}

export function openSettling(): Settling {
  const directories = new Map<string, Map<string, WaitingFile>>()
  let size = 0
  const locate = (path: string): [string, string] => {
    const slash = path.lastIndexOf('/')
    return [path.slice(0, slash), path.slice(slash + 1)]
  }
  const find = (path: string): WaitingFile | undefined => {
    const [directory, name] = locate(path)
    return directories.get(directory)?.get(name)
  }
  const wait = (
    path: string,
    file: FileState & { readable: boolean },
    { steadyMs, readMs }: { steadyMs: number; readMs: number },
  ): number => {
    const [directory, name] = locate(path)
    const files = directories.get(directory) ?? new Map<string, WaitingFile>()
    directories.set(directory, files)
    const before = files.get(name)
    if (before === undefined) size++
    const unchanged = isUnchanged(before, file)
    const sinceMs = unchanged ? before.sinceMs : steadyMs
    const sure = unchanged && (before.sure || readMs - sinceMs >= longestTickMs)
    const delayMs = sure ? Math.min(before.delayMs * 2, longestMs) : growingMs
    files.set(name, { ...file, sinceMs, readAtMs: steadyMs, delayMs, sure })
    return delayMs
  }
  return {
    decide(path, file, now) {
      const waiting = find(path)
      const unchanged = isUnchanged(waiting, file)
      // Many programs set an old mtime after writing a file, so a changed file is inflated whatever its age,
      if (waiting !== undefined && !unchanged) return 'inflate'
      // and so is one that may have changed without a new mtime.
      if (waiting?.readable === true && !waiting.sure) return 'inflate'
      const restedMs = unchanged ? now.steadyMs - waiting.sinceMs : 0
      // An mtime in the future says nothing about the age: then only the time since the last change seen counts.
      if (now.wallMs - file.mtimeUs / 1000 >= settleMs || restedMs >= settleMs)
        return waiting?.readable === true ? 'take-incomplete' : 'take'
      return waiting?.readable === true ? 'wait' : 'inflate'
    },
    markIncomplete: (path, { size, mtimeUs }, steadyMs, readMs = steadyMs) =>
      wait(path, { size, mtimeUs, readable: true }, { steadyMs, readMs }),
    markUnreadable: (path, { size, mtimeUs }, steadyMs) =>
      wait(path, { size, mtimeUs, readable: false }, { steadyMs, readMs: steadyMs }),
    readAtMs: (path) => find(path)?.readAtMs,
    delete(path) {
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
    namesIn: (directory) => [...(directories.get(directory)?.keys() ?? [])],
    get size() {
      return size
    },
  }
}

function isUnchanged(before: WaitingFile | undefined, file: FileState): before is WaitingFile {
  return before?.size === file.size && before.mtimeUs === file.mtimeUs
}
