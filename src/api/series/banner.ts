/** The sentences above pages with states, about how far the catalogue follows the archive. */
import type { Currency } from '../../series/currency.ts'
import { secondsToIso } from '../http/times.ts'
import { readableTime } from '../pages/labels.ts'

/** Returns nothing for a current catalogue whose indexer has no problems. */
export function bannerOf({ asOf, notCurrent, problems }: Currency): readonly string[] {
  const further = problems.map((problem) => `The indexer reports: ${problem}.`)
  if (notCurrent === undefined) return further
  const since = asOf === undefined ? '' : `, as of ${readableTime(secondsToIso(asOf))} UTC`
  const consequence =
    asOf === undefined
      ? 'States are not known yet.'
      : `States stand still${since}: nothing turns late.`
  return [`This catalogue is not current: ${notCurrent}. ${consequence}`, ...further]
}
