/** Until when the catalogue speaks for the disk, and why it does not speak for now. Pure. */
import { secondsPerMinute } from '../parse/calendar.ts'

/** What answers with states say of their time. */
export interface AsOf {
  /**
   * Seconds since 1970 for which states are computed: now, but not later than what is stored. So
   * the states stand still while the catalogue is not current. `undefined` until the first scan has
   * ended.
   */
  readonly seconds: number | undefined
  /** Why the catalogue is not current; `undefined` if it is. */
  readonly notCurrent: string | undefined
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
 * cannot read the archive or write the catalogue, and when what is stored is too old.
 */
export function asOfNow(
  stored: { readonly atUs: number; readonly limitSeconds: number } | undefined,
  { isStopped, notCurrent, reasons = [] }: IndexerReport,
  nowSeconds: number,
): AsOf {
  const problems = reasons.filter((reason) => reason !== notCurrent)
  const known = isStopped ? indexerStopped : notCurrent
  if (stored === undefined) return { seconds: undefined, notCurrent: known ?? notScanned, problems }
  const { atUs, limitSeconds } = stored
  const storedSeconds = Math.floor(atUs / 1e6)
  // If the clock has jumped back, the states follow it by the minute.
  const minute = Math.floor(nowSeconds / secondsPerMinute) * secondsPerMinute
  const isOld = nowSeconds - atUs / 1e6 > limitSeconds
  const minutes = Math.floor(limitSeconds / secondsPerMinute)
  const old = `the archive has not been compared with the catalogue for more than ${minutes} minutes`
  return {
    seconds: storedSeconds <= nowSeconds ? storedSeconds : minute,
    notCurrent: known ?? (isOld ? old : undefined),
    problems,
  }
}
