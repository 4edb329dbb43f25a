/**
 * The process that writes a database, kept in the database itself: the lock beside it has the name by which the database was
 * opened, and a hard link gives it another. A process is known by boot id, process id and start time, so that neither a
 * restart of the machine nor a process id that was given again makes a stale owner look alive.
 */
import { readFileSync, statSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import { AlreadyRunning, UnusableDatabase } from '../writer.ts'

interface Owner {
  readonly bootId: string
  readonly pid: number
  /** In ticks of the kernel since it was booted (proc_pid_stat(5), field 22). */
  readonly startTime: number
  /** Of the database file: a copy has the owner's row, but another inode. */
  readonly inode: number
  /** By which it opened the file. */
  readonly path: string
}

/**
 * Refuses a database that a living process writes, and one that was last written by another name whose write-ahead log
 * still holds changes: by this name they would be missing, and what is written now would destroy them. It only reads.
 * @throws AlreadyRunning, UnusableDatabase
 */
export function refuseOtherOwner(db: Database, path: string): void {
  const owner = ownerOf(db)
  if (owner === undefined || owner.inode !== statSync(path).ino) return
  if (owner.pid !== process.pid && isLiving(owner))
    throw new AlreadyRunning(`already running: process ${owner.pid} is the indexer of ${path}`)
  if (owner.path !== path && inodeOf(owner.path) === owner.inode && sizeOf(`${owner.path}-wal`) > 0)
    throw new UnusableDatabase(
      `${path} is a hard link to ${owner.path}, beside which lies its write-ahead log: open it by that name`,
    )
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

/**
 * Makes this process the owner. Of two that open the database at the same time by different names one finds the other's
 * row. It is brought into the file itself at once, since another name has a write-ahead log of its own.
 * @throws AlreadyRunning, UnusableDatabase
 */
export function takeOwnership(db: Database, path: string): void {
  db.transaction(() => {
    refuseOtherOwner(db, path)
    db.prepare(
      `INSERT OR REPLACE INTO owner (one, boot_id, pid, start_time, inode, path)
       VALUES (1, ?, ?, ?, ?, ?)`,
    ).run(bootId(), process.pid, startTimeOf(process.pid) ?? 0, statSync(path).ino, path)
  }).immediate()
  db.pragma('wal_checkpoint(FULL)')
}

function ownerOf(db: Database): Owner | undefined {
  const table = db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'owner'`)
  // An empty database, or one of an earlier release, has none.
  if (table.get() === undefined) return undefined
  const select = 'SELECT boot_id AS bootId, pid, start_time AS startTime, inode, path FROM owner'
  return db.prepare(select).get() as Owner | undefined
}

function isLiving(owner: Owner): boolean {
  return owner.bootId === bootId() && owner.startTime === startTimeOf(owner.pid)
}

/** Another after each start of the machine; empty where the kernel does not tell. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}

/** @returns `undefined` when there is no such process */
function startTimeOf(pid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The second field is the name of the program in parentheses, which may hold anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return Number(fields[22 - 3])
  } catch {
    return undefined
  }
}
