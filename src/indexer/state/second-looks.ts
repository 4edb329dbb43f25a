/** The directories that are read once more because files in them were listed a short time ago. */
import { youngFileMs } from '../../catalogue/identity.ts'
import type { KnownStamp } from '../../catalogue/updates/known.ts'

interface Look {
  dueMs: number
  /** When the last of these files was listed (ms). */
  lastMs: number
}

/** True if files of a directory may have been listed in the last ten minutes. */
export function isListedLately({ changedUs }: Pick<KnownStamp, 'changedUs'>, nowUs: number) {
  return changedUs !== undefined && Math.abs(nowUs - changedUs) < youngFileMs * 1000
}

/**
 * A file may grow after it was listed: its gzip stream may consist of several parts, each with its
 * own end. Without file events nothing shows that. So its directory is read again when the file has
 * been seen for ten minutes. Times are on the steady clock (ms).
 */
export class SecondLooks {
  readonly #looks = new Map<string, Look>()

  /** Notes that files of a directory that were read to their end are listed now. */
  listed(path: string, nowMs: number): void {
    const look = this.#looks.get(path)
    if (look === undefined) this.#looks.set(path, { dueMs: nowMs + youngFileMs, lastMs: nowMs })
    else look.lastMs = nowMs
  }

  /** Takes the directories whose read is due. One with files that were listed later comes again. */
  take(nowMs: number): string[] {
    const due = [...this.#looks].filter(([, { dueMs }]) => dueMs <= nowMs)
    for (const [path, look] of due)
      if (look.lastMs > look.dueMs - youngFileMs) look.dueMs = look.lastMs + youngFileMs
      else this.#looks.delete(path)
    return due.map(([path]) => path)
  }
}
