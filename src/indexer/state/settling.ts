/**
 * Rules that decide whether a file is complete; no I/O. No file event reliably reports that a
 * program has closed a file, and the clock of a file server may be wrong. So a file that appears
 * or changes is accepted when its gzip stream is complete, whatever its mtime says. A file that is
 * unchanged since ten minutes by our own clock is accepted with any content: as incomplete if a
 * read has found that its gzip stream has no end or is damaged. A first scan accepts old files
 * unread.
 */
import { youngFileMs } from '../../catalogue/identity.ts'
import { suffixOf } from '../../parse/filename.ts'
import { joinPath, parentOf } from '../../parse/layout.ts'
import { longestTickMs } from './sure-stamps.ts'

/**
 * Delay before an incomplete or unreadable file is read again (ms), until a read surely includes
 * all writes.
 */
export const growingMs = 1000
/**
 * Maximum delay before an incomplete or unreadable file is read again (ms). After a sure read, the
 * delay doubles with each read while the file stays the same.
 */
const longestMs = 60_000

/**
 * Time for which a file must stand still whose content does not say whether it is complete (ms):
 * compressed by another program than gzip, or not at all.
 */
const standingMs = 60_000

/**
 * The longest delay before a file is looked at again whose named period has not ended (ms): the
 * clock may be set.
 */
const longestHoldMs = 3_600_000

/**
 * A first scan reads no file whose mtime is longer ago (ms), and none is read later whose name says
 * that its content has no end mark: clocks differ by less.
 */
const recentMs = 86_400_000

/** True if the mtime of a file is at most a day ago, or lies ahead. */
export function isRecent({ mtimeUs }: Pick<FileState, 'mtimeUs'>, wallMs: number): boolean {
  return wallMs - mtimeUs / 1000 <= recentMs
}

/** The present time on the steady clock and on the wall clock (ms). */
export interface SettlingTime {
  readonly steadyMs: number
  readonly wallMs: number
}

/** Size and mtime of a file when it was read. */
export interface FileState {
  readonly size: number
  readonly mtimeUs: number
}

/** The next step for a file that is new or has changed. */
export type SettlingDecision =
  /** Catalogue the file: it is old enough, or a first scan finds it so. */
  | 'take'
  /**
   * Catalogue the file as incomplete: it is unchanged since ten minutes, and its gzip stream has no
   * end or is damaged.
   */
  | 'take-incomplete'
  /** Look into the file to see whether it is complete. */
  | 'inflate'
  /** Wait: the file was incomplete at its last read and cannot have changed since. */
  | 'wait'
  /** Wait until it has stood still for long enough (see `stand`). */
  | 'stand'

interface WaitingFile extends FileState {
  /** Time since which the file is unchanged, on the steady clock (ms). */
  readonly sinceMs: number
  readonly readAtMs: number
  readonly delayMs: number
  readonly readable: boolean
  /** True if its content has no end mark, so that it must stand still. */
  readonly stands: boolean
  /** A moment at which the file was not there; see `Sight`. */
  readonly notThereUs: number | undefined
  /**
   * True if a read surely includes all writes with this size and mtime, because it began
   * `longestTickMs` after these were first seen.
   */
  readonly sure: boolean
}

/** A read that did not find the end of a file's gzip stream. */
export interface SettlingRead {
  /** The present time on the steady clock (ms). */
  readonly steadyMs: number
  /** When the read began, on the steady clock; by default now. */
  readonly readMs?: number
  /** A moment at which the file was not there; counts only if the file was not settling yet. */
  readonly notThereUs?: number | undefined
}

/** The files that are not accepted yet. */
export class Settling {
  readonly #directories = new Map<string, Map<string, WaitingFile>>()
  #size = 0
  #isObserving = false

  get size(): number {
    return this.#size
  }

  /**
   * Call it when this process goes on looking at files. Until then nobody looks again at a file
   * that settles.
   */
  observe(): void {
    this.#isObserving = true
  }

  get isObserving(): boolean {
    return this.#isObserving
  }

  /**
   * Decides the next step for a file.
   * @param isFirstScan true if the catalogue does not yet hold a whole scan
   */
  decide(path: string, file: FileState, now: SettlingTime, isFirstScan: boolean): SettlingDecision {
    const waiting = this.#find(path)
    if (waiting === undefined) {
      const isTaken = (isFirstScan || suffixOf(path) !== '.gz') && !isRecent(file, now.wallMs)
      return isTaken ? 'take' : 'inflate'
    }
    if (!isUnchanged(waiting, file)) return 'inflate'
    if (waiting.stands) return now.steadyMs - waiting.sinceMs >= standingMs ? 'inflate' : 'stand'
    // It may have changed without a new mtime.
    if (waiting.readable && !waiting.sure) return 'inflate'
    if (now.steadyMs - waiting.sinceMs >= youngFileMs)
      return waiting.readable ? 'take-incomplete' : 'take'
    return waiting.readable ? 'wait' : 'inflate'
  }

  /**
   * Decides about a file whose content does not say whether it is complete: it is taken when its
   * size and mtime have stood still for a minute between two looks, or since yesterday.
   * @param heldMs the time until it may be taken at all, at most 0 if it may be now
   * @returns the delay until the next look (ms); `undefined` if it is taken
   */
  stand(
    path: string,
    file: FileState,
    read: SettlingRead & SettlingTime,
    heldMs = 0,
  ): number | undefined {
    const waiting = this.#find(path)
    const stoodMs = isUnchanged(waiting, file) ? read.steadyMs - waiting.sinceMs : 0
    const isStill =
      stoodMs >= standingMs ||
      (waiting === undefined && !isRecent(file, read.wallMs)) ||
      this.isFinal(file, read)
    if (isStill && heldMs <= 0) return undefined
    this.#wait(path, file, { ...read, readable: true, stands: true })
    const leftMs = isStill ? 0 : standingMs - stoodMs
    return Math.max(leftMs, Math.min(heldMs, longestHoldMs))
  }

  /** True for a file that must stand still. */
  stands(path: string): boolean {
    return this.#find(path)?.stands === true
  }

  /**
   * True if a file that has no end, or cannot be read, is accepted at once: its mtime is ten
   * minutes ago, and this process will not look at it again.
   */
  isFinal({ mtimeUs }: FileState, { wallMs }: SettlingTime): boolean {
    return !this.#isObserving && wallMs - mtimeUs / 1000 >= youngFileMs
  }

  /**
   * Stores that the gzip stream of the file is not complete, as a read has found now, or at the
   * last read of the unchanged file.
   * @returns the delay until the next read (ms)
   */
  markIncomplete(path: string, file: FileState, read: SettlingRead): number {
    return this.#wait(path, file, { ...read, readable: true, stands: false })
  }

  /**
   * Stores that the file could not be read; it may become readable with the same size and mtime.
   * @returns the delay until the next read (ms)
   */
  markUnreadable(path: string, file: FileState, read: SettlingRead): number {
    return this.#wait(path, file, { ...read, readable: false, stands: false })
  }

  /**
   * A moment at which a settling file was not there, which its first read has found; `undefined` if
   * there is none. However long it settles, the file was seen arriving.
   */
  notThereUs(path: string): number | undefined {
    return this.#find(path)?.notThereUs
  }

  has(path: string): boolean {
    return this.#find(path) !== undefined
  }

  /**
   * Time of the last check of the file, on the steady clock (ms); `undefined` for a file that is
   * not settling.
   */
  readAtMs(path: string): number | undefined {
    return this.#find(path)?.readAtMs
  }

  /** Removes a file that was accepted or is gone. */
  delete(path: string): void {
    const [directory, name] = splitPath(path)
    const files = this.#directories.get(directory)
    if (files?.delete(name) !== true) return
    this.#size--
    if (files.size === 0) this.#directories.delete(directory)
  }

  /** Returns the names of the settling files of a directory. */
  namesIn(directory: string): string[] {
    return [...(this.#directories.get(directory)?.keys() ?? [])]
  }

  /**
   * Returns at most `most` settling files. Files that are unchanged for the longest time come
   * first.
   */
  list(most: number) {
    return [...this.#directories]
      .flatMap(([directory, files]) =>
        [...files].map(([name, { sinceMs, readable }]) => ({
          path: joinPath(directory, name),
          sinceMs,
          readable,
        })),
      )
      .sort((a, b) => a.sinceMs - b.sinceMs)
      .slice(0, most)
  }

  #find(path: string): WaitingFile | undefined {
    const [directory, name] = splitPath(path)
    return this.#directories.get(directory)?.get(name)
  }

  #wait(
    path: string,
    { size, mtimeUs }: FileState,
    read: SettlingRead & Pick<WaitingFile, 'readable' | 'stands'>,
  ): number {
    const { steadyMs, readMs = steadyMs, readable, stands } = read
    const [directory, name] = splitPath(path)
    const files = this.#directories.get(directory) ?? new Map<string, WaitingFile>()
    this.#directories.set(directory, files)
    const before = files.get(name)
    if (before === undefined) this.#size++
    const unchanged = isUnchanged(before, { size, mtimeUs })
    const sinceMs = unchanged ? before.sinceMs : steadyMs
    const sure = unchanged && (before.sure || readMs - sinceMs >= longestTickMs)
    const delayMs = sure ? Math.min(before.delayMs * 2, longestMs) : growingMs
    const { notThereUs } = before ?? read
    const times = { sinceMs, readAtMs: steadyMs, delayMs }
    files.set(name, { size, mtimeUs, readable, stands, notThereUs, ...times, sure })
    return delayMs
  }
}

function splitPath(path: string): [directory: string, name: string] {
  return [parentOf(path), path.slice(path.lastIndexOf('/') + 1)]
}

function isUnchanged(before: WaitingFile | undefined, file: FileState): before is WaitingFile {
  return before?.size === file.size && before.mtimeUs === file.mtimeUs
}
