/**
 * The memory of ids and change numbers beside the database. Clients keep both, so neither may ever be given
 * twice, not even by a database that was rebuilt or restored. Numbers are therefore reserved in blocks: first
 * in the database, then in a small file beside it, and only then given. A database that knows of a smaller
 * reservation than the file is not the one that gave the latest numbers: it continues above them, under
 * a new epoch.
 */
import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database } from 'better-sqlite3'

/** The highest id and change number that may be given without another reservation. */
export interface Reservation {
  readonly id: number
  readonly seq: number
}

const blockSize = 1_000_000

interface CatalogueRow {
  seq: number
  reserved_id: number
  reserved_seq: number
}

/** Gives the database its row, or lifts it above numbers that another database has given already. */
export function adoptNumbers(db: Database, path: string): void {
  const remembered = readReservation(path)
  db.prepare(
    `INSERT INTO catalogue (one, epoch, seq, reserved_id, reserved_seq) VALUES (1, ?, 0, 0, 0)
     ON CONFLICT DO NOTHING`,
  ).run(newEpoch())
  const row = catalogueRow(db)
  if (row.reserved_id >= remembered.id && row.reserved_seq >= remembered.seq) {
    if (row.reserved_id > remembered.id || row.reserved_seq > remembered.seq)
      writeReservation(path, { id: row.reserved_id, seq: row.reserved_seq })
    return
  }
  db.transaction(() => {
    const seq = Math.max(row.reserved_seq, remembered.seq)
    const id = Math.max(row.reserved_id, remembered.id)
    // What went on under the other database's numbers is not known here, so nobody can follow from them.
    db.prepare(
      `UPDATE catalogue SET epoch = ?, seq = ?, forgotten_seq = ?, reserved_id = ?, reserved_seq = ?
       WHERE one = 1`,
    ).run(newEpoch(), seq, seq, id, seq)
    db.prepare(`DELETE FROM sqlite_sequence WHERE name = 'file'`).run()
    db.prepare(`INSERT INTO sqlite_sequence (name, seq) VALUES ('file', ?)`).run(id)
  }).immediate()
}

/**
 * Makes sure that `count` more ids and numbers may be given. Costs two synchronised writes once in a
 * million numbers, nothing otherwise. Not to be called within a transaction.
 */
export function reserveNumbers(db: Database, path: string, count: number): void {
  const row = catalogueRow(db)
  const lastId =
    (db.prepare(`SELECT seq FROM sqlite_sequence WHERE name = 'file'`).pluck().get() as
      number | undefined) ?? 0
  if (lastId + count <= row.reserved_id && row.seq + count <= row.reserved_seq) return
  const next = { id: lastId + count + blockSize, seq: row.seq + count + blockSize }
  const reserve = db.prepare('UPDATE catalogue SET reserved_id = ?, reserved_seq = ? WHERE one = 1')
  reserve.run(next.id, next.seq)
  try {
    writeReservation(path, next)
  } catch (error) {
    // Else the next call would give numbers that only the database remembers.
    reserve.run(row.reserved_id, row.reserved_seq)
    throw error
  }
}

function catalogueRow(db: Database): CatalogueRow {
  return db
    .prepare('SELECT seq, reserved_id, reserved_seq FROM catalogue WHERE one = 1')
    .get() as CatalogueRow
}

function newEpoch(): string {
  return randomBytes(6).toString('hex')
}

/** A file that is missing or damaged remembers nothing: the database is then trusted alone. */
function readReservation(path: string): Reservation {
  try {
    const value = JSON.parse(readFileSync(path, 'utf8')) as Partial<Reservation> | null
    return { id: wholeNumber(value?.id), seq: wholeNumber(value?.seq) }
  } catch (error) {
    if (error instanceof SyntaxError || (error as { code?: string }).code === 'ENOENT')
      return { id: 0, seq: 0 }
    throw error
  }
}

function wholeNumber(value: unknown): number {
  return Number.isSafeInteger(value) ? (value as number) : 0
}

/** Replaces the file so that it is whole whatever happens: written aside, synchronised, renamed. */
function writeReservation(path: string, reservation: Reservation): void {
  const aside = `${path}.new`
  const file = openSync(aside, 'w', 0o640)
  try {
    writeSync(file, `${JSON.stringify(reservation)}\n`)
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
