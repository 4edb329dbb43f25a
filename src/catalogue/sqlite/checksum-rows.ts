/** Changes to rows of checksums, and the counters that go with them. To be called within a transaction. */
import type { Database } from 'better-sqlite3'
import type { Checksum, ReboundFile } from '../writer.ts'

export type ChecksumRows = ReturnType<typeof prepareChecksumRows>

/** The checksum `c` that holds for a file `f`: of the version that the record has, and not stale. */
export const holds = `c.id = f.id AND c.size = f.size AND c.mtime_us = f.mtime_us AND c.stale_us IS NULL`

export function prepareChecksumRows(db: Database) {
  const count = db.prepare('UPDATE hashing SET files = files + ?, stale = stale + ? WHERE one = 1')
  const remove = db
    .prepare('DELETE FROM checksum WHERE id = ? RETURNING stale_us IS NOT NULL')
    .pluck()
  const insert = db.prepare(
    `INSERT INTO checksum
       (id, sha256, size, mtime_us, broken, inode, ctime_us, links, mode, uid, gid, stale_us)
     SELECT id, @sha256, size, mtime_us, @broken, @inode, @ctimeUs, @links, @mode, @uid, @gid, @staleUs
     FROM file WHERE id = @id AND size = @size AND mtime_us = @mtimeUs`,
  )
  const setIncomplete = db.prepare('UPDATE file SET incomplete = ? WHERE id = ?')
  const makeStale = db.prepare(
    'UPDATE checksum SET stale_us = @fromUs WHERE id = @id AND stale_us IS NULL',
  )
  const postpone = db.prepare(
    'UPDATE checksum SET stale_us = @fromUs WHERE id = @id AND stale_us IS NOT NULL',
  )
  const rebind = db.prepare(
    `UPDATE checksum SET inode = @inode, ctime_us = @ctimeUs, links = @links, mode = @mode, uid = @uid, gid = @gid
     WHERE id = @id AND stale_us IS NULL AND ctime_us IS @boundCtimeUs`,
  )
  const stale = (id: number, fromUs: number): boolean => {
    const isNew = makeStale.run({ id, fromUs }).changes > 0
    if (isNew) count.run(-1, 1)
    return isNew
  }
  const forget = (id: number): void => {
    const wasStale = remove.get(id) as number | undefined
    if (wasStale !== undefined) count.run(wasStale - 1, -wasStale)
  }
  return {
    /** Drops the checksum of a file that is gone or has changed. */
    forget,
    /**
     * Replaces the checksum of a file by that of the version which was read, if the record still has that version, and
     * says of the file whether it is incomplete.
     */
    replace({ sha256, problem, rested, ...identity }: Checksum, nowUs: number): void {
      forget(identity.id)
      const staleUs = rested ? null : nowUs
      const values = { ...identity, sha256, broken: problem === 'broken' ? 1 : 0, staleUs }
      if (insert.run(values).changes === 0) return
      count.run(rested ? 1 : 0, rested ? 0 : 1)
      setIncomplete.run(problem === 'incomplete' ? 1 : 0, identity.id)
    },
    /**
     * Makes a checksum stale from a time on (µs); one that is stale already stays as it is.
     * @returns whether there was one that was not
     */
    stale,
    /** Has the file of a stale checksum wait until a time (µs). */
    postpone(id: number, fromUs: number): void {
      postpone.run({ id, fromUs })
    },
    /**
     * Binds a checksum to other attributes. One that was bound to another version in the meantime, by being hashed
     * again, becomes stale instead: what was compared says nothing of it.
     * @returns whether it became stale
     */
    rebind({ id, identity, boundCtimeUs }: ReboundFile, nowUs: number): boolean {
      const { inode, ctimeUs, links, mode, uid, gid } = identity
      const values = {
        id,
        inode,
        ctimeUs,
        links,
        mode,
        uid,
        gid,
        boundCtimeUs: boundCtimeUs ?? null,
      }
      return rebind.run(values).changes === 0 && stale(id, nowUs)
    },
  }
}
