/**
 * Which process writes a database: a row of the database itself. A second indexer finds it whatever name it uses for the
 * file, where the lock file lies beside one name only (docs/decisions/0006).
 */
import { readFileSync, statSync } from 'node:fs'
import type { BigIntStats } from 'node:fs'
import Sqlite from 'better-sqlite3'
import type { Database } from 'better-sqlite3'
import { AlreadyRunning } from '../catalogue-writer.ts'
import { applicationId, ownerTable } from './schema.ts'
import { UnusableDatabase } from './usable.ts'

export interface Owner {
  /** The boot of the machine in which the process started. */
  readonly bootId: string
  readonly pid: number
  /** Clock ticks from the boot to the start of the process: another process with the same id has another one. */
  readonly startTime: number
  /** Device and inode of the database: the row of a copy is about the original. */
  readonly file: string
  /** The name under which the process opened the database. */
  readonly path: string
}

/**
 * Time (ms) between writing the row of a database with several names and reading it again. SQLite locks a name, not the
 * file, so two indexers that start at once may both write the row: one reads its own, the other that of the first.
 */
const confirmMs = 2000

/**
 * Writes this process into the database as its owner, before anything else is written.
 * @throws AlreadyRunning when the owner is another process that lives; UnusableDatabase when the last one left a log
 * under another name, which this process would not see
 */
export function takeOwnership(db: Database, path: string): void {
  const self = thisProcess(path)
  // Read before locking too: the owner may hold the lock for as long as a migration takes.
  refuseOther(ownerIn(db), self)
  db.transaction(() => {
    refuseOther(ownerIn(db), self)
    db.exec(ownerTable)
    if (db.pragma('application_id', { simple: true }) === 0)
      db.pragma(`application_id = ${applicationId}`)
    db.prepare(
      `INSERT OR REPLACE INTO owner (one, boot_id, pid, start_time, file, path)
       VALUES (1, @bootId, @pid, @startTime, @file, @path)`,
    ).run(self)
  }).immediate()
  // Another name of the file has another log, so the row must be in the file itself. An empty log also hides nothing
  // of the file from whoever opens it by this name later.
  const [checkpoint] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
  if (!hasOtherNames(path)) return
  if (checkpoint?.busy === 1)
    throw new UnusableDatabase(
      `${path} has hard links, and a reader keeps its log from being emptied: end that reader, or keep one name`,
    )
  sleep(confirmMs)
  const owner = readOwner(path)
  if (owner === undefined || !isSame(owner, self)) throw alreadyRunning(path, owner)
}

/** Leaves the database to the next owner, while this process goes on. */
export function giveUpOwnership(db: Database): void {
  db.exec('DELETE FROM owner')
}

/** The owner of a database as another connection sees it; `undefined` when there is none or it cannot be read. */
export function readOwner(path: string): Owner | undefined {
  try {
    const db = new Sqlite(path, { readonly: true, fileMustExist: true })
    try {
      return ownerIn(db)
    } finally {
      db.close()
    }
  } catch {
    return undefined
  }
}

/** Says which process is the owner, as far as that is known. */
export function alreadyRunning(path: string, owner: Owner | undefined): AlreadyRunning {
  if (owner === undefined) return new AlreadyRunning(`already running: another indexer has ${path}`)
  const alias = owner.path === path ? '' : `, which it has opened as ${owner.path}`
  return new AlreadyRunning(`already running: process ${owner.pid} indexes into ${path}${alias}`)
}

/** Whether the process of a row still runs. One of another process id namespace, or that is hidden, seems not to. */
export function isLiving(owner: Owner): boolean {
  return owner.bootId === bootId() && owner.startTime === startTimeOf(String(owner.pid))
}

/** Whether a database has hard links. */
export function hasOtherNames(path: string): boolean {
  return (statsAt(path)?.nlink ?? 1n) > 1n
}

/** Holds up this thread: nothing else is to happen before the database is open. */
export function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

function refuseOther(owner: Owner | undefined, self: Owner): void {
  if (owner === undefined || isSame(owner, self) || owner.file !== self.file) return
  if (isLiving(owner)) throw alreadyRunning(self.path, owner)
  if (owner.path !== self.path && hasLog(owner))
    throw new UnusableDatabase(
      `${self.path} was last written as ${owner.path}, whose log was not written back: start once with that name`,
    )
}

/** Whether the database still has the name of its last owner, and a log beside that name. */
function hasLog({ path, file }: Owner): boolean {
  return fileAt(path) === file && (statsAt(`${path}-wal`)?.size ?? 0n) > 0n
}

/** Device and inode of a file; empty when there is none, or it cannot be looked at. */
export function fileAt(path: string): string {
  const stats = statsAt(path)
  return stats === undefined ? '' : `${stats.dev}:${stats.ino}`
}

function statsAt(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true })
  } catch {
    return undefined
  }
}

function ownerIn(db: Database): Owner | undefined {
  const table = db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'owner'`).get()
  if (table === undefined) return undefined
  return db
    .prepare(
      'SELECT boot_id AS bootId, pid, start_time AS startTime, file, path FROM owner WHERE one = 1',
    )
    .get() as Owner | undefined
}

function isSame(one: Owner, other: Owner): boolean {
  return one.bootId === other.bootId && one.pid === other.pid && one.startTime === other.startTime
}

function thisProcess(path: string): Owner {
  return {
    bootId: bootId(),
    pid: process.pid,
    startTime: startTimeOf('self') ?? 0,
    file: fileAt(path),
    path,
  }
}

/** Empty where the kernel's settings are hidden: every row is then of the same boot. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}

/** `undefined` when there is no process, or only what is left of one until its parent asks for it (proc_pid_stat(5)). */
function startTimeOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the name of the program, which may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return /^[ZXx]$/.test(fields[0] ?? '') ? undefined : Number(fields[19])
  } catch {
    return undefined
  }
}
