/** Chooses one reason to reject a name with wrong parts. */
import type { RejectionReason } from './types.ts'

/**
 * The reason to reject a name that looks like one of the forms but has wrong parts. A single wrong part is named, because it can
 * be corrected. If several parts are wrong, the name most often looks like a RINEX name only by chance.
 * @param faults the fault of each part; `undefined` for a valid one
 */
export function soleFault(faults: readonly (RejectionReason | undefined)[]): RejectionReason {
  const [fault, ...more] = faults.filter((reason) => reason !== undefined)
  return fault === undefined || more.length > 0 ? 'unknown-form' : fault
}
