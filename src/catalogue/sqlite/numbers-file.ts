/**
 * The sequences of ids and change numbers (seq). Clients store both, so no number may ever be
 * issued twice, not even by a database that was rebuilt or restored. Therefore a small file beside
 * the database has the latest issued numbers. It is written after each commit, so it is current
 * however the process ends, and synchronised about once a minute. Commits survive a power failure,
 * so a database with lower numbers than the file is an older copy or a new database. It continues a
 * million above the numbers of the file, which a power failure may have made too low, with a new
 * epoch.
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import { errorCode } from '../../runtime/error-code.ts'
import { newEpoch } from '../epoch.ts'
import { replaceFile, syncFile } from './database-files.ts'

interface Numbers {
  readonly id: number
  readonly seq: number
}

/** More than the numbers that are issued until the file is synchronised. */
const margin = 1_000_000
/** Longest time until the file is synchronised after a commit (ms). */
const syncDelayMs = 60_000

/**
 * Inserts the row of a new database. Advances the sequences above the numbers in the file if these
 * are higher, or if `restored`.
 * @param options.restored the database is a copy that will replace another one; its numbers are not
 * written to the file
 * @returns true if the database was an older copy
 */
export function restoreNumbers(
  db: Database,
  path: string,
  { restored }: { readonly restored: boolean },
): boolean {
  const text = read(path)
  const known = numbersOf(text)
  const added = db
    .prepare(
      `INSERT INTO catalogue (one, epoch, seq)
       SELECT 1, ?, 0 WHERE NOT EXISTS (SELECT 1 FROM catalogue)`,
    )
    .run(newEpoch())
  const issued = prepareIssued(db)
  const { id, seq } = issued()
  const isOlder = id < known.id || seq < known.seq
  if (restored || isOlder)
    advance(db, { id: Math.max(id, known.id) + margin, seq: Math.max(seq, known.seq) + margin })
  if (!restored && text !== textOf(issued())) replaceFile(path, textOf(issued()))
  return isOlder && added.changes === 0
}

/**
 * Writes the numbers of a database that will be replaced to the file, as far as they are higher.
 */
export function noteNumbers(db: Database, path: string): void {
  const [known, issued] = [numbersOf(read(path)), prepareIssued(db)()]
  const highest = { id: Math.max(known.id, issued.id), seq: Math.max(known.seq, issued.seq) }
  replaceFile(path, textOf(highest))
}

function advance(db: Database, { id, seq }: Numbers): void {
  db.transaction(() => {
    // The changes with the skipped numbers are unknown, so no client can resume from them.
    db.prepare(
      `UPDATE catalogue SET epoch = @epoch, seq = @seq, purged_seq = @seq, last_id = @id
       WHERE one = 1`,
    ).run({ epoch: newEpoch(), seq, id })
    // The files may have changed meanwhile, so the next sweep reads all directories.
    db.prepare('UPDATE directory SET mtime_us = NULL').run()
  }).immediate()
}

/**
 * Keeps the issued numbers in the file up to date. If it cannot be written, numbers stay unique,
 * but a restored older copy may not be detected.
 */
export class NumbersFile {
  readonly #path: string
  readonly #issued: () => Numbers
  #written: Numbers
  #synced: Numbers
  #timer: NodeJS.Timeout | undefined

  constructor(db: Database, path: string) {
    this.#path = path
    this.#issued = prepareIssued(db)
    this.#written = this.#synced = this.#issued()
  }

  /** Call after each commit that may have issued numbers. */
  committed(): void {
    const now = this.#issued()
    // An id is issued only together with a seq.
    if (now.seq === this.#written.seq) return
    try {
      write(this.#path, textOf(now))
    } catch {
      return
    }
    this.#written = now
    if (now.seq - this.#synced.seq > margin / 2) this.sync()
    else
      this.#timer ??= setTimeout(() => {
        this.sync()
      }, syncDelayMs).unref()
  }

  /** Synchronises the file now; call at the end of the process. */
  sync(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    try {
      syncFile(this.#path)
      this.#synced = this.#written
    } catch {
      // The next commit tries again.
    }
  }
}

function prepareIssued(db: Database): () => Numbers {
  const row = db.prepare('SELECT last_id AS id, seq FROM catalogue WHERE one = 1')
  return () => (row.get() as Numbers | undefined) ?? { id: 0, seq: 0 }
}

/**
 * The content of the file. It always has the same length, so that it can be overwritten by one
 * call.
 */
function textOf({ id, seq }: Numbers): string {
  return `${JSON.stringify({ id, seq }).padEnd(63)}\n`
}

function write(path: string, text: string): void {
  let file: number
  try {
    file = openSync(path, 'r+')
  } catch {
    replaceFile(path, text)
    return
  }
  try {
    writeSync(file, text, 0)
  } finally {
    closeSync(file)
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return ''
    throw error
  }
}

/**
 * The numbers in the text of the file. Without a valid file they are 0, so only those in the
 * database count.
 */
function numbersOf(text: string): Numbers {
  try {
    const { id, seq } = JSON.parse(text) as Partial<Numbers>
    const whole = (one: unknown) => (Number.isSafeInteger(one) ? (one as number) : 0)
    return { id: whole(id), seq: whole(seq) }
  } catch {
    return { id: 0, seq: 0 }
  }
}
