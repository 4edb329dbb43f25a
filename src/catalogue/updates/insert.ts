/**
 * Inserts the new files of a directory. A removed file that comes back before its tombstone is
 * purged gets its former id.
 */
import { isMisplaced, parseDirectory } from '../../parse/archive-path.ts'
import type { ArchiveDirectory } from '../../parse/archive-path.ts'
import { parseFilename } from '../../parse/filename.ts'
import type { ParsedName } from '../../parse/types.ts'
import type { Columns, Dialect } from '../dialect.ts'
import { isSameVersion } from '../identity.ts'
import { execute, rows } from '../question.ts'
import type { Question, Statement, Values } from '../question.ts'
import {
  fileColumns,
  isDamaged,
  movedModified,
  recordNames,
  setFacts,
  toRecordRow,
} from '../selection/record.ts'
import type { RecordRow } from '../selection/record.ts'
import type { DirectoryChange, NewFile } from './writer.ts'
import type { CountDifferences } from './count-differences.ts'
import type { DeliveredFile, DeliveryRows } from './deliveries.ts'
import { Lookup } from './lookup.ts'

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
  readonly counts: CountDifferences
}

interface Insertion {
  readonly change: DirectoryChange
  /** Row id of the directory. */
  readonly directory: number
  readonly nowUs: number
}

type Parsed = Insertion & { readonly parsedPath: ArchiveDirectory }

/** Inserts the new files of a directory; a file that has a tombstone gets its id back. */
export class Inserts {
  readonly #stations: Lookup
  readonly #kinds: Lookup
  readonly #deliveries: DeliveryRows
  readonly #sql: ReturnType<typeof insertSql>

  constructor(dialect: Dialect, deliveries: DeliveryRows) {
    this.#stations = new Lookup(dialect, 'station', { code: 'text' })
    this.#kinds = new Lookup(dialect, 'kind', kindColumns)
    this.#deliveries = deliveries
    this.#sql = insertSql(dialect)
  }

  /** To be used at the start of a transaction. */
  *begin(): Question<void> {
    for (const lookup of [this.#stations, this.#kinds]) yield* lookup.begin()
  }

  *insert(insertion: Insertion, progress: Progress): Question<void> {
    const { added, path } = insertion.change
    if (added.length === 0) return
    const parsedPath = parseDirectory(path)
    if (parsedPath.kind === 'rejected') throw new Error(`${path} is not an archive directory`)
    const parsed = { ...insertion, parsedPath }
    const files = yield* this.#restore(parsed, progress)
    const groups = groupFiles(files, {
      station: (code) => this.#stations.idOf([code]),
      kind: (name) => this.#kinds.idOf([parsedPath.area, ...kindOf(name)]),
    })
    const inserts = groups.flatMap((group) => this.#insertGroup(group, parsed, progress))
    yield* execute(...this.#stations.unwritten(), ...this.#kinds.unwritten(), ...inserts)
  }

  /** The statements that insert the files of a group, in the order of `group.files`. */
  #insertGroup(group: Group, insertion: Parsed, progress: Progress): Statement[] {
    const { directory, nowUs, parsedPath } = insertion
    const { kind, parsed, files } = group
    const firstId = progress.id + 1
    const values = {
      directory,
      names: files.map(({ name }) => name),
      code_length: parsed.station.length,
      kind,
      data_date: parsed.startSeconds,
      now: nowUs,
      id: firstId,
      seq: progress.seq + 1,
      misplaced: isMisplaced(parsed, parsedPath) ? 1 : 0,
    }
    const facts: Values[] = []
    const delivered: DeliveredFile[] = []
    files.forEach((file, index) => {
      const { size, mtimeUs, arrivalUs } = file
      const id = firstId + index
      const station = group.stations[index] ?? 0
      const counted = { id, station, kind, dataDate: parsed.startSeconds, size: size ?? null }
      progress.counts.add(counted)
      if (!isDamaged(file)) delivered.push({ station, arrivalUs })
      if (size === undefined && arrivalUs === undefined) return
      facts.push({
        id,
        size: size ?? null,
        mtime_us: mtimeUs ?? null,
        incomplete: file.incomplete === true ? 1 : 0,
        damaged_us: isDamaged(file) ? nowUs : null,
        arrival_us: arrivalUs ?? null,
      })
    })
    progress.id += files.length
    progress.seq += files.length
    progress.added += files.length
    return [
      { sql: this.#sql.names, values },
      ...(facts.length === 0 ? [] : [{ sql: this.#sql.facts, many: facts }]),
      ...this.#deliveries.record(parsed, delivered, nowUs),
    ]
  }

  /** Restores files that have a tombstone. @returns the others */
  *#restore(insertion: Parsed, progress: Progress): Question<readonly NewFile[]> {
    const { added } = insertion.change
    const [first, last] = boundsOf(added)
    const range = { directory: insertion.directory, first, last }
    const found = (yield* rows(this.#sql.tombstones, range)).map(toRecordRow)
    if (found.length === 0) return added
    const byName = new Map(found.map((row) => [row.name, row]))
    const returned = added.flatMap((file) => {
      const row = byName.get(file.name)
      if (row === undefined) return []
      progress.added++
      return { ...restored(file, row, insertion), seq: ++progress.seq }
    })
    yield* execute(
      { sql: this.#sql.returned, many: returned },
      { sql: this.#sql.drop, values: { ids: returned.map(({ id }) => id) } },
    )
    for (const { data_date: dataDate, ...row } of returned)
      progress.counts.add({ ...row, dataDate })
    yield* this.#deliveries.gain(
      returned
        .filter(({ damaged_us }) => damaged_us === null)
        .map(({ data_date: dataDate, arrival_us, ...row }) => ({
          ...row,
          dataDate,
          arrivalUs: arrival_us ?? undefined,
        })),
      insertion.nowUs,
    )
    return added.filter(({ name }) => !byName.has(name))
  }
}

const kindColumns: Columns = Object.fromEntries(
  [
    'area',
    'file_version',
    'file_duration',
    'file_type',
    'source',
    'period',
    'interval',
    'content',
  ].map((name) => [name, 'text']),
)

/** The values of a kind after its area. */
function kindOf(name: ParsedName): string[] {
  const { version, duration, type, source, period, interval, content } = name
  return [version, duration, type, source, period, interval, content]
}

function insertSql(dialect: Dialect) {
  return {
    // LEFT JOIN keeps the order of the list, so the rows are inserted in the order of their ids.
    names: `INSERT INTO file (id, directory, name, station, kind, data_date, created_us, seq,
        change, misplaced)
      SELECT @id + r.key, @directory, r.value, s.id, @kind, @data_date, @now, @seq + r.key, 0,
        @misplaced
      FROM ${dialect.each('names', 'text')}
        LEFT JOIN station s ON s.code = upper(substr(r.value, 1, CAST(@code_length AS integer)))`,
    facts: setFacts(dialect, { arrival_us: 'bigint' }),
    tombstones: `SELECT ${recordNames} FROM tombstone
      WHERE directory = @directory AND name BETWEEN @first AND @last`,
    returned: dialect.insert('file', fileColumns),
    drop: `DELETE FROM tombstone WHERE ${dialect.isIn('id', 'ids')}`,
  }
}

/**
 * The record of a file that came back. It gets its former `id` and `created`; its `modified`
 * changes only if size and mtime in the tombstone and on disk are known and differ.
 */
function restored(file: NewFile, row: RecordRow, { nowUs, parsedPath }: Parsed) {
  const { name, incomplete, arrivalUs } = file
  const before = versionOf(row.size, row.mtime_us)
  const now = versionOf(file.size, file.mtimeUs)
  const isModified = before !== undefined && now !== undefined && !isSameVersion(before, now)
  const { size, mtimeUs } = (isModified ? now : (before ?? now)) ?? {}
  return {
    ...row,
    size: size ?? null,
    mtime_us: mtimeUs ?? null,
    modified_us: isModified ? movedModified(nowUs, row) : row.modified_us,
    returned_us: nowUs,
    change: 0,
    incomplete: incomplete === true ? 1 : 0,
    misplaced: isMisplaced(parse(name), parsedPath) ? 1 : 0,
    damaged_us: isDamaged({ ...file, size: size ?? row.size }) ? nowUs : null,
    arrival_us: arrivalUs ?? null,
  }
}

/** `undefined` if the size or the mtime is unknown. */
function versionOf(size?: number | null, mtimeUs?: number | null) {
  if (size === null || size === undefined) return undefined
  return mtimeUs === null || mtimeUs === undefined ? undefined : { size, mtimeUs }
}

/**
 * Files whose names differ only in the station. Their new records differ only in id, seq, name,
 * station, size, mtime and `incomplete`.
 */
interface Group {
  readonly parsed: ParsedName
  readonly kind: number
  readonly files: NewFile[]
  /** The station of each file. */
  readonly stations: number[]
}

/**
 * Groups files by the part of the name after the station code, which determines all but the
 * station; so one name of a group is parsed. The groups are sorted by the start of their data, so
 * that ids ascend with that time also within a directory.
 */
function groupFiles(
  files: readonly NewFile[],
  idOf: { station: (code: string) => number; kind: (parsed: ParsedName) => number },
): Group[] {
  const groups = new Map<string, Group>()
  for (const file of files) {
    const { name } = file
    // After a code of 4 or of 9 characters; no part after one is also a part after the other.
    let group = groups.get(name.slice(4)) ?? groups.get(name.slice(9))
    if (group === undefined) {
      const parsed = parse(name)
      group = { parsed, kind: idOf.kind(parsed), files: [], stations: [] }
      groups.set(name.slice(parsed.station.length), group)
    }
    const code = name.slice(0, group.parsed.station.length).toUpperCase()
    group.files.push(file)
    group.stations.push(idOf.station(code))
  }
  return [...groups.values()].sort((a, b) => a.parsed.startSeconds - b.parsed.startSeconds)
}

/** @throws if the name is not a RINEX name, which is a defect of the caller */
function parse(name: string): ParsedName {
  const parsed = parseFilename(name)
  if (parsed.kind === 'rejected') throw new Error(`${name} is not a RINEX name`)
  return parsed
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
