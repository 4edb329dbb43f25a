/** The fields of a series, in its list and in the network. */
import { isoOrNull } from '../../parse/calendar.ts'
import { countryOf } from '../../parse/countries.ts'
import { fileTypes } from '../../parse/types.ts'
import { readableShare } from '../../runtime/readable.ts'
import { shareClasses } from '../../series/completeness.ts'
import { periods, startOf } from '../../series/series.ts'
import { severityOf, stateMeanings, stateOf, states } from '../../series/station-states.ts'
import { stationUrl } from '../http/links.ts'
import * as schema from '../openapi/schema.ts'
import type { Child } from '../pages/html.ts'
import { typeLabel } from '../pages/labels.ts'
import { link } from '../pages/parts.ts'
import { momentCell, periodCell, stateCell } from '../pages/table.ts'
import type { FieldColumn } from '../resources/fields.ts'
import { fieldOf } from '../resources/fields.ts'
import type { NetworkKey, SeriesStatus } from './known-series.ts'

/** Rounds a share to four digits after the point; null if the share is unknown. */
export function shareOrNull(value: number | undefined): number | null {
  return value === undefined ? null : Math.round(value * 10_000) / 10_000
}

/** The fields that name the series of an item. @param hrefOf the link of the station */
export function keyFields<Item>(
  seriesOf: (item: Item) => SeriesStatus,
  hrefOf: (series: SeriesStatus) => string,
) {
  const field = fieldOf<Item>()
  return {
    station: field(
      schema.text(
        'The code of the station: 9 characters, or 4 if no long code or more than one begins with them.',
        'GRAZ00AUT',
      ),
      (item) => seriesOf(item).station,
      {
        label: 'Station',
        first: 'ascending',
        isHeader: true,
        cell: (station, item) => link(station, hrefOf(seriesOf(item))),
      },
    ),
    file_type: field(
      schema.oneOf('Type of the files.', fileTypes, 'o'),
      (item) => seriesOf(item).fileType,
      { label: 'Type', cell: (type) => typeLabel(type) },
    ),
    period: field(
      schema.oneOf('Period of the files.', periods, '01H'),
      (item) => seriesOf(item).period,
      { label: 'Period', cell: periodCell },
    ),
  }
}

/** The page of a station, relative to that of a resource. */
export function stationHref({ station }: { readonly station: string }): string {
  return stationUrl({ api: '../' }, station)
}

/** A station with the link to its page. */
export function stationCell({ station }: { readonly station: string }): Child {
  return link(station, stationHref({ station }))
}

/** The page of a series' availability, relative to that of a resource. */
export function availabilityHref({ station, fileType, period }: NetworkKey): string {
  return `../station/${station}/availability/?file_type=${fileType}&period=${period}&format=api`
}

/** The class of a share. @param rule what else its description says */
export function classOf(name: string, rule = '') {
  const meaning = `Class of \`${name}\`: \`good\` above 0.9, \`fair\` from 0.8, else \`poor\``
  return schema.orNull(schema.oneOf(`${meaning}${rule}.`, shareClasses, 'good'))
}

/** What the fields say that count such slots. @param of which of the slots are meant */
export function halfMeaning(of: string): string {
  return `Number of the delivered slots ${of} whose best file holds less than half of its epochs; \`missing/?state=half\` lists them. A slot is counted when it has ended.`
}

/** What the class of a series adds to its description. */
export const endedHasNoClass = '; null for a series that has ended'

const field = fieldOf<SeriesStatus>()

const meanings = states.map((state) => `\`${state}\`: ${stateMeanings[state]}.`).join(' ')

/** @param secondsOf the time of a series in seconds since 1970 */
function time(
  description: string,
  example: string,
  secondsOf: (series: SeriesStatus) => number | undefined,
  column: Pick<FieldColumn<SeriesStatus, string | null>, 'label' | 'first'>,
) {
  return field(
    schema.momentOrNull(description, example),
    (series): string | null => isoOrNull(secondsOf(series)),
    { ...column, cell: momentCell },
  )
}

/** A share of the last 28 days. */
function recentShare(
  description: string,
  example: number,
  valueOf: (summary: SeriesStatus['summary']) => number | undefined,
  label: string,
) {
  return field(
    schema.shareOrNull(description, example),
    ({ summary }): number | null => shareOrNull(valueOf(summary)),
    { label, first: 'ascending', isNumber: true, cell: readableShare },
  )
}

const {
  station,
  file_type: fileType,
  period,
} = keyFields<SeriesStatus>((series) => series, stationHref)

export const seriesFields = {
  station,
  country: field(
    schema.textOrNull('ISO 3166-1 alpha-3; null if the code has no country.', 'AUT'),
    (series) => countryOf(series.station) ?? null,
  ),
  file_type: fileType,
  period,
  state: field(
    schema.oneOf(
      `The state of the newest slot that has ended and whose limit of lateness has passed, the worst first. ${meanings}`,
      states,
      'late',
    ),
    ({ summary }) => stateOf(summary),
    {
      label: 'State',
      first: 'ascending',
      cell: stateCell,
      sortedBy: ({ summary }) => severityOf(stateOf(summary)),
    },
  ),
  since: time(
    'For `present`, the start of the run of slots with files, at most 28 days back; otherwise the end of the last slot with a file. Null if nothing ever came.',
    '2026-01-22T03:00:00Z',
    ({ summary }) => summary.since,
    { label: 'Since', first: 'ascending' },
  ),
  due: time(
    'Time at which the first missing file was late: the end of its slot and the limit of lateness; null if the series is neither late nor down.',
    '2026-01-22T04:10:00Z',
    ({ due }) => due,
    { label: 'Due', first: 'descending' },
  ),
  late_s: field(
    schema.integerOrNull(
      'Seconds from `due` to `as_of`; null if it is neither late nor down.',
      7200,
    ),
    ({ lateSeconds }): number | null => lateSeconds ?? null,
  ),
  usual_s: field(
    schema.integerOrNull(
      'The usual latency in seconds: the median of the last 28 days; null without arrivals.',
      70,
    ),
    ({ summary }) => summary.usualLatency ?? null,
  ),
  late_after_s: field(
    schema.integer(
      'The limit of lateness in seconds after the end of a slot: 95 of 100 arrivals of the last 28 days were within it. At least 300 (15M), 600 (01H) or 7200 (01D), at most 86400; 3600 (01D: 86400) with few arrivals.',
      600,
    ),
    ({ summary }) => summary.lateAfter,
  ),
  last_slot: time(
    'Start of the newest delivered slot.',
    '2026-01-22T02:00:00Z',
    ({ summary: { lastSlot }, period }) =>
      lastSlot === undefined ? undefined : startOf(lastSlot, period),
    { label: 'Newest data', first: 'ascending' },
  ),
  last_arrival: time(
    'Arrival of the latest file that was seen arriving in the last 56 days, up to `as_of`.',
    '2026-01-22T03:01:10Z',
    ({ summary }) => summary.lastArrival,
    { label: 'Last arrival', first: 'descending' },
  ),
  completeness_28d: recentShare(
    'Share of the possible slots of the last 28 days that were delivered. Possible are all slots since the first delivered one whose limit of lateness has passed, expected or not. A damaged file is no delivery.',
    0.9955,
    ({ completeness }) => completeness,
    'Complete',
  ),
  half_28d: field(
    schema.integer(halfMeaning('of the last 28 days'), 0),
    ({ summary }) => summary.half,
  ),
  within_target_28d: recentShare(
    'Share of the arrivals of the last 28 days that were within the target: 5 minutes after the end of the slot (15M), 10 minutes (01H), 2 hours (01D).',
    0.9941,
    ({ withinTarget }) => withinTarget,
    'In time',
  ),
  class: field(
    classOf('completeness_28d', endedHasNoClass),
    ({ summary }) => summary.class ?? null,
  ),
}

export const seriesItem = {
  name: 'Series',
  description: 'A series: the files of one station, with the same type and period.',
  fields: seriesFields,
}
