/** The list of the open alerts, which is an Atom feed too. */
import * as schema from '../openapi/schema.ts'
import type { FastifyInstance } from 'fastify'
import { openAlerts } from '../../series/alerts.ts'
import type { Alert } from '../../series/alerts.ts'
import type { AlertSeries } from '../../series/incidents.ts'
import { secondsToIso } from '../../parse/calendar.ts'
import { readableTime, escaped, typeLabel } from '../pages/labels.ts'
import { seriesFilters } from '../parameters/file-filters.ts'
import { addCollection } from '../resources/collection.ts'
import { fieldOf } from '../resources/fields.ts'
import { currencyMembers, networkState } from '../series/network-context.ts'
import type { NetworkContext } from '../series/network-context.ts'
import { availabilityHref, seriesFields } from '../series/series-fields.ts'
import { matchesSeries } from '../series/known-series.ts'
import { queryText, resourceUrl } from '../http/context.ts'
import type { Links, Parameter } from '../http/context.ts'

const field = fieldOf<Alert>()
const since = '2026-01-22T03:00:00Z'

const fields = {
  id: field(
    schema.text(
      'Identifies the alert: another alert of the same series has another id; one that becomes `down` keeps it.',
    ),
    `loss-GRAZ00AUT-o-01H-${since}`,
    ({ id }) => id,
  ),
  kind: field(
    schema.oneOf(
      '`late` or `down`: the state of a series. `ingest-stalled`: no hourly or 15-minute file of any station arrives, or no file at all in an archive that expects only daily files; it replaces the alerts of these series.',
      ['ingest-stalled', 'late', 'down'],
    ),
    'late',
    ({ kind }) => kind,
    { label: 'Alert', cell: (_kind, alert) => alertCell(alert) },
  ),
  since: field(
    schema.momentOrNull(
      'End of the last delivered slot; for `ingest-stalled` the time of the latest arrival. Null if nothing was ever delivered.',
    ),
    since,
    (alert): string | null => alert.since,
    {
      label: 'Nothing since',
      cell: (iso, { kind }) => (kind === 'ingest-stalled' ? '' : readableTime(iso)),
    },
  ),
  opened: field(
    schema.moment('Time at which the alert opened.'),
    '2026-01-22T05:10:00Z',
    ({ opened }) => opened,
    { label: 'Opened', cell: (iso) => readableTime(iso) },
  ),
  changed: field(
    schema.moment('Time since which it has its kind: later than `opened` when it became `down`.'),
    '2026-01-22T05:10:00Z',
    ({ changed }) => changed,
  ),
  series: field(
    schema.list(
      'The series of the alert: one, or several for `ingest-stalled`.',
      schema.object('A series with an alert.', {
        station: seriesFields.station.schema,
        file_type: seriesFields.file_type.schema,
        period: seriesFields.period.schema,
        since: schema.momentOrNull(
          'End of its last delivered slot; null if nothing was ever delivered.',
        ),
      }),
    ),
    [{ station: 'GRAZ00AUT', file_type: 'o', period: '01H', since }],
    ({ series }) => series,
  ),
}

function alertCell(alert: Alert) {
  const [first] = alert.series
  const href =
    alert.kind === 'ingest-stalled' || first === undefined
      ? '../series/?state=late,down&format=api'
      : availabilityHref({ ...first, fileType: first.file_type })
  return { text: alertTitle(alert), href, isHeader: true }
}

export function addAlerts(app: FastifyInstance, context: NetworkContext): void {
  addCollection(app, context, {
    name: 'alerts',
    item: { name: 'Alert', description: 'An alert that is open.', fields },
    filters: seriesFilters,
    parameters: {},
    whole: {
      atom: ({ items, kept, links, state }) => {
        const seconds = state.currency.asOf ?? Math.floor(context.nowUs() / 1e6)
        return alertFeed(items, { links, kept, nowIso: secondsToIso(seconds) })
      },
    },
    state: () => networkState(context),
    // While the catalogue is not current, the alerts are those of the last time at which it was.
    find: ({ filter }, { states, currency: { asOf } }) => ({
      items: (asOf === undefined ? [] : openAlerts(states, asOf)).filter(({ series }) =>
        series.some((each) => matchesSeries({ ...each, fileType: each.file_type }, filter)),
      ),
    }),
    page: {
      noun: ['alert', 'alerts'],
      section: 'network',
      caption: 'Times in UTC, (022) is the day of the year',
    },
    operation: {
      id: 'listAlerts',
      tag: 'Stations',
      name: 'Alert List',
      summary: 'List alerts',
      about: 'The alerts that are open now, the longest loss first.',
      description: `The alert of a series opens when the series has been late for an hour, or for its limit of lateness if that is longer; it stays the same when the series is down. The Atom feed has all alerts at once, for feed readers. ${currencyMembers.clock}`,
      further: currencyMembers,
      samples: ['alerts/?country=AUT&format=atom'],
    },
  })
}

/** Maximum number of series in an entry; only `ingest-stalled` has more than one. */
const maxSeries = 100

/** @param kept parameters of the request, which the URL of the feed repeats */
function alertFeed(
  alerts: readonly Alert[],
  { links, kept, nowIso }: { links: Links; kept: readonly Parameter[]; nowIso: string },
): string {
  // ISO times sort as text.
  const times = alerts.map(({ changed }) => changed).sort()
  const self = `${links.api}alerts/?${queryText([...kept, ['format', 'atom']])}`
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${escaped(self)}</id>
<title>Alerts of the RINEX file catalogue</title>
<updated>${times.at(-1) ?? nowIso}</updated>
<author><name>RINEX file catalogue</name></author>
<link rel="self" type="application/atom+xml" href="${escaped(self)}"/>
<link rel="alternate" type="text/html" href="${escaped(resourceUrl(links, 'alerts'))}"/>
${alerts.map((alert) => entryOf(alert, links)).join('')}</feed>
`
}

function entryOf(alert: Alert, links: Links): string {
  const { id, changed, series } = alert
  const lines = series.slice(0, maxSeries).map(seriesText)
  if (series.length > maxSeries) lines.push(`and ${series.length - maxSeries} more series`)
  return `<entry>
<id>${escaped(`${links.api}alerts/#${id}`)}</id>
<title>${escaped(alertTitle(alert))}</title>
<updated>${changed}</updated>
<link href="${escaped(resourceUrl(links, 'alerts'))}"/>
<content type="text">${escaped(lines.join('\n'))}</content>
</entry>
`
}

/** The title of an alert, for example `GRAZ00AUT 01H observation files late`. */
function alertTitle({ kind, since, series }: Alert): string {
  const [first] = series
  if (kind !== 'ingest-stalled' && first !== undefined)
    return `${first.station} ${first.period} ${typeLabel(first.file_type)} files ${kind}`
  const stations = new Set(series.map(({ station }) => station)).size
  const arrival = since === null ? '' : `; the latest file arrived ${readableTime(since)}`
  return `No files arrive: ${series.length} series of ${stations} stations${arrival}`
}

function seriesText({ station, period, file_type: type, since }: AlertSeries): string {
  const start = since === null ? 'never delivered' : `nothing since ${readableTime(since)} UTC`
  return `${station} ${period} ${typeLabel(type)}: ${start}`
}
