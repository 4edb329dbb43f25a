/** Finds files that have no valid checksum, or not all that is read with it. */
import type { Dialect } from '../dialect.ts'
import type { Question } from '../question.ts'
import { row, rows, value } from '../question.ts'
import { pathOf } from '../tables/paths.ts'
import { latestChangeUs } from '../tables/record.ts'

/** A file that is to be read. */
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

  /** @param facts true to find also the files that have a checksum, but no facts */
  *below(id: number, facts: boolean) {
    const sql = facts ? this.#sql.belowWithFacts : this.#sql.below
    const found = (yield* rows<UnhashedRow>(sql, { id })).map(toFile)
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
  const columns = `f.id, ${pathOf('d.path', 'f.name')}, f.size, f.mtime_us, f.seq`
  // Files with a stale checksum are in a queue of their own.
  const unhashed = (next: string, also = 'TRUE'): string => `SELECT ${columns},
      ${latestChangeUs(dialect)}
    FROM (${next}) f JOIN directory d ON d.id = f.directory
    WHERE NOT EXISTS (SELECT 1 FROM checksum c
      WHERE c.id = f.id AND c.size = f.size AND c.mtime_us = f.mtime_us AND ${also})`
  // Of a checksum of an earlier release.
  const hasMd5 = 'c.md5 IS NOT NULL'
  const hasFacts = 'EXISTS (SELECT 1 FROM fact x WHERE x.id = c.id)'
  const changes = `SELECT * FROM file WHERE seq > @from ORDER BY seq LIMIT ${changesPerQuery}`
  const files = `SELECT * FROM file WHERE id < @id ORDER BY id DESC LIMIT ${filesPerQuery}`
  const older = (also: string): string =>
    `${unhashed(files, `(c.stale_us IS NOT NULL OR ${also})`)} ORDER BY f.id DESC LIMIT ${maxResults}`
  const oldest = (condition: string): string => `SELECT * FROM (SELECT id, stale_us FROM checksum
    WHERE ${condition} ORDER BY stale_us, id LIMIT ${maxResults}) AS part`
  return {
    changes: `SELECT max(seq), count(*) FROM (${changes}) AS part`,
    arrived: `${unhashed(changes)} ORDER BY f.seq LIMIT ${maxResults}`,
    files: `SELECT min(id) FROM (${files}) AS part`,
    below: older(hasMd5),
    belowWithFacts: older(`${hasMd5} AND ${hasFacts}`),
    stale: `SELECT ${columns}, c.stale_us
      FROM (${oldest('stale_us <= @now')} UNION ALL ${oldest('stale_us > @late')}) c
      LEFT JOIN file f ON f.id = c.id LEFT JOIN directory d ON d.id = f.directory
      ORDER BY c.stale_us, f.id LIMIT ${maxResults}`,
  }
}

function toFile([id, path, size, mtimeUs, seq, sinceUs]: UnhashedRow): UnhashedFile {
  return { id, path, size, mtimeUs, seq, sinceUs }
}
