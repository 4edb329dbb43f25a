/**
 * Stores in the database itself which process writes it. The lock file is not sufficient, because it is named after the path by
 * which the database was opened, and a hard link has another path. A process is identified by boot id, process id and start time,
 * so that a stale owner never seems alive after a reboot or when a process id is reused.
 */
import { readFileSync, statSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import { AlreadyRunning, UnusableDatabase } from '../writer.ts'

interface Owner {
  readonly bootId: string
  readonly pid: number
  /** In kernel ticks since the boot (proc_pid_stat(5), field 22). */
  readonly startTime: number
  /** Inode of the database file: a copy has the same row, but another inode. */
  readonly inode: number
  /** The path by which the file was opened. */
  readonly path: string
}

/**
 * Rejects a database that another living process writes. Also rejects a database that was last opened by another path and has
 * changes in the WAL beside that path. A process that opens the database by this path would not see these changes, and its writes
 * would destroy them. Does not write.
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
 * Makes this process the owner. If two processes open the database at the same time by different paths, one of them finds the row
 * of the other. A checkpoint writes the row to the database file at once, because each path has a WAL of its own.
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
  // An empty database, or one of an earlier release, has no table `owner`.
  if (table.get() === undefined) return undefined
  const select = 'SELECT boot_id AS bootId, pid, start_time AS startTime, inode, path FROM owner'
  return db.prepare(select).get() as Owner | undefined
}

function isLiving(owner: Owner): boolean {
  return owner.bootId === bootId() && owner.startTime === startTimeOf(owner.pid)
}

/** An id of the current boot of the system; empty if unknown. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}

/** Start time of a process; `undefined` if it does not exist. */
function startTimeOf(pid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The second field is the name of the program in parentheses, which may contain any character.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return Number(fields[22 - 3])
  } catch {
    return undefined
  }
}
