/**
 * Serves the state of the whole network: the number of series in each state, those that are late or
 * down, recent arrivals, and the directories with the most changes. The HTML page is the first page
 * in the navigation.
 */
import type { FastifyInstance, RouteHandlerMethod } from 'fastify'
import { isTemporary } from '../../catalogue/reader-errors.ts'
import type { Asker } from '../../catalogue/reader.ts'
import { ratio } from '../../series/completeness.ts'
import { seriesStates } from '../../series/slot-states.ts'
import type { SeriesState } from '../../series/slot-states.ts'
import { secondsPerDay, secondsPerHour } from '../../parse/calendar.ts'
import { endOfSlot } from '../../series/series.ts'
import { isFresh, sendHtml, sendJson, sendNotModified } from '../http/context.ts'
import type { ApiContext } from '../http/context.ts'
import { negotiate } from '../http/negotiate.ts'
import { addResource } from '../http/resource.ts'
import { checkParameters } from '../parameters/unknown.ts'
import { currencyHeaders, serialiseCurrency, statesTag } from '../series/known-series.ts'
import type { KnownSeries, NetworkStatus } from '../series/known-series.ts'
import type { NetworkContext } from '../series/route.ts'
import { serialiseSeries, shareOrNull } from '../series/series-list.ts'
import { renderNetwork } from './page.ts'
import { getNetwork, networkSchema } from './schema.ts'
import type { WireNetwork } from './schema.ts'

type Context = NetworkContext & Pick<ApiContext, 'reader'>

/** Maximum number of late series, and of series that are down. */
const maxLate = 100

export function addNetwork(app: FastifyInstance, context: Context): void {
  app.addSchema(networkSchema)
  addResource(app, {
    path: `${context.apiPath}network/`,
    get: showNetwork(context),
    schema: getNetwork,
    about: {
      name: 'Network',
      description: 'Series by state, those that are late or down, and what arrived.',
    },
  })
}

function showNetwork({ network, reader, tag, limits }: Context): RouteHandlerMethod {
  return async (request, reply) => {
    const representation = negotiate(request, reply)
    checkParameters(request, reply)
    const requester = await limits.page(request, reply)
    const current = await network.currentFor(requester)
    const { head, currency } = current
    reply.headers(currencyHeaders(currency))
    if (isFresh(request, reply, tag(statesTag(head, currency), representation)))
      return sendNotModified(reply)
    const activity = await readActivity(reader, current, requester)
    await requester.turn()
    const wire = serialiseNetwork(current, activity)
    return representation === 'html'
      ? sendHtml(reply, renderNetwork(wire, current))
      : sendJson(reply, wire)
  }
}

type Activity = Pick<WireNetwork, 'arrivals_1h' | 'changed_directories'>

/**
 * Counts the arrivals of the last hour, and reads the directories that changed today. The
 * directories are left out if the catalogue cannot answer temporarily, for example while an index
 * is being built, or after so many changes that counting them takes too long.
 */
async function readActivity(
  reader: Context['reader'],
  { states, currency: { asOf } }: NetworkStatus,
  asker: Asker,
): Promise<Activity> {
  if (asOf === undefined) return { arrivals_1h: null, changed_directories: [] }
  const today = Math.floor(asOf / secondsPerDay) * secondsPerDay
  // Files that arrived after `asOf` count too.
  const arrivals = arrivalsSince(states, asOf - secondsPerHour)
  try {
    const directories = await reader.changedDirectories(today * 1e6, asker)
    return { arrivals_1h: arrivals, changed_directories: [...directories] }
  } catch (error) {
    if (!isTemporary(error)) throw error
    return { arrivals_1h: arrivals, changed_directories: [] }
  }
}

/**
 * Number of slots whose first file was seen arriving since a time; files that a scan found do not
 * count.
 */
function arrivalsSince(states: readonly KnownSeries[], sinceSeconds: number): number {
  let count = 0
  for (const { period, past } of states)
    past.arrivals.slots.forEach((slot, index) => {
      const arrived = endOfSlot(slot, period) + (past.arrivals.latencies[index] ?? NaN)
      if (arrived >= sinceSeconds) count++
    })
  return count
}

function serialiseNetwork({ states, currency }: NetworkStatus, activity: Activity): WireNetwork {
  const inState = (state: SeriesState): readonly KnownSeries[] =>
    states.filter(({ summary }) => summary.state === state)
  // What was never delivered is the longest loss.
  const longestFirst = (state: SeriesState) =>
    inState(state)
      .map(serialiseSeries)
      .sort((a, b) => ((a.since ?? '') < (b.since ?? '') ? -1 : 1))
  // A series that is neither expected nor delivered, such as one of a few stray files, says nothing
  // about the network.
  const counted = states.filter(
    ({ summary }) => !summary.ended && (summary.expected > 0 || summary.present > 0),
  )
  const sum = (key: 'possible' | 'present' | 'expected' | 'delivered'): number =>
    counted.reduce((total, { summary }) => total + summary[key], 0)
  const [possible, present] = [sum('possible'), sum('present')]
  const [expected, delivered] = [sum('expected'), sum('delivered')]
  return {
    ...serialiseCurrency(currency),
    stations: new Set(states.map(({ station }) => station)).size,
    series: Object.fromEntries(
      seriesStates.map((state) => [state, inState(state).length]),
    ) as WireNetwork['series'],
    ended: states.filter(({ summary }) => summary.ended).length,
    possible_28d: possible,
    present_28d: present,
    completeness_28d: shareOrNull(ratio(present, possible)),
    expected_28d: expected,
    delivered_28d: delivered,
    share_28d: shareOrNull(ratio(delivered, expected)),
    ...activity,
    late: longestFirst('late').slice(0, maxLate),
    down: longestFirst('down').slice(0, maxLate),
  }
}
