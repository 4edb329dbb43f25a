/** The list of the open alerts, which is an Atom feed too. Its page has the closed incidents. */
import * as schema from '../openapi/schema.ts'
import type { FastifyInstance } from 'fastify'
import { openAlerts } from '../../series/alerts.ts'
import type { Alert } from '../../series/alerts.ts'
import { openIncidents } from '../../series/incidents.ts'
import type { AlertSeries, Incident } from '../../series/incidents.ts'
import { readableTime } from '../pages/labels.ts'
import { fragment } from '../pages/layout.ts'
import { periodCell, stateCell } from '../pages/table.ts'
import type { Cell } from '../pages/table.ts'
import { seriesFilters } from '../parameters/file-filters.ts'
import { addCollection } from '../resources/collection.ts'
import { fieldOf } from '../resources/fields.ts'
import { period } from '../series/known-series.ts'
import { currencyMembers, networkState } from '../series/network-context.ts'
import type { NetworkContext } from '../series/network-context.ts'
import { pageUrl } from '../http/context.ts'
import type { Parameter } from '../http/context.ts'
import { alertWords, endOf, feedOf, seriesText } from './feed.ts'
import { hasSeries, incidentCell, placeSchemas, seriesMembers } from './incident-fields.ts'
import { subscribeBox } from './subscribe.ts'

const field = fieldOf<Alert>()
const since = '2026-01-22T03:00:00Z'

const fields = {
  id: field(
    schema.text(
      'That of its incident: it stays when the alert becomes `down`; a later alert of the same station has another one.',
    ),
    `loss-GRAZ00AUT-01H-${since}`,
    ({ id }) => id,
  ),
  kind: field(
    schema.oneOf(
      '`late` or `down`: the kind of an incident. `ingest-stalled`: no hourly or 15-minute file of any station arrives, or no file at all in an archive that expects only daily files; it replaces the alerts of these periods.',
      ['ingest-stalled', 'late', 'down'],
    ),
    'late',
    ({ kind }) => kind,
    { label: 'State', cell: (kind) => stateCell(kind === 'ingest-stalled' ? 'late' : kind) },
  ),
  station: field(
    placeSchemas.station,
    'GRAZ00AUT',
    (alert): string | null => alert.incident?.station ?? null,
  ),
  country: field(
    placeSchemas.country,
    null,
    (alert): string | null => alert.incident?.country ?? null,
  ),
  stations: field(placeSchemas.stations, ['GRAZ00AUT'], ({ series }) => [
    ...new Set(series.map(({ station }) => station)),
  ]),
  expected_stations: field(
    placeSchemas.expected_stations,
    null,
    (alert): number | null => alert.incident?.expected_stations ?? null,
  ),
  since: field(
    schema.momentOrNull(
      'End of the last delivered slot of the station or series that was lost first; for `ingest-stalled` the time of the latest arrival, or the end of newer data that a scan found. Null if nothing was ever delivered.',
    ),
    since,
    (alert): string | null => alert.since,
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
    schema.list('The series of the alert.', schema.object('A series of an alert.', seriesMembers)),
    [{ station: 'GRAZ00AUT', file_type: 'o', period: '01H', since }] as AlertSeries[],
    ({ series }) =>
      series.map(({ station, file_type, period, since }) => ({
        station,
        file_type,
        period,
        since,
      })),
  ),
}

function alertCell(alert: Alert): Cell {
  const { incident, series } = alert
  if (incident !== undefined) return incidentCell(incident)
  return {
    text: alertWords(alert),
    href: '../series/?state=late,down&format=api',
    isHeader: true,
    summary: `${series.length} series`,
    lines: series.map(seriesText),
  }
}

const periodColumn = {
  label: 'Period',
  cell: ({ incident }: Alert): Cell | string => (incident ? periodCell(incident.period) : ''),
}

/** Closed incidents that the page shows; the others are in their list. */
const closedShown = 20

const render = fragment(
  'closed-incidents',
  `<section>
<h2>Closed</h2>
<p>In the last 57 days: at least three files that never came, of daily ones two.</p>
<% if (it.table.rows.length === 0) { %><p>None.</p>
<% } else { %><%~ include('@table', it.table) %>
<% } %><% if (it.count > it.table.rows.length) { %><p><a href="<%= it.href %>">All <%= it.count %> closed incidents</a></p>
<% } %></section>
`,
)

const youngLine = fragment(
  'young-incidents',
  `<p><%= it.young %> more <%= it.young === 1 ? 'incident is' : 'incidents are' %> too young for an alert: <a href="<%= it.href %>">all open incidents</a>.</p>
`,
)

function listHref(state: 'open' | 'closed', kept: readonly Parameter[]): string {
  return pageUrl({ api: '../' }, 'incidents', [...kept, ['state', state]])
}

function closedSection(closed: readonly Incident[], kept: readonly Parameter[]): string {
  return render({
    count: closed.length,
    href: listHref('closed', kept),
    table: {
      label: 'Closed incidents',
      className: 'cards',
      columns: ['Incident', 'Period', 'Until'],
      rows: closed
        .slice(0, closedShown)
        .map((each) => [incidentCell(each), periodCell(each.period), readableTime(each.ended)]),
    },
  })
}

export function addAlerts(app: FastifyInstance, context: NetworkContext): void {
  addCollection(app, context, {
    name: 'alerts',
    item: { name: 'Alert', description: 'An alert that is open.', fields },
    filters: seriesFilters,
    parameters: { period },
    whole: {
      atom: ({ items, kept, links, state }) => {
        const seconds = state.currency.asOf ?? Math.floor(context.nowUs() / 1e6)
        return feedOf('alerts', { alerts: items, links, kept, seconds })
      },
    },
    state: () => networkState(context),
    // While the catalogue is not current, the alerts are those of the last time at which it was.
    find: async ({ filter, values, kept, format }, state, requester) => {
      const { states, currency } = state
      const { asOf } = currency
      const isAsked = ({ series }: Pick<Alert, 'series'>): boolean =>
        hasSeries(series, filter, values.period)
      const open = asOf === undefined ? [] : openAlerts(states, asOf).filter(isAsked)
      if (format === 'json') return { items: open }
      const closed = (await context.network.closedIncidents(state, requester)).filter(isAsked)
      if (format === 'atom') return { items: [...open, ...closed.map(endOf)] }
      const incidents = asOf === undefined ? [] : openIncidents(states, asOf).filter(isAsked)
      const young = incidents.filter(({ id }) => !open.some((each) => each.id === id)).length
      const isStalled = open[0]?.kind === 'ingest-stalled'
      const below = [
        isStalled || young === 0 ? '' : youngLine({ young, href: listHref('open', kept) }),
        subscribeBox(context.links(), kept),
        closedSection(closed, kept),
      ]
      return { items: open, below: below.join('') }
    },
    page: {
      noun: ['alert', 'alerts'],
      section: 'alerts',
      columns: [{ label: 'Open', cell: alertCell }, 'kind', periodColumn, 'opened'],
      className: 'cards',
      caption: 'Times in UTC',
    },
    operation: {
      id: 'listAlerts',
      tag: 'Stations',
      name: 'Alert List',
      summary: 'List alerts',
      about: 'The alerts that are open now, the longest loss first.',
      description: `An alert is an incident of which a series has been late for an hour, or for its limit of lateness if that is longer; it stays the same when it is down. The Atom feed has all alerts at once, and an entry for the end of each closed incident, for feed readers. ${currencyMembers.clock}`,
      further: currencyMembers,
      samples: ['alerts/?country=AUT&format=atom'],
    },
  })
}
