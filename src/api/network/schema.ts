/** Schema of the network at a glance. */
import type { State } from '../../series/station-states.ts'
import { states } from '../../series/station-states.ts'
import type { WireLoss } from '../alerts/loss-fields.ts'
import { lossItem } from '../alerts/loss-fields.ts'
import * as schema from '../openapi/schema.ts'
import { componentOf } from '../resources/fields.ts'
import { asOfMembers } from '../series/network-context.ts'
import { halfMeaning } from '../series/series-fields.ts'
import { indexerStates } from './verdict.ts'

const counts = Object.fromEntries(
  states
    .filter((state) => state !== 'ended')
    .map((state) => [
      state,
      schema.integer(`Number of stations in the state \`${state}\`.`, state === 'present' ? 6 : 0),
    ]),
) as Record<Exclude<State, 'ended'>, schema.Schema<number>>

export const networkSchema = schema.component('Network', 'The network at a glance.', {
  ...asOfMembers.fields,
  verdict: schema.object('Whether the network is well.', {
    ok: schema.boolean(
      'True if the catalogue is current without problems, and no station is late or down.',
      true,
    ),
    words: schema.text(
      'The verdict in words; their times are those of `as_of`.',
      'All well: newest file 14 s ago, 6 of 6 stations that are due have sent the hour 05–06.',
    ),
    indexer: schema.oneOf(
      '`watching` follows the archive, `degraded` does so with problems or not at all, `scanning` makes its first scan, `stopped` does not run.',
      indexerStates,
      'watching',
    ),
    newest_file: schema.momentOrNull(
      'Time at which the newest file arrived in the last 56 days; null if it was not seen arriving.',
      '2026-01-22T06:09:46Z',
    ),
    late: schema.integer(
      'Number of late stations: those with a late series, and none that is down.',
      0,
    ),
    down: schema.integer('Number of stations with a series that is down.', 0),
  }),
  stations: schema.integer('Number of stations with a series that has not ended.', 6),
  states: schema.object(
    'Number of these stations by state: the worst one of their series, in the order `down`, `late`, `present`, `silent`.',
    counts,
  ),
  ended: schema.integer('Number of stations that have ended: they are in no sum.', 1),
  possible_28d: schema.integer(
    'Number of possible slots of the last 28 days of all series that have not ended, and that are expected or delivered in these days.',
    4180,
  ),
  delivered_28d: schema.integer('Number of the possible slots that were delivered.', 4171),
  half_28d: schema.integer(halfMeaning('of these series'), 0),
  completeness_28d: schema.shareOrNull('Share of the possible slots that were delivered.', 0.9978),
  arrivals_1h: schema.integerOrNull(
    'Number of slots whose first file was seen arriving in the last hour; null until the first scan has ended.',
    12,
  ),
  losses: schema.list(
    'At most 100 losses that are open, the newest first; `alerts/` has all.',
    componentOf(lossItem) as schema.Component<WireLoss>,
    [],
  ),
})

/** The network at a glance as clients get it. */
export type WireNetwork = schema.Static<typeof networkSchema>
