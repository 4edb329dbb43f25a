/**
 * Rules that decide whether a file is complete; no I/O. No file event reliably reports that a program has closed a file. So a
 * young file is accepted when its gzip stream is complete. A file that has not changed for ten minutes is accepted with any
 * content: as incomplete if a read has found that its gzip stream has no end or is damaged.
 */

import { youngFileMs } from '../../catalogue/records.ts'

/** Delay before an incomplete or unreadable file is read again (ms), until a read surely includes all writes (see `sure`). */
const growingMs = 1000
/**
 * Maximum delay before an incomplete or unreadable file is read again (ms). After a sure read, the delay doubles with each read
 * while the file stays the same.
 */
const longestMs = 60_000

/**
 * Longest tick of a file system's clock (ms): a few milliseconds on new file systems, two seconds on old ones. A second write
 * within a tick may leave mtime and size unchanged. A read includes all writes with the present size and mtime if it began this
 * long after this size and mtime were first seen.
 */
const longestTickMs = 2000

/** Size and mtime of a file when it was read. */
export interface FileState {
  readonly size: number
  readonly mtimeUs: number
}

/** The next step for a file that is new or has changed. */
export type SettlingDecision =
  /** Catalogue the file: it is old enough. */
  | 'take'
  /** Catalogue the file as incomplete: it has not changed for ten minutes, and its gzip stream has no end or is damaged. */
  | 'take-incomplete'
  /** Inflate the file to see whether it is complete. */
  | 'inflate'
  /** Wait: the file was incomplete at its last read and cannot have changed since. */
  | 'wait'

export interface Settling {
  /** Decides the next step for a file. `now` is the present time on the steady clock and on the wall clock (ms). */
  decide(path: string, file: FileState, now: { steadyMs: number; wallMs: number }): SettlingDecision
  /**
   * Stores that the gzip stream of the file is not complete, as a read has found now, or at the last read of the unchanged file.
   * @param readMs when the read began, on the steady clock
   * @returns the delay until the next read (ms)
   */
  markIncomplete(path: string, file: FileState, steadyMs: number, readMs?: number): number
  /**
   * Stores that the file could not be read; it may become readable with the same size and mtime.
   * @returns the delay until the next read (ms)
   */
  markUnreadable(path: string, file: FileState, steadyMs: number): number
  /** Time of the last check of the file, on the steady clock (ms); `undefined` for a file that is not settling. */
  readAtMs(path: string): number | undefined
  /** Removes a file that was accepted or is gone. */
  delete(path: string): void
  /** Returns the names of the settling files of a directory. */
  namesIn(directory: string): string[]
  /** Returns at most `most` settling files. Files that are unchanged for the longest time come first. */
  list(most: number): readonly SettlingEntry[]
  readonly size: number
}

/** A settling file: it is not accepted yet, because its gzip stream has no end yet or because it cannot be read. */
export interface SettlingEntry {
  readonly path: string
  /** Time since which the file is unchanged, on the steady clock (ms). */
  readonly sinceMs: number
  readonly readable: boolean
}

interface WaitingFile extends FileState {
  /** Time since which the file is unchanged, on the steady clock (ms). */
  readonly sinceMs: number
  readonly readAtMs: number
  readonly delayMs: number
  readonly readable: boolean
  /** True if the file was read late enough to include all writes with this size and mtime. */
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
      // Many programs set an old mtime after writing a file, so a changed file is inflated whatever its age.
      if (waiting !== undefined && !unchanged) return 'inflate'
      // A file that may have changed without a new mtime is inflated as well.
      if (waiting?.readable === true && !waiting.sure) return 'inflate'
      const restedMs = unchanged ? now.steadyMs - waiting.sinceMs : 0
      // An mtime in the future does not tell the age of a file: then only the time since its last observed change counts.
      if (now.wallMs - file.mtimeUs / 1000 >= youngFileMs || restedMs >= youngFileMs)
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
