/** How fast the archive grows, when its disks are full, and at which hours files arrive. Pure. */
import { sumOfVolumes } from '../../catalogue/volumes.ts'
import type { DayVolume } from '../../catalogue/volumes.ts'
import type { Area } from '../../parse/archive-path.ts'
import { secondsPerDay, secondsPerHour } from '../../parse/calendar.ts'
import type { Arrivals } from '../../series/delivery-window.ts'
import { endOfSlot, recentDays } from '../../series/series.ts'
import type { Period } from '../../series/series.ts'

/**
 * Numbers of days whose mean is the growth. The year is right where hourly files are removed after
 * some weeks, because what is there is a small part of it; the last weeks are right where the files
 * stay and their number has grown.
 */
export const growthDays = { year: 365, recent: recentDays } as const

/** With data of fewer days than this, the growth is not known. */
const leastDays = 7

/** Years after which nobody can say when a disk is full. */
const mostYears = 100

/** What comes to an archive on a mean day. */
export interface Growth {
  readonly files: number
  readonly bytes: number
}

/**
 * The growth by the day of the data, over the last days before today, or from the first of these
 * days that has data: as if all of these files stay. A file of unknown size counts as much as
 * the others do on average. `undefined` with fewer than seven days, or without any known size.
 * @param days of all areas, ascending
 * @param of the areas whose growth is wanted
 * @param when the UTC day since 1970, and the number of days before it
 */
export function growthOf(
  days: readonly DayVolume[],
  of: readonly Area[],
  { today, last }: { readonly today: number; readonly last: number },
): Growth | undefined {
  const recent = days.filter(({ day }) => day >= today - last && day < today)
  const count = today - (recent[0]?.day ?? today)
  const own = recent.filter(({ area }) => of.includes(area))
  const { files, bytes, sized } = sumOfVolumes(own)
  if (count < leastDays || (sized === 0 && files > 0)) return undefined
  const size = sized === 0 ? 0 : bytes / sized
  return { files: files / count, bytes: (files * size) / count }
}

/**
 * The UTC day on which a disk is full if the archive goes on growing like this and nothing else
 * writes to it; `undefined` if it does not grow, or not before a hundred years have passed.
 */
export function fullDay(
  freeBytes: number,
  growth: Growth | undefined,
  today: number,
): number | undefined {
  if (growth === undefined || growth.bytes <= 0) return undefined
  const days = Math.floor(freeBytes / growth.bytes)
  return days > mostYears * 365.25 ? undefined : today + days
}

interface ArrivingSeries {
  readonly period: Period
  readonly past: { readonly arrivals: Arrivals }
}

/** The files that were seen arriving in the last 28 whole UTC days, by the hour of the day. */
export function arrivalsByHour(series: Iterable<ArrivingSeries>, today: number): number[] {
  const from = (today - recentDays) * secondsPerDay
  const hours = Array<number>(24).fill(0)
  for (const { period, past } of series)
    past.arrivals.slots.forEach((slot, index) => {
      const at = endOfSlot(slot, period) + (past.arrivals.latencies[index] ?? NaN)
      const hour = Math.floor((at % secondsPerDay) / secondsPerHour)
      if (at >= from && at < today * secondsPerDay) hours[hour] = (hours[hour] ?? 0) + 1
    })
  return hours
}
