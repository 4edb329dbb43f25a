/** Schema of the network at a glance. */
import { seriesStates } from '../../series/slot-states.ts'
import * as schema from '../openapi/schema.ts'
import { incidentItem } from '../alerts/incident-fields.ts'
import type { WireIncident } from '../alerts/incident-fields.ts'
import { componentOf } from '../resources/fields.ts'
import type { Bodies } from '../resources/answer.ts'
import { currencyMembers } from '../series/network-context.ts'
import type { WireSeries } from '../series/series-fields.ts'
import { seriesItem } from '../series/series-fields.ts'
import { indexerStates } from './verdict.ts'

const counts = Object.fromEntries(
  seriesStates.map((state) => [
    state,
    schema.integer(`Number of series in the state \`${state}\`.`),
  ]),
) as Record<(typeof seriesStates)[number], schema.Schema<number>>

const seriesSchema = componentOf(seriesItem) as schema.Component<WireSeries>

const networkSchema = schema.component('Network', 'The network at a glance.', {
  ...currencyMembers.fields,
  verdict: schema.object('Whether the network is well.', {
    ok: schema.boolean(
      'True if the catalogue is current without problems, and no station is late or down.',
    ),
    words: schema.text('The verdict in words; their times are those of `as_of`.'),
    indexer: schema.oneOf(
      '`watching` follows the archive, `degraded` does so with problems or not at all, `scanning` makes its first scan, `stopped` does not run.',
      indexerStates,
    ),
    newest_file: schema.momentOrNull(
      'Time at which the newest file arrived in the last 56 days; null if it was not seen arriving.',
    ),
    late: schema.integer('Number of stations with a series that is late, and none that is down.'),
    down: schema.integer('Number of stations with a series that is down.'),
  }),
  stations: schema.integer('Number of stations with a series.'),
  series: schema.object('Number of series by state.', counts),
  ended: schema.integer('Number of the silent series that have ended: they are in no sum.'),
  possible_28d: schema.integer(
    'Number of possible slots of the last 28 days of all series that have not ended, and that are expected or delivered in these days.',
  ),
  delivered_28d: schema.integer('Number of the possible slots that were delivered.'),
  completeness_28d: schema.shareOrNull('Share of the possible slots that were delivered.'),
  arrivals_1h: schema.integerOrNull(
    'Number of slots whose first file was seen arriving in the last hour; null until the first scan has ended.',
  ),
  incidents: schema.list(
    'At most 100 incidents that are open, the longest loss first; `incidents/` has all.',
    componentOf(incidentItem) as schema.Component<WireIncident>,
  ),
  late: schema.list('At most 100 series that are late, the longest loss first.', seriesSchema),
  down: schema.list('At most 100 series that are down, the longest loss first.', seriesSchema),
  changed_directories: schema.list(
    'The directories with the most files that were listed or replaced today (UTC).',
    schema.object('A directory.', {
      path: schema.text('The path of the directory below the archive root.'),
      files: schema.integer('Number of these files.'),
    }),
  ),
})

/** The network at a glance as clients get it. */
export type WireNetwork = schema.Static<typeof networkSchema>

const example: WireNetwork = {
  ...currencyMembers.example,
  verdict: {
    ok: true,
    words: 'All well: newest file 14 s ago, 6 of 6 hourly stations delivered 05 h.',
    indexer: 'watching',
    newest_file: '2026-01-22T06:09:46Z',
    late: 0,
    down: 0,
  },
  stations: 6,
  series: { late: 0, down: 0, silent: 2, present: 11, unknown: 0 },
  ended: 2,
  possible_28d: 4180,
  delivered_28d: 4171,
  completeness_28d: 0.9978,
  arrivals_1h: 12,
  incidents: [],
  late: [],
  down: [],
  changed_directories: [{ path: 'nrt/2026/022/05', files: 12 }],
}

export const networkBodies = { json: { schema: networkSchema, example } } satisfies Bodies
