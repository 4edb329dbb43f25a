/** Chooses one reason to reject a name with wrong parts. */
import type { RejectionReason } from './types.ts'

/**
 * The reason to reject a name that looks like one of the forms but has wrong parts; `undefined` if
 * no part is wrong. A single wrong part is named, because it can be corrected. If several parts are
 * wrong, the name most often looks like a RINEX name only by chance.
 * @param faults the fault of each part; `false` for a valid one
 */
export function soleFault(
  faults: readonly (RejectionReason | false)[],
): RejectionReason | undefined {
  const [fault, ...more] = faults.filter((reason) => reason !== false)
  return more.length > 0 ? 'unknown-form' : fault
}
