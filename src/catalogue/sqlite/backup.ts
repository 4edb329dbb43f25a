/** Making backups of the database while it is written. */
import { renameSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database } from 'better-sqlite3'
import type { BackupOutcome } from '../writer.ts'
import {
  backupPaths,
  discard,
  headOf,
  madeUs,
  makeFile,
  newBackupPath,
  syncDirectoryOf,
  syncFileAside,
} from './backup-files.ts'
import { corruption, isCorruption } from './corruption.ts'
import { startCheck } from './integrity-check.ts'
import type { Check, CheckMode, Verdict } from './integrity-check.ts'
import { quarantine } from './open.ts'
import { prepareHead } from './summary.ts'

/** Pages copied in one go: a few milliseconds at most, between which everything else has its turn. */
const pagesPerStep = 100
/** The system is asked to write what was copied every so many steps (40 MB), else the end would wait for all of it. */
const stepsPerSync = 100

export interface Backups {
  /** Makes one if there is none that is younger and something has changed since. */
  make(options: { readonly ifOlderThanMs: number }): Promise<BackupOutcome>
  /** Gives up the one in the making. */
  stop(): void
}

export function openBackups(parts: {
  readonly db: Database
  readonly path: string
  readonly nowUs: () => number
  /** Up to this size a database is checked at once, a larger one aside. */
  readonly checkUpTo: number
}): Backups {
  const { db, path } = parts
  const head = prepareHead(db)
  const [newest, older] = backupPaths(path)
  const copy = newBackupPath(path)
  let stopped = false
  let check: Check | undefined

  /** Whether the newest is as the database is now. One that cannot be read is none. */
  const isUnchanged = (): boolean => {
    try {
      const kept = headOf(newest)
      const now = head()
      return kept.epoch === now.epoch && kept.seq === now.seq
    } catch (error) {
      // Kept as the older one it would take the place of a good one.
      if (isCorruption(error)) quarantine(newest)
      return false
    }
  }
  const isNeeded = (ifOlderThanMs: number): boolean => {
    const made = madeUs(newest)
    if (made === undefined) return true
    const ageMs = (parts.nowUs() - made) / 1000
    // One from the future says nothing of its age.
    return (ageMs < 0 || ageMs >= ifOlderThanMs) && !isUnchanged()
  }
  const checked = async (file: string, mode: CheckMode): Promise<Verdict> => {
    if (stopped) throw aborted()
    check = startCheck({ path: file, mode, atOnceUpTo: parts.checkUpTo })
    return check.verdict
  }
  const makeCopy = async (): Promise<void> => {
    discard(copy)
    await copyPages(db, copy, () => stopped)
    const { fault } = await checked(copy, 'seal')
    if (fault === undefined) return
    const origin = await checked(path, 'look')
    throw origin.fault === undefined
      ? new Error(`the copy is damaged: ${fault}`)
      : corruption(origin.fault)
  }
  const keep = async (): Promise<void> => {
    await syncFileAside(copy)
    if (madeUs(newest) !== undefined) renameSync(newest, older)
    renameSync(copy, newest)
    syncDirectoryOf(newest)
  }
  return {
    async make({ ifOlderThanMs }) {
      if (!isNeeded(ifOlderThanMs)) return { outcome: 'unneeded' }
      const [bytes, free] = [sizeOf(db), freeBeside(path)]
      if (free < 2 * bytes) return { outcome: 'no-room', bytes, free }
      try {
        await makeCopy()
        await keep()
        return { outcome: 'kept', path: newest, bytes }
      } catch (error) {
        discard(copy)
        throw error
      }
    },
    stop() {
      stopped = true
      check?.stop()
    },
  }
}

/**
 * Copies in small steps on the connection that writes: what it writes meanwhile goes into the copy too, and no read
 * transaction lasts longer than a step, so that the log is reset as always.
 */
async function copyPages(db: Database, to: string, stopped: () => boolean): Promise<void> {
  let steps = 0
  let syncing = Promise.resolve()
  makeFile(to)
  await db.backup(to, {
    progress() {
      if (stopped()) throw aborted()
      if (++steps % stepsPerSync === 0)
        syncing = syncing.then(() => syncFileAside(to)).catch(() => undefined) // the end tells
      return pagesPerStep
    },
  })
  await syncing
}

function aborted(): Error {
  return new Error('the backup was given up')
}

function sizeOf(db: Database): number {
  const [pages, size] = ['page_count', 'page_size'].map((name) => db.pragma(name, { simple: true }))
  return Number(pages) * Number(size)
}

function freeBeside(path: string): number {
  const { bavail, bsize } = statfsSync(dirname(path))
  return bavail * bsize
}
