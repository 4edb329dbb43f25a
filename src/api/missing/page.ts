/** The HTML page of the missing files. */
import type { CollectionView } from '../pages/collection.ts'
import { readableDate, readableTime, typeLabel } from '../pages/labels.ts'
import { stateCell } from '../pages/table.ts'
import { seriesFields, stateField } from '../series/page.ts'
import { missingStates } from './schema.ts'
import type { MissingOrderKey, WireMissing } from './schema.ts'

export const missingView: CollectionView<WireMissing, MissingOrderKey> = {
  frame: { title: 'Missing files', section: 'missing', up: '../' },
  noun: ['missing file', 'missing files'],
  fields: [
    ...seriesFields,
    stateField(missingStates),
    { name: 'from', label: 'From', hint: 'at most 62 days, one station 40 years' },
    { name: 'to', label: 'To', hint: '2026-023, 2026-01-23' },
  ],
  all: 'All of 28 days',
  caption: 'Times in UTC, (022) is the day of the year',
  columns: [
    { key: 'station', label: 'Station', first: 'ascending' },
    ...['Type', 'Period'],
    { key: 'start', label: 'Start of data', first: 'descending' },
    'State',
    { key: 'since', label: 'Since', first: 'descending' },
    { key: 'expected_by', label: 'Expected by', first: 'descending' },
    'Name',
  ],
  row: ({ station, file_type, period, start, state, expected_by, since, name }) => [
    { text: station, href: `../station/${station}/?format=api`, isHeader: true },
    ...[typeLabel(file_type), period],
    { text: readableDate(start), time: start },
    stateCell(state),
    ...[readableTime(since), readableTime(expected_by)],
    { text: name, isCode: true },
  ],
  hasCsv: true,
}
