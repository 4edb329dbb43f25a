/** Writes the row of the catalogue: the times up to which it is known, and the rules of names. */
import type { Layout } from '../../parse/layout.ts'
import type { Dialect } from '../dialect.ts'
import type { Question } from '../question.ts'
import { execute, value } from '../question.ts'
import type { ScanSummary, StoredAsOf } from '../records.ts'
import { judgeMisplaced } from './misplaced.ts'

/** Stores that the catalogue equals the tree as it was at a time. */
export function* setAsOf({ atUs, limitSeconds }: StoredAsOf): Question<void> {
  yield* execute({
    sql: `UPDATE catalogue SET as_of_us = @atUs, as_of_limit_s = @limitSeconds
      WHERE one = 1`,
    values: { atUs, limitSeconds },
  })
}

/** Stores the summary of a complete scan. */
export function* setLastScan(scan: ScanSummary): Question<void> {
  yield* execute({
    sql: 'UPDATE catalogue SET last_scan = @scan WHERE one = 1',
    values: { scan: JSON.stringify(scan) },
  })
}

/** Stores the time from which deliveries are recorded, once. */
export function* beginDeliveries(nowUs: number): Question<void> {
  yield* execute({
    sql: 'UPDATE catalogue SET deliveries_us = @nowUs WHERE deliveries_us IS NULL',
    values: { nowUs },
  })
}

/**
 * Stores the version of the rules of names. If it is another one, directories with rejected entries
 * lose their stamps, so that the next sweep reads them, and misplaced files are judged again.
 * @returns the number of these directories
 */
export function* adoptNameRules(
  version: number,
  dialect: Dialect,
  layout: Layout,
): Question<number> {
  const known = yield* value<number>('SELECT name_rules FROM catalogue WHERE one = 1')
  if (known === version) return 0
  const rejecting = 'id IN (SELECT directory FROM rejection) AND gone = 0'
  const count = yield* value<number>(`SELECT count(*) FROM directory WHERE ${rejecting}`)
  yield* execute(
    { sql: `UPDATE directory SET mtime_us = NULL WHERE ${rejecting}` },
    { sql: 'UPDATE catalogue SET name_rules = @version WHERE one = 1', values: { version } },
  )
  yield* judgeMisplaced(dialect, layout)
  return count ?? 0
}
