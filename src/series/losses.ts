/** The losses that are open now. Pure. */
import { damagedLosses } from './damaged.ts'
import type { Loss } from './loss.ts'
import { newestFirst } from './loss.ts'
import { stalledLoss } from './stalled.ts'
import { stationLosses } from './station-losses.ts'
import type { StationSeries } from './station-states.ts'

/** Finds the open losses, the newest first. @param asOf seconds since 1970 */
export function openLosses(states: readonly StationSeries[], asOf: number): readonly Loss[] {
  const losses = stationLosses(states, asOf)
  const stalled = stalledLoss(losses, states, asOf)
  const lost = stalled === undefined ? losses : [stalled.loss, ...stalled.others]
  return [...lost, ...damagedLosses(states, asOf)].toSorted(newestFirst)
}
