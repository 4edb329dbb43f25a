/** Writes the row of the catalogue itself. */
import { execute } from '../question.ts'
import type { Question } from '../question.ts'
import type { Heartbeat, ScanSummary } from '../records.ts'

/** Stores that the catalogue equals the tree as it was at a time. */
export function* setHeartbeat({ atUs, limitSeconds }: Heartbeat): Question<void> {
  yield* execute({
    sql: `UPDATE catalogue SET heartbeat_us = @atUs, heartbeat_limit_s = @limitSeconds
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
