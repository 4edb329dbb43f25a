/** The incidents of the network that have ended. */
import { closedIncidents, closedLosses } from '../../series/closed-incidents.ts'
import { openIncidents } from '../../series/incidents.ts'
import type { Incident, Loss } from '../../series/incidents.ts'
import type { Requester } from '../http/limits.ts'
import { seriesAtOnce } from './known-series.ts'
import type { NetworkStatus } from './known-series.ts'

/** Finds them in turns, the one that ended last first; none until the first scan has ended. */
export async function readClosedIncidents(
  { states, currency: { asOf } }: Pick<NetworkStatus, 'states' | 'currency'>,
  requester: Requester,
): Promise<readonly Incident[]> {
  if (asOf === undefined) return []
  const losses: Loss[] = []
  for (let start = 0; start < states.length; start += seriesAtOnce) {
    const part = states.slice(start, start + seriesAtOnce)
    losses.push(...part.flatMap((each) => closedLosses(each, asOf)))
    await requester.turn()
  }
  return closedIncidents(losses, { states, open: openIncidents(states, asOf), asOf })
}
