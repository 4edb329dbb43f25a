/** Changes rows of `checksum` and `fact`, and the counters in `hashing`. */
import type { Facts } from '../../rinex/facts.ts'
import type { Dialect } from '../dialect.ts'
import { FactRows } from '../facts/fact-rows.ts'
import type { Problem } from '../filter.ts'
import type { Question, Statement, Values } from '../question.ts'
import { column, execute, rows } from '../question.ts'
import type { FileIdentity } from '../records.ts'
import { identityColumns, identityRow } from '../tables/record.ts'
import type { ReboundFile } from './change.ts'

/** The checksums and facts of a file, and the identity of the file when it was read for them. */
export interface Checksum extends FileIdentity {
  readonly id: number
  readonly sha256: Uint8Array
  readonly md5: Uint8Array
  /** What is inside the file; `undefined` if it was not read for that. */
  readonly facts: Facts | undefined
  /** The problem of the file's content; `undefined` if it has none. */
  readonly problem: Exclude<Problem, 'misplaced'> | undefined
  /**
   * True if the file had been unchanged for so long that a change during hashing must have changed
   * its ctime. If false, the checksum is stale from the start.
   */
  readonly rested: boolean
}

/** To be used if details of files change without a change of their records. */
export const raiseDetails: Statement = {
  sql: 'UPDATE catalogue SET details_seq = details_seq + 1 WHERE one = 1',
}

/**
 * What changes of files mean for their checksums: removed, bound to a new identity, or stale. The
 * facts of a file are there if and only if its checksum is valid: those of a stale one are removed.
 */
export class ChecksumRows {
  readonly #facts: FactRows
  readonly #isListed: string
  readonly #fresh: string
  readonly #insert: string
  readonly #rebind: string

  constructor(dialect: Dialect) {
    this.#facts = new FactRows(dialect)
    this.#insert = dialect.insert('checksum', {
      id: 'bigint',
      sha256: 'bytea',
      md5: 'bytea',
      size: 'bigint',
      mtime_us: 'bigint',
      broken: 'int',
      ...identityColumns,
      stale_us: 'bigint',
    })
    this.#rebind = dialect.update('checksum', { id: 'bigint' }, identityColumns)
    this.#isListed = dialect.isIn('id', 'ids')
    this.#fresh = `SELECT f.directory FROM checksum c JOIN file f ON f.id = c.id
      WHERE ${dialect.isIn('c.id', 'ids')} AND c.stale_us IS NULL`
  }

  /** Deletes the checksums and facts of files that were removed or changed. */
  *remove(ids: readonly number[]): Question<void> {
    if (ids.length === 0) return
    const stale = yield* column<number>(
      `DELETE FROM checksum WHERE ${this.#isListed}
       RETURNING CASE WHEN stale_us IS NULL THEN 0 ELSE 1 END`,
      { ids },
    )
    if (stale.length === 0) return
    const sum = stale.reduce((all, each) => all + each, 0)
    const facts = yield* this.#facts.remove(ids)
    yield* execute(count({ fresh: sum - stale.length, stale: -sum, facts: -facts }))
  }

  /**
   * Replaces the checksums of files by these, or deletes them.
   * @param ids the files; those without a new checksum have another size or mtime now
   */
  *replace(ids: readonly number[], checksums: readonly Checksum[], nowUs: number): Question<void> {
    yield* this.remove(ids)
    if (checksums.length === 0) return
    const many = checksums.map(({ id, sha256, md5, problem, rested, ...identity }): Values => ({
      id,
      sha256,
      md5,
      size: identity.size,
      mtime_us: identity.mtimeUs,
      broken: problem === 'broken' ? 1 : 0,
      ...identityRow(identity),
      stale_us: rested ? null : nowUs,
    }))
    const rested = checksums.filter((checksum) => checksum.rested)
    const read = rested.flatMap(({ id, facts }) => (facts === undefined ? [] : [{ id, facts }]))
    yield* this.#facts.insert(read)
    const stale = checksums.length - rested.length
    const counted = count({ fresh: rested.length, stale, facts: read.length })
    yield* execute({ sql: this.#insert, many }, counted)
  }

  /**
   * Marks the checksums of files as stale: the files are hashed again from the time `fromUs` on.
   * Those that are stale already only get this time, and only if `postpone` is true.
   * @returns the directory of each file whose checksum became stale
   */
  *markStale(
    ids: readonly number[],
    { fromUs, postpone }: { readonly fromUs: number; readonly postpone: boolean },
  ): Question<number[]> {
    if (ids.length === 0) return []
    const values = { ids, fromUs }
    const directories = yield* column<number>(this.#fresh, values)
    if (directories.length > 0) {
      const facts = yield* this.#facts.remove(ids)
      const number = directories.length
      yield* execute(count({ fresh: -number, stale: number, facts: -facts }))
    }
    const postponed = `UPDATE checksum SET stale_us = @fromUs WHERE ${this.#isListed}`
    const setStale = { sql: `${postponed} AND stale_us IS NULL`, values }
    if (directories.length > 0) yield* execute(setStale)
    if (postpone) yield* execute({ sql: postponed, values })
    return directories
  }

  /**
   * Stores new attributes in the identities of checksums.
   * @returns the files that were hashed again in the meantime: the caller compared them with an
   * earlier checksum
   */
  *rebind(files: readonly ReboundFile[]): Question<number[]> {
    if (files.length === 0) return []
    const ids = files.map(({ id }) => id)
    const bound = `SELECT id, ctime_us FROM checksum WHERE ${this.#isListed} AND stale_us IS NULL`
    const known = new Map(yield* rows<[id: number, ctimeUs: number]>(bound, { ids }))
    const isBound = ({ id, boundCtimeUs }: ReboundFile) => known.get(id) === boundCtimeUs
    const many = files.filter(isBound).map(({ id, identity }): Values => ({
      id,
      ...identityRow(identity),
    }))
    yield* execute({ sql: this.#rebind, many })
    return files.filter((file) => !isBound(file)).map(({ id }) => id)
  }
}

/** Counts changes of the numbers of checksums that are not stale, of stale ones, and of facts. */
function count(changes: {
  readonly fresh: number
  readonly stale: number
  readonly facts: number
}): Statement {
  return {
    sql: `UPDATE hashing SET files = files + @fresh, stale = stale + @stale, facts = facts + @facts
      WHERE one = 1`,
    values: changes,
  }
}
