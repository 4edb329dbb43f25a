/** The HTML page of the series. */
import { periods } from '../../series/series.ts'
import { seriesStates } from '../../series/slot-states.ts'
import { fileFields } from '../pages/file-fields.ts'
import type { CollectionView } from '../pages/collection.ts'
import type { Field } from '../pages/filter-form.ts'
import { readableDate, readableShare, readableTime, typeLabel } from '../pages/labels.ts'
import { shareCell, stateCell } from '../pages/table.ts'
import type { SeriesOrderKey, WireSeries } from './schema.ts'

/** The fields of the filter form, except the field of the states. */
export const seriesFields: readonly Field[] = [
  ...fileFields.filter(({ name }) => ['station', 'country', 'file_type'].includes(name)),
  { name: 'period', label: 'Period', options: periods.map((value) => ({ value, text: value })) },
]

/** The field that selects a state. */
export function stateField(states: readonly string[]): Field {
  return {
    name: 'state',
    label: 'State',
    options: states.map((value) => ({ value, text: value })),
  }
}

export const seriesView: CollectionView<WireSeries, SeriesOrderKey> = {
  frame: { title: 'Series', section: 'network', up: '../' },
  noun: ['series', 'series'],
  fields: [...seriesFields, stateField(seriesStates)],
  all: 'All series',
  caption:
    'Times in UTC, (022) is the day of the year; figures of the last 28 days: complete counts all files since the first one, of expected only those that were expected',
  columns: [
    { key: 'station', label: 'Station', first: 'ascending' },
    ...['Type', 'Period'],
    { key: 'state', label: 'State', first: 'ascending' },
    { key: 'since', label: 'Since', first: 'ascending' },
    { key: 'last_slot', label: 'Newest data', first: 'ascending' },
    { key: 'last_arrival', label: 'Last arrival', first: 'descending' },
    { key: 'completeness_28d', label: 'Complete', first: 'ascending', isNumber: true },
    { key: 'share_28d', label: 'Of expected', first: 'ascending', isNumber: true },
    { key: 'within_target_28d', label: 'In time', first: 'ascending', isNumber: true },
  ],
  row: (series) => {
    const { station, file_type: type, period } = series
    const href = `../station/${station}/availability/?file_type=${type}&period=${period}&format=api`
    return [
      { text: station, href, isHeader: true },
      ...[typeLabel(type), period],
      stateCell(series.ended ? 'ended' : series.state),
      ...[readableTime(series.since), readableDate(series.last_slot)],
      readableTime(series.last_arrival),
      shareCell(series.completeness_28d),
      readableShare(series.share_28d),
      readableShare(series.within_target_28d),
    ]
  },
  hasCsv: true,
}
