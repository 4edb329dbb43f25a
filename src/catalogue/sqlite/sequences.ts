/**
 * The sequences of ids and change numbers (seq). Clients store both, so no number may ever be issued twice, not even by a
 * database that was rebuilt or restored. Therefore numbers are reserved in blocks before they are issued, first in the database,
 * then in a small file beside it. The file also has the latest issued numbers, at most a minute late. Commits survive every end
 * of the process, so a database with lower numbers than the file is an older copy or a new database. That database continues
 * above the reserved numbers, with a new epoch.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import { replaceFile } from './database-files.ts'

interface Numbers {
  readonly id: number
  readonly seq: number
}

/** The numbers that a database or the file knows. */
interface KnownNumbers {
  /** The highest id and seq that may be issued without another reservation. */
  readonly reserved: Numbers
  /** The highest id and seq that are known to be issued. */
  readonly issued: Numbers
}

const blockSize = 1_000_000
/**
 * Longest time in milliseconds until issued numbers are in the file. They are not written at once, because this needs two
 * synchronised writes.
 */
const persistDelayMs = 60_000

/**
 * Inserts the row of a new database. Advances the sequences above the numbers in the file if the file has higher numbers than the
 * database, or if `restored`.
 * @param options.restored the database is known to be an older copy
 * @returns true if a database that was not new was advanced
 */
export function restoreSequences(
  db: Database,
  path: string,
  { restored }: { readonly restored: boolean },
): boolean {
  const persisted = readPersisted(path)
  const added = db
    .prepare(
      `INSERT INTO catalogue (one, epoch, seq, reserved_id, reserved_seq) VALUES (1, ?, 0, 0, 0)
       ON CONFLICT DO NOTHING`,
    )
    .run(newEpoch())
  const { reserved, issued } = numbersOf(db)
  if (!restored && reaches(reserved, persisted.reserved) && reaches(issued, persisted.issued)) {
    if (!reaches(persisted.reserved, reserved)) persist(db, path)
    return false
  }
  // A backup does not know the blocks that were reserved after it was made. The file does, but it may be lost too.
  const margin = restored ? blockSize : 0
  advance(db, {
    id: Math.max(reserved.id, persisted.reserved.id) + margin,
    seq: Math.max(reserved.seq, persisted.reserved.seq) + margin,
  })
  return added.changes === 0
}

function reaches(one: Numbers, other: Numbers): boolean {
  return one.id >= other.id && one.seq >= other.seq
}

function advance(db: Database, { id, seq }: Numbers): void {
  db.transaction(() => {
    // The changes with the skipped numbers are unknown, so no client can resume from them.
    db.prepare(
      `UPDATE catalogue SET epoch = ?, seq = ?, forgotten_seq = ?, reserved_id = ?, reserved_seq = ?
       WHERE one = 1`,
    ).run(newEpoch(), seq, seq, id, seq)
    db.prepare(`DELETE FROM sqlite_sequence WHERE name = 'file'`).run()
    db.prepare(`INSERT INTO sqlite_sequence (name, seq) VALUES ('file', ?)`).run(id)
    // The files may have changed meanwhile, so the next sweep reads all directories.
    db.prepare('UPDATE directory SET mtime_us = NULL').run()
  }).immediate()
}

/**
 * Reserves at least `count` more ids and seqs. Needs two synchronised writes once per million numbers. Must not be called within
 * a transaction.
 */
export function reserveSequences(db: Database, path: string, count: number): void {
  const { reserved, issued } = numbersOf(db)
  if (reaches(reserved, { id: issued.id + count, seq: issued.seq + count })) return
  const next = { id: issued.id + count + blockSize, seq: issued.seq + count + blockSize }
  const reserve = db.prepare('UPDATE catalogue SET reserved_id = ?, reserved_seq = ? WHERE one = 1')
  reserve.run(next.id, next.seq)
  try {
    persist(db, path)
  } catch (error) {
    // Without this correction, the next call would issue numbers that are not in the file.
    reserve.run(reserved.id, reserved.seq)
    throw error
  }
}

/** Keeps the issued numbers in the file up to date. */
export interface Sequences {
  /** Call after each commit that may have issued numbers. */
  committed(): void
  /** Writes the issued numbers now; call at the end of the process. */
  persist(): void
}

export function openSequences(db: Database, path: string): Sequences {
  let timer: NodeJS.Timeout | undefined
  const persistNow = (): void => {
    try {
      persist(db, path)
    } catch {
      // The file cannot be written, for example because the disk is full. Numbers stay unique, but a restored older copy may not
      // be detected.
    }
  }
  return {
    committed() {
      timer ??= setTimeout(() => {
        timer = undefined
        persistNow()
      }, persistDelayMs).unref()
    },
    persist() {
      clearTimeout(timer)
      timer = undefined
      persistNow()
    },
  }
}

function persist(db: Database, path: string): void {
  const { reserved, issued } = numbersOf(db)
  replaceFile(path, `${JSON.stringify({ ...reserved, given: issued })}\n`)
}

function numbersOf(db: Database): KnownNumbers {
  const row = db.prepare(
    `SELECT reserved_id, reserved_seq, seq, (SELECT seq FROM sqlite_sequence WHERE name = 'file') AS id
     FROM catalogue WHERE one = 1`,
  )
  const { reserved_id, reserved_seq, seq, id } = row.get() as Record<string, number | null>
  return {
    reserved: { id: reserved_id ?? 0, seq: reserved_seq ?? 0 },
    issued: { id: id ?? 0, seq: seq ?? 0 },
  }
}

function newEpoch(): string {
  return randomBytes(6).toString('hex')
}

/** The content of the file of sequences: the reserved numbers, and the issued ones in `given`. */
type Persisted = Partial<Numbers> & { readonly given?: Partial<Numbers> }

/** Reads the file of sequences. Without a valid file all its numbers are 0, so only those in the database count. */
function readPersisted(path: string): KnownNumbers {
  const { given, ...reserved } = readObject(path)
  return { reserved: toNumbers(reserved), issued: toNumbers(given) }
}

function readObject(path: string): Persisted {
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as Persisted | null) ?? {}
  } catch (error) {
    if (error instanceof SyntaxError || (error as { code?: string }).code === 'ENOENT') return {}
    throw error
  }
}

function toNumbers(value: Partial<Numbers> | undefined): Numbers {
  const whole = (one: unknown) => (Number.isSafeInteger(one) ? (one as number) : 0)
  return { id: whole(value?.id), seq: whole(value?.seq) }
}
