/** Inserts the new files of a directory. A removed file that comes back before its tombstone is purged gets its former id. */
import type { Database } from 'better-sqlite3'
import type { DirectoryChange, NewFile } from '../writer.ts'
import { isMisplaced, parseDirectory } from '../../parse/archive-path.ts'
import type { ArchiveDirectory } from '../../parse/archive-path.ts'
import { parseFilename } from '../../parse/filename.ts'
import type { ParsedName } from '../../parse/types.ts'
import type { CountChanges } from './count-changes.ts'
import type { Deliveries } from './deliveries.ts'
import type { LookupTables } from './lookup-tables.ts'
import { movedModified } from './record-columns.ts'

/** The progress of a transaction: the latest `seq`, and the numbers of changes. */
export interface Applied {
  /** `seq` of the latest change. */
  seq: number
  added: number
  modified: number
  removed: number
  /** True if details of a file changed without a change of its record. */
  details: boolean
}

interface Insertion {
  readonly change: DirectoryChange
  /** Row id of the directory. */
  readonly directory: number
  /** The parsed path of the directory. */
  readonly parsedPath: ArchiveDirectory
  readonly nowUs: number
}

interface Parts {
  readonly lookup: LookupTables
  readonly deliveries: Deliveries
  readonly counts: CountChanges
}

/** Inserts the new files of a directory; a file that has a tombstone gets its id back. */
export function prepareInsert(db: Database, parts: Parts) {
  const insert = prepareInsertNew(db, parts)
  const restore = prepareRestore(db, parts)
  return (insertion: Omit<Insertion, 'parsedPath'>, applied: Applied): void => {
    const { added, path } = insertion.change
    if (added.length === 0) return
    const parsedPath = parseDirectory(path)
    if (parsedPath.kind === 'rejected') throw new Error(`${path} is not an archive directory`)
    const isNew = restore({ ...insertion, parsedPath }, applied)
    insert({ ...insertion, parsedPath, files: added.filter(isNew) }, applied)
  }
}

/**
 * Files whose names differ only in the station. Their new records differ only in id, seq, name, station, size, mtime and
 * `incomplete`.
 */
interface Group {
  readonly parsed: ParsedName
  readonly kind: number
  readonly codeLength: number
  readonly files: NewFile[]
  /** The station of each file. */
  readonly stations: number[]
}

function prepareInsertNew(db: Database, { lookup, counts, deliveries }: Parts) {
  // CROSS JOIN keeps the order of the array, so the ids and seqs of the rows are known without another query.
  const insertNames = db.prepare(
    `INSERT INTO file (directory, name, station, kind, data_date, created_us, seq, change, arrived, misplaced)
     SELECT @directory, named.value, station.id, @kind, @dataDate, @now, @seq + named.key, 0, @arrived, @misplaced
     FROM json_each(@names) AS named
     CROSS JOIN station ON station.code = upper(substr(named.value, 1, @codeLength))`,
  )
  const setFacts = db.prepare('UPDATE file SET size = ?, mtime_us = ?, incomplete = ? WHERE id = ?')
  const insertGroup = (group: Group, insertion: Insertion, seq: number): number => {
    const { kind, parsed, files, codeLength } = group
    const { lastInsertRowid, changes } = insertNames.run({
      directory: insertion.directory,
      names: JSON.stringify(files.map(({ name }) => name)),
      codeLength,
      kind,
      dataDate: parsed.startSeconds,
      now: insertion.nowUs,
      seq,
      arrived: insertion.change.arrived ? 1 : 0,
      misplaced: isMisplaced(parsed, insertion.parsedPath) ? 1 : 0,
    })
    if (changes !== files.length)
      throw new Error(`${changes} of ${files.length} names were inserted`)
    return Number(lastInsertRowid) - files.length + 1
  }
  return (insertion: Insertion & { files: readonly NewFile[] }, applied: Applied): void => {
    const { area } = insertion.parsedPath
    for (const group of groupFiles(
      insertion.files,
      (parsed) => lookup.kind(area, parsed),
      lookup,
    )) {
      const { kind, parsed, files, stations } = group
      const firstId = insertGroup(group, insertion, applied.seq + 1)
      counts.add({ id: firstId, stations, kind, dataDate: parsed.startSeconds })
      deliveries.record({
        parsed,
        stations,
        arrived: insertion.change.arrived,
        nowUs: insertion.nowUs,
      })
      files.forEach(({ size, mtimeUs, incomplete }, index) => {
        if (size !== undefined)
          setFacts.run(size, mtimeUs ?? null, incomplete === true ? 1 : 0, firstId + index)
      })
      applied.seq += files.length
      applied.added += files.length
    }
  }
}

/**
 * Groups files by the part of the name after the station code. The groups are sorted by the start of their data, so that ids
 * ascend with that time also within a directory.
 */
function groupFiles(
  files: readonly NewFile[],
  kindOf: (parsed: ParsedName) => number,
  lookup: LookupTables,
): Group[] {
  // The part of the name after the station code determines everything else.
  const groups = new Map<string, Group>()
  for (const file of files) {
    const { name } = file
    const parsed = parse(name)
    const codeLength = parsed.station.length
    const suffix = name.slice(codeLength)
    let group = groups.get(suffix)
    if (group === undefined) {
      group = { parsed, kind: kindOf(parsed), codeLength, files: [], stations: [] }
      groups.set(suffix, group)
    }
    group.files.push(file)
    group.stations.push(lookup.station(parsed.station))
  }
  return [...groups.values()].sort((a, b) => a.parsed.startSeconds - b.parsed.startSeconds)
}

/** @throws if the name is not a RINEX name, which is a defect of the caller */
function parse(name: string): ParsedName {
  const parsed = parseFilename(name)
  if (parsed.kind === 'rejected') throw new Error(`${name} is not a RINEX name`)
  return parsed
}

interface TombstoneRow {
  readonly id: number
  readonly name: string
  readonly station: number
  readonly kind: number
  readonly dataDate: number
  readonly size: number | null
  readonly mtimeUs: number | null
}

/**
 * Restores the files of a directory that have a tombstone. Each gets its former `id` and `created`; its `modified` changes only
 * if the size or mtime in the tombstone and on disk are known and differ.
 * @returns a function that restores files and returns a test, which is true for files without a tombstone
 */
function prepareRestore(db: Database, { counts }: Parts) {
  const tombstones = db.prepare(
    `SELECT id, name, station, kind, data_date AS dataDate, size, mtime_us AS mtimeUs
     FROM tombstone WHERE directory = ? AND name BETWEEN ? AND ?`,
  )
  const restore = db.prepare(
    `INSERT INTO file (id, directory, name, station, kind, data_date, size, mtime_us, created_us,
       modified_us, returned_us, seq, change, arrived, incomplete, misplaced)
     SELECT id, directory, name, station, kind, data_date, coalesce(@size, size),
       coalesce(@mtimeUs, mtime_us), created_us,
       iif(@differs, ${movedModified}, modified_us), @now, @seq, 0, @arrived, @incomplete, @misplaced
     FROM tombstone WHERE id = @id`,
  )
  const drop = db.prepare('DELETE FROM tombstone WHERE id = ?')
  const restoreOne = (file: NewFile, row: TombstoneRow, insertion: Insertion, seq: number) => {
    const { name, size, mtimeUs, incomplete } = file
    restore.run({
      id: row.id,
      size: size ?? null,
      mtimeUs: mtimeUs ?? null,
      differs: differs(size, row.size) || differs(mtimeUs, row.mtimeUs) ? 1 : 0,
      now: insertion.nowUs,
      seq,
      arrived: insertion.change.arrived ? 1 : 0,
      incomplete: incomplete === true ? 1 : 0,
      misplaced: isMisplaced(parse(name), insertion.parsedPath) ? 1 : 0,
    })
    drop.run(row.id)
    counts.add({ ...row, stations: [row.station] })
  }
  return (insertion: Insertion, applied: Applied) => {
    const [first, last] = boundsOf(insertion.change.added)
    const rows = tombstones.all(insertion.directory, first, last) as TombstoneRow[]
    const byName = new Map(rows.map((row) => [row.name, row]))
    if (rows.length > 0)
      for (const file of insertion.change.added) {
        const row = byName.get(file.name)
        if (row === undefined) continue
        restoreOne(file, row, insertion, ++applied.seq)
        applied.added++
      }
    return (file: NewFile): boolean => !byName.has(file.name)
  }
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

/** True if both values are known and differ. */
function differs(now: number | undefined, before: number | null): boolean {
  return now !== undefined && before !== null && now !== before
}
