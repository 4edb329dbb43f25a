/** Changes rows of `checksum` and the counters in `hashing`. Call within a transaction. */
import type { Database } from 'better-sqlite3'
import type { Checksum, ReboundFile } from '../writer.ts'

export type ChecksumRows = ReturnType<typeof prepareChecksumRows>

export function prepareChecksumRows(db: Database) {
  const count = db.prepare('UPDATE hashing SET files = files + ?, stale = stale + ? WHERE one = 1')
  const deleteRow = db
    .prepare('DELETE FROM checksum WHERE id = ? RETURNING stale_us IS NOT NULL')
    .pluck()
  const insert = db.prepare(
    `INSERT INTO checksum
       (id, sha256, size, mtime_us, broken, inode, ctime_us, links, mode, uid, gid, stale_us)
     SELECT id, @sha256, size, mtime_us, @broken, @inode, @ctimeUs, @links, @mode, @uid, @gid, @staleUs
     FROM file WHERE id = @id AND size = @size AND mtime_us = @mtimeUs`,
  )
  const setIncomplete = db.prepare('UPDATE file SET incomplete = ? WHERE id = ?')
  const setStale = db.prepare(
    'UPDATE checksum SET stale_us = @fromUs WHERE id = @id AND stale_us IS NULL',
  )
  const postpone = db.prepare(
    'UPDATE checksum SET stale_us = @fromUs WHERE id = @id AND stale_us IS NOT NULL',
  )
  const rebind = db.prepare(
    `UPDATE checksum SET inode = @inode, ctime_us = @ctimeUs, links = @links, mode = @mode, uid = @uid, gid = @gid
     WHERE id = @id AND stale_us IS NULL AND ctime_us = @boundCtimeUs`,
  )
  const markStale = (id: number, fromUs: number): boolean => {
    const isNew = setStale.run({ id, fromUs }).changes > 0
    if (isNew) count.run(-1, 1)
    return isNew
  }
  const remove = (id: number): void => {
    const wasStale = deleteRow.get(id) as number | undefined
    if (wasStale !== undefined) count.run(wasStale - 1, -wasStale)
  }
  return {
    /** Deletes the checksum of a file that was removed or changed. */
    remove,
    /**
     * Replaces the checksum of a file if the record still has the size and mtime that were read; also sets the file's
     * `incomplete`. If the record has another size or mtime, or was removed, the old checksum is deleted without a replacement.
     */
    replace({ sha256, problem, rested, ...identity }: Checksum, nowUs: number): void {
      remove(identity.id)
      const staleUs = rested ? null : nowUs
      const values = { ...identity, sha256, broken: problem === 'broken' ? 1 : 0, staleUs }
      if (insert.run(values).changes === 0) return
      count.run(rested ? 1 : 0, rested ? 0 : 1)
      setIncomplete.run(problem === 'incomplete' ? 1 : 0, identity.id)
    },
    /**
     * Marks a checksum as stale; its file is hashed again from the time `fromUs` on. A checksum that is stale already stays as it
     * is.
     * @returns true if it became stale
     */
    markStale,
    /** Sets the time (µs) before which the file of a stale checksum is not hashed again. */
    postpone(id: number, fromUs: number): void {
      postpone.run({ id, fromUs })
    },
    /**
     * Stores new attributes in the identity of a checksum. If the file was hashed again in the meantime, the caller compared the
     * file with an earlier checksum, so the new checksum becomes stale instead.
     * @returns true if it became stale
     */
    rebind({ id, identity, boundCtimeUs }: ReboundFile, nowUs: number): boolean {
      return rebind.run({ id, ...identity, boundCtimeUs }).changes === 0 && markStale(id, nowUs)
    },
  }
}
