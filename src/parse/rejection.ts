import type { RejectionReason } from './types.ts'

/**
 * The reason to give for a name that looks like one of the forms but has wrong parts. One wrong part is
 * worth naming, since somebody can mend it; with more of them the likeness is most often chance.
 * @param faults what is wrong with each part; `undefined` where nothing is.
 */
export function soleFault(faults: readonly (RejectionReason | undefined)[]): RejectionReason {
  const [fault, ...more] = faults.filter((reason) => reason !== undefined)
  return fault === undefined || more.length > 0 ? 'unknown-form' : fault
}
