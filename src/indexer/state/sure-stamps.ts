/**
 * Decides when the stamp of a directory is sure; no I/O. The clock of a file system has ticks of up
 * to two seconds (`longestTickMs`), and may differ from ours by any amount. A second change in the
 * tick of the first one leaves the same times, so one read proves nothing: a stamp is sure when a
 * read has found it again three seconds of our steady clock later. By then its tick is over, the
 * read had all names of it, and the next change gives other times. Sweeps rely on sure stamps only.
 */
import type { DirectoryStamp, DirectoryTimes } from '../../catalogue/updates/change.ts'

/**
 * Longest tick of a file system's clock (ms): a few milliseconds on new file systems, two seconds
 * on old ones. A second change within a tick may leave the same times. So a file that changed less
 * than this time ago may change again unseen.
 */
export const longestTickMs = 2000

/** Time after which a directory is read again until its stamp is sure (ms). */
export const confirmMs = 3000
/**
 * Maximum of that time. It doubles with each read that finds another stamp again, because a
 * directory may change all the time, and some file systems have other inodes at each look.
 */
const longestConfirmMs = 60_000

/** A read of a directory, with times of the steady clock (ms). */
interface StampedRead {
  /** The stamp that the read found; `undefined` without a usable one. */
  readonly stamp: DirectoryStamp | undefined
  /** The sure stamp in the catalogue. */
  readonly stored: DirectoryStamp | undefined
  /** Time at or before the begin of the read. */
  readonly requestedMs: number
  /** Time at or after its end. */
  readonly nowMs: number
  /** True if the first stamp that is seen of the directory is taken for sure. */
  readonly isOld: boolean
}

export interface Judgement {
  /** The stamp to be stored; `undefined` while it is not sure. */
  readonly stamp: DirectoryStamp | undefined
  /** When the directory must be read again (ms); `undefined` if it need not be. */
  readonly againMs: number | undefined
  /** True if the read found the same stamp as the one before, and it is not sure yet. */
  readonly isRepeated: boolean
  /** True if names have changed, and the times of the directory have not: they tell nothing. */
  readonly isSilent: boolean
}

interface UnsureStamp {
  readonly stamp: DirectoryStamp
  /** Time at or after the read that found this stamp first. */
  readonly sinceMs: number
  readonly delayMs: number
  /** True if a sure stamp had the same times and other names. */
  readonly isSilent: boolean
  /** True if the stamp is sure; it is not stored yet, because a part of the change was left out. */
  readonly isConfirmed: boolean
}

export class SureStamps {
  readonly #unsure = new Map<string, UnsureStamp>()

  /**
   * The stamp of a directory that will be read again because this stamp is not sure; `undefined`
   * for all other directories.
   */
  awaited(path: string): DirectoryStamp | undefined {
    const unsure = this.#unsure.get(path)
    return unsure?.isConfirmed === false ? unsure.stamp : undefined
  }

  /** Call it after each read of a directory. */
  judge(path: string, read: StampedRead): Judgement {
    const { stamp, stored } = read
    const judged = { stamp: undefined, againMs: undefined, isRepeated: false, isSilent: false }
    const before = this.#unsure.get(path)
    const isNew = before === undefined && stored === undefined
    if (stamp === undefined || sameStamp(stamp, stored) || (isNew && read.isOld)) {
      this.#unsure.delete(path)
      return { ...judged, stamp }
    }
    const isLater = before !== undefined && read.requestedMs - before.sinceMs >= confirmMs
    const isSilent = isLater && before.isSilent && sameTimes(before.stamp, stamp)
    if (before === undefined || !sameStamp(before.stamp, stamp))
      return { ...judged, againMs: this.#await(path, read, stamp), isSilent }
    if (!isLater) return { ...judged, againMs: before.sinceMs + before.delayMs, isRepeated: true }
    this.#unsure.set(path, { ...before, isConfirmed: true })
    return { ...judged, stamp, isSilent }
  }

  /** Stores a stamp that differs from the one before. @returns when it is looked at again (ms) */
  #await(path: string, { stored, requestedMs, nowMs }: StampedRead, stamp: DirectoryStamp): number {
    const before = this.#unsure.get(path)
    const isDelayed =
      before?.isConfirmed === false && requestedMs >= before.sinceMs + before.delayMs
    const delayMs = isDelayed ? Math.min(2 * before.delayMs, longestConfirmMs) : confirmMs
    const sure = before?.isConfirmed === true ? before.stamp : stored
    const hadOtherNames =
      before?.isConfirmed === false
        ? before.isSilent && sameTimes(before.stamp, stamp)
        : hasOtherNames(sure, stamp)
    this.#unsure.set(path, {
      stamp,
      sinceMs: nowMs,
      delayMs,
      isSilent: hadOtherNames,
      isConfirmed: false,
    })
    return nowMs + delayMs
  }
}

/**
 * True if the times are the same, so that the names cannot have changed since a sure stamp; always
 * false if one of them is `undefined`.
 */
export function sameTimes(a: DirectoryTimes | undefined, b: DirectoryTimes | undefined): boolean {
  return (
    a !== undefined &&
    b !== undefined &&
    a.mtimeUs === b.mtimeUs &&
    a.ctimeUs === b.ctimeUs &&
    a.inode === b.inode
  )
}

/** True if times and names are the same; always false if one of the stamps is `undefined`. */
export function sameStamp(a: DirectoryStamp | undefined, b: DirectoryStamp | undefined): boolean {
  return sameTimes(a, b) && a?.namesSum === b?.namesSum
}

/** True if names have changed under the same times. */
export function hasOtherNames(
  before: DirectoryStamp | undefined,
  after: DirectoryStamp | undefined,
): boolean {
  return sameTimes(before, after) && !sameStamp(before, after)
}
