/** The losses of stations that sent damaged files: a better copy is wanted. Pure. */
import { secondsPerDay } from '../parse/calendar.ts'
import { patienceSeconds } from './due.ts'
import type { Loss, LostSeries } from './loss.ts'
import { lossOf } from './loss.ts'
import { endOfSlot } from './series.ts'
import type { StationSeries } from './station-states.ts'

/** Damaged slots that ended longer ago are left to `missing/`. */
const damagedDays = 7

/**
 * One loss for each station of which slots are damaged that ended in the last seven days. It begins
 * when the first of them was found to be damaged; a good copy often follows before it is an alert.
 * @param asOf seconds since 1970
 */
export function damagedLosses(states: readonly StationSeries[], asOf: number): readonly Loss[] {
  const damaged = states.flatMap((each) => damagedSeries(each, asOf))
  return Array.from(
    Map.groupBy(damaged, ({ station }) => station),
    ([station, series]) => {
      const since = Math.min(...series.map(({ due }) => due))
      const alert = asOf >= since + patienceSeconds
      return lossOf({ kind: 'damaged', place: { station }, series, since, due: since, alert, asOf })
    },
  )
}

/** The series with its damaged slots; nothing if there are none. */
function damagedSeries(
  { station, fileType, period, summary: { runs }, past }: StationSeries,
  asOf: number,
): readonly LostSeries[] {
  if (past.damaged.size === 0) return []
  const isRecent = (slot: number): boolean => {
    const end = endOfSlot(slot, period)
    return end <= asOf && end > asOf - damagedDays * secondsPerDay
  }
  const found = runs
    .filter(({ state }) => state === 'damaged')
    .flatMap(({ firstSlot, slots }) =>
      Array.from({ length: slots }, (_, index) => firstSlot + index),
    )
    .filter((slot) => isRecent(slot) && past.damaged.has(slot))
  if (found.length === 0) return []
  const since = Math.min(...found.map((slot) => past.damaged.get(slot) ?? Infinity))
  const times = { since, due: since, alertFrom: since + patienceSeconds }
  return [{ station, fileType, period, kind: 'damaged', damaged: found, ...times }]
}
