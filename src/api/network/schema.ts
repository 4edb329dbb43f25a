/** Schema of the network at a glance. */
import type { Static } from 'typebox'
import { seriesStates } from '../../series/slot-states.ts'
import { currencyHeaderNames, negotiated } from '../openapi/responses.ts'
import {
  component,
  curl,
  exampleLinks,
  list,
  negotiable,
  number,
  object,
  orNull,
  ref,
  text,
} from '../openapi/openapi.ts'
import type { RouteSchema } from '../openapi/openapi.ts'
import { format, ifNoneMatch, parameters, strict } from '../openapi/parameters.ts'
import {
  currencyFields,
  exampleCurrency,
  listErrors,
  seriesSchema,
  share,
} from '../series/schema.ts'

const counts = Object.fromEntries(
  seriesStates.map((state) => [state, number(`Number of series in the state \`${state}\`.`)]),
) as Record<(typeof seriesStates)[number], ReturnType<typeof number>>

export const networkSchema = component('Network', 'The network at a glance.', {
  ...currencyFields,
  stations: number('Number of stations with a series.'),
  series: object('Number of series by state.', counts),
  ended: number('Number of the silent series that have ended: they are in no sum.'),
  possible_28d: number(
    'Number of possible slots of the last 28 days of all series that have not ended, and that are expected or delivered in these days.',
  ),
  present_28d: number('Number of the possible slots that were delivered.'),
  completeness_28d: orNull(share('Share of the possible slots that were delivered.')),
  expected_28d: number('Number of expected slots of these series in the last 28 days.'),
  delivered_28d: number('Number of the expected slots that were delivered.'),
  share_28d: orNull(share('Share of the expected slots that were delivered.')),
  arrivals_1h: orNull(
    number(
      'Number of slots whose first file was seen arriving in the last hour; null until the first scan has ended.',
    ),
  ),
  late: list('At most 100 series that are late, the longest loss first.', ref(seriesSchema)),
  down: list('At most 100 series that are down, the longest loss first.', ref(seriesSchema)),
  changed_directories: list(
    'The directories with the most files that were listed or replaced today (UTC).',
    object('A directory.', {
      path: text('The path of the directory below the archive root.'),
      files: number('Number of these files.'),
    }),
  ),
})

export type WireNetwork = Static<typeof networkSchema>

const { api } = exampleLinks

const example: WireNetwork = {
  ...exampleCurrency,
  stations: 6,
  series: { late: 0, down: 0, silent: 2, present: 11, unknown: 0 },
  ended: 2,
  possible_28d: 4180,
  present_28d: 4171,
  completeness_28d: 0.9978,
  expected_28d: 4180,
  delivered_28d: 4171,
  share_28d: 0.9978,
  arrivals_1h: 12,
  late: [],
  down: [],
  changed_directories: [{ path: 'nrt/2026/022/05', files: 12 }],
}

export const getNetwork: RouteSchema = {
  operationId: 'getNetwork',
  tags: ['Stations'],
  summary: 'The network at a glance',
  description:
    'The number of series by state, those that are late or down, and what arrived. The HTML page also shows the last 24 hours and the last 28 days of each station. The response depends on the clock, so its `ETag` changes about every minute.',
  querystring: parameters({ strict, format: format() }),
  headers: parameters(ifNoneMatch),
  response: {
    '200': negotiated(
      'The network.',
      negotiable(ref(networkSchema), example),
      'Ignored-Parameters',
      ...currencyHeaderNames,
    ),
    ...listErrors,
  },
  'x-codeSamples': [curl(`${api}network/`)],
}
