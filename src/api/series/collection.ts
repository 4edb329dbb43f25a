/** The list of the series of the network. */
import type { FastifyInstance } from 'fastify'
import { stateOf, states } from '../../series/station-states.ts'
import { seriesFilters } from '../parameters/file-filters.ts'
import { choices, isChosen, ordering } from '../parameters/parameter.ts'
import { addCollection } from '../resources/collection.ts'
import { csvOf, sortKeys } from '../resources/fields.ts'
import { matchesSeries, period } from './known-series.ts'
import type { NetworkContext } from './network-context.ts'
import { asOfMembers, networkState } from './network-context.ts'
import { seriesFields, seriesItem } from './series-fields.ts'

export function addSeries(app: FastifyInstance, context: NetworkContext): void {
  addCollection(app, context, {
    name: 'series',
    item: seriesItem,
    filters: seriesFilters,
    parameters: {
      period,
      state: choices(states, {
        meaning: 'The states of the series; by default all.',
        example: 'late',
        label: 'State',
      }),
      ordering: ordering(sortKeys(seriesFields), {
        default: 'station',
        missing: 'Missing values come last.',
        example: 'completeness_28d',
      }),
    },
    whole: { csv: csvOf(seriesFields) },
    state: () => networkState(context),
    find: ({ filter, values }, { states: series }) => ({
      items: series.filter(
        (each) =>
          isChosen(values.state, stateOf(each.summary)) &&
          matchesSeries(each, filter, values.period),
      ),
    }),
    page: {
      noun: ['series', 'series'],
      section: 'network',
      crumbs: [],
      className: 'cards',
      caption:
        'A series is the files of one station with the same type and period, such as its hourly observation files. Times in UTC, (022) is the day of the year; figures of the last 28 days: complete counts all files since the first one',
    },
    operation: {
      id: 'listSeries',
      tag: 'Stations',
      name: 'Series List',
      summary: 'List series',
      about:
        'The state of each series of the network now, and what it delivered in the last 28 days.',
      description: `The CSV has all series at once. ${asOfMembers.clock}`,
      further: asOfMembers,
      samples: ['series/?state=late,down&format=csv'],
    },
  })
}
