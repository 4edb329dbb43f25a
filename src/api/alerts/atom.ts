/** Writes the alerts as an Atom feed (RFC 4287). Pure. */
import type { Alert, AlertSeries } from '../../series/alerts.ts'
import { queryText, resourceUrl } from '../http/links.ts'
import type { Links, Parameter } from '../http/links.ts'
import { escaped, readableTime, typeLabel } from '../pages/labels.ts'

/**
 * Maximum number of series that the text of an entry names. Only an `ingest-stalled` alert has more
 * than one.
 */
const maxSeries = 100

/** @param kept parameters of the request, which the URL of the feed repeats */
export function alertFeed(
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
export function alertTitle({ kind, since, series }: Alert): string {
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
