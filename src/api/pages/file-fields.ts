/** The fields of the filter forms of files. */
import { areas } from '../../parse/archive-path.ts'
import type { FilterParameter } from '../parameters/file-filters.ts'
import { selection } from '../parameters/parameter.ts'
import type { Parameters } from '../parameters/request.ts'
import type { Field } from './filter-form.ts'
import { durationLabel, typeLabel } from './labels.ts'
import { fileDurations, fileTypes, fileVersions } from '../../parse/types.ts'

const versionLabels = { r2: 'short (RINEX 2)', r3: 'long (RINEX 3, 4)' } as const
const areaLabels = { obs: 'obs: daily', nrt: 'nrt: near real time' } as const

/**
 * The fields have the names of the API's parameters, so the page and the JSON have the same query
 * string.
 */
export const fileFields: readonly Field[] = [
  { name: 'station', label: 'Station', hint: 'GRAZ, WTZR00DEU' },
  { name: 'country', label: 'Country', hint: 'AUT' },
  { name: 'startDate', label: 'From', hint: '2026-022, 2026-01-22' },
  { name: 'endDate', label: 'To', hint: '2026-023, 2026-01-23' },
  { name: 'file_type', ...selection('Type', fileTypes, typeLabel) },
  { name: 'file_duration', ...selection('Period', fileDurations, durationLabel) },
  { name: 'file_version', ...selection('Name', fileVersions, (word) => versionLabels[word]) },
  { name: 'area', ...selection('Area', areas, (word) => areaLabels[word]) },
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
