/**
 * The network at a glance: stations by state, what is lost, arrivals, and the directories with the
 * most changes. Its page is the first in the navigation.
 */
import type { FastifyInstance } from 'fastify'
import { isTemporary } from '../../catalogue/reader-errors.ts'
import type { Asker } from '../../catalogue/reader.ts'
import { secondsPerDay, secondsPerHour } from '../../parse/calendar.ts'
import { sumOf } from '../../series/completeness.ts'
import { endOfSlot } from '../../series/series.ts'
import { countStates } from '../../series/station-states.ts'
import { lossFields } from '../alerts/loss-fields.ts'
import type { Links } from '../http/context.ts'
import { flag } from '../parameters/parameter.ts'
import { addAnswer } from '../resources/answer.ts'
import { serialise } from '../resources/fields.ts'
import type { KnownSeries, NetworkStatus } from '../series/known-series.ts'
import { currencyMembers, networkState, serialiseCurrency } from '../series/network-context.ts'
import type { NetworkContext } from '../series/network-context.ts'
import { shareOrNull } from '../series/series-fields.ts'
import { renderNetwork } from './page.ts'
import { networkSchema } from './schema.ts'
import type { WireNetwork } from './schema.ts'
import { verdictOf } from './verdict.ts'

const maxLosses = 100

const parameters = {
  kiosk: flag({
    meaning:
      'The HTML page without header and footer, and larger, for a screen on the wall; it updates itself.',
  }),
}

export function addNetwork(app: FastifyInstance, context: NetworkContext): void {
  addAnswer(app, context, {
    path: 'network/',
    formats: ['json', 'html'],
    accepts: { parameters },
    operation: {
      id: 'getNetwork',
      tag: 'Stations',
      name: 'Network',
      summary: 'The network at a glance',
      about: 'The number of stations by state, what is late or down, and what arrived.',
      description: `The HTML page also shows the last 24 hours and the last 28 days of each station. ${currencyMembers.clock}`,
      returns: 'The network.',
      headers: currencyMembers.headers,
      samples: ['network/'],
    },
    bodies: { json: networkSchema },
    state: () => networkState(context),
    read: async ({ values, ignored }, current, requester) => {
      const now = context.nowUs() / 1e6
      const activity = await readActivity(context, current, { now, asker: requester })
      const wire = serialiseNetwork(current, { activity, now }, context.links())
      return {
        bodies: {
          json: () => wire,
          html: () => renderNetwork(wire, current, { ...values, ignored }),
        },
      }
    },
  })
}

type Activity = Pick<WireNetwork, 'arrivals_1h' | 'changed_directories'>

/** The arrivals of the last hour, and the directories that changed today, if they can be read. */
async function readActivity(
  { reader }: NetworkContext,
  { states, currency: { asOf } }: NetworkStatus,
  { now, asker }: { readonly now: number; readonly asker: Asker },
): Promise<Activity> {
  if (asOf === undefined) return { arrivals_1h: null, changed_directories: [] }
  const today = Math.floor(asOf / secondsPerDay) * secondsPerDay
  // Files that arrived after `asOf` count too.
  const arrivals = arrivalsIn(states, asOf - secondsPerHour, now)
  try {
    const directories = await reader.changedDirectories(today * 1e6, asker)
    return { arrivals_1h: arrivals, changed_directories: [...directories] }
  } catch (error) {
    if (!isTemporary(error)) throw error
    return { arrivals_1h: arrivals, changed_directories: [] }
  }
}

/**
 * Slots whose first file was seen arriving from a time until now. Those of scans do not count, nor
 * those that came, as it seems, after now, because the clock was set back.
 */
function arrivalsIn(states: readonly KnownSeries[], from: number, now: number): number {
  let count = 0
  for (const { period, past } of states)
    past.arrivals.slots.forEach((slot, index) => {
      const arrived = endOfSlot(slot, period) + (past.arrivals.latencies[index] ?? NaN)
      if (arrived >= from && arrived <= now) count++
    })
  return count
}

function serialiseNetwork(
  { states, stations, losses, currency }: NetworkStatus,
  { activity, now }: { readonly activity: Activity; readonly now: number },
  links: Links,
): WireNetwork {
  // A series that is neither expected nor delivered, such as one of a few stray files, says nothing
  // about the network.
  const total = sumOf(
    states
      .map(({ summary }) => summary)
      .filter(({ ended, expected, delivered }) => !ended && (expected > 0 || delivered > 0)),
  )
  const { ended, ...inStates } = countStates(stations)
  return {
    ...serialiseCurrency(currency),
    verdict: verdictOf({ states, stations, losses, currency }, now),
    stations: stations.size - ended,
    states: inStates,
    ended,
    possible_28d: total.possible,
    delivered_28d: total.delivered,
    completeness_28d: shareOrNull(total.completeness),
    ...activity,
    losses: losses.slice(0, maxLosses).map((loss) => serialise(lossFields, loss, links)),
  }
}
