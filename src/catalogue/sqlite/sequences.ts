/**
 * The memory of ids and change numbers beside the database. Clients keep both, so neither may ever be given
 * twice, not even by a database that was rebuilt or restored. Numbers are therefore reserved in blocks: first
 * in the database, then in a small file beside it, and only then given. The file also remembers, a minute late at
 * most, how far they were given. Commits survive whatever ends the process, so a database that knows of less than
 * the file is not the one that gave the latest numbers, but an older copy or a new one: it continues above them,
 * under a new epoch.
 */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { Database } from 'better-sqlite3'

/** The highest id and change number that may be given without another reservation. */
export interface Reservation {
  readonly id: number
  readonly seq: number
}

/** What the file holds. */
interface Memory extends Reservation {
  /** The highest id and change number of which it is known that they were given. */
  readonly given: Reservation
}

const blockSize = 1_000_000
const nothing: Reservation = { id: 0, seq: 0 }
/** How late the file may be with what was given: it costs two synchronised writes. */
const rememberMs = 60_000

/**
 * Gives the database its row, or lifts it above numbers that it does not know to have been given.
 * @param options.restored it is known to be an older copy, whatever the file says
 * @returns whether it was lifted although it was not new
 */
export function restoreSequences(
  db: Database,
  path: string,
  options: { readonly restored: boolean },
): boolean {
  const memory = readMemory(path)
  const added = db
    .prepare(
      `INSERT INTO catalogue (one, epoch, seq, reserved_id, reserved_seq) VALUES (1, ?, 0, 0, 0)
       ON CONFLICT DO NOTHING`,
    )
    .run(newEpoch())
  const reserved = reservationOf(db)
  if (!options.restored && reaches(reserved, memory) && reaches(givenBy(db), memory.given)) {
    if (!reaches(memory, reserved)) remember(db, path)
    return false
  }
  lift(db, { id: Math.max(reserved.id, memory.id), seq: Math.max(reserved.seq, memory.seq) })
  return added.changes === 0
}

function reaches(one: Reservation, other: Reservation): boolean {
  return one.id >= other.id && one.seq >= other.seq
}

function lift(db: Database, { id, seq }: Reservation): void {
  db.transaction(() => {
    // What went on under the numbers in between is not known here, so nobody can follow from them.
    db.prepare(
      `UPDATE catalogue SET epoch = ?, seq = ?, forgotten_seq = ?, reserved_id = ?, reserved_seq = ?
       WHERE one = 1`,
    ).run(newEpoch(), seq, seq, id, seq)
    db.prepare(`DELETE FROM sqlite_sequence WHERE name = 'file'`).run()
    db.prepare(`INSERT INTO sqlite_sequence (name, seq) VALUES ('file', ?)`).run(id)
    // Nor what became of the files: the next sweep looks at all of them.
    db.prepare('UPDATE directory SET mtime_us = NULL').run()
  }).immediate()
}

/**
 * Makes sure that `count` more ids and numbers may be given. Costs two synchronised writes once in a
 * million numbers, nothing otherwise. Not to be called within a transaction.
 */
export function reserveSequences(db: Database, path: string, count: number): void {
  const reserved = reservationOf(db)
  const given = givenBy(db)
  if (given.id + count <= reserved.id && given.seq + count <= reserved.seq) return
  const next = { id: given.id + count + blockSize, seq: given.seq + count + blockSize }
  const reserve = db.prepare('UPDATE catalogue SET reserved_id = ?, reserved_seq = ? WHERE one = 1')
  reserve.run(next.id, next.seq)
  try {
    writeMemory(path, { ...next, given })
  } catch (error) {
    // Else the next call would give numbers that only the database remembers.
    reserve.run(reserved.id, reserved.seq)
    throw error
  }
}

/** Keeps the file up to date with what was given. */
export interface Sequences {
  /** To be called after a commit. */
  committed(): void
  /** Remembers them now: the last act of a process that ends in order. */
  remember(): void
}

export function openSequences(db: Database, path: string): Sequences {
  let timer: NodeJS.Timeout | undefined
  const rememberNow = (): void => {
    try {
      remember(db, path)
    } catch {
      // A full disk, say. No number depends on it: an older copy that is put back may just not be noticed.
    }
  }
  return {
    committed() {
      timer ??= setTimeout(() => {
        timer = undefined
        rememberNow()
      }, rememberMs).unref()
    },
    remember() {
      clearTimeout(timer)
      timer = undefined
      rememberNow()
    },
  }
}

function remember(db: Database, path: string): void {
  writeMemory(path, { ...reservationOf(db), given: givenBy(db) })
}

function reservationOf(db: Database): Reservation {
  return db
    .prepare('SELECT reserved_id AS id, reserved_seq AS seq FROM catalogue WHERE one = 1')
    .get() as Reservation
}

/** The highest numbers that this database has given. */
function givenBy(db: Database): Reservation {
  const id = db.prepare(`SELECT seq FROM sqlite_sequence WHERE name = 'file'`).pluck().get()
  const seq = db.prepare('SELECT seq FROM catalogue WHERE one = 1').pluck().get()
  return { id: (id as number | undefined) ?? 0, seq: seq as number }
}

function newEpoch(): string {
  return randomBytes(6).toString('hex')
}

/** A file that is missing or damaged remembers nothing: the database is then trusted alone. */
function readMemory(path: string): Memory {
  try {
    const value = JSON.parse(readFileSync(path, 'utf8')) as Partial<Memory> | null
    return { ...toReservation(value), given: toReservation(value?.given) }
  } catch (error) {
    if (error instanceof SyntaxError || (error as { code?: string }).code === 'ENOENT')
      return { ...nothing, given: nothing }
    throw error
  }
}

function toReservation(value: Partial<Reservation> | null | undefined): Reservation {
  return { id: wholeNumber(value?.id), seq: wholeNumber(value?.seq) }
}

function wholeNumber(value: unknown): number {
  return Number.isSafeInteger(value) ? (value as number) : 0
}

/** Replaces the file so that it is whole whatever happens: written aside, synchronised, renamed. */
function writeMemory(path: string, memory: Memory): void {
  const aside = `${path}.new`
  const file = openSync(aside, 'w', 0o640)
  try {
    // Also where the umask takes more.
    fchmodSync(file, 0o640)
    writeSync(file, `${JSON.stringify(memory)}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(aside, path)
  const directory = openSync(dirname(path), 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}

/** Prepares the next `details_seq`: to be called within a transaction that changes details of a file alone. */
export function prepareRaiseDetails(db: Database): () => void {
  const raise = db.prepare('UPDATE catalogue SET details_seq = details_seq + 1 WHERE one = 1')
  return () => {
    raise.run()
  }
}
