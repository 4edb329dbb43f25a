/**
 * Inserts the new files of a directory. A removed file that comes back before its tombstone is
 * purged gets its former id.
 */
import { latestStart } from '../../parse/directory-period.ts'
import type { Layout } from '../../parse/layout.ts'
import { defaultLayout } from '../../parse/layout.ts'
import { placementIn } from '../../parse/placement.ts'
import type { ParsedName } from '../../parse/types.ts'
import type { Columns, Dialect } from '../dialect.ts'
import { isSameVersion } from '../identity.ts'
import type { Question } from '../question.ts'
import { execute, rows } from '../question.ts'
import type { RecordRow } from '../tables/record.ts'
import {
  fileColumns,
  isDamaged,
  kindColumns,
  movedModified,
  recordNames,
  toRecordRow,
} from '../tables/record.ts'
import type { DirectoryChange, NewFile } from './change.ts'
import type { CountDifferences } from './count-differences.ts'
import type { DeliveryRows } from './deliveries.ts'
import { NewIds } from './new-ids.ts'

/** The progress of a transaction: the latest numbers, and the numbers of changes. */
export interface Progress {
  /** `seq` of the latest change. */
  seq: number
  /** The highest id that was issued. */
  id: number
  added: number
  modified: number
  removed: number
  /** True if details of a file changed without a change of its record. */
  details: boolean
  /** The latest start of the added files of each directory (s since 1970); see `AppliedChange`. */
  readonly newest: Map<string, number>
  readonly counts: CountDifferences
}

interface Insertion {
  readonly change: DirectoryChange
  /** Row id of the directory. */
  readonly directory: number
  readonly nowUs: number
}

/** Inserts the new files of a directory; a file that has a tombstone gets its id back. */
export class Inserts {
  readonly #stations: NewIds
  readonly #kinds: NewIds
  readonly #deliveries: DeliveryRows
  readonly #sql: ReturnType<typeof insertSql>
  #layout = defaultLayout

  constructor(dialect: Dialect, deliveries: DeliveryRows) {
    this.#stations = new NewIds(dialect, 'station', { code: 'text' })
    this.#kinds = new NewIds(dialect, 'kind', kindTypes)
    this.#deliveries = deliveries
    this.#sql = insertSql(dialect)
  }

  /**
   * To be used at the start of a transaction.
   * @param layout that of the catalogue
   */
  *begin(layout: Layout): Question<void> {
    this.#layout = layout
    for (const ids of [this.#stations, this.#kinds]) yield* ids.begin()
  }

  /** @returns the latest start of these files (s since 1970), but for those that lie ahead */
  *insert(insertion: Insertion, progress: Progress): Question<number | undefined> {
    const { change, nowUs } = insertion
    if (change.added.length === 0) return undefined
    const tombstones = yield* this.#tombstones(insertion)
    const [back, others] = this.#rowsOf(insertion, tombstones)
    for (const row of others) row.id = ++progress.id
    const inserted = [...back, ...others]
    for (const row of inserted) {
      row.seq = ++progress.seq
      progress.counts.add(row)
    }
    progress.added += inserted.length
    const ids = back.map(({ id }) => id)
    yield* execute(
      ...this.#stations.unwritten(),
      ...this.#kinds.unwritten(),
      { sql: this.#sql.insert, many: inserted },
      ...(ids.length === 0 ? [] : [{ sql: this.#sql.drop, values: { ids } }]),
    )
    const good = inserted.filter(({ damaged_us }) => damaged_us === null)
    yield* this.#deliveries.gain(good, nowUs)
    const latest = latestStart(nowUs / 1e6)
    let newest: number | undefined
    for (const { data_date: start } of inserted)
      if (start <= latest && start > (newest ?? -Infinity)) newest = start
    return newest
  }

  /** The tombstones in the range of names of the new files, by name. */
  *#tombstones({ change, directory }: Insertion): Question<ReadonlyMap<string, RecordRow>> {
    const [first, last] = boundsOf(change.added)
    const found = yield* rows(this.#sql.tombstones, { directory, first, last })
    return new Map(found.map(toRecordRow).map((row) => [row.name, row]))
  }

  /**
   * The rows of the files that come back, which have their ids, and of the others: in the order of
   * the start of their data, so that their ids will ascend with it also within a directory.
   */
  #rowsOf(
    { change, directory, nowUs }: Insertion,
    tombstones: ReadonlyMap<string, RecordRow>,
  ): [FileRow[], FileRow[]] {
    const { parseDirectory, parseFilename } = this.#layout
    const place = parseDirectory(change.path)
    if (place.kind === 'rejected') throw new Error(`${change.path} is not an archive directory`)
    const placement = placementIn(change.path)
    const read = (name: string): NameParts => {
      const parsed = parseFilename(name)
      if (parsed.kind === 'rejected') throw new Error(`${name} is not a RINEX name`)
      return {
        codeLength: parsed.station.length,
        kind: this.#kinds.idOf([place.area, ...kindOf(parsed)]),
        data_date: parsed.startSeconds,
        spanSeconds: parsed.spanSeconds,
        misplaced: placement.isMisplaced(parsed),
      }
    }
    const parts = new Map<string, NameParts>()
    const [back, others]: [FileRow[], FileRow[]] = [[], []]
    for (const file of change.added) {
      const own = partsOf(file.name, parts, read)
      const code = file.name.slice(0, own.codeLength).toUpperCase()
      const misplaced = placement.perStation
        ? placement.isMisplaced({ ...own, startSeconds: own.data_date, station: code })
        : own.misplaced
      const known = { directory, station: this.#stations.idOf([code]), misplaced, nowUs }
      const row = newRow(file, own, known)
      const tombstone = tombstones.get(file.name)
      if (tombstone === undefined) others.push(row)
      else back.push(rowOfReturned(row, tombstone, nowUs))
    }
    return [back, others.sort((a, b) => a.data_date - b.data_date)]
  }
}

/** What a name tells but for the station: the same for all names that differ only in that. */
interface NameParts {
  readonly codeLength: number
  readonly kind: number
  readonly data_date: number
  readonly spanSeconds: number | undefined
  /** Does not count where the placement depends on the station. */
  readonly misplaced: boolean
}

/** Reads one of the names that differ only in the station; the others are found in `known`. */
function partsOf(
  name: string,
  known: Map<string, NameParts>,
  read: (name: string) => NameParts,
): NameParts {
  // After a code of 4 or of 9 characters; no part after one is also a part after the other.
  let parts = known.get(name.slice(4)) ?? known.get(name.slice(9))
  if (parts === undefined) {
    parts = read(name)
    known.set(name.slice(parts.codeLength), parts)
  }
  return parts
}

const kindTypes: Columns = Object.fromEntries(kindColumns.map((name) => [name, 'text']))

/** The values of a kind after its area. */
function kindOf(name: ParsedName): string[] {
  const { version, duration, type, source, period, interval, content } = name
  return [version, duration, type, source, period, interval, content]
}

function insertSql(dialect: Dialect) {
  return {
    tombstones: `SELECT ${recordNames} FROM tombstone
      WHERE directory = @directory AND name BETWEEN @first AND @last`,
    insert: dialect.insert('file', fileColumns),
    drop: `DELETE FROM tombstone WHERE ${dialect.isIn('id', 'ids')}`,
  }
}

/** A row of `fileColumns`; id and seq are 0 until they are issued. */
type FileRow = ReturnType<typeof newRow>

function newRow(
  file: NewFile,
  { kind, data_date }: NameParts,
  known: {
    readonly directory: number
    readonly station: number
    readonly misplaced: boolean
    readonly nowUs: number
  },
) {
  const { directory, station, misplaced, nowUs } = known
  return {
    id: 0,
    directory,
    name: file.name,
    station,
    kind,
    data_date,
    size: file.size,
    mtime_us: file.mtimeUs,
    created_us: nowUs,
    modified_us: null as number | null,
    returned_us: null as number | null,
    seq: 0,
    change: 0,
    incomplete: file.incomplete === true ? 1 : 0,
    misplaced: misplaced ? 1 : 0,
    damaged_us: isDamaged(file) ? nowUs : null,
    arrival_us: file.arrivalUs ?? null,
    disguised: file.disguised === true ? 1 : 0,
  }
}

/**
 * The row of a file that came back. It gets its former `id` and `created`; its `modified` changes
 * only if size and mtime in the tombstone and on disk differ.
 */
function rowOfReturned(row: FileRow, tombstone: RecordRow, nowUs: number): FileRow {
  const { id, size, mtime_us, created_us, modified_us } = tombstone
  const former = { ...row, id, created_us, returned_us: nowUs }
  return isSameVersion({ size, mtimeUs: mtime_us }, { size: row.size, mtimeUs: row.mtime_us })
    ? { ...former, size, mtime_us, modified_us }
    : { ...former, modified_us: movedModified(nowUs, tombstone) }
}

/** Returns the least and the greatest name of some files. */
function boundsOf(files: readonly NewFile[]): [string, string] {
  let first = files[0]?.name ?? ''
  let last = first
  for (const { name } of files) {
    if (name < first) first = name
    if (name > last) last = name
  }
  return [first, last]
}
