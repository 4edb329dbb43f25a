/** The list of the losses that are open now; `alert` says which of them are alerts. */
import type { FastifyInstance } from 'fastify'
import type { Loss } from '../../series/loss.ts'
import { placeFilters } from '../parameters/file-filters.ts'
import { choices, isChosen } from '../parameters/parameter.ts'
import { addCollection } from '../resources/collection.ts'
import { csvOf } from '../resources/fields.ts'
import { matchesSeries } from '../series/known-series.ts'
import type { NetworkContext } from '../series/network-context.ts'
import { asOfMembers, networkState } from '../series/network-context.ts'
import { lossFields, lossItem } from './loss-fields.ts'
import { lossRows } from './loss-rows.ts'

export function addAlerts(app: FastifyInstance, context: NetworkContext): void {
  addCollection(app, context, {
    name: 'alerts',
    item: lossItem,
    filters: placeFilters,
    parameters: {
      alert: choices(['true', 'false'], {
        meaning: 'Only losses that are alerts (`true`), or that are too young (`false`).',
        example: 'true',
        label: 'Alert',
        textOf: (word) => (word === 'true' ? 'yes' : 'not yet'),
      }),
    },
    whole: { csv: csvOf(csvFields) },
    state: () => networkState(context),
    // While the catalogue is not current, the losses are those of the last time at which it was.
    find: ({ filter, values }, { losses }) => ({
      items: losses.filter(
        ({ alert, series }) =>
          isChosen(values.alert, alert ? 'true' : 'false') &&
          series.some((each) => matchesSeries(each, filter)),
      ),
    }),
    page: {
      noun: ['loss', 'losses'],
      section: 'alerts',
      crumbs: [],
      rowsOf: (losses) => lossRows(losses),
      caption: 'What is late, down or damaged now, the newest first. Times in UTC',
    },
    operation: {
      id: 'listAlerts',
      tag: 'Stations',
      name: 'Alert List',
      summary: 'List losses and alerts',
      about: 'What is lost now, and what one cause explains of it; which losses are alerts.',
      description: `All late or down series of a station are one loss. Stations of a country that stopped within an hour are one, if they are at least three and at least half of those that are expected. The newest loss comes first. A loss is an alert when it has been late for an hour, or for its limit of lateness if that is longer; it keeps its \`id\` when it is down. The damaged files of the last seven days of a station are one loss too. A loss that ended is history: \`missing/\` and the availability of a station have the gap. ${asOfMembers.clock}`,
      further: asOfMembers,
      samples: ['alerts/?alert=true', 'alerts/?country={country}&format=csv'],
    },
  })
}

const { stations, series } = lossFields

/** In CSV the stations are one text, and the series their number. */
const csvFields = {
  ...lossFields,
  stations: { ...stations, value: (loss: Loss) => loss.stations.join(' ') },
  series: { ...series, value: (loss: Loss) => loss.series.length },
}
