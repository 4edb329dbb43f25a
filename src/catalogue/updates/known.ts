/** Reads the stored directories with their files, for reconciling. */
import type { FileDuration } from '../../parse/types.ts'
import type { Dialect } from '../dialect.ts'
import type { Question } from '../question.ts'
import { column, row, rows, value } from '../question.ts'
import type { FileIdentity } from '../records.ts'
import { endOfData } from '../selection/date-ranges.ts'
import { kindCounts, sumOfColumn } from '../tables/count-tables.ts'
import type { IdentityRow } from '../tables/record.ts'
import { identityOf, identityOfChecksum, joinedChecksum } from '../tables/record.ts'
import type { DirectoryStamp } from './change.ts'

/** A catalogued file, for reconciling its directory. */
export interface KnownFile {
  readonly id: number
  readonly size: number
  readonly mtimeUs: number
  /**
   * The identity of the file that was hashed; `undefined` without a checksum, or with a stale one.
   * The hashed file has the size and mtime of the record.
   */
  readonly hashed: FileIdentity | undefined
}

/** A directory that exists on disk, as a sweep compares it. */
export interface KnownStamp {
  readonly id: number
  readonly path: string
  /**
   * `undefined` if the next sweep must read the directory, because it was not read yet, its stamp
   * is not sure yet, or a part of its change was left out.
   */
  readonly stamp: DirectoryStamp | undefined
  /** Time since which removals in the directory are withheld; `undefined` if none are. */
  readonly withheldSinceUs: number | undefined
  /** Time of the last change of files at or below the directory; `undefined` before the first. */
  readonly changedUs: number | undefined
  /** The start of the newest files that were added to it (s since 1970). */
  readonly newestSeconds: number | undefined
}

/** A directory with files of it, as reconciling compares them. */
export interface KnownDirectory {
  readonly stamp: DirectoryStamp | undefined
  /** True if the directory could not be read at the last attempt. */
  readonly unreadable: boolean
  /** The live files by name, in the order of their names (by bytes); at most `mostKnownFiles`. */
  readonly files: ReadonlyMap<string, KnownFile>
  /**
   * The last name of `files` if further files of the range may follow; `undefined` if `files` has
   * all of them.
   */
  readonly next: string | undefined
}

/**
 * Maximum number of files that one call of `CatalogueWriter.directory` returns: so few that they
 * are garbage before V8 moves them to the part of its heap that it rarely collects.
 */
export const mostKnownFiles = 2000

/** A range of names in a directory, by bytes. */
export interface NameRange {
  /** The range begins after this name. */
  readonly after: string
  /** The last name of the range; `undefined` for the end of the directory. */
  readonly through: string | undefined
}

/** The number of files removed from a directory at one time, with the same end of their data. */
export interface RemovedFiles {
  readonly directory: string
  readonly area: string
  readonly atUs: number
  /** In seconds since 1970; `undefined` for files of an unspecified period. */
  readonly endSeconds: number | undefined
  /** The highest number of these removals. */
  readonly seq: number
  readonly count: number
}

/** Some of the known directories, in the order of their ids. */
export interface DirectoryPage {
  /** The page begins after this id; 0 for the first. */
  readonly after: number
  readonly most: number
}

type StampRow = [
  path: string,
  mtimeUs: number | null,
  ctimeUs: number,
  inode: number,
  namesSum: number,
  withheldSinceUs: number | null,
]

type KnownFileRow = [
  name: string,
  id: number,
  size: number,
  mtimeUs: number,
  ...identity: IdentityRow,
]

/** Greater than all names. */
const afterAllNames = '\u{10FFFF}'

const stampColumns = 'path, mtime_us, ctime_us, inode, names_sum, withheld_since_us'

/** The known directories that still exist on disk; by default all. */
export function* knownDirectories(
  { after, most }: DirectoryPage = { after: 0, most: Number.MAX_SAFE_INTEGER },
): Question<KnownStamp[]> {
  const found = yield* rows<
    [...StampRow, changedUs: number | null, newest: number | null, id: number]
  >(
    `SELECT ${stampColumns}, changed_us, newest, id FROM directory
     WHERE id > @after AND gone = 0 ORDER BY id LIMIT @most`,
    { after, most },
  )
  return found.map((row) => ({
    id: row[8],
    path: row[0],
    stamp: toStamp(row),
    withheldSinceUs: row[5] ?? undefined,
    changedUs: row[6] ?? undefined,
    newestSeconds: row[7] ?? undefined,
  }))
}

/** A directory with its files in a range of names. */
export function* knownDirectory(
  path: string,
  { after, through = afterAllNames }: NameRange = { after: '', through: undefined },
): Question<KnownDirectory | undefined> {
  const found = yield* row<[...StampRow, id: number, unreadable: number]>(
    `SELECT ${stampColumns}, id, EXISTS (SELECT 1 FROM rejection WHERE directory = directory.id
       AND reason = 'unreadable-directory') FROM directory WHERE path = @path`,
    { path },
  )
  if (found === undefined) return undefined
  const [, , , , , , id, unreadable] = found
  const files = yield* rows<KnownFileRow>(
    `SELECT f.name, f.id, f.size, f.mtime_us, ${identityOfChecksum}
     FROM file f ${joinedChecksum}
     WHERE f.directory = @id AND f.name > @after AND f.name <= @through
     ORDER BY f.name LIMIT ${mostKnownFiles}`,
    { id, after, through },
  )
  return {
    stamp: toStamp(found),
    unreadable: Boolean(unreadable),
    files: new Map(files.map(toKnownFile)),
    next: files.length < mostKnownFiles ? undefined : files.at(-1)?.[0],
  }
}

/** Those of some directories of which nothing is known. */
export function* emptyAmong(
  dialect: Dialect,
  paths: readonly string[],
): Question<ReadonlySet<string>> {
  const found = yield* column<string>(
    `SELECT r.value FROM ${dialect.each('paths', 'text')} LEFT JOIN directory d ON d.path = r.value
     WHERE d.id IS NULL OR (d.mtime_us IS NULL
       AND NOT EXISTS (SELECT 1 FROM file WHERE directory = d.id)
       AND NOT EXISTS (SELECT 1 FROM rejection WHERE directory = d.id))`,
    { paths },
  )
  return new Set(found)
}

/** The size and mtime that removed files of a directory had, by name. */
export function* removedVersions(
  dialect: Dialect,
  path: string,
  names: readonly string[],
): Question<ReadonlyMap<string, { readonly size: number; readonly mtimeUs: number }>> {
  const found = yield* rows<[name: string, size: number, mtimeUs: number]>(
    `SELECT t.name, t.size, t.mtime_us FROM directory d CROSS JOIN tombstone t
     WHERE d.path = @path AND t.directory = d.id AND ${dialect.isIn('t.name', 'names', 'text')}`,
    { path, names },
  )
  return new Map(found.map(([name, size, mtimeUs]) => [name, { size, mtimeUs }]))
}

/** The number of live files in an area, by default in all. */
export function* filesInArea(area?: string): Question<number> {
  const isIn = area === undefined ? '' : 'AND k.area = @area'
  const sql = `SELECT ${sumOfColumn('c.files')} ${kindCounts} ${isIn}`
  return (yield* value<number>(sql, area === undefined ? {} : { area })) ?? 0
}

/** The ends of the data of live files in seconds since 1970, by id (see `endOfData`). */
export function* dataEnds(
  dialect: Dialect,
  ids: readonly number[],
): Question<ReadonlyMap<number, number>> {
  const found = yield* rows<[id: number, start: number, period: string, duration: FileDuration]>(
    `SELECT f.id, f.data_date, k.period, k.file_duration
     FROM file f JOIN kind k ON k.id = f.kind WHERE ${dialect.isIn('f.id', 'ids')}`,
    { ids },
  )
  return new Map(
    found.flatMap(([id, start, period, duration]) => {
      const end = endOfData({ period, duration }, start)
      return end === undefined ? [] : [[id, end]]
    }),
  )
}

/** Removals numbered above a seq and not older than a time, by directory, time and kind. */
export function* removalsAfter(
  dialect: Dialect,
  { seq, us = 0 }: { readonly seq: number; readonly us?: number },
): Question<RemovedFiles[]> {
  const index = dialect.using('tombstone_seq')
  // Reads from the latest tombstone back to the first one that was removed before, not all.
  const found = yield* rows<
    [
      ...[directory: string, area: string, atUs: number, start: number],
      ...[period: string, duration: FileDuration, seq: number, count: number],
    ]
  >(
    `SELECT d.path, k.area, t.removed_us, t.data_date, k.period, k.file_duration, max(t.seq), count(*)
     FROM tombstone t ${index} JOIN kind k ON k.id = t.kind JOIN directory d ON d.id = t.directory
     WHERE t.seq > coalesce((SELECT seq FROM tombstone ${index}
       WHERE seq > @seq AND removed_us < @us ORDER BY seq DESC LIMIT 1), @seq)
     GROUP BY d.path, k.area, t.removed_us, t.data_date, k.period, k.file_duration
     ORDER BY d.path, k.area, t.removed_us, t.data_date, k.period, k.file_duration`,
    { seq, us },
  )
  return found.map(([directory, area, atUs, start, period, duration, seq, count]) => {
    const endSeconds = endOfData({ period, duration }, start)
    return { directory, area, atUs, endSeconds, seq, count }
  })
}

function toStamp([, mtimeUs, ctimeUs, inode, namesSum]: readonly [
  string,
  number | null,
  number,
  number,
  number,
  ...unknown[],
]): DirectoryStamp | undefined {
  return mtimeUs === null ? undefined : { mtimeUs, ctimeUs, inode, namesSum }
}

function toKnownFile([name, id, size, mtimeUs, ...identity]: KnownFileRow): [string, KnownFile] {
  return [name, { id, size, mtimeUs, hashed: identityOf(identity, { size, mtimeUs }) }]
}
