/** Stores when a station gets its first file or loses its last one. */
import type { Dialect } from '../dialect.ts'
import { column, execute } from '../question.ts'
import type { Question } from '../question.ts'

/**
 * Runs a change of `station_count`, and stores the latest seq for each of these stations (ids) that
 * gets its first file or loses its last one by this change. To be used after `catalogue.seq` was
 * set.
 */
export function* withLiveSeq(
  dialect: Dialect,
  ids: readonly number[],
  change: Question<void>,
): Question<void> {
  const live = `SELECT id FROM station WHERE ${dialect.isIn('id', 'ids')}
    AND EXISTS (SELECT 1 FROM station_count c WHERE c.station = station.id)`
  const before = new Set(yield* column<number>(live, { ids }))
  yield* change
  const after = new Set(yield* column<number>(live, { ids }))
  const changed = ids.filter((id) => before.has(id) !== after.has(id))
  if (changed.length > 0)
    yield* execute({
      sql: `UPDATE station SET live_seq = (SELECT seq FROM catalogue WHERE one = 1)
        WHERE ${dialect.isIn('id', 'ids')}`,
      values: { ids: changed },
    })
}
