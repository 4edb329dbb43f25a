/** The Atom feed: an entry for each open alert, and one for the end of each incident. */
import { secondsToIso } from '../../parse/calendar.ts'
import type { Alert } from '../../series/alerts.ts'
import type { AlertSeries, Incident } from '../../series/incidents.ts'
import { pageUrl, resourceUrl } from '../http/context.ts'
import type { Links, Parameter } from '../http/context.ts'
import { escaped, readableTime, typeLabel } from '../pages/labels.ts'
import { incidentNews } from '../series/incident-words.ts'

/** Maximum number of ends in a feed, the latest ones. */
const maxEnds = 100

/** Maximum number of series in an entry. */
const maxSeries = 100

export interface Feed {
  /** Open alerts, and ends of incidents (see `endOf`). */
  readonly alerts: readonly Alert[]
  readonly links: Links
  /** Parameters of the request, which the URL of the feed repeats. */
  readonly kept: readonly Parameter[]
  /** The time of a feed without entries, in seconds since 1970. */
  readonly seconds: number
}

/** The end of an incident, as an entry of the feed. */
export function endOf(incident: Incident): Alert {
  const { id, kind, since, ended, series, as_of: asOf } = incident
  return {
    id: `${id}-end`,
    kind,
    incident,
    since,
    opened: since ?? asOf,
    changed: ended ?? asOf,
    series,
  }
}

/** @param name the resource of the feed */
export function feedOf(
  name: 'alerts' | 'incidents',
  { alerts, links, kept, seconds }: Feed,
): string {
  const [open, ends] = [false, true].map((isEnd) =>
    alerts.filter(({ incident }) => isEnd === (typeof incident?.ended === 'string')),
  ) as [Alert[], Alert[]]
  const entries = [...open, ...ends.slice(0, maxEnds)]
  // ISO times sort as text.
  const times = entries.map(({ changed }) => changed).sort()
  const self = pageUrl(links, name, [...kept, ['format', 'atom']])
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${escaped(self)}</id>
<title>Alerts of the RINEX file catalogue</title>
<updated>${times.at(-1) ?? secondsToIso(seconds)}</updated>
<author><name>RINEX file catalogue</name></author>
<link rel="self" type="application/atom+xml" href="${escaped(self)}"/>
<link rel="alternate" type="text/html" href="${escaped(resourceUrl(links, 'alerts'))}"/>
${entries.map((entry) => entryText(entry, links)).join('')}</feed>
`
}

function entryText(alert: Alert, links: Links): string {
  const { id, changed, series } = alert
  const lines = series.slice(0, maxSeries).map(seriesText)
  if (series.length > maxSeries) lines.push(`and ${series.length - maxSeries} more series`)
  return `<entry>
<id>${escaped(`${links.api}alerts/#${id}`)}</id>
<title>${escaped(alertWords(alert))}</title>
<updated>${changed}</updated>
<link href="${escaped(resourceUrl(links, 'alerts'))}"/>
<content type="text">${escaped(lines.join('\n'))}</content>
</entry>
`
}

/** An alert in a sentence that stays the same while nothing changes. */
export function alertWords({ incident, since, series }: Alert): string {
  if (incident !== undefined) return incidentNews(incident)
  const stations = new Set(series.map(({ station }) => station)).size
  const time = since === null ? '' : ` since ${readableTime(since)} UTC`
  return `No files arrive${time}: ${series.length} series of ${stations} stations`
}

export function seriesText({ station, period, file_type: type, since }: AlertSeries): string {
  const start = since === null ? 'never delivered' : `nothing since ${readableTime(since)} UTC`
  return `${station} ${period} ${typeLabel(type)}: ${start}`
}
