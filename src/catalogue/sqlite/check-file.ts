import Sqlite from 'better-sqlite3'
import { faultOf, isRuin } from './open.ts'

/** What a check of all pages found. */
export interface Verdict {
  /** `undefined` when the database is sound. */
  readonly fault: string | undefined
}

/** `look` at one that is in use, or `seal` a copy that nobody has open, which makes it a single file. */
export type CheckMode = 'look' | 'seal'

export function checkFile(path: string, mode: CheckMode): Verdict {
  try {
    const db = new Sqlite(path, { readonly: mode === 'look', fileMustExist: true, timeout: 5000 })
    try {
      if (mode === 'seal') db.pragma('journal_mode = DELETE')
      return { fault: faultOf(db) }
    } finally {
      db.close()
    }
  } catch (error) {
    if (!isRuin(error)) throw error
    return { fault: error.message }
  }
}
