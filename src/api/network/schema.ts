/** Schema of the network at a glance. */
import { states } from '../../series/station-states.ts'
import * as schema from '../openapi/schema.ts'
import { lossItem } from '../alerts/loss-fields.ts'
import type { WireLoss } from '../alerts/loss-fields.ts'
import { componentOf } from '../resources/fields.ts'
import type { Bodies } from '../resources/answer.ts'
import { currencyMembers } from '../series/network-context.ts'
import type { State } from '../../series/station-states.ts'
import { indexerStates } from './verdict.ts'

type Counted = Exclude<State, 'ended'>

const counts = Object.fromEntries(
  states
    .filter((state) => state !== 'ended')
    .map((state) => [state, schema.integer(`Number of stations in the state \`${state}\`.`)]),
) as Record<Counted, schema.Schema<number>>

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
    late: schema.integer(
      'Number of late stations: those with a late series, and none that is down.',
    ),
    down: schema.integer('Number of stations with a series that is down.'),
  }),
  stations: schema.integer('Number of stations with a series that has not ended.'),
  states: schema.object(
    'Number of these stations by state: the worst one of their series, in the order `down`, `late`, `present`, `silent`.',
    counts,
  ),
  ended: schema.integer('Number of stations that have ended: they are in no sum.'),
  possible_28d: schema.integer(
    'Number of possible slots of the last 28 days of all series that have not ended, and that are expected or delivered in these days.',
  ),
  delivered_28d: schema.integer('Number of the possible slots that were delivered.'),
  completeness_28d: schema.shareOrNull('Share of the possible slots that were delivered.'),
  arrivals_1h: schema.integerOrNull(
    'Number of slots whose first file was seen arriving in the last hour; null until the first scan has ended.',
  ),
  losses: schema.list(
    'At most 100 losses that are open, the newest first; `alerts/` has all.',
    componentOf(lossItem) as schema.Component<WireLoss>,
  ),
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
    words: 'All well: newest file 14 s ago, 6 of 6 stations that are due have sent the hour 05–06.',
    indexer: 'watching',
    newest_file: '2026-01-22T06:09:46Z',
    late: 0,
    down: 0,
  },
  stations: 6,
  states: { down: 0, late: 0, present: 6, silent: 0, unknown: 0 },
  ended: 1,
  possible_28d: 4180,
  delivered_28d: 4171,
  completeness_28d: 0.9978,
  arrivals_1h: 12,
  losses: [],
  changed_directories: [{ path: 'nrt/2026/022/05', files: 12 }],
}

export const networkBodies = { json: { schema: networkSchema, example } } satisfies Bodies
