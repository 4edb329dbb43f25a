/** Finds files that have no valid checksum, and stores checksums. */
import type { Dialect } from '../dialect.ts'
import type { Question, Values } from '../question.ts'
import { execute, row, rows, value } from '../question.ts'
import { isDamaged, latestChangeUs } from '../tables/record.ts'
import type { UpdateParts } from './apply.ts'
import { type Checksum, raiseDetails } from './checksum-rows.ts'
import type { SlotFile } from './deliveries.ts'

/** A file without a valid checksum. */
export interface UnhashedFile {
  readonly id: number
  /** Path relative to the archive root. */
  readonly path: string
  readonly size: number
  readonly mtimeUs: number
  /** Time of the latest change of the file in the catalogue. */
  readonly sinceUs: number
  readonly seq: number
}

/** New and modified files without a checksum, in the order of seq. */
export interface ArrivedUnhashed {
  readonly files: readonly UnhashedFile[]
  /** All files that changed up to this seq are included or need no hashing. */
  readonly throughSeq: number
  /** Upper bound for the number of changes after `throughSeq`. */
  readonly behind: number
}

/** Files whose checksums are stale. */
export interface StaleFiles {
  /**
   * Some of the files that may be hashed now, longest waiting first; `sinceUs` is the time from
   * which the file may be hashed again.
   */
  readonly files: readonly UnhashedFile[]
  /** Number of all files with stale checksums. */
  readonly count: number
}

/**
 * Maximum number of changes, and of files, that one query examines, which takes one or two
 * milliseconds.
 */
const changesPerQuery = 1000
const filesPerQuery = 2000
/** Maximum number of files that one query returns. */
const maxResults = 100
/**
 * Longest time (µs) for which hashing a file with a stale checksum is postponed. A later time means
 * that the clock was set back, so the file is hashed now.
 */
const longestWaitUs = 3_600_000_000

type UnhashedRow = [
  id: number,
  path: string,
  size: number,
  mtimeUs: number,
  seq: number,
  sinceUs: number,
]

/** Finds files to be hashed. */
export class HashingQueue {
  readonly #sql: ReturnType<typeof queueSql>

  constructor(dialect: Dialect) {
    this.#sql = queueSql(dialect)
  }

  *arrived(since: number | undefined): Question<ArrivedUnhashed> {
    const headSeq = (yield* value<number>('SELECT seq FROM catalogue WHERE one = 1')) ?? 0
    const stored = yield* value<number>('SELECT seq FROM hashing WHERE one = 1')
    const from = since ?? stored ?? headSeq
    const found = (yield* rows<UnhashedRow>(this.#sql.arrived, { from })).map(toFile)
    const [seq, count] = (yield* row<[number | null, number]>(this.#sql.changes, { from })) ?? [
      null,
      0,
    ]
    // If fewer changes than the limit are found, the remaining seqs belong to removals.
    const end = seq === null || count < changesPerQuery ? headSeq : seq
    const throughSeq = found.length < maxResults ? end : (found.at(-1)?.seq ?? end)
    return { files: found, throughSeq, behind: headSeq - throughSeq }
  }

  *below(id: number) {
    const found = (yield* rows<UnhashedRow>(this.#sql.below, { id })).map(toFile)
    const end = yield* value<number>(this.#sql.files, { id })
    return { files: found, next: found.length < maxResults ? end : found.at(-1)?.id }
  }

  /** The queue of files whose checksums are stale. */
  *stale(nowUs: number): Question<StaleFiles> {
    const late = nowUs + longestWaitUs
    const found = yield* rows<UnhashedRow>(this.#sql.stale, { now: nowUs, late })
    const count = (yield* value<number>('SELECT stale FROM hashing WHERE one = 1')) ?? 0
    return { files: found.map(toFile), count }
  }
}

function queueSql(dialect: Dialect) {
  const columns = `f.id, d.path || '/' || f.name, f.size, f.mtime_us, f.seq`
  // Files with a stale checksum are in a queue of their own.
  const unhashed = (next: string): string => `SELECT ${columns}, ${latestChangeUs(dialect)}
    FROM (${next}) f JOIN directory d ON d.id = f.directory
    WHERE NOT EXISTS (SELECT 1 FROM checksum c
      WHERE c.id = f.id AND c.size = f.size AND c.mtime_us = f.mtime_us)`
  const changes = `SELECT * FROM file WHERE seq > @from ORDER BY seq LIMIT ${changesPerQuery}`
  const files = `SELECT * FROM file WHERE id < @id ORDER BY id DESC LIMIT ${filesPerQuery}`
  const oldest = (condition: string): string => `SELECT * FROM (SELECT id, stale_us FROM checksum
    WHERE ${condition} ORDER BY stale_us, id LIMIT ${maxResults}) AS part`
  return {
    changes: `SELECT max(seq), count(*) FROM (${changes}) AS part`,
    arrived: `${unhashed(changes)} ORDER BY f.seq LIMIT ${maxResults}`,
    files: `SELECT min(id) FROM (${files}) AS part`,
    below: `${unhashed(files)} ORDER BY f.id DESC LIMIT ${maxResults}`,
    stale: `SELECT ${columns}, c.stale_us
      FROM (${oldest('stale_us <= @now')} UNION ALL ${oldest('stale_us > @late')}) c
      LEFT JOIN file f ON f.id = c.id LEFT JOIN directory d ON d.id = f.directory
      ORDER BY c.stale_us, f.id LIMIT ${maxResults}`,
  }
}

function toFile([id, path, size, mtimeUs, seq, sinceUs]: UnhashedRow): UnhashedFile {
  return { id, path, size, mtimeUs, seq, sinceUs }
}

/** A live file whose checksum is stored. */
type HashedFileRow = [
  id: number,
  size: number,
  mtimeUs: number,
  incomplete: number,
  damagedUs: number | null,
  station: number,
  kind: number,
  start: number,
  directory: number,
]

/** Stores checksums, and marks them as stale. */
export class Hashing {
  readonly #parts: UpdateParts
  readonly #sql: ReturnType<typeof hashingSql>

  constructor(dialect: Dialect, parts: UpdateParts) {
    this.#parts = parts
    this.#sql = hashingSql(dialect)
  }

  *keep(list: readonly Checksum[], throughSeq: number, nowUs: number): Question<void> {
    if (list.length > 0) yield* this.#keepAll(list, nowUs)
    yield* execute({ sql: this.#sql.through, values: { seq: throughSeq } })
  }

  *hashAgain(ids: readonly number[], fromUs: number): Question<void> {
    const { checksums, directories } = this.#parts
    const stale = yield* checksums.markStale(ids, { fromUs, postpone: true })
    if (stale.length > 0) yield* execute(directories.hashed(stale), raiseDetails)
  }

  *#keepAll(list: readonly Checksum[], nowUs: number): Question<void> {
    const { checksums, deliveries, directories } = this.#parts
    const ids = list.map(({ id }) => id)
    const found = yield* rows<HashedFileRow>(this.#sql.known, { ids })
    const rowsById = new Map(found.map((each) => [each[0], each]))
    const valid: Checksum[] = []
    const facts: Values[] = []
    const [lost, gained]: [SlotFile[], SlotFile[]] = [[], []]
    yield* deliveries.begin()
    // A file has one checksum: the last one of the list.
    for (const checksum of new Map(list.map((each) => [each.id, each])).values()) {
      const file = rowsById.get(checksum.id)
      if (file === undefined) continue
      const [id, size, mtimeUs, wasIncomplete, wasDamagedUs, station, kind, data_date] = file
      if (checksum.size !== size || checksum.mtimeUs !== mtimeUs) continue
      valid.push(checksum)
      const incomplete = checksum.problem === 'incomplete' ? 1 : 0
      const isBroken = checksum.problem === 'broken'
      const isBad = isDamaged({ size, incomplete: incomplete === 1, isBroken })
      const damaged_us = isBad ? (wasDamagedUs ?? nowUs) : null
      if (incomplete !== wasIncomplete || damaged_us !== wasDamagedUs)
        facts.push({ id, incomplete, damaged_us })
      if (wasDamagedUs === null && isBad) lost.push({ id, station, kind, data_date })
      if (wasDamagedUs !== null && !isBad) gained.push({ id, station, kind, data_date })
    }
    yield* execute(raiseDetails, { sql: this.#sql.facts, many: facts })
    yield* deliveries.lose(lost)
    // When the good content came is not known.
    if (gained.length > 0)
      yield* execute({ sql: this.#sql.unseen, values: { ids: gained.map(({ id }) => id) } })
    yield* deliveries.gain(
      gained.map((file) => ({ ...file, arrival_us: null })),
      nowUs,
    )
    yield* checksums.replace(ids, valid, nowUs)
    yield* execute(directories.hashed(list.flatMap(({ id }) => rowsById.get(id)?.[8] ?? [])))
  }
}

function hashingSql(dialect: Dialect) {
  return {
    known: `SELECT f.id, f.size, f.mtime_us, f.incomplete, f.damaged_us, f.station, f.kind, f.data_date,
        f.directory
      FROM file f WHERE ${dialect.isIn('f.id', 'ids')}`,
    through: `UPDATE hashing SET seq = ${dialect.greatest('coalesce(seq, 0)', '@seq')}
      WHERE one = 1`,
    facts: dialect.update('file', { id: 'bigint' }, { incomplete: 'int', damaged_us: 'bigint' }),
    unseen: `UPDATE file SET arrival_us = NULL WHERE ${dialect.isIn('id', 'ids')}`,
  }
}
