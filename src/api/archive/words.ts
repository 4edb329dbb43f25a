/** What the page of the archive says in sentences. Pure. */
import type { DayVolume, Volumes } from '../../catalogue/questions/volumes.ts'
import { sumOfVolumes } from '../../catalogue/sums.ts'
import type { Area } from '../../parse/archive-path.ts'
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
    const all = months.filter((each) => each.area === area)
    const { bytes } = sumOfVolumes(all)
    const [first, ...others] = all.map(({ month }) => Number(month.slice(0, 'yyyy'.length)))
    if (first === undefined) return []
    const year = others.reduce((least, each) => Math.min(least, each), first)
    const size = `${area}: ${readableSize(bytes)}`
    const since = firstDayOf(area, days)
    // The year before today, whole days.
    const last = sumOfVolumes(
      days.filter((each) => each.area === area && isOfLastYear(each, today)),
    )
    const isOlder = sumOfVolumes(days.filter((each) => each.area === area)).bytes < bytes
    return isOlder || since <= today - yearDays
      ? [`${size} since ${year}; ${readableSize(last.bytes)} of it is data of the last 365 days.`]
      : [`${size}, only data since ${dayWords(since)}.`]
  })
}

function isOfLastYear({ day }: DayVolume, today: number): boolean {
  return day >= today - yearDays && day < today
}

function firstDayOf(area: Area, days: readonly DayVolume[]): number {
  return days.reduce(
    (first, each) => (each.area === area ? Math.min(first, each.day) : first),
    Infinity,
  )
}
