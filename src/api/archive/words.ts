/** What the page of the archive says in sentences. Pure. */
import type { Volumes } from '../../catalogue/questions/volumes.ts'
import { sumOfVolumes } from '../../catalogue/sums.ts'
import type { Layout } from '../../parse/layout.ts'
import { counted, readableSize } from '../../runtime/readable.ts'
import { dayWords } from '../pages/date-words.ts'
import { emptyWords } from '../pages/labels.ts'

export const files = (count: number): string => counted(count, 'file', 'files')

/** Volumes, with the areas that they have. */
export interface FewAreas {
  readonly volumes: Pick<Volumes, 'totals' | 'months' | 'days'>
  readonly areas: readonly string[]
}

/** At most so many areas are told apart; with more, the smallest are one. */
const mostAreas = 4

/** What the areas are called that are one. */
const others = 'others'

/** The volumes of few areas: in their configured order, then former ones, and all others as one. */
export function ofFewAreas(
  volumes: FewAreas['volumes'],
  { areas: configured }: Pick<Layout, 'areas'>,
): FewAreas {
  const byArea = Map.groupBy(volumes.totals, ({ area }) => area)
  const all = [...new Set([...configured.filter((area) => byArea.has(area)), ...byArea.keys()])]
  if (all.length <= mostAreas) return { volumes, areas: all }
  const bytesOf = (area: string): number => sumOfVolumes(byArea.get(area) ?? []).bytes
  const large = all.toSorted((a, b) => bytesOf(b) - bytesOf(a)).slice(0, mostAreas - 1)
  const named = <T extends { readonly area: string }>(each: T): T => ({
    ...each,
    area: large.includes(each.area) ? each.area : others,
  })
  return {
    volumes: {
      totals: volumes.totals.map(named),
      months: volumes.months?.map(named),
      days: volumes.days?.map(named),
    },
    areas: [...all.filter((area) => large.includes(area)), others],
  }
}

/** Days whose bytes are a year. */
const yearDays = 365

/**
 * How large each area is, since when it has data, and how much of them is of the last year: what a
 * year more needs on the disk.
 *
 * @param today the UTC day since 1970
 */
export function sentencesOf(
  { volumes: { totals, months, days }, areas }: FewAreas,
  layout: Pick<Layout, 'areas'>,
  today: number,
): readonly string[] {
  if (totals.length === 0) return [emptyWords(layout)]
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
