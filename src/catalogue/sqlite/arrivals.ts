import type { Database } from 'better-sqlite3'
import type { DirectoryChange, NewFile } from '../catalogue-writer.ts'
import type { Area } from '../../parse/archive-path.ts'
import type { Blocks } from './blocks.ts'
import type { Dimensions } from './dimensions.ts'
import { movedModified } from './records.ts'
import type { Tally } from './tally.ts'

interface Arrival {
  readonly change: DirectoryChange
  /** The directory's row. */
  readonly directory: number
  readonly nowUs: number
}

interface Parts {
  readonly dimensions: Dimensions
  readonly blocks: Blocks
}

/** Inserts the new files of a directory, giving those their old id that were there before. */
export function prepareArrivals(db: Database, parts: Parts) {
  const insert = prepareInsert(db, parts)
  const comeBack = prepareReturn(db, parts)
  return (arrival: Arrival, tally: Tally): void => {
    if (arrival.change.added.length === 0) return
    const isNew = comeBack(arrival, tally)
    insert({ ...arrival, files: arrival.change.added.filter(isNew) }, tally)
  }
}

/** Files whose records differ in nothing but name and station, and their names in nothing but the station. */
interface Group {
  readonly kind: number
  readonly startSeconds: number
  readonly codeLength: number
  /** What follows the station in the names. */
  readonly ending: string
  readonly names: string[]
  /** The number of each name's station. */
  readonly stations: number[]
  readonly spellings: Spelling[]
}

/**
 * The station of a name and how that writes it: the number alone where it does as the code has it, below zero where it does
 * in small letters, and else the number and, behind a space, what it writes.
 */
type Spelling = number | string

function prepareInsert(db: Database, { dimensions, blocks }: Parts) {
  // Names are put together in the database: handing over each takes longer.
  const insertNames = db.prepare(
    `INSERT INTO file (directory, name, station, kind, data_date, created_us, seq, change, arrived)
     SELECT @directory,
       CASE WHEN named.type = 'text' THEN substr(named.value, instr(named.value, ' ') + 1)
         WHEN named.value < 0 THEN lower(station.code) ELSE station.code END || @ending,
       station.id, @kind, @startSeconds, @now, @seq + named.key, 0, @arrived
     FROM json_each(@spellings) AS named
     CROSS JOIN station ON station.id = abs(CAST(named.value AS INTEGER))`,
  )
  const setFacts = db.prepare(
    'UPDATE file SET size = ?, mtime_us = ?, incomplete = ? WHERE directory = ? AND name = ?',
  )
  return (arrival: Arrival & { files: readonly NewFile[] }, tally: Tally): void => {
    const { change, directory } = arrival
    for (const group of groupFiles(arrival.files, change.path.slice(0, 3) as Area, dimensions)) {
      const { ending, kind, startSeconds, spellings } = group
      const { lastInsertRowid, changes } = insertNames.run({
        directory,
        ending,
        kind,
        startSeconds,
        now: arrival.nowUs,
        seq: tally.seq + 1,
        arrived: change.arrived ? 1 : 0,
        spellings: JSON.stringify(spellings),
      })
      if (changes !== group.names.length)
        throw new Error(`${changes} of ${group.names.length} names were inserted`)
      // Ids rise by one in the order of the names.
      const firstId = Number(lastInsertRowid) - group.names.length + 1
      blocks.setAll(firstId, { ...group, directory }, arrival.nowUs)
      tally.seq += group.names.length
      tally.added += group.names.length
    }
    for (const { name, size, mtimeUs, incomplete } of arrival.files)
      if (size !== undefined)
        setFacts.run(size, mtimeUs ?? null, incomplete === true ? 1 : 0, directory, name)
  }
}

/** Groups in the order of their start, so that ids follow time within a directory too. */
function groupFiles(files: readonly NewFile[], area: Area, dimensions: Dimensions): Group[] {
  // What follows the station code tells everything else, so equal endings belong together.
  const groups = new Map<string, Group>()
  let last: Group | undefined
  for (const { name, parsed } of files) {
    const codeLength = parsed.station.length
    // Most names end like the one before, which takes less to see than to find their group.
    if (last === undefined || !isOf(last, name, codeLength)) {
      const ending = name.slice(codeLength)
      last = groups.get(ending)
      if (last === undefined) {
        const kind = dimensions.kind(area, parsed)
        const { startSeconds } = parsed
        last = { kind, startSeconds, codeLength, ending, names: [], stations: [], spellings: [] }
        groups.set(ending, last)
      }
    }
    last.names.push(name)
    const station = dimensions.station(parsed.station)
    last.stations.push(station)
    last.spellings.push(spellingOf(name, parsed.station, station))
  }
  return [...groups.values()].sort((a, b) => a.startSeconds - b.startSeconds)
}

/** Whether a name belongs there, with a station of so many characters. */
function isOf({ ending, codeLength }: Group, name: string, length: number): boolean {
  return codeLength === length && name.length === length + ending.length && name.endsWith(ending)
}

function spellingOf(name: string, code: string, station: number): Spelling {
  if (name.startsWith(code)) return station
  if (name.startsWith(code.toLowerCase())) return -station
  return `${station} ${name.slice(0, code.length)}`
}

interface TombstoneRow {
  id: number
  name: string
  station: number
  kind: number
  startSeconds: number
  createdUs: number
  size: number | null
  mtimeUs: number | null
}

/**
 * Brings back the files of a directory that a tombstone remembers: same id, same `created`, and `modified` moved
 * only when size or mtime are known to differ. Returns what tells the remaining, new files from them.
 */
function prepareReturn(db: Database, { blocks }: Parts) {
  const remembered = db.prepare(
    `SELECT id, name, station, kind, data_date AS startSeconds, created_us AS createdUs, size, mtime_us AS mtimeUs
     FROM tombstone WHERE directory = ?`,
  )
  const restore = db
    .prepare(
      `INSERT INTO file (id, directory, name, station, kind, data_date, size, mtime_us, created_us,
       modified_us, returned_us, seq, change, arrived, incomplete)
     SELECT id, directory, name, station, kind, data_date, coalesce(@size, size),
       coalesce(@mtimeUs, mtime_us), created_us,
       iif(@differs, ${movedModified}, modified_us), @now, @seq, 0, @arrived, @incomplete
     FROM tombstone WHERE id = @id RETURNING modified_us`,
    )
    .pluck()
  const forget = db.prepare('DELETE FROM tombstone WHERE id = ?')
  return ({ change, directory, nowUs }: Arrival, tally: Tally) => {
    const rows = remembered.all(directory) as TombstoneRow[]
    const byName = new Map(rows.map((row) => [row.name, row]))
    if (rows.length > 0)
      for (const { name, parsed, size, mtimeUs, incomplete } of change.added) {
        const row = byName.get(name)
        if (row === undefined) continue
        const differs =
          (size !== undefined && row.size !== null && size !== row.size) ||
          (mtimeUs !== undefined && row.mtimeUs !== null && mtimeUs !== row.mtimeUs)
        const modifiedUs = restore.get({
          id: row.id,
          size: size ?? null,
          mtimeUs: mtimeUs ?? null,
          differs: differs ? 1 : 0,
          now: nowUs,
          seq: ++tally.seq,
          arrived: change.arrived ? 1 : 0,
          incomplete: incomplete === true ? 1 : 0,
        }) as number | null | undefined
        forget.run(row.id)
        const codeLength = parsed.station.length
        const run = { ...row, directory, names: [name], stations: [row.station], codeLength }
        blocks.setAll(row.id, run, row.createdUs)
        if (typeof modifiedUs === 'number') blocks.modified(row.id, modifiedUs)
        tally.added++
      }
    return (file: NewFile): boolean => !byName.has(file.name)
  }
}
