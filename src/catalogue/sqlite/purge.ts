/** Purges tombstones and deliveries that are too old, and directories that no longer exist. */
import type { Database } from 'better-sqlite3'
import { prepareDeliveryPurge } from './deliveries.ts'

/** Maximum number of tombstones that are purged in one transaction, which then takes a few hundredths of a second. */
const removalsPerTransaction = 2000

/**
 * Prepares purging tombstones. They are purged in the order of seq, up to the first one that is too young. The seq of the last
 * purged tombstone is stored, and the change feed has all removals after it. A removal with a time in the future, from a wrong
 * clock, stays until that time is old enough, and so do all removals after it. When no old tombstone is left, deliveries and
 * directories are purged too.
 */
export function preparePurge(
  db: Database,
  nowUs: () => number,
): (beforeUs: number) => { more: boolean } {
  const purgeDeliveries = prepareDeliveryPurge(db)
  const oldest = db.prepare(
    `SELECT seq, removed_us AS removedUs FROM tombstone ORDER BY seq LIMIT ${removalsPerTransaction}`,
  )
  const purge = db.prepare('DELETE FROM tombstone WHERE seq <= ?')
  const persist = db.prepare('UPDATE catalogue SET forgotten_seq = ? WHERE one = 1')
  // A directory that no longer exists is kept only as long as rows of tombstones or files refer to it.
  const dropDirectories = db.prepare(
    `DELETE FROM directory WHERE gone = 1
       AND NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.directory = directory.id)
       AND NOT EXISTS (SELECT 1 FROM file f WHERE f.directory = directory.id)`,
  )
  const work = db.transaction((beforeUs: number): { more: boolean } => {
    const rows = oldest.all() as { seq: number; removedUs: number }[]
    const young = rows.findIndex(({ removedUs }) => removedUs >= beforeUs)
    const old = young === -1 ? rows : rows.slice(0, young)
    const last = old.at(-1)
    if (last !== undefined) {
      purge.run(last.seq)
      persist.run(last.seq)
    }
    const more = old.length === removalsPerTransaction
    if (!more) {
      dropDirectories.run()
      purgeDeliveries(nowUs())
    }
    return { more }
  })
  return (beforeUs) => work.immediate(beforeUs)
}
