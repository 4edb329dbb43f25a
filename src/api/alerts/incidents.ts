/** The list of the incidents, open and closed. */
import type { FastifyInstance } from 'fastify'
import { openAlerts } from '../../series/alerts.ts'
import { openIncidents } from '../../series/incidents.ts'
import type { Incident } from '../../series/incidents.ts'
import { seriesFilters } from '../parameters/file-filters.ts'
import { choices, isChosen } from '../parameters/parameter.ts'
import { addCollection, csvOf } from '../resources/collection.ts'
import type { WholeList } from '../resources/collection.ts'
import { period } from '../series/known-series.ts'
import { currencyMembers, networkState } from '../series/network-context.ts'
import type { NetworkContext, NetworkState } from '../series/network-context.ts'
import { endOf, feedOf } from './feed.ts'
import { hasSeries } from './incident-fields.ts'
import { incidentColumn, incidentFields, incidentItem } from './incident-fields.ts'
import { subscribeBox } from './subscribe.ts'

const incidentStates = ['open', 'closed'] as const

const operation = {
  id: 'listIncidents',
  tag: 'Stations',
  name: 'Incident List',
  summary: 'List incidents',
  about: 'What is lost now and was lost in the last 57 days, and what one cause explains of it.',
  description: `All late or down series of a station with the same period are one incident. Stations of a country whose last delivered slots ended at most 60 minutes apart are one, if they are at least three and at least half of those that are expected. A closed incident is a run of at least three (01D: two) expected files that were not delivered, by the same rules; a gap that is filled later is none. ${currencyMembers.clock}`,
  further: currencyMembers,
  samples: ['incidents/?state=closed&format=csv'],
}

export function addIncidents(app: FastifyInstance, context: NetworkContext): void {
  addCollection(app, context, {
    name: 'incidents',
    item: incidentItem,
    filters: seriesFilters,
    parameters: {
      period,
      state: choices(incidentStates, {
        meaning:
          '`open`: incidents of series that are late or down now, the longest loss first. `closed`: those that ended in the last 57 days, the latest end first. By default both.',
        example: 'open',
        label: 'State',
      }),
    },
    whole: {
      csv: csvOf(csvFields),
      atom: (list) => incidentFeed(list, Math.floor(context.nowUs() / 1e6)),
    },
    state: () => networkState(context),
    find: async ({ filter, values, kept }, state, requester) => {
      const { states, currency } = state
      const { asOf } = currency
      const isOpen = isChosen(values.state, 'open') && asOf !== undefined
      const incidents = [
        ...(isOpen ? openIncidents(states, asOf) : []),
        ...(isChosen(values.state, 'closed')
          ? await context.network.closedIncidents(state, requester)
          : []),
      ]
      return {
        items: incidents.filter(({ series }) => hasSeries(series, filter, values.period)),
        below: subscribeBox(context.links(), kept),
      }
    },
    page: {
      noun: ['incident', 'incidents'],
      section: 'alerts',
      crumbs: [{ text: 'Alerts', href: '../alerts/?format=api' }],
      columns: [incidentColumn, 'kind', 'period', 'since', 'ended'],
      className: 'cards',
      caption: 'Times in UTC',
    },
    operation,
  })
}

const { stations, series, ...single } = incidentFields

/** In CSV the stations are one text, and the series their number. */
const csvFields = {
  ...single,
  stations: { ...stations, value: (incident: Incident) => incident.stations.join(' ') },
  series: { ...series, value: (incident: Incident) => incident.series.length },
}

/** @param nowSeconds the time of an empty feed before the first scan has ended */
function incidentFeed(
  { items, kept, links, state }: WholeList<Incident, NetworkState>,
  nowSeconds: number,
): string {
  const { asOf } = state.currency
  const isAnyOpen = items.some(({ ended }) => ended === null)
  const ids = new Set(items.map(({ id }) => id))
  const alerts = asOf === undefined ? [] : openAlerts(state.states, asOf)
  const open = alerts.filter(
    ({ id, kind }) => ids.has(id) || (isAnyOpen && kind === 'ingest-stalled'),
  )
  const ends = items.filter(({ ended }) => ended !== null).map(endOf)
  return feedOf('incidents', {
    alerts: [...open, ...ends],
    links,
    kept,
    seconds: asOf ?? nowSeconds,
  })
}
