/** Schemas of the open alerts. */
import type { Alert } from '../../series/alerts.ts'
import { filtersIn } from '../files/schema.ts'
import { currencyHeaderNames, negotiated } from '../openapi/responses.ts'
import {
  component,
  curl,
  exampleLinks,
  list,
  moment,
  negotiable,
  object,
  oneOf,
  orNull,
  pageOf,
  ref,
  text,
} from '../openapi/openapi.ts'
import type { RouteSchema } from '../openapi/openapi.ts'
import { format, ifNoneMatch, paging, parameters, strict } from '../openapi/parameters.ts'
import {
  currencyFields,
  exampleCurrency,
  listErrors,
  seriesFields,
  sharedParameters,
} from '../series/schema.ts'

export const alertSchema = component('Alert', 'An alert that is open.', {
  id: text(
    'Identifies the alert: another alert of the same series has another id; one that becomes `down` keeps it.',
  ),
  kind: oneOf(
    '`late` or `down`: the state of a series. `ingest-stalled`: no hourly or 15-minute file of any station arrives, or no file at all in an archive that expects only daily files; it replaces the alerts of these series.',
    ['ingest-stalled', 'late', 'down'],
  ),
  since: orNull(
    moment(
      'End of the last delivered slot; for `ingest-stalled` the time of the latest arrival. Null if nothing was ever delivered.',
    ),
  ),
  opened: moment('Time at which the alert opened.'),
  changed: moment('Time since which it has its kind: later than `opened` when it became `down`.'),
  series: list(
    'The series of the alert: one, or several for `ingest-stalled`.',
    object('A series with an alert.', {
      station: seriesFields.station,
      file_type: seriesFields.file_type,
      period: seriesFields.period,
      since: orNull(moment('End of its last delivered slot; null if nothing was ever delivered.')),
    }),
  ),
})

export const alertPageSchema = pageOf(
  'AlertPage',
  'A page of the alerts.',
  ref(alertSchema),
  currencyFields,
)

const { api } = exampleLinks

const since = '2026-01-22T03:00:00Z'
const series = { station: 'GRAZ00AUT', file_type: 'o', period: '01H', since } as const
const example: Alert = {
  id: `loss-GRAZ00AUT-o-01H-${since}`,
  kind: 'late',
  since,
  opened: '2026-01-22T05:10:00Z',
  changed: '2026-01-22T05:10:00Z',
  series: [series],
}

/** @param maxLimit maximum number of alerts on a page */
export const listAlerts = (maxLimit: number): RouteSchema => ({
  operationId: 'listAlerts',
  tags: ['Stations'],
  summary: 'List alerts',
  description:
    'The alerts that are open now, the longest loss first. The alert of a series opens when the series has been late for an hour, or for its limit of lateness if that is longer; it stays the same when the series is down. The Atom feed has all alerts at once, for feed readers. The response depends on the clock, so its `ETag` changes about every minute.',
  querystring: parameters({
    ...filtersIn(sharedParameters),
    ...paging(maxLimit),
    strict,
    format: format(['api', 'json', 'atom']),
  }),
  headers: parameters(ifNoneMatch),
  response: {
    '200': negotiated(
      'A page of the alerts.',
      {
        ...negotiable(ref(alertPageSchema), {
          count: 1,
          next: null,
          previous: null,
          ...exampleCurrency,
          results: [example],
        }),
        'application/atom+xml': { schema: { type: 'string' } },
      },
      'Link',
      'Ignored-Parameters',
      ...currencyHeaderNames,
    ),
    ...listErrors,
  },
  'x-codeSamples': [curl(`${api}alerts/?country=AUT&format=atom`)],
})
