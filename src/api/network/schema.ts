/** Schema of the network at a glance. */
import type { Static } from 'typebox'
import { seriesStates } from '../../series/series-summary.ts'
import { negotiated } from '../openapi/responses.ts'
import {
  component,
  curl,
  exampleLinks,
  list,
  moment,
  negotiable,
  number,
  object,
  orNull,
  ref,
  text,
} from '../openapi/openapi.ts'
import type { RouteSchema } from '../openapi/openapi.ts'
import { format, ifNoneMatch, parameters, strict } from '../openapi/parameters.ts'
import { listErrors, seriesSchema } from '../series/schema.ts'

const counts = Object.fromEntries(
  seriesStates.map((state) => [state, number(`Number of series in the state \`${state}\`.`)]),
) as Record<(typeof seriesStates)[number], ReturnType<typeof number>>

export const networkSchema = component('Network', 'The network at a glance.', {
  time: moment('The minute for which the states were computed.'),
  stations: number('Number of stations with a series.'),
  series: object('Number of series by state.', counts),
  expected_28d: number('Number of expected slots of all series in the last 28 days.'),
  delivered_28d: number('Number of these slots that were delivered.'),
  arrivals_1h: orNull(
    number('Number of files listed in the last hour; null while they cannot be counted.'),
  ),
  late: list(
    'At most 100 series that are late; the one that is late for the longest time comes first.',
    ref(seriesSchema),
  ),
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
  ...{ time: '2026-01-22T06:10:00Z', stations: 6 },
  series: { late: 0, missing: 0, silent: 2, present: 11, unknown: 0 },
  ...{ expected_28d: 4180, delivered_28d: 4171, arrivals_1h: 12, late: [] },
  changed_directories: [{ path: 'nrt/2026/022/05', files: 12 }],
}

export const getNetwork: RouteSchema = {
  operationId: 'getNetwork',
  tags: ['Stations'],
  summary: 'The network at a glance',
  description:
    'The number of series by state, the late series, and what arrived. The HTML page also shows the last 24 hours and the last 28 days of each station. The response depends on the clock, so its `ETag` changes every minute.',
  querystring: parameters({ strict, format: format() }),
  headers: parameters(ifNoneMatch),
  response: {
    '200': negotiated(
      'The network.',
      negotiable(ref(networkSchema), example),
      'Ignored-Parameters',
    ),
    ...listErrors,
  },
  'x-codeSamples': [curl(`${api}network/`)],
}
