/**
 * Applies the changes of reconciled directories in one transaction. Each insert, change and removal
 * takes the next `seq`, and each new file the next id. The counts are updated once at the end.
 */
import type { Dialect } from '../dialect.ts'
import type { Question } from '../question.ts'
import { execute, row, rows } from '../question.ts'
import { head } from '../questions/summary.ts'
import type { Head } from '../records.ts'
import { isDamaged, movedModified, recordNames, setFacts } from '../tables/record.ts'
import { LastLayout } from '../tables/stored-layout.ts'
import type { DirectoryChange, FileFacts } from './change.ts'
import { ChecksumRows, raiseDetails } from './checksum-rows.ts'
import type { CountedFile } from './count-differences.ts'
import { prepareCounts } from './count-differences.ts'
import { DeliveryRows } from './deliveries.ts'
import { DirectoryRows } from './directories.ts'
import type { Progress } from './insert.ts'
import { Inserts } from './insert.ts'

/** What the questions that change records share. */
export type UpdateParts = ReturnType<typeof updateParts>

export function updateParts(dialect: Dialect) {
  return {
    directories: new DirectoryRows(dialect),
    counts: prepareCounts(dialect),
    checksums: new ChecksumRows(dialect),
    deliveries: new DeliveryRows(dialect),
  }
}

/** The numbers of changes that were applied, and the head after them. */
export type Applied = Pick<Progress, 'added' | 'modified' | 'removed' | 'newest'> & {
  readonly head: Head
}

export interface Applying {
  /** The clock: microseconds since 1970. */
  readonly nowUs: () => number
  /**
   * Called with each change before it is applied, and without a change after the last one. So after
   * an error the caller knows which change is invalid.
   */
  readonly begin: (change?: DirectoryChange) => void
}

type HeadRow = [seq: number, id: number, layout: string | null]

/** Applies changes of directories. */
export class Apply {
  readonly #parts: UpdateParts
  readonly #inserts: Inserts
  readonly #files: FileRows
  readonly #head: string
  readonly #layout = new LastLayout()

  constructor(dialect: Dialect, parts: UpdateParts) {
    this.#parts = parts
    this.#inserts = new Inserts(dialect, parts.deliveries)
    this.#files = new FileRows(dialect, parts)
    this.#head = `SELECT seq, last_id, layout FROM catalogue WHERE one = 1 ${dialect.forUpdate}`
  }

  *all(changes: readonly DirectoryChange[], { nowUs, begin }: Applying): Question<Applied> {
    const [seq, id, layout] = (yield* row<HeadRow>(this.#head)) ?? [0, 0, null]
    const counts = yield* this.#parts.counts()
    const numbers = { seq, id, added: 0, modified: 0, removed: 0 }
    const newest = new Map<string, number>()
    const progress = { ...numbers, details: false, newest, counts }
    yield* this.#inserts.begin(this.#layout.from(layout))
    yield* this.#parts.deliveries.begin()
    for (const change of changes) {
      begin(change)
      yield* this.#one(change, nowUs(), progress)
    }
    begin()
    const changed = changes.filter(changesFiles).map(({ path }) => path)
    if (changed.length > 0) yield* this.#parts.directories.touch(changed, nowUs())
    const sql = 'UPDATE catalogue SET seq = @seq, last_id = @id WHERE one = 1'
    const issued = { seq: progress.seq, id: progress.id }
    if (progress.seq !== seq) yield* execute({ sql, values: issued })
    if (progress.details) yield* execute(raiseDetails)
    yield* counts.write()
    const { added, modified, removed } = progress
    return { added, modified, removed, newest, head: yield* head() }
  }

  *#one(change: DirectoryChange, nowUs: number, progress: Progress): Question<void> {
    const { directories, checksums } = this.#parts
    const { attributes, rehash } = change
    const own = yield* directories.rowOf(change.path)
    const directory = own.id
    const before = progress.added - progress.removed
    const known = yield* this.#files.known(change)
    yield* this.#files.remove(known, { change, nowUs }, progress)
    const newest = yield* this.#inserts.insert({ change, directory, nowUs }, progress)
    if (newest !== undefined) progress.newest.set(change.path, newest)
    yield* this.#files.modify(known, { change, nowUs }, progress)
    const growth = progress.added - progress.removed - before
    yield* execute(...directories.record(own, change, { growth, newest, nowUs }))
    const ids = [...(yield* checksums.rebind(attributes)), ...rehash]
    const stale = yield* checksums.markStale(ids, { fromUs: nowUs, postpone: false })
    if (stale.length > 0) yield* execute(directories.hashed([directory]))
    if (stale.length > 0) progress.details = true
  }
}

/** True if listings show the change; they do not show that a checksum became stale. */
function changesFiles({ added, modified, removed }: DirectoryChange): boolean {
  return added.length + modified.length + removed.length > 0
}

/** A live record as it is after the changes so far. */
interface LiveFile extends CountedFile {
  size: number
  readonly created_us: number
  modified_us: number | null
  damaged_us: number | null
  arrival_us: number | null
}

type LiveFileRow = [
  id: number,
  station: number,
  kind: number,
  start: number,
  size: number,
  created_us: number,
  modified_us: number | null,
  damaged_us: number | null,
  arrival_us: number | null,
]

interface TimedChange {
  readonly change: DirectoryChange
  readonly nowUs: number
}

/** Removes and changes live records; `known` has those that exist, by id. */
class FileRows {
  readonly #checksums: ChecksumRows
  readonly #deliveries: DeliveryRows
  readonly #sql: ReturnType<typeof fileSql>

  constructor(dialect: Dialect, { checksums, deliveries }: UpdateParts) {
    this.#checksums = checksums
    this.#deliveries = deliveries
    this.#sql = fileSql(dialect)
  }

  /** The live records to which a change refers. */
  *known({ removed, modified }: DirectoryChange): Question<Map<number, LiveFile>> {
    const ids = [...removed, ...modified.map(({ id }) => id)]
    if (ids.length === 0) return new Map()
    const found = yield* rows<LiveFileRow>(this.#sql.known, { ids })
    return new Map(
      found.map(([id, station, kind, data_date, size, ...times]) => {
        const [created_us, modified_us, damaged_us, arrival_us] = times
        const own = { created_us, modified_us, damaged_us, arrival_us }
        return [id, { id, station, kind, data_date, size, ...own }]
      }),
    )
  }

  *remove(
    known: Map<number, LiveFile>,
    { change, nowUs }: TimedChange,
    progress: Progress,
  ): Question<void> {
    const ids = [...new Set(change.removed)].filter((id) => known.has(id))
    if (ids.length === 0) return
    yield* execute(
      { sql: this.#sql.bury, values: { ids, seq: progress.seq + 1, now: nowUs } },
      { sql: this.#sql.remove, values: { ids } },
    )
    yield* this.#checksums.remove(ids)
    for (const id of ids) {
      const file = known.get(id)
      if (file !== undefined) progress.counts.remove(file)
      known.delete(id)
    }
    progress.seq += ids.length
    progress.removed += ids.length
  }

  /** Stores the size and mtime of files that changed on disk. */
  *modify(
    known: Map<number, LiveFile>,
    { change, nowUs }: TimedChange,
    progress: Progress,
  ): Question<void> {
    const [lost, gained]: [LiveFile[], LiveFile[]] = [[], []]
    const modified = change.modified.flatMap((facts) => {
      const file = resize(known, facts, progress)
      if (file === undefined) return []
      progress.modified++
      const wasDamaged = file.damaged_us !== null
      file.modified_us = movedModified(nowUs, file)
      file.damaged_us = isDamaged(facts) ? (file.damaged_us ?? nowUs) : null
      if (!wasDamaged && file.damaged_us !== null) lost.push(file)
      if (wasDamaged) file.arrival_us = facts.arrivalUs ?? null
      if (wasDamaged && file.damaged_us === null) gained.push(file)
      const { modified_us, damaged_us, arrival_us } = file
      const seq = ++progress.seq
      return { ...factsOf(facts), damaged_us, modified_us, arrival_us, seq, change: 1 }
    })
    if (modified.length === 0) return
    yield* execute({ sql: this.#sql.modify, many: modified })
    yield* this.#checksums.remove(modified.map(({ id }) => id))
    yield* this.#deliveries.lose(lost)
    yield* this.#deliveries.gain(gained, nowUs)
  }
}

/** Counts a new size. @returns the record; `undefined` if there is none */
function resize(
  known: Map<number, LiveFile>,
  { id, size }: FileFacts,
  { counts }: Progress,
): LiveFile | undefined {
  const file = known.get(id)
  if (file === undefined) return undefined
  counts.resize(file, size)
  file.size = size
  return file
}

function factsOf({ id, size, mtimeUs, incomplete, disguised }: FileFacts) {
  const marks = { incomplete: incomplete === true ? 1 : 0, disguised: disguised === true ? 1 : 0 }
  return { id, size, mtime_us: mtimeUs, ...marks }
}

function fileSql(dialect: Dialect) {
  return {
    known: `SELECT id, station, kind, data_date, size, created_us, modified_us, damaged_us,
        arrival_us FROM file
      WHERE ${dialect.isIn('id', 'ids')}`,
    // LEFT JOIN keeps the order of the list, in which the removals take their numbers.
    bury: `INSERT INTO tombstone (${recordNames}, seq, removed_us)
      SELECT ${recordNames.replaceAll(/\w+/g, 'f.$&')}, @seq + r.key, @now
      FROM ${dialect.each('ids', 'bigint')} LEFT JOIN file f ON f.id = r.value`,
    remove: `DELETE FROM file WHERE ${dialect.isIn('id', 'ids')}`,
    modify: setFacts(dialect, {
      modified_us: 'bigint',
      arrival_us: 'bigint',
      seq: 'bigint',
      change: 'int',
    }),
  }
}
