/** What the page of the archive says in sentences. Pure. */
import type { Volumes } from '../../catalogue/questions/volumes.ts'
import { sumOfVolumes } from '../../catalogue/sums.ts'
import { areas } from '../../parse/archive-path.ts'
import { counted, readableSize } from '../../runtime/readable.ts'
import { dayWords } from '../pages/date-words.ts'

export const files = (count: number): string => counted(count, 'file', 'files')

/** Days whose bytes are a year. */
const yearDays = 365

/**
 * How large each area is, since when it has data, and how much of them is of the last year: what a
 * year more needs on the disk.
 *
 * @param today the UTC day since 1970
 */
export function sentencesOf({ totals, months, days }: Volumes, today: number): readonly string[] {
  if (totals.length === 0)
    return ['The catalogue has no files yet. They are expected in the areas obs and nrt.']
  if (months === undefined || days === undefined)
    return ['The first scan has not ended: years and days are counted at its end.']
  return areas.flatMap((area) => {
    const own = days.filter((each) => each.area === area)
    const all = months.filter((each) => each.area === area)
    if (all.length === 0) return []
    const { bytes } = sumOfVolumes(all)
    const size = `${area}: ${readableSize(bytes)}`
    const since = Math.min(...own.map(({ day }) => day))
    if (since > today - yearDays && sumOfVolumes(own).bytes === bytes)
      return [`${size}, only data since ${dayWords(since)}.`]
    const year = Math.min(...all.map(({ month }) => Number(month.slice(0, 'yyyy'.length))))
    // The year before today, whole days.
    const last = own.filter(({ day }) => day >= today - yearDays && day < today)
    const ofYear = readableSize(sumOfVolumes(last).bytes)
    return [`${size} since ${year}; ${ofYear} of it is data of the last 365 days.`]
  })
}
