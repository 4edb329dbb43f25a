/** The fields of losses, and their rows in pages. */
import { isoOrNull, secondsToIso } from '../../parse/calendar.ts'
import type { Loss } from '../../series/loss.ts'
import { lossKinds } from '../../series/loss.ts'
import type { QueryPair } from '../http/links.ts'
import { pageUrl } from '../http/links.ts'
import * as schema from '../openapi/schema.ts'
import type { Wire } from '../resources/fields.ts'
import { fieldOf } from '../resources/fields.ts'
import { seriesFields } from '../series/series-fields.ts'

const field = fieldOf<Loss>()
/** Of the example. */
const since = '2026-01-22T03:00:00Z'
const due = '2026-01-22T04:10:00Z'

export const lossFields = {
  id: field(
    schema.text(
      'Names the place and the begin of the loss; it stays when the loss becomes `down`, and when series join that were lost later. A later loss of the same station has another one.',
      `loss-NOR-${since}`,
    ),
    ({ id }) => id,
  ),
  kind: field(
    schema.oneOf(
      '`down` if one of its series is down, otherwise `late`. `ingest-stalled`: no hourly or 15-minute file of any station arrives, or no file at all in an archive that expects only daily files; it replaces the losses with such series. `damaged`: the last seven days of a station have damaged files, and a better copy is wanted.',
      lossKinds,
      'late',
    ),
    ({ kind }) => kind,
  ),
  station: field(
    schema.textOrNull('The station; null for a loss of a country or of all stations.', null),
    (loss): string | null => loss.station ?? null,
  ),
  country: field(
    schema.textOrNull(
      'The country (ISO 3166-1 alpha-3), if three or more of its stations, and at least half of those that are expected, stopped within an hour (daily files: on the same day); otherwise null.',
      'NOR',
    ),
    (loss): string | null => loss.country ?? null,
  ),
  stations: field(
    schema.list('The codes of all its stations.', schema.text('A station.'), [
      'BODO00NOR',
      'OSLS00NOR',
      'VARD00NOR',
    ]),
    ({ stations }) => [...stations],
  ),
  expected_stations: field(
    schema.integerOrNull(
      'Number of the stations of the country that are expected now; null without a country.',
      4,
    ),
    ({ expectedStations }): number | null => expectedStations ?? null,
  ),
  series: field(
    schema.list(
      'Its series: all that are late or down of its stations, of whatever period.',
      schema.object('A series of a loss.', {
        station: schema.withExample(seriesFields.station.schema, 'BODO00NOR'),
        file_type: seriesFields.file_type.schema,
        period: seriesFields.period.schema,
        kind: schema.oneOf(
          'Whether the series is late, down, or has damaged files.',
          ['late', 'down', 'damaged'],
          'late',
        ),
        since: schema.momentOrNull(
          'End of its last slot with a file, or when its first damaged file was found so; null if nothing was ever delivered.',
          since,
        ),
        due: schema.moment(
          'Time at which its first missing file was late; of damaged files, `since`.',
          due,
        ),
      }),
    ),
    ({ series }) =>
      series.map(({ station, fileType, period, kind, since, due }) => ({
        station,
        file_type: fileType,
        period,
        kind,
        since: isoOrNull(since),
        due: secondsToIso(due),
      })),
  ),
  since: field(
    schema.momentOrNull(
      'End of the last slot with a file: of a station, of the series that was late first; of a country, of the station that stopped first. For `ingest-stalled` the time of the latest arrival, or the end of newer data that a scan found; for `damaged` when the first of the files was found so. Null if nothing was ever delivered.',
      since,
    ),
    (loss): string | null => isoOrNull(loss.since),
  ),
  due: field(
    schema.moment(
      'Time at which the first missing file was late: the end of its slot and the limit of lateness. For `ingest-stalled` the time from which on it is sure; for `damaged`, `since`.',
      due,
    ),
    ({ due }) => secondsToIso(due),
  ),
  late_s: field(
    schema.integer('Seconds from `due` to `as_of` of the answer.', 7200),
    ({ lateSeconds }) => lateSeconds,
  ),
  alert: field(
    schema.boolean(
      'True if it has been late (or damaged) for an hour, or for the limit of lateness of its series if that is longer.',
      true,
    ),
    ({ alert }) => alert,
  ),
}

export const lossItem = {
  name: 'Loss',
  description:
    'What one cause explains: the lost series of a station, or of stations of a country; or the damaged files of a station.',
  fields: lossFields,
}

/** A loss as clients get it. */
export type WireLoss = Wire<typeof lossFields>

/** The parameter that asks for the place of a loss; none for all stations. */
export function placeOf({ station, country }: Loss): readonly QueryPair[] {
  if (station !== undefined) return [['station', station]]
  return country === undefined ? [] : [['country', country]]
}

/** The missing files of the station or the country of a loss. @param api the URL of the API */
export function missingHref(loss: Loss): string {
  const state = loss.kind === 'damaged' ? [['state', 'damaged'] as const] : []
  return pageUrl({ api: '../' }, 'missing', [...placeOf(loss), ...state])
}
