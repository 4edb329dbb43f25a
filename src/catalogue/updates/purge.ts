/** Purges tombstones and deliveries that are too old, and directories that no longer exist. */
import type { Question } from '../question.ts'
import { execute, rows } from '../question.ts'
import { purgeDeliveries } from './deliveries.ts'

/** Maximum number of tombstones purged in one transaction, which takes hundredths of a second. */
const removalsPerTransaction = 2000

/**
 * Purges tombstones in the order of seq, up to the first one that is too young. The seq of the last
 * purged tombstone is stored, and the change feed has all removals after it. A removal with a time
 * in the future, from a wrong clock, stays until that time is old enough, and so do all removals
 * after it. When no old tombstone is left, deliveries and directories are purged too.
 */
export function* purge(beforeUs: number, nowUs: number): Question<{ readonly more: boolean }> {
  const oldest = yield* rows<[seq: number, removedUs: number]>(
    `SELECT seq, removed_us FROM tombstone ORDER BY seq LIMIT ${removalsPerTransaction}`,
  )
  const young = oldest.findIndex(([, removedUs]) => removedUs >= beforeUs)
  const old = young === -1 ? oldest : oldest.slice(0, young)
  const seq = old.at(-1)?.[0]
  if (seq !== undefined)
    yield* execute(
      { sql: 'DELETE FROM tombstone WHERE seq <= @seq', values: { seq } },
      { sql: 'UPDATE catalogue SET purged_seq = @seq WHERE one = 1', values: { seq } },
    )
  if (old.length === removalsPerTransaction) return { more: true }
  // A directory that no longer exists is kept as long as rows of tombstones or files refer to it.
  yield* execute({
    sql: `DELETE FROM directory WHERE gone = 1
      AND NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.directory = directory.id)
      AND NOT EXISTS (SELECT 1 FROM file f WHERE f.directory = directory.id)`,
  })
  yield* purgeDeliveries(nowUs)
  return { more: false }
}
