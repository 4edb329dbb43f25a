/** Writes the rows of directories: stamps, counts, rejections, times of changes. */
import type { Dialect } from '../dialect.ts'
import type { Question, Statement } from '../question.ts'
import { execute, row, value } from '../question.ts'
import type { DirectoryChange } from './change.ts'

const secondUs = 1_000_000

/** What a change adds to a directory. */
interface Growth {
  /** Number of files added minus number of files removed. */
  readonly growth: number
  /** The latest start of the added files (s since 1970); `undefined` without any. */
  readonly newest: number | undefined
  readonly nowUs: number
}

interface DirectoryRow {
  readonly id: number
  /** True if entries of it were rejected. */
  readonly rejects: boolean
}

/** What a change means for the row of its directory, and of those above it. */
export class DirectoryRows {
  readonly #sql: ReturnType<typeof directorySql>
  #latestUs: number | undefined
  #pastUs = 0

  constructor(dialect: Dialect) {
    this.#sql = directorySql(dialect)
  }

  /** The row of a directory; an unknown one is added. */
  *rowOf(path: string): Question<DirectoryRow> {
    const [id, rejects] = (yield* row<[id: number, rejects: number]>(this.#sql.id, { path })) ?? []
    if (id !== undefined) return { id, rejects: Boolean(rejects) }
    return { id: (yield* value<number>(this.#sql.add, { path })) ?? 0, rejects: false }
  }

  record(
    { id, rejects }: DirectoryRow,
    change: DirectoryChange,
    { growth, newest, nowUs }: Growth,
  ): Statement[] {
    const sql = this.#sql
    if (change.more) return [{ sql: sql.part, values: { id, growth, newest: newest ?? null } }]
    const { stamp, rejections, directories: below } = change
    const values = {
      id,
      mtime_us: stamp?.mtimeUs ?? null,
      ctime_us: stamp?.ctimeUs ?? null,
      inode: stamp?.inode ?? null,
      names_sum: stamp?.namesSum ?? null,
      withheld_since_us: change.withheldSinceUs ?? null,
      gone: change.gone ? 1 : 0,
      growth,
      newest: newest ?? null,
    }
    const many = rejections.map(({ reason, count, names }) => ({
      directory: id,
      reason,
      count,
      names: JSON.stringify(names),
      since_us: nowUs,
    }))
    const reasons = rejections.map(({ reason }) => reason)
    return [
      { sql: sql.whole, values },
      ...(below.length === 0 ? [] : [{ sql: sql.below, values: { paths: below } }]),
      ...(rejects ? [{ sql: sql.accepted, values: { id, reasons } }] : []),
      ...(many.length === 0 ? [] : [{ sql: sql.rejected, many }]),
    ]
  }

  /** Records that a checksum of a file in each of these directories became known or stale. */
  hashed(directories: readonly number[]): Statement {
    return { sql: this.#sql.hashed, values: { ids: directories } }
  }

  /** Records that the listings of some directories and their ancestors changed. */
  *touch(directories: readonly string[], nowUs: number): Question<void> {
    const past = yield* this.#secondPast(nowUs)
    // The root has a row if all of the archive is one area.
    const paths = new Set([''])
    for (const path of directories)
      for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1))
        paths.add(path.slice(0, end))
    yield* execute({ sql: this.#sql.touch, values: { now: nowUs, past, paths: [...paths] } })
  }

  /**
   * Clients validate listings by `Last-Modified`, in whole seconds. After the clock was set back, a
   * directory could change again in a second that clients already know, so they would miss the
   * change. So if the latest recorded change of a directory lies in the future, its next change
   * gets at least the start of the next whole second after the latest recorded change of all
   * directories. What is kept here after a rollback is only later than needed.
   * @returns the start of that second (µs); 0 until the clock is set back for the first time
   */
  *#secondPast(nowUs: number): Question<number> {
    this.#latestUs ??= (yield* value<number>(this.#sql.latest)) ?? 0
    if (nowUs < this.#latestUs && this.#latestUs !== this.#pastUs)
      this.#pastUs = (Math.floor(this.#latestUs / secondUs) + 1) * secondUs
    this.#latestUs = Math.max(nowUs, this.#pastUs)
    return this.#pastUs
  }
}

function directorySql(dialect: Dialect) {
  const newest = `newest = CASE WHEN newest >= @newest THEN newest
    ELSE coalesce(@newest, newest) END`
  return {
    id: `SELECT id, EXISTS (SELECT 1 FROM rejection WHERE directory = directory.id)
      FROM directory WHERE path = @path`,
    add: `INSERT INTO directory (id, path)
      VALUES ((SELECT coalesce(max(id), 0) + 1 FROM directory), @path) RETURNING id`,
    whole: `UPDATE directory SET mtime_us = @mtime_us, ctime_us = @ctime_us, inode = @inode,
        names_sum = @names_sum, gone = @gone, withheld_since_us = @withheld_since_us,
        files = files + @growth, ${newest}
      WHERE id = @id`,
    part: `UPDATE directory SET mtime_us = NULL, gone = 0, files = files + @growth, ${newest}
      WHERE id = @id`,
    below: `INSERT INTO directory (id, path)
      SELECT (SELECT coalesce(max(id), 0) + 1 FROM directory) + r.key, r.value
      FROM ${dialect.each('paths', 'text')} WHERE TRUE
      ON CONFLICT (path) DO UPDATE SET gone = 0, mtime_us = NULL WHERE directory.gone = 1`,
    accepted: `DELETE FROM rejection
      WHERE directory = @id AND NOT ${dialect.isIn('reason', 'reasons', 'text')}`,
    rejected: dialect.insert(
      'rejection',
      { directory: 'int', reason: 'text', count: 'bigint', names: 'text', since_us: 'bigint' },
      `ON CONFLICT (directory, reason)
         DO UPDATE SET count = excluded.count, names = excluded.names`,
    ),
    touch: `UPDATE directory SET changed_us = CASE WHEN changed_us > @now - ${secondUs}
        THEN ${dialect.greatest('changed_us + 1', '@now', '@past')} ELSE @now END
      WHERE ${dialect.isIn('path', 'paths', 'text')}`,
    hashed: `UPDATE directory SET hashed = hashed + 1 WHERE ${dialect.isIn('id', 'ids')}`,
    latest: 'SELECT max(changed_us) FROM directory',
  }
}
