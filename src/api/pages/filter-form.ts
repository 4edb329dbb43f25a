/** The filter form of a collection, and the links that sort its table. */
import { allCountries, byName, countryName } from '../../parse/countries.ts'
import type { FormState } from '../http/errors.ts'
import type { QueryPair } from '../http/links.ts'
import type { FormField } from './active-filters.ts'
import { firstPage, optionOf } from './active-filters.ts'
import type { Child, Html } from './html.ts'
import { html } from './html.ts'
import { link } from './parts.ts'
import type { Column } from './table.ts'

/** A field of a form. Its name is that of a parameter, so page and JSON have the same query. */
export interface Field extends FormField {
  readonly name: string
  /** True if the parameter takes several values, separated by commas. */
  readonly isList?: boolean
}

/** Describes the filter form of a page. */
export interface FormView {
  /** The filters that have a field. The form repeats all other filters in hidden inputs. */
  readonly fields: readonly Field[]
  /** The label of the link that removes all filters. */
  readonly all?: string
  /** The countries of the archive, by which files are chosen; without them, all countries. */
  readonly countries?: readonly string[] | undefined
  /** Page sizes that people can choose; without it, the form has no field for them. */
  readonly sizes?: readonly number[]
}

/** The fields of the first row; a form with others has them behind `More`. */
const firstRow = new Set(['station', 'search', 'country', 'when', 'week', 'since', 'change'])

/** The filter form of a page, which says what of a request was refused. */
export function filterForm(view: FormView, state: FormState): Html {
  const { fields, all, hidden, otherFaults } = formOf(view, state)
  const isShort = fields.length <= 4
  const first = fields.filter(({ name }) => isShort || firstRow.has(name))
  const more = fields.filter((field) => !first.includes(field))
  return html`${
    state.faults &&
    html`<p class="notice fault" role="alert">Some values are not valid. The page is shown without them.</p>
`
  }${
    fields.length > 0 &&
    html`<form class="filters panel row" method="get" role="search" aria-label="Filters">
<input type="hidden" name="format" value="api">
${hiddenInputs(hidden)}
${first.map(fieldHtml)}
<div class="field submit row"><button>Show</button> ${link(all, all && '?format=api')}</div>
${more.length > 0 && moreFields(more)}</form>`
  }
${otherFaults.length > 0 && faultList(otherFaults)}`
}

/** Faults of parameters, each with all of its messages. */
export function faultList(faults: readonly (readonly [string, readonly string[]])[]): Html {
  return html`<ul class="notice fault plain">
${faults.map(([name, messages]) => html`<li><code>${name}</code>: ${messages.join(' ')}</li>\n`)}
</ul>
`
}

/** The other fields: open if one of them is filled in or refused. */
function moreFields(fields: readonly FieldData[]): Html {
  const isOpen = fields.some(({ places, faults }) => places.length + faults.length > 0)
  const filters = fields.filter(({ name }) => name !== 'limit')
  const names = filters.map(({ label }) => label.toLowerCase())
  return html`<details class="more small"${isOpen && html` open`}>
<summary>More: ${names.join(', ')}</summary>
<div class="row">
${fields.map(fieldHtml)}</div>
</details>
`
}

/** Countries are chosen by name. */
function withCountries({ fields, countries = [] }: FormView): readonly Field[] {
  const some = countries.length === 0 ? allCountries() : byName(countries)
  return fields.map((field) =>
    field.name === 'country' && field.options === undefined
      ? { ...field, options: some.map((value) => ({ value, text: countryName(value) })) }
      : field,
  )
}

/** Parameters that a form repeats. */
export function hiddenInputs(parameters: readonly { name: string; value: string }[]): Html {
  return html`${parameters.map(
    ({ name, value }) => html`<input type="hidden" name="${name}" value="${value}">\n`,
  )}`
}

/** A field as it is shown. */
interface FieldData extends Omit<Field, 'options'> {
  readonly hint: string
  readonly value: string
  readonly options: readonly Option[] | undefined
  readonly faults: readonly string[]
  /** The places of its values among the parameters of the request. */
  readonly places: readonly number[]
}

interface Option {
  readonly value: string
  readonly text: string
  readonly isChosen: boolean
  readonly title?: string | undefined
}

function fieldHtml(field: FieldData): Html {
  const { name, label, hint, options, faults } = field
  const isFaulty = faults.length > 0
  // Only of a text that is no value does an example say more.
  const isUnread = faults.some((fault) => fault.startsWith('Enter '))
  const example = isUnread && hint !== '' && !options && ` For example: ${hint}`
  return html`<div class="field${isFaulty && ' fault'}">
<label for="f-${name}">${label}</label>
${options ? selectHtml(field) : inputHtml(field)}
${isFaulty && html`<div class="bad small" id="e-${name}">${faults.join(' ')}${example}</div>`}</div>
`
}

/** Tells a screen reader that a field is faulty, and where it says why. */
function faultAttributes({ name, faults }: FieldData): Child {
  return faults.length > 0 && html` aria-invalid="true" aria-describedby="e-${name}"`
}

function selectHtml(field: FieldData): Html {
  const { name, options } = field
  const items = options?.map(({ value, text, isChosen, title }) => {
    const attributes = [isChosen && html` selected`, title && html` title="${title}"`]
    return html`<option value="${value}"${attributes}>${text}</option>`
  })
  return html`<select id="f-${name}" name="${name}"${faultAttributes(field)}>${items}</select>`
}

function inputHtml(field: FieldData): Html {
  const { name, value, hint, suggestions } = field
  const list = suggestions && html` list="d-${name}"`
  return html`<input id="f-${name}" name="${name}" value="${value}" placeholder="${hint}"
 autocomplete="off" spellcheck="false"${list}${faultAttributes(field)}>
${
  suggestions &&
  html`<datalist id="d-${name}">${suggestions.map((each) => html`<option value="${each}">`)}</datalist>
`
}`
}

/** What a form shows. */
export function formOf(view: FormView, { kept, limit, faults = {} }: FormState) {
  const { all, sizes } = view
  const asked = new Set([...kept.map(([name]) => name), ...Object.keys(faults)])
  const fields = withCountries(view).filter(
    ({ name, isRare = false }) => !isRare || asked.has(name),
  )
  const sizeField = sizes && sizesOf(sizes, limit)
  const shown = [
    ...fields.map((field) => fieldOf(field, kept, faults[field.name] ?? [])),
    ...(sizeField ? [sizeField] : []),
  ]
  const places = new Set(shown.flatMap((field) => field.places))
  const names = new Set(fields.map(({ name }) => name))
  return {
    fields: shown,
    all,
    hidden: kept
      // A refused value without a field could not be corrected.
      .filter(([name], index) => !places.has(index) && !Object.hasOwn(faults, name))
      .map(([name, value]) => ({ name, value })),
    otherFaults: Object.entries(faults).filter(([name]) => !names.has(name)),
  }
}

function fieldOf(field: Field, kept: readonly QueryPair[], faults: readonly string[]): FieldData {
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

function sizesOf(sizes: readonly number[], limit: number): FieldData {
  const options = [...new Set([...sizes, limit])]
    .sort((a, b) => a - b)
    .map((size) => ({ value: String(size), text: String(size), isChosen: size === limit }))
  return { name: 'limit', label: 'Rows', hint: '', value: '', options, faults: [], places: [] }
}

/** A column by which the table can be sorted. */
export interface SortColumn extends Column {
  readonly key: string
  /** The direction after the first click. */
  readonly first: 'ascending' | 'descending'
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
