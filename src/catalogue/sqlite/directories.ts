import type { Database } from 'better-sqlite3'
import type { DirectoryChange } from '../catalogue-writer.ts'

/** The rows of directories: their stamps, their counts and what in them is not catalogued. */
export function prepareDirectories(db: Database) {
  const select = db.prepare('SELECT id FROM directory WHERE path = ?').pluck()
  const insert = db.prepare('INSERT INTO directory (path) VALUES (?)')
  const update = db.prepare(
    `UPDATE directory SET mtime_us = @mtimeUs, ctime_us = @ctimeUs, inode = @inode,
       misplaced = coalesce(@misplaced, misplaced), gone = @gone, held_since_us = @heldSinceUs,
       files = files + @growth WHERE id = @id`,
  )
  const note = db.prepare(
    'INSERT INTO directory (path) VALUES (?) ON CONFLICT DO UPDATE SET gone = 0, mtime_us = NULL WHERE gone = 1',
  )
  const touch = db.prepare(
    'UPDATE directory SET changed_us = max(coalesce(changed_us, 0) + 1, ?) WHERE path = ?',
  )
  const countInArea = db.prepare(
    `INSERT INTO area (name, files) VALUES (substr(@path, 1, 3), @growth)
     ON CONFLICT DO UPDATE SET files = files + @growth`,
  )
  const clearRejections = db.prepare('DELETE FROM rejection WHERE directory = ?')
  const insertRejection = db.prepare(
    'INSERT INTO rejection (directory, reason, count, example) VALUES (?, ?, ?, ?)',
  )
  return {
    idOf(path: string): number {
      return (select.get(path) as number | undefined) ?? Number(insert.run(path).lastInsertRowid)
    },
    /** @param growth files added less files removed by this change. */
    record(id: number, change: DirectoryChange, growth: number): void {
      update.run({
        id,
        mtimeUs: change.stamp?.mtimeUs ?? null,
        ctimeUs: change.stamp?.ctimeUs ?? null,
        inode: change.stamp?.inode ?? null,
        misplaced: change.misplaced ?? null,
        heldSinceUs: change.heldSinceUs ?? null,
        gone: change.gone ? 1 : 0,
        growth,
      })
      for (const path of change.directories) note.run(path)
      if (growth !== 0) countInArea.run({ path: change.path, growth })
      clearRejections.run(id)
      for (const { reason, count, example } of change.rejections)
        insertRejection.run(id, reason, count, example)
    },
    /** Remembers that the listing of a directory changed, and with it those above it. */
    touch(path: string, nowUs: number): void {
      for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1))
        touch.run(nowUs, path.slice(0, end))
    },
  }
}
