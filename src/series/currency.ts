/** Up to which time the catalogue follows the archive, and why it may not follow it now. Pure. */
import { secondsPerMinute } from '../parse/calendar.ts'

export interface Currency {
  /**
   * Seconds since 1970 for which states are computed: now, but not later than the last heartbeat.
   * So the states stand still while the catalogue is not current. `undefined` until the first scan
   * has ended.
   */
  readonly asOf: number | undefined
  /** Why the catalogue is not current; `undefined` if it is. */
  readonly notCurrent: string | undefined
  /**
   * True if the last heartbeat is older than its limit. A restart of the indexer takes less time.
   */
  readonly isOld: boolean
  /** Further problems of the indexer, which stop nothing. */
  readonly problems: readonly string[]
}

/** The reason of a catalogue whose indexer does not run. */
export const indexerStopped = 'the indexer is stopped'

/** The reason until the first scan has ended. */
export const notScanned = 'the archive has not been compared with the catalogue yet'

/** What the indexer says of itself. */
export interface IndexerReport {
  readonly isStopped: boolean
  /** The reason why the catalogue does not follow the archive. */
  readonly notCurrent?: string | undefined
  /** All problems of the indexer. */
  readonly reasons?: readonly string[] | undefined
}

/**
 * The catalogue is not current until the first scan has ended, while the indexer is stopped or
 * cannot read the archive or write the catalogue, and when the last heartbeat is too old.
 */
export function currencyOf(
  heartbeat: { readonly atUs: number; readonly limitSeconds: number } | undefined,
  { isStopped, notCurrent, reasons = [] }: IndexerReport,
  nowSeconds: number,
): Currency {
  const problems = reasons.filter((reason) => reason !== notCurrent)
  const known = isStopped ? indexerStopped : notCurrent
  if (heartbeat === undefined) {
    return { asOf: undefined, notCurrent: known ?? notScanned, isOld: false, problems }
  }
  const { atUs, limitSeconds } = heartbeat
  const beatSeconds = Math.floor(atUs / 1e6)
  // If the clock has jumped back, the states follow it by the minute.
  const minute = Math.floor(nowSeconds / secondsPerMinute) * secondsPerMinute
  const isOld = nowSeconds - atUs / 1e6 > limitSeconds
  const minutes = Math.floor(limitSeconds / secondsPerMinute)
  const old = `the archive has not been compared with the catalogue for more than ${minutes} minutes`
  return {
    asOf: beatSeconds <= nowSeconds ? beatSeconds : minute,
    notCurrent: known ?? (isOld ? old : undefined),
    isOld,
    problems,
  }
}
