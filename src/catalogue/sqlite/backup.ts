/** Makes backups of the database while the indexer writes it. */
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
  syncFileAsync,
} from './backup-files.ts'
import { corruption, isCorruption } from './corruption.ts'
import { startCheck } from './integrity-check.ts'
import type { Check, CheckMode, CheckResult } from './integrity-check.ts'
import { quarantine } from './open.ts'
import { prepareHead } from './summary.ts'

/** Pages per step of the copy: a few milliseconds at most, so that the event loop is not blocked. */
const pagesPerStep = 100
/** Steps between two `fdatasync` calls (40 MB), so that the last one does not have to write the whole copy. */
const stepsPerSync = 100

export interface Backups {
  /** Makes a backup unless the newest one is younger than this, or nothing has changed since it was made. */
  make(options: { readonly ifOlderThanMs: number }): Promise<BackupOutcome>
  /** Aborts a backup in progress. */
  stop(): void
}

export function openBackups(parts: {
  readonly db: Database
  readonly path: string
  readonly nowUs: () => number
  /** Up to this size (bytes) a database is checked in this process, a larger one in a child process. */
  readonly checkUpTo: number
}): Backups {
  const { db, path } = parts
  const head = prepareHead(db)
  const [newest, older] = backupPaths(path)
  const copy = newBackupPath(path)
  let stopped = false
  let check: Check | undefined

  /** True if the newest backup has the same head as the database; false if it cannot be read. */
  const isUnchanged = (): boolean => {
    try {
      const kept = headOf(newest)
      const now = head()
      return kept.epoch === now.epoch && kept.seq === now.seq
    } catch (error) {
      // Otherwise it would become the older backup and replace a good one.
      if (isCorruption(error)) quarantine(newest)
      return false
    }
  }
  const isNeeded = (ifOlderThanMs: number): boolean => {
    const made = madeUs(newest)
    if (made === undefined) return true
    const ageMs = (parts.nowUs() - made) / 1000
    // A backup time in the future does not tell the age.
    return (ageMs < 0 || ageMs >= ifOlderThanMs) && !isUnchanged()
  }
  const runCheck = async (file: string, mode: CheckMode): Promise<CheckResult> => {
    if (stopped) throw aborted()
    check = startCheck({ path: file, mode, inProcessUpTo: parts.checkUpTo })
    return check.result
  }
  const makeCopy = async (): Promise<void> => {
    discard(copy)
    await copyPages(db, copy, () => stopped)
    const { fault } = await runCheck(copy, 'closed')
    if (fault === undefined) return
    const origin = await runCheck(path, 'in-use')
    throw origin.fault === undefined
      ? new Error(`the copy is damaged: ${fault}`)
      : corruption(origin.fault)
  }
  const rotate = async (): Promise<void> => {
    await syncFileAsync(copy)
    if (madeUs(newest) !== undefined) renameSync(newest, older)
    renameSync(copy, newest)
    syncDirectoryOf(newest)
  }
  return {
    async make({ ifOlderThanMs }) {
      if (!isNeeded(ifOlderThanMs)) return { outcome: 'unneeded' }
      const [bytes, free] = [sizeOf(db), freeBeside(path)]
      if (free < 2 * bytes) return { outcome: 'no-space', bytes, free }
      try {
        await makeCopy()
        await rotate()
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
 * Copies in small steps on the writer's connection: its writes during the backup go into the copy too, and no read
 * transaction lasts longer than a step, so the WAL is reset as usual.
 */
async function copyPages(db: Database, to: string, stopped: () => boolean): Promise<void> {
  let steps = 0
  let syncing = Promise.resolve()
  makeFile(to)
  await db.backup(to, {
    progress() {
      if (stopped()) throw aborted()
      if (++steps % stepsPerSync === 0)
        // The last sync reports errors.
        syncing = syncing.then(() => syncFileAsync(to)).catch(() => undefined)
      return pagesPerStep
    },
  })
  await syncing
}

function aborted(): Error {
  return new Error('backup aborted')
}

function sizeOf(db: Database): number {
  const [pages, size] = ['page_count', 'page_size'].map((name) => db.pragma(name, { simple: true }))
  return Number(pages) * Number(size)
}

function freeBeside(path: string): number {
  const { bavail, bsize } = statfsSync(dirname(path))
  return bavail * bsize
}
