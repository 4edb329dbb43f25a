/** The network at a glance: stations by state, what is lost, arrivals. */
import type { FastifyInstance } from 'fastify'
import { isoOrNull } from '../../parse/calendar.ts'
import { lossFields } from '../alerts/loss-fields.ts'
import type { Links } from '../http/context.ts'
import { layOut } from '../pages/layout.ts'
import { addAnswer } from '../resources/answer.ts'
import { serialise } from '../resources/fields.ts'
import type { NetworkStatus } from '../series/known-series.ts'
import { currencyMembers, networkState, serialiseCurrency } from '../series/network-context.ts'
import type { NetworkContext } from '../series/network-context.ts'
import { shareOrNull } from '../series/series-fields.ts'
import { figuresOf } from './figures.ts'
import type { NetworkFigures } from './figures.ts'
import { renderNetwork } from './page.ts'
import { networkSchema } from './schema.ts'
import type { WireNetwork } from './schema.ts'

const maxLosses = 100

export function addNetwork(app: FastifyInstance, context: NetworkContext): void {
  addAnswer(app, context, {
    path: 'network/',
    formats: ['json', 'html'],
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
    read: ({ ignored }, network) => {
      const figures = figuresOf(network, context.nowUs() / 1e6)
      return {
        bodies: {
          json: () => serialiseNetwork(network, figures, context.links()),
          html: () => layOut(renderNetwork(network, figures, ignored), context.site()),
        },
      }
    },
  })
}

function serialiseNetwork(
  { currency, losses }: NetworkStatus,
  { verdict, stations, inStates, ended, total, arrivals }: NetworkFigures,
  links: Links,
): WireNetwork {
  const { ok, words, indexer, newest, late, down } = verdict
  return {
    ...serialiseCurrency(currency),
    verdict: { ok, words, indexer, newest_file: isoOrNull(newest), late, down },
    stations,
    states: inStates,
    ended,
    possible_28d: total.possible,
    delivered_28d: total.delivered,
    completeness_28d: shareOrNull(total.completeness),
    arrivals_1h: arrivals ?? null,
    losses: losses.slice(0, maxLosses).map((loss) => serialise(lossFields, loss, links)),
  }
}
