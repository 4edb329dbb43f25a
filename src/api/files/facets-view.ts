/** The facets of a page of files: each value with its count, set and unset by a click. */
import type { FileFilter } from '../../catalogue/filter.ts'
import type { FacetName, Facets, FacetValue } from '../../catalogue/sums.ts'
import { counted, readableNumber } from '../../runtime/readable.ts'
import type { QueryPair } from '../http/links.ts'
import { queryText } from '../http/links.ts'
import { labelOf } from '../pages/active-filters.ts'
import type { Child, Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import type { FilterParameters } from '../parameters/file-filters.ts'

/** At most this many values of a facet are shown at once. */
const mostShown = 6

interface FacetView {
  readonly key: keyof FileFilter
  /** The parameters of this filter; links and words are those of the first one. */
  readonly parameters: readonly [string, ...string[]]
}

/** In the order of the page. */
const facets: Readonly<Record<FacetName, FacetView>> = {
  type: { key: 'types', parameters: ['file_type', 'fileType'] },
  period: { key: 'durations', parameters: ['file_duration', 'filePeriod'] },
  year: { key: 'years', parameters: ['year', 'data_date__year'] },
  area: { key: 'areas', parameters: ['area'] },
  form: { key: 'versions', parameters: ['file_version', 'rinexVersion'] },
  problem: { key: 'problems', parameters: ['problem'] },
  flag: { key: 'flags', parameters: ['flag'] },
  country: { key: 'countries', parameters: ['country'] },
}

interface FacetState {
  readonly filter: FileFilter
  readonly filters: FilterParameters
  readonly kept: readonly QueryPair[]
  readonly limit: number
}

/** @param counted `undefined` while the indexes are being built */
export function renderFacets(counted: Facets | undefined, state: FacetState): Child {
  if (counted === undefined) return undefined
  const shown = (Object.keys(facets) as FacetName[]).flatMap((name) => {
    const values = counted[name]
    if (values?.every(({ value }) => value === null)) return []
    // The latest year first; of all others the value with most files.
    const sorted = name === 'year' ? values : values?.toSorted((a, b) => b.files - a.files)
    return [viewOf(name, sorted, state)]
  })
  const note = countryNote(counted, state)
  if (shown.length === 0 && note === undefined) return undefined
  return html`<section aria-label="Narrow down"><details class="fold">
<summary>Narrow down</summary>
<dl class="facets">
${shown.map(facetHtml)}</dl>
${note && html`<p class="quiet">${note}</p>\n`}</details></section>
`
}

type Facet = ReturnType<typeof viewOf>

/** Crawlers do not combine the facets (`nofollow`): their links would have no end. */
function facetHtml({ label, count, shown, more }: Facet): Html {
  return html`<div><dt>${label}</dt>
<dd>${count && html`<a href="${count}" rel="nofollow">Count them</a>`}<ul class="plain small">${shown.map(valueHtml)}</ul>
${more.length > 0 && html`<details class="small"><summary>${more.length} more</summary><ul class="plain small">${more.map(valueHtml)}</ul></details>`}</dd></div>
`
}

function valueHtml({ text, href, count, isOn }: Facet['shown'][number]): Html {
  const remove = isOn && html` aria-label="Remove the filter ${text}, ${count} files"`
  const name = href
    ? html`<a href="${href}" rel="nofollow"${remove}>${isOn ? html`<b>${text} ×</b>` : text}</a>`
    : text
  return html`<li>${name} <span class="quiet number">${count}</span></li>`
}

function viewOf(
  name: FacetName,
  values: readonly FacetValue[] | undefined,
  { filter, filters, kept, limit }: FacetState,
) {
  const { key, parameters } = facets[name]
  const linkTo = (wanted: readonly QueryPair[], isWithout = true) => {
    const others = kept.filter(([name]) => !isWithout || !parameters.includes(name))
    return `?${queryText([...others, ...wanted, ['limit', String(limit)]])}`
  }
  const [parameter] = parameters
  const worded = filters.get(parameter)
  const chosen = ((filter[key] ?? []) as readonly (string | number)[]).map(String)
  const shown = (values ?? []).map(({ value, files }) => {
    const isOn = value !== null && chosen.includes(value)
    const rest = isOn ? chosen.filter((each) => each !== value) : [...chosen, value ?? '']
    // Such as a former area, of which records are left.
    const isTaken = value !== null && !('fault' in (worded?.read([value]) ?? {}))
    const href = linkTo(rest.length === 0 ? [] : [[parameter, rest.join()]])
    return {
      text: value === null ? 'none' : (worded?.textOf?.(value) ?? value),
      href: isTaken ? href : undefined,
      count: readableNumber(files),
      isOn,
    }
  })
  // Few values at once: those that are chosen, and the first ones.
  const first = new Set([...shown.filter(({ isOn }) => isOn), ...shown].slice(0, mostShown))
  return {
    name,
    label: labelOf(parameter, worded),
    shown: shown.filter((each) => first.has(each)),
    more: shown.filter((each) => !first.has(each)),
    count: values === undefined ? linkTo([['facets', 'all']], false) : undefined,
  }
}

/** Whoever asks for a country must know that files without one are not among its files. */
function countryNote(
  { country }: Facets,
  { filter }: Pick<FacetState, 'filter'>,
): string | undefined {
  const without = country?.find(({ value }) => value === null)
  if (filter.countries === undefined || without === undefined) return undefined
  const files = counted(without.files, 'file', 'files')
  const have = without.files === 1 ? 'has' : 'have'
  return `${files} ${have} no country and cannot be among these: short names do not tell it, nor do codes such as BRDC00IGS.`
}
