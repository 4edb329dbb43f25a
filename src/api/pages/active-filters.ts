/** The filters of a request in words: chips with links that remove them, and headlines. */
import { shortened } from '../../runtime/readable.ts'
import type { FormState } from '../http/errors.ts'
import type { QueryPair } from '../http/links.ts'
import { queryText } from '../http/links.ts'
import type { Child } from './html.ts'
import { html } from './html.ts'

/** How a parameter is shown in the filter form. */
export interface FormField {
  readonly label: string
  /** An example of a value: shown in the empty field, and behind the sentence of a fault. */
  readonly hint?: string
  /** The options of a selection, besides the empty one. */
  readonly options?: readonly { readonly value: string; readonly text: string }[]
  /** Values that the browser suggests; others may be entered too. */
  readonly suggestions?: readonly string[]
  /** True if the form shows it only for a request that has it. */
  readonly isRare?: boolean
  /** True if one of the options always applies, so the empty option is left out. */
  readonly isRequired?: boolean
}

/** What forms, chips and headlines say of a parameter. */
export interface Worded {
  /** What counts: all words, separated by commas or repeated; all values; or the last value. */
  readonly takes: 'words' | 'values' | 'last'
  /** Its field in the filter form; without it, the form repeats the value in a hidden input. */
  readonly field?: FormField | undefined
  /** A value in words; without it, the text of its option, or the value itself. */
  readonly textOf?: ((value: string) => string) | undefined
}

/** Names of kept parameters that are not filters. */
export const settings = new Set(['ordering', 'expand', 'strict', 'facets'])

/** Maximum number of active filters that a page shows: each has a link that repeats all others. */
const maxShownFilters = 20

/** The filters of a collection by their names. */
export type WordedFilters = ReadonlyMap<string, Worded>

/** Returns the active filters, each with a link to the collection without it. */
export function activeFilters({ kept, limit }: FormState, filters: WordedFilters) {
  if (kept.length > maxShownFilters) return []
  return kept.flatMap(([name, value], place) => {
    const filter = filters.get(name)
    if (filter === undefined || settings.has(name)) return []
    const rest = kept.filter((_parameter, index) => index !== place)
    return [
      {
        label: labelOf(name, filter),
        value: valueWords(filter, value),
        without: firstPage({ kept: rest, limit }),
      },
    ]
  })
}

/**
 * The active filters in words, in the order of their table: `GRAZ, observation, created from 22
 * January 2026`. A word says itself, and so does `when`; of all other values the label tells what
 * they are.
 */
export function filterWords(kept: readonly QueryPair[], filters: WordedFilters): string {
  const active = Array.from(filters).flatMap(([name, filter]) =>
    kept.flatMap(([own, value]) =>
      own === name && !settings.has(name) ? [{ name, filter, value }] : [],
    ),
  )
  if (active.length > maxShownFilters) return `${active.length} filters`
  const words = active.map(({ name, filter, value }) => {
    const text = shortened(valueWords(filter, value))
    const label = labelOf(name, filter)
    return filter.takes === 'words' || name === 'when'
      ? text
      : `${label.charAt(0).toLowerCase()}${label.slice(1)} ${text}`
  })
  return words.join(', ')
}

function valueWords({ takes, field, textOf }: Worded, value: string): string {
  const wordOf = (text: string): string =>
    textOf?.(text) ?? (field && optionOf(field, text)?.text) ?? text
  return takes === 'words' ? value.split(',').map(wordOf).join(', ') : wordOf(value)
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

/** The label of its field, or `Data date from`, for `data_date__gte`. */
export function labelOf(name: string, { field: shown }: Pick<Worded, 'field'> = {}): string {
  if (shown !== undefined) return shown.label
  const [field = '', lookup = ''] = name.split('__')
  const words = [field.replaceAll('_', ' '), lookups[lookup] ?? lookup].join(' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Shows the active filters. */
export function chips(active: ReturnType<typeof activeFilters>): Child {
  const items = active.map(({ label, value, without }) => {
    const remove = `Remove the filter ${label} ${value}`
    return html`<li>${label} <b>${value}</b> <a href="${without}" aria-label="${remove}">×</a></li>\n`
  })
  return (
    items.length > 0 &&
    html`<ul class="chips plain row" aria-label="Active filters">\n${items}</ul>\n`
  )
}

/** Most words are accepted in upper and lower case, and countries by their names. */
export function optionOf({ options }: FormField, value: string) {
  const wanted = value.toLowerCase()
  return options?.find((each) =>
    [each.value, each.text].some((own) => own.toLowerCase() === wanted),
  )
}

/** The first page of a collection with these parameters. */
export function firstPage({ kept, limit }: FormState): string {
  return `?${queryText([...kept, ['limit', String(limit)]])}`
}
