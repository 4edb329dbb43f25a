/**
 * Writes the rows of directories and their rejected entries, and reads the stored directories with their files for reconciling.
 */
import type { Database } from 'better-sqlite3'
import { areas } from '../../parse/archive-path.ts'
import type { Area } from '../../parse/archive-path.ts'
import { mostKnownFiles } from '../writer.ts'
import type {
  DirectoryChange,
  DirectoryStamp,
  KnownDirectory,
  KnownFile,
  KnownStamp,
  NameRange,
  RemovedFiles,
} from '../writer.ts'
import { joinedChecksum, toIdentity } from '../questions/checksums.ts'

const secondUs = 1_000_000

export type Directories = ReturnType<typeof prepareDirectories>

/** Writes the rows of directories: stamps, counts, rejections. */
export function prepareDirectories(db: Database) {
  const select = db.prepare('SELECT id FROM directory WHERE path = ?').pluck()
  const insert = db.prepare('INSERT INTO directory (path) VALUES (?)')
  const update = db.prepare(
    `UPDATE directory SET mtime_us = @mtimeUs, ctime_us = @ctimeUs, inode = @inode,
       misplaced = coalesce(@misplaced, misplaced), gone = @gone, held_since_us = @withheldSinceUs,
       files = files + @growth WHERE id = @id`,
  )
  const updatePart = db.prepare(
    'UPDATE directory SET mtime_us = NULL, gone = 0, files = files + @growth WHERE id = @id',
  )
  const upsert = db.prepare(
    'INSERT INTO directory (path) VALUES (?) ON CONFLICT DO UPDATE SET gone = 0, mtime_us = NULL WHERE gone = 1',
  )
  const touch = db.prepare(
    `UPDATE directory SET changed_us = CASE WHEN changed_us > @now - ${secondUs}
       THEN max(changed_us + 1, @now, @past) ELSE @now END WHERE path = @path`,
  )
  const secondPast = openSecondPast(db)
  const hashed = db.prepare('UPDATE directory SET hashed = hashed + 1 WHERE id = ?')
  const countInArea = db.prepare(
    `INSERT INTO area (name, files) VALUES (substr(@path, 1, 3), @growth)
     ON CONFLICT DO UPDATE SET files = files + @growth`,
  )
  const clearRejections = db.prepare(
    'DELETE FROM rejection WHERE directory = ? AND reason NOT IN (SELECT value FROM json_each(?))',
  )
  const setRejection = db.prepare(
    `INSERT INTO rejection (directory, reason, count, names, since_us) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET count = excluded.count, names = excluded.names`,
  )
  return {
    idOf(path: string): number {
      return (select.get(path) as number | undefined) ?? Number(insert.run(path).lastInsertRowid)
    },
    /** @param growth number of files added minus number of files removed by this change */
    record(
      id: number,
      change: DirectoryChange,
      { growth, nowUs }: { readonly growth: number; readonly nowUs: number },
    ): void {
      if (growth !== 0) countInArea.run({ path: change.path, growth })
      if (change.more) {
        updatePart.run({ id, growth })
        return
      }
      update.run({
        id,
        mtimeUs: change.stamp?.mtimeUs ?? null,
        ctimeUs: change.stamp?.ctimeUs ?? null,
        inode: change.stamp?.inode ?? null,
        misplaced: change.misplaced ?? null,
        withheldSinceUs: change.withheldSinceUs ?? null,
        gone: change.gone ? 1 : 0,
        growth,
      })
      for (const path of change.directories) upsert.run(path)
      clearRejections.run(id, JSON.stringify(change.rejections.map(({ reason }) => reason)))
      for (const { reason, count, names } of change.rejections)
        setRejection.run(id, reason, count, JSON.stringify(names), nowUs)
    },
    /** Records that checksums of files in the directory became known or stale. */
    hashed(id: number): void {
      hashed.run(id)
    },
    /** Records that the listings of a directory and its ancestors changed. */
    touch(path: string, nowUs: number): void {
      const past = secondPast(nowUs)
      for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1))
        touch.run({ now: nowUs, past, path: path.slice(0, end) })
    },
  }
}

/**
 * Clients validate listings by `Last-Modified`, in whole seconds. After the clock was set back, a directory could change again in
 * a second that clients already know, so they would miss the change. So if the latest recorded change of a directory lies in the
 * future, its next change gets at least the start of the next whole second after the latest recorded change of all directories.
 * @returns a function that returns the start of that second (µs); 0 until the clock is set back for the first time
 */
function openSecondPast(db: Database): (nowUs: number) => number {
  const latest = db.prepare(
    `SELECT max(changed_us) FROM directory WHERE path IN (${areas.map(() => '?').join()})`,
  )
  let latestUs = (latest.pluck().get(...areas) as number | null) ?? 0
  let pastUs = 0
  return (nowUs) => {
    if (nowUs < latestUs && latestUs !== pastUs)
      pastUs = (Math.floor(latestUs / secondUs) + 1) * secondUs
    latestUs = Math.max(nowUs, pastUs)
    return pastUs
  }
}

interface StampRow {
  path: string
  mtimeUs: number | null
  ctimeUs: number
  inode: number
  withheldSinceUs: number | null
}

type KnownRow = StampRow & {
  readonly id: number
  readonly unreadable: number
}

/** Columns of the identity of the file that was hashed, in a checksum `c`. */
const identityColumns = 'c.inode, c.ctime_us AS ctimeUs, c.links, c.mode, c.uid, c.gid'

type IdentityColumn = 'inode' | 'ctimeUs' | 'links' | 'mode' | 'uid' | 'gid'

type KnownFileRow = Readonly<Record<IdentityColumn, number | null>> & {
  readonly id: number
  readonly name: string
  readonly size: number | null
  readonly mtimeUs: number | null
}

/** Greater than all names. */
const afterAllNames = '\u{10FFFF}'

/** Prepares queries for the stored directories and their files. */
export function prepareKnown(db: Database) {
  const stamp =
    'path, mtime_us AS mtimeUs, ctime_us AS ctimeUs, inode, held_since_us AS withheldSinceUs'
  const directories = db.prepare(`SELECT ${stamp} FROM directory WHERE gone = 0`)
  const directory = db.prepare(
    `SELECT id, ${stamp}, EXISTS (SELECT 1 FROM rejection WHERE directory = id
       AND reason = 'unreadable-directory') AS unreadable FROM directory WHERE path = ?`,
  )
  const filesOf = db.prepare(
    `SELECT f.id, f.name, f.size, f.mtime_us AS mtimeUs, ${identityColumns}
     FROM file f ${joinedChecksum} WHERE f.directory = @id AND f.name > @after AND f.name <= @through
     ORDER BY f.name LIMIT ${mostKnownFiles}`,
  )
  const count = db.prepare('SELECT files FROM area WHERE name = ?').pluck()
  // The query reads from the latest tombstone back to the first one that was removed before the given time, not all tombstones.
  const removedSince = db.prepare(
    `SELECT k.area, t.removed_us AS atUs, count(*) AS count
     FROM tombstone t INDEXED BY tombstone_seq CROSS JOIN kind k ON k.id = t.kind
     WHERE t.seq > coalesce((SELECT seq FROM tombstone INDEXED BY tombstone_seq
       WHERE removed_us < ? ORDER BY seq DESC LIMIT 1), 0)
     GROUP BY k.area, t.removed_us`,
  )
  return {
    directories: (): KnownStamp[] =>
      (directories.all() as StampRow[]).map((row) => ({
        path: row.path,
        stamp: toStamp(row),
        withheldSinceUs: row.withheldSinceUs ?? undefined,
      })),
    directory: (path: string, range?: NameRange): KnownDirectory | undefined => {
      const row = directory.get(path) as KnownRow | undefined
      if (row === undefined) return undefined
      const { after = '', through = afterAllNames } = range ?? {}
      const known = filesOf.all({ id: row.id, after, through }) as KnownFileRow[]
      const files = new Map(known.map(toKnownFile))
      const next = known.length < mostKnownFiles ? undefined : known.at(-1)?.name
      return { stamp: toStamp(row), unreadable: row.unreadable === 1, files, next }
    },
    count: (area: Area): number => (count.get(area) as number | undefined) ?? 0,
    removedSince: (us: number) => removedSince.all(us) as RemovedFiles[],
  }
}

function toStamp({ mtimeUs, ctimeUs, inode }: StampRow): DirectoryStamp | undefined {
  return mtimeUs === null ? undefined : { mtimeUs, ctimeUs, inode }
}

function toKnownFile(row: KnownFileRow): [string, KnownFile] {
  const { id, name, size, mtimeUs } = row
  const facts = { size: size ?? undefined, mtimeUs: mtimeUs ?? undefined }
  const { inode, ctimeUs, links, mode, uid, gid } = row
  const hashed = toIdentity([inode, ctimeUs, links, mode, uid, gid], facts)
  return [name, { id, ...facts, hashed }]
}
