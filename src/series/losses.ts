/** The losses that are open now. Pure. */
import { newestFirst } from './loss.ts'
import type { Loss } from './loss.ts'
import { stalledLoss } from './stalled.ts'
import { stationLosses } from './station-losses.ts'
import type { StationSeries } from './station-states.ts'

/** Finds the open losses, the newest first. @param asOf seconds since 1970 */
export function openLosses(states: readonly StationSeries[], asOf: number): readonly Loss[] {
  const losses = stationLosses(states, asOf)
  const stalled = stalledLoss(losses, states, asOf)
  return (stalled === undefined ? losses : [stalled.loss, ...stalled.others]).toSorted(newestFirst)
}
