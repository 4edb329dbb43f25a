/** Keeps the seq at which stations get their first file or lose their last one. */
import type { Database } from 'better-sqlite3'

/**
 * Returns a function that runs a change of `station_count`, and stores the latest seq for each of
 * these stations (ids) that gets its first file or loses its last one by this change. Call it
 * within a transaction, after `catalogue.seq` was set.
 */
export function prepareLiveSeq(db: Database) {
  const live = db
    .prepare(
      `SELECT value FROM json_each(?)
       WHERE EXISTS (SELECT 1 FROM station_count WHERE station = value)`,
    )
    .pluck()
  const store = db.prepare(
    `UPDATE station SET live_seq = (SELECT seq FROM catalogue WHERE one = 1)
     WHERE id IN (SELECT value FROM json_each(?))`,
  )
  return (stations: readonly number[], change: () => void): void => {
    const ids = JSON.stringify(stations)
    const before = new Set(live.all(ids) as number[])
    change()
    const after = new Set(live.all(ids) as number[])
    const changed = stations.filter((id) => before.has(id) !== after.has(id))
    if (changed.length > 0) store.run(JSON.stringify(changed))
  }
}
