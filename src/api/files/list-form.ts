/** The filter form of the list page. Pure. */
import { areas } from '../../parse/archive-path.ts'
import type { OrderKey } from '../../catalogue/filter.ts'
import type { Parameter } from '../http/links.ts'
import type { Column } from '../pages/collection-links.ts'
import { durationLabel, typeLabel } from '../pages/labels.ts'
import { fileDurations, fileTypes, fileVersions } from './schema.ts'

type Faults = Readonly<Record<string, readonly string[]>>

interface Option {
  readonly value: string
  readonly text: string
}

export interface Field {
  readonly name: string
  readonly label: string
  /** For text fields: an example. */
  readonly hint?: string
  /** For selections: the values, besides the empty one. */
  readonly options?: readonly Option[]
}

/** The names are those of the API's parameters, so the address of the page is also the address of the JSON. */
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

const labels = new Map(fileFields.map(({ name, label }) => [name, label]))

/** Offered numbers of files on a page. */
const pageSizes = [20, 50, 100, 500]

/** The state of the form. */
export interface FormState {
  /** Filters and settings of the request, as far as their names are known. */
  readonly kept: readonly Parameter[]
  /** Items of a page. */
  readonly limit: number
  /** The filters with a field; `fileFields` without it. The other filters are hidden. */
  readonly fields?: readonly Field[]
  /** Faults of a rejected request, by parameter. */
  readonly faults?: Faults
}

export function listForm({ kept, limit, fields = fileFields, faults = {} }: FormState) {
  const shown = fields.map((field) => fieldOf(field, kept, faults[field.name] ?? []))
  const places = new Set(shown.flatMap((field) => field.places))
  return {
    fields: shown,
    hidden: kept
      .filter((_parameter, index) => !places.has(index))
      .map(([name, value]) => ({ name, value })),
    sizes: [...new Set([...pageSizes, limit])]
      .sort((a, b) => a - b)
      .map((size) => ({ size, isChosen: size === limit })),
    otherFaults: Object.entries(faults)
      .filter(([name]) => !labels.has(name))
      .map(([name, messages]) => ({ name, messages })),
  }
}

function fieldOf(field: Field, kept: readonly Parameter[], faults: readonly string[]) {
  const all = kept.flatMap(([name], index) => (name === field.name ? [index] : []))
  // The values of a choice are joined; of other parameters all values apply, and only the first has room in the field.
  const isChoice = field.options !== undefined || ['station', 'country'].includes(field.name)
  const places = isChoice ? all : all.slice(0, 1)
  const value = places.map((index) => kept[index]?.[1] ?? '').join(',')
  const { options } = field
  const chosen = options?.find((option) => option.value === value.toLowerCase())?.value ?? value
  const extra =
    options === undefined || value === '' || options.some((option) => option.value === chosen)
      ? []
      : [{ value, text: value }]
  return {
    ...field,
    hint: field.hint ?? '',
    value,
    options: options && [
      { value: '', text: 'any', isChosen: value === '' },
      ...[...options, ...extra].map((option) => ({ ...option, isChosen: option.value === chosen })),
    ],
    faults,
    places,
  }
}

/** The label of a parameter in the form; its name if it has no field. */
export function labelOf(parameter: string): string {
  return labels.get(parameter) ?? parameter
}

/** Columns that sort the list, in their order. */
export const columns: readonly Column<OrderKey>[] = [
  { key: 'id', label: 'Record', first: 'descending' },
  { key: 'filename', label: 'File', first: 'ascending' },
  { key: 'data_date', label: 'Start of data', first: 'descending' },
  { key: 'created', label: 'Listed', first: 'descending' },
]
