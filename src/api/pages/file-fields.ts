/** The fields of the filter forms of files. */
import { areas } from '../../parse/archive-path.ts'
import type { FilterParameter } from '../parameters/file-filters.ts'
import type { Parameters } from '../parameters/request.ts'
import type { Field } from './filter-form.ts'
import { durationLabel, typeLabel } from './labels.ts'
import { fileDurations, fileTypes, fileVersions } from '../../parse/types.ts'

/**
 * The fields have the names of the API's parameters, so the page and the JSON have the same query
 * string.
 */
export const fileFields: readonly Field[] = [
  { name: 'station', label: 'Station', hint: 'GRAZ, WTZR00DEU' },
  { name: 'country', label: 'Country', hint: 'AUT' },
  { name: 'startDate', label: 'From', hint: '2026-022, 2026-01-22' },
  { name: 'endDate', label: 'To', hint: '2026-023, 2026-01-23' },
  {
    name: 'file_type',
    label: 'Type',
    options: fileTypes.map((value) => ({ value, text: typeLabel(value) })),
  },
  {
    name: 'file_duration',
    label: 'Period',
    options: fileDurations.map((value) => ({ value, text: durationLabel(value) })),
  },
  {
    name: 'file_version',
    label: 'Name',
    options: fileVersions.map((value) => ({
      value,
      text: value === 'r2' ? 'short (RINEX 2)' : 'long (RINEX 3, 4)',
    })),
  },
  {
    name: 'area',
    label: 'Area',
    options: areas.map((value) => ({
      value,
      text: value === 'obs' ? 'obs: daily' : 'nrt: near real time',
    })),
  },
  { name: 'filename__contains', label: 'Part of the name', hint: '_30S_' },
]

/**
 * The fields of the form of a resource: those of its filters, then those of its other parameters.
 * @param order names of the fields in another order
 */
export function formFieldsOf(
  parameters: Parameters,
  filters: ReadonlyMap<string, FilterParameter> = new Map<string, never>(),
  order: readonly string[] = [],
): readonly Field[] {
  const own = Object.entries(parameters).flatMap(([name, { field }]) =>
    field === undefined ? [] : [{ name, ...field }],
  )
  const all = [...fileFields.filter(({ name }) => filters.has(name)), ...own]
  const placeOf = ({ name }: Field): number =>
    order.includes(name) ? order.indexOf(name) : Infinity
  return order.length === 0 ? all : all.toSorted((a, b) => placeOf(a) - placeOf(b))
}
