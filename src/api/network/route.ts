/**
 * Serves the state of the whole network: the number of series in each state, the late series, the number of recent arrivals, and
 * the directories with the most changes. The HTML page is the first page in the navigation.
 */
import type { FastifyInstance, RouteHandlerMethod } from 'fastify'
import { isTemporary } from '../../catalogue/reader-errors.ts'
import type { Asker } from '../../catalogue/reader.ts'
import { seriesStates } from '../../series/series-summary.ts'
import type { SeriesState } from '../../series/series-summary.ts'
import { secondsPerDay, secondsPerHour } from '../../parse/calendar.ts'
import { secondsToIso } from '../files/serialise.ts'
import { isFresh, sendHtml, sendJson, sendNotModified } from '../http/context.ts'
import type { ApiContext } from '../http/context.ts'
import { negotiate } from '../http/negotiate.ts'
import { addResource } from '../http/resource.ts'
import { checkParameters } from '../http/unknown-parameters.ts'
import { networkTag } from '../series/network-status.ts'
import type { NetworkStatus } from '../series/network-status.ts'
import type { NetworkContext } from '../series/route.ts'
import { serialiseSeries, sortSeries } from '../series/series-list.ts'
import { renderNetwork } from './page.ts'
import { getNetwork, networkSchema } from './schema.ts'
import type { WireNetwork } from './schema.ts'

type Context = NetworkContext & Pick<ApiContext, 'reader'>

const maxLate = 100

export function addNetwork(app: FastifyInstance, context: Context): void {
  app.addSchema(networkSchema)
  addResource(app, {
    path: `${context.apiPath}network/`,
    get: showNetwork(context),
    schema: getNetwork,
    about: { name: 'Network', description: 'Series by state, the late ones, and what arrived.' },
  })
}

function showNetwork({ network, reader, tag, limits }: Context): RouteHandlerMethod {
  return async (request, reply) => {
    const representation = negotiate(request, reply)
    checkParameters(request, reply)
    const requester = await limits.page(request, reply)
    const current = await network.currentFor(requester)
    if (isFresh(request, reply, tag(networkTag(current), representation)))
      return sendNotModified(reply)
    const activity = await readActivity(reader, current.nowSeconds, requester)
    await requester.turn()
    const wire = serialiseNetwork(current, activity)
    return representation === 'html'
      ? sendHtml(reply, renderNetwork(wire, current))
      : sendJson(reply, wire)
  }
}

type Activity = Pick<WireNetwork, 'arrivals_1h' | 'changed_directories'>

/**
 * Reads how many files arrived in the last hour, and the directories that changed today. Both are left out if the catalogue
 * cannot answer temporarily, for example while an index is being built, or after so many changes that counting them takes too
 * long.
 */
async function readActivity(
  reader: Context['reader'],
  nowSeconds: number,
  asker: Asker,
): Promise<Activity> {
  const today = Math.floor(nowSeconds / secondsPerDay) * secondsPerDay
  const created = { fromUs: (nowSeconds - secondsPerHour) * 1e6 }
  try {
    const [{ count }, directories] = await Promise.all([
      reader.page({ limit: 1, offset: 0, filter: { created } }, asker),
      reader.changedDirectories(today * 1e6, asker),
    ])
    return { arrivals_1h: count, changed_directories: [...directories] }
  } catch (error) {
    if (!isTemporary(error)) throw error
    return { arrivals_1h: null, changed_directories: [] }
  }
}

function serialiseNetwork({ states, nowSeconds }: NetworkStatus, activity: Activity): WireNetwork {
  const countOf = (state: SeriesState): number =>
    states.filter(({ summary }) => summary.state === state).length
  const sum = (key: 'expected' | 'delivered'): number =>
    states.reduce((total, { summary }) => total + summary[key], 0)
  const late = states.filter(({ summary }) => summary.state === 'late').map(serialiseSeries)
  return {
    time: secondsToIso(nowSeconds),
    stations: new Set(states.map(({ station }) => station)).size,
    series: Object.fromEntries(
      seriesStates.map((state) => [state, countOf(state)]),
    ) as WireNetwork['series'],
    expected_28d: sum('expected'),
    delivered_28d: sum('delivered'),
    ...activity,
    late: sortSeries(late, { key: 'since', descending: false }).slice(0, maxLate),
  }
}
