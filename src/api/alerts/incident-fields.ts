/** The fields of incidents, and their rows in pages. */
import { secondsPerDay } from '../../parse/calendar.ts'
import { incidentKinds } from '../../series/incidents.ts'
import type { AlertSeries, Incident, IncidentSeries } from '../../series/incidents.ts'
import { periods } from '../../series/series.ts'
import type { Period } from '../../series/series.ts'
import { pageUrl } from '../http/context.ts'
import * as schema from '../openapi/schema.ts'
import { readableTime } from '../pages/labels.ts'
import { periodCell, stateCell } from '../pages/table.ts'
import type { Cell } from '../pages/table.ts'
import { fieldOf } from '../resources/fields.ts'
import type { Wire } from '../resources/fields.ts'
import {
  incidentSeconds,
  incidentSeriesWords,
  incidentWords,
  placeOf,
} from '../series/incident-words.ts'
import { matchesSeries } from '../series/known-series.ts'
import { availabilityHref, seriesFields } from '../series/series-fields.ts'

const field = fieldOf<Incident>()
const since = '2026-01-22T03:00:00Z'

/** What names a series of an incident. */
export const seriesMembers = {
  station: seriesFields.station.schema,
  file_type: seriesFields.file_type.schema,
  period: seriesFields.period.schema,
  since: schema.momentOrNull('End of its last delivered slot; null if nothing was ever delivered.'),
}

/** Where an incident is: fields of incidents and of alerts. */
export const placeSchemas = {
  station: schema.textOrNull('The station; null for an incident of a country.'),
  country: schema.textOrNull(
    'The country (ISO 3166-1 alpha-3), if three or more stations and at least half of those that are expected stopped within an hour; otherwise null.',
  ),
  stations: schema.list('The codes of all its stations.', schema.text('A station.')),
  expected_stations: schema.integerOrNull(
    'Number of the stations of the country that are expected with files of this period; null for an incident of a station.',
  ),
}

export const incidentFields = {
  id: field(
    schema.text(
      'Names the place, the period and the begin of the incident; it stays when the incident becomes `down`, when series join that were lost later, and when it ends.',
    ),
    `loss-NOR-01H-${since}`,
    ({ id }) => id,
  ),
  kind: field(
    schema.oneOf('`down` if one of its series is, or was, down; otherwise `late`.', incidentKinds),
    'late',
    ({ kind }) => kind,
    { label: 'State', cell: stateCell },
  ),
  period: field(
    schema.oneOf('Period of its files; those of different periods are apart.', periods),
    '01H',
    ({ period }) => period,
    { label: 'Period', cell: periodCell },
  ),
  station: field(placeSchemas.station, null, (incident): string | null => incident.station),
  country: field(placeSchemas.country, 'NOR', (incident): string | null => incident.country),
  stations: field(placeSchemas.stations, ['BODO00NOR', 'OSLS00NOR', 'VARD00NOR'], (incident) => [
    ...incident.stations,
  ]),
  expected_stations: field(
    placeSchemas.expected_stations,
    4,
    (incident): number | null => incident.expected_stations,
  ),
  since: field(
    schema.momentOrNull(
      'End of the last delivered slot: of a station, of the series that was lost first; of a country, of the station that was lost first. Null if nothing was ever delivered.',
    ),
    since,
    (incident): string | null => incident.since,
    { label: 'Nothing since', cell: (iso) => readableTime(iso) },
  ),
  as_of: field(
    schema.moment('The time for which the incident was found.'),
    '2026-01-22T06:10:00Z',
    (incident) => incident.as_of,
  ),
  ended: field(
    schema.momentOrNull('End of the last slot that was lost; null while the incident is open.'),
    null,
    (incident): string | null => incident.ended,
    { label: 'Until', cell: (iso) => readableTime(iso) },
  ),
  duration_s: field(
    schema.integerOrNull(
      'Seconds from `since` to `ended`, or to `as_of` while it is open; null without `since`.',
    ),
    11_400,
    (incident): number | null => incidentSeconds(incident),
  ),
  series: field(
    schema.list(
      'Its series. A closed incident has a series twice that was lost twice.',
      schema.object('A series of an incident.', {
        ...seriesMembers,
        kind: schema.oneOf('Whether the series is, or was, late or down.', incidentKinds),
        ended: schema.momentOrNull('End of its last lost slot; null while it is lost.'),
      }),
    ),
    [
      { station: 'BODO00NOR', file_type: 'o', period: '01H', since, kind: 'late', ended: null },
    ] as IncidentSeries[],
    ({ series }) => [...series],
  ),
}

export const incidentItem = {
  name: 'Incident',
  description: 'What one cause explains: lost series of a station, or stations of a country.',
  fields: incidentFields,
}

/** An incident as clients get it. */
export type WireIncident = Wire<typeof incidentFields>

/** The longest range of `missing/` for the stations of a country. */
const longestSeconds = 61 * secondsPerDay

/** A sentence, which opens into the series, with a link to what is lost. */
export function incidentCell(incident: Incident): Cell {
  const { series } = incident
  return {
    text: incidentWords(incident),
    href: hrefOf(incident),
    isHeader: true,
    summary: series.length === 1 ? '1 series' : `${series.length} series`,
    lines: series.map(incidentSeriesWords),
  }
}

/** The availability of a station, the series of a country; of a closed one, its missing files. */
function hrefOf(incident: Incident): string {
  const { station, period, since, ended, series } = incident
  const asked = [placeOf(incident), ['period', period] as const]
  const isShort = (incidentSeconds(incident) ?? Infinity) <= longestSeconds
  if (ended !== null && since !== null && isShort) {
    const days = { from: since.slice(0, 10), to: ended.slice(0, 10) }
    return pageUrl({ api: '../' }, 'missing', [...asked, ...Object.entries(days)])
  }
  const [first] = series
  if (station !== null && first !== undefined)
    return availabilityHref({ station, fileType: first.file_type, period })
  return pageUrl({ api: '../' }, 'series', [...asked, ['state', 'late,down']])
}

/** The sentence of an incident as a column. */
export const incidentColumn = { label: 'Incident', cell: incidentCell }

/** True if one of the series of an incident is asked for. */
export function hasSeries(
  series: readonly AlertSeries[],
  filter: Parameters<typeof matchesSeries>[1],
  periods: readonly Period[],
): boolean {
  return series.some((each) =>
    matchesSeries({ ...each, fileType: each.file_type }, filter, periods),
  )
}
