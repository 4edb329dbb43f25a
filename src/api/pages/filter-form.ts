/** The filter form of a collection, and links that change its filters and its order. */
import type { FormState } from '../http/errors.ts'
import { queryText } from '../http/context.ts'
import type { Parameter } from '../http/context.ts'
import { countryName } from '../../parse/countries.ts'
import { partial } from './layout.ts'
import type { Column } from './table.ts'

type Faults = Readonly<Record<string, readonly string[]>>

/** How a parameter is shown in the filter form. */
export interface FormField {
  readonly label: string
  readonly hint?: string
  /** The options of a selection, besides the empty one. */
  readonly options?: readonly { readonly value: string; readonly text: string }[]
  /** Values that the browser suggests; others may be entered too. */
  readonly suggestions?: readonly string[]
  /** True if one of the options always applies, so the empty option is left out. */
  readonly isRequired?: boolean
}

/** A field of a form. Its name is that of a parameter, so page and JSON have the same query. */
export interface Field extends FormField {
  readonly name: string
  /** True if the parameter takes several values, separated by commas. */
  readonly isList?: boolean
}

/** Describes the filter form of a page. */
export interface FormView {
  /** Title and section of the page that contains the form. */
  readonly frame: { readonly title: string; readonly section?: string }
  /** The filters that have a field. The form repeats all other filters in hidden inputs. */
  readonly fields: readonly Field[]
  /** The label of the link that removes all filters. */
  readonly all?: string
  /** Page sizes that people can choose; without it, the form has no field for them. */
  readonly sizes?: readonly number[]
}

/** Shows the form; `filterForm` returns its data. */
partial(
  'form',
  `<% if (it.fields.length > 0) { %><input type="checkbox" class="fold" id="fold"<% if (it.isFaulty) { %> checked<% } %>><label class="fold" for="fold">Filter<% if (it.chosen > 0) { %> (<%= it.chosen %>)<% } %></label>
<form class="filters" method="get" role="search" aria-label="Filters">
<input type="hidden" name="format" value="api">
<% for (const field of it.hidden) { %><input type="hidden" name="<%= field.name %>" value="<%= field.value %>">
<% } %><% for (const field of it.fields) { const faulty = field.faults.length > 0 %><div class="field<% if (faulty) { %> fault<% } %>">
<label for="f-<%= field.name %>"><%= field.label %></label>
<% if (field.options) { %><select id="f-<%= field.name %>" name="<%= field.name %>"<% if (faulty) { %> aria-invalid="true" aria-describedby="e-<%= field.name %>"<% } %>><% for (const option of field.options) { %><option value="<%= option.value %>"<% if (option.isChosen) { %> selected<% } %><% if (option.title) { %> title="<%= option.title %>"<% } %>><%= option.text %></option><% } %></select>
<% } else { %><input id="f-<%= field.name %>" name="<%= field.name %>" value="<%= field.value %>" placeholder="<%= field.hint %>" autocomplete="off" spellcheck="false"<% if (field.suggestions) { %> list="d-<%= field.name %>"<% } %><% if (faulty) { %> aria-invalid="true" aria-describedby="e-<%= field.name %>"<% } %>>
<% if (field.suggestions) { %><datalist id="d-<%= field.name %>"><% for (const value of field.suggestions) { %><option value="<%= value %>"><% } %></datalist>
<% } %><% } %><% if (faulty) { %><p class="message" id="e-<%= field.name %>"><%= field.faults.join(' ') %><% if (field.hint !== '' && !field.options) { %> For example: <%= field.hint %><% } %></p><% } %></div>
<% } %><div class="field submit"><button>Show</button> <% if (it.all) { %><a href="?format=api"><%= it.all %></a><% } %></div>
</form><% } %>
<% if (it.otherFaults.length > 0) { %>
<ul class="notice fault">
<% for (const fault of it.otherFaults) { %><li><code><%= fault.name %></code>: <%= fault.messages.join(' ') %></li>
<% } %></ul>
<% } %>
`,
)

/** @param faults of a rejected request, by parameter */
export function filterForm(
  { fields, all, sizes }: FormView,
  { kept, limit }: FormState,
  faults: Faults = {},
) {
  const sizeField = sizes && sizesOf(sizes, limit)
  const shown = [
    ...fields.map((field) => fieldOf(field, kept, faults[field.name] ?? [])),
    ...(sizeField ? [sizeField] : []),
  ]
  const places = new Set(shown.flatMap((field) => field.places))
  const names = new Set(fields.map(({ name }) => name))
  return {
    fields: shown,
    chosen: new Set(kept.flatMap(([name]) => (settings.has(name) ? [] : [name]))).size,
    isFaulty: Object.keys(faults).length > 0,
    all,
    hidden: kept
      // A refused value without a field could not be corrected.
      .filter(([name], index) => !places.has(index) && !Object.hasOwn(faults, name))
      .map(([name, value]) => ({ name, value })),
    otherFaults: Object.entries(faults)
      .filter(([name]) => !names.has(name))
      .map(([name, messages]) => ({ name, messages })),
  }
}

function fieldOf(field: Field, kept: readonly Parameter[], faults: readonly string[]) {
  const all = kept.flatMap(([name], index) => (name === field.name ? [index] : []))
  // The values of a list are joined in its field. All values of another parameter apply, but its
  // field has room only for the first.
  const places = field.isList === true ? all : all.slice(0, 1)
  const value = places.map((index) => kept[index]?.[1] ?? '').join(',')
  const { options } = field
  const chosen = optionOf(field, value)?.value ?? value
  const extra =
    options === undefined || value === '' || options.some((option) => option.value === chosen)
      ? []
      : [{ value, text: value }]
  return {
    ...field,
    hint: field.hint ?? '',
    value,
    options: options && [
      ...(field.isRequired === true ? [] : [{ value: '', text: 'any', isChosen: value === '' }]),
      ...[...options, ...extra].map((option) => ({
        ...option,
        isChosen: option.value === chosen,
        // Programs use the code.
        title: option.text === option.value ? undefined : option.value,
      })),
    ],
    faults,
    places,
  }
}

/** Most words are accepted in upper and lower case. */
function optionOf({ options }: FormField, value: string) {
  return options?.find((option) => option.value.toLowerCase() === value.toLowerCase())
}

function sizesOf(sizes: readonly number[], limit: number): ReturnType<typeof fieldOf> {
  const options = [...new Set([...sizes, limit])]
    .sort((a, b) => a - b)
    .map((size) => ({ value: String(size), text: String(size), isChosen: size === limit }))
  return { name: 'limit', label: 'Rows', hint: '', value: '', options, faults: [], places: [] }
}

/** A column by which the table can be sorted. */
export interface SortColumn {
  readonly key: string
  readonly label: string
  /** The direction after the first click. */
  readonly first: 'ascending' | 'descending'
  readonly isNumber?: boolean
}

/** Adds the link that sorts by a column, or reverses the direction. */
export function sortLink(
  { key, first, ...column }: SortColumn,
  ordering: { readonly key: string; readonly descending: boolean },
  { kept, limit }: FormState,
): Column {
  const isCurrent = ordering.key === key
  const descending = isCurrent ? !ordering.descending : first === 'descending'
  const rest = kept.filter(([name]) => name !== 'ordering')
  const current = ordering.descending ? 'descending' : 'ascending'
  const href = firstPage({ kept: [...rest, ['ordering', `${descending ? '-' : ''}${key}`]], limit })
  return { ...column, href, sort: isCurrent ? current : '' }
}

/** Names of kept parameters that are not filters. */
const settings = new Set(['ordering', 'expand', 'strict', 'facets'])

/** Maximum number of active filters that a page shows: each has a link that repeats all others. */
const maxShownFilters = 20

/** Returns the active filters, each with a link to the collection without it. */
export function activeFilters({ kept, limit }: FormState, fields: readonly Field[]) {
  if (kept.length > maxShownFilters) return []
  return kept.flatMap(([name, value], place) => {
    if (settings.has(name)) return []
    const rest = kept.filter((_parameter, index) => index !== place)
    const field = fields.find((each) => each.name === name)
    const words = value.split(',').map((word) => wordOf(name, word, field))
    return [
      {
        label: field?.label ?? labelOf(name),
        value: words.join(', '),
        without: firstPage({ kept: rest, limit }),
      },
    ]
  })
}

/** A value in words: as in the form, or the name of a country. */
function wordOf(name: string, value: string, field: Field | undefined): string {
  const option = field && optionOf(field, value)
  return option?.text ?? (name === 'country' ? countryName(value.toUpperCase()) : value)
}

/** Django's lookups in words. */
const lookups: Readonly<Record<string, string>> = {
  gt: 'after',
  gte: 'from',
  lt: 'before',
  lte: 'until',
  startswith: 'begins with',
  contains: 'contains',
}

/** The label of a parameter without a field: `Data date from`, for `data_date__gte`. */
function labelOf(name: string): string {
  const [field = '', lookup = ''] = name.split('__')
  const words = [field.replaceAll('_', ' '), lookups[lookup] ?? lookup].join(' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Shows the active filters, which `activeFilters` returns. */
partial(
  'chips',
  `<% if (it.active.length > 0) { %><ul class="chips" aria-label="Active filters">
<% for (const chip of it.active) { %><li><%= chip.label %> <b><%= chip.value %></b> <a href="<%= chip.without %>" aria-label="Remove the filter <%= chip.label %> <%= chip.value %>">×</a></li>
<% } %></ul>
<% } %>`,
)

function firstPage({ kept, limit }: FormState): string {
  return `?${queryText([...kept, ['limit', String(limit)]])}`
}
