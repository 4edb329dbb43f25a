/** The network at a glance. */
import type { Static } from 'typebox'
import { seriesStates } from '../../insight/series-summary.ts'
import { errors, negotiated } from '../openapi/responses.ts'
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
import { format, ifNoneMatch, parameters } from '../openapi/parameters.ts'
import { seriesSchema } from '../series/schema.ts'

const counts = Object.fromEntries(
  seriesStates.map((state) => [state, number(`Series in the state \`${state}\`.`)]),
) as Record<(typeof seriesStates)[number], ReturnType<typeof number>>

export const networkSchema = component('Network', 'The network at a glance.', {
  time: moment('The minute of these states.'),
  stations: number('Stations with a series.'),
  series: object('Series by state.', counts),
  expected_28d: number('Expected slots of the last 28 days, of all series.'),
  delivered_28d: number('Those of them that were delivered.'),
  arrivals_1h: orNull(number('Files listed in the last hour; null while they cannot be counted.')),
  late: list('Series that are late, the longest first; at most 100.', ref(seriesSchema)),
  changed_directories: list(
    'The directories with the most files that were listed or replaced today (UTC).',
    object('A directory.', {
      path: text('Its path below the archive root.'),
      files: number('The files.'),
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
    'Series by state, the late ones, and what arrived. As a page also the hours of today and the last 28 days of each station. It depends on the clock: the `ETag` changes every minute.',
  querystring: parameters({ format: format() }),
  headers: parameters(ifNoneMatch),
  response: {
    '200': negotiated('The network.', negotiable(ref(networkSchema), example)),
    ...errors('NotModified', 'NotFound', 'NotAcceptable', 'TooManyRequests', 'Unavailable'),
  },
  'x-codeSamples': [curl(`${api}network/`)],
}
