/** The HTML page of the list: filter form, table, and links to the same list in other formats. */
import type { FileFilter, Ordering } from '../../catalogue/filter.ts'
import type { Facets, PageSums } from '../../catalogue/sums.ts'
import { countryName } from '../../parse/countries.ts'
import { counted, readableSize, readableTime } from '../../runtime/readable.ts'
import type { Links, QueryPair } from '../http/links.ts'
import { pageUrl, stationUrl } from '../http/links.ts'
import type { CollectionPage, CollectionView } from '../pages/collection.ts'
import { renderCollection } from '../pages/collection.ts'
import type { Field } from '../pages/filter-form.ts'
import type { Child, Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { durationLabel, periodLabel, typeLabel } from '../pages/labels.ts'
import type { Page } from '../pages/layout.ts'
import { commandHtml, link, note } from '../pages/parts.ts'
import { dateCell, momentCell, titled } from '../pages/table.ts'
import { feedParameters, filterParameters } from '../parameters/file-filters.ts'
import { formFieldsOf } from '../parameters/parameter.ts'
import { renderFacets } from './facets-view.ts'
import type { WireRecord } from './serialise.ts'

export const filesView: CollectionView<WireRecord> = {
  frame: { title: 'Files', section: 'rinex-file', up: '../' },
  noun: ['file', 'files'],
  filters: filterParameters,
  fields: formFieldsOf(filterParameters),
  all: 'All files',
  sizes: [20, 50, 100, 500],
  className: 'files cards',
  caption: 'Times in UTC; (022) is the day of the year',
  columns: [
    {
      key: 'filename',
      label: 'File',
      first: 'ascending',
      isHeader: true,
      cell: ({ filename, url, file }) => [
        link(filename, url),
        file?.problem && html` <span class="state bad">${file.problem}</span>`,
      ],
    },
    {
      label: 'Get',
      cell: ({ download_path: href, filename }) => link('↓', href, `Download ${filename}`),
    },
    {
      label: 'Station',
      cell: ({ file }, links) => {
        const code = file?.station ?? ''
        return code === '' ? '' : link(code, stationUrl(links, code))
      },
    },
    {
      label: 'Size',
      isNumber: true,
      cell: ({ file }) => (typeof file?.size === 'number' ? readableSize(file.size) : ''),
    },
    {
      key: 'data_date',
      label: 'Start of data',
      first: 'descending',
      cell: ({ data_date: time }) => dateCell(time),
    },
    { label: 'Type', cell: (record) => typeLabel(record.file_type) },
    { label: 'Period', cell: periodOf },
    { label: 'Name', cell: (record) => (record.file_version === 'r2' ? 'short' : 'long') },
    { label: 'Area', cell: ({ file }) => file?.area ?? '' },
    { key: 'created', label: 'Arrived', first: 'descending', cell: arrivedCell },
    {
      key: 'id',
      label: 'Record',
      first: 'descending',
      isNumber: true,
      cell: ({ id }) => String(id),
    },
  ],
}

function periodOf({ filename, file_duration: duration }: WireRecord): Child {
  // Only the name tells how many minutes, hours or days.
  const [, code] = /^.{9}_[RSU]_\d{11}_(\d\d[A-Z])_/i.exec(filename) ?? []
  const text = code?.toUpperCase() === '15M' ? periodLabel('15M') : durationLabel(duration)
  return code === undefined ? text : titled(text, code)
}

function arrivedCell({ created, modified }: WireRecord): Child {
  const isReplaced = modified !== created
  return [
    momentCell(created),
    isReplaced && note('replaced', `replaced ${readableTime(modified, 'second')}`),
  ]
}

interface ListPageData extends CollectionPage<WireRecord> {
  readonly filter: FileFilter
  readonly sums: PageSums | undefined
  readonly ordering: Ordering
  readonly links: Links
  /** The headers of the same page as JSON. */
  readonly headers: Readonly<Record<string, string>>
}

export function renderList(list: ListPageData): Page {
  const { links, headers, sums, filter, count, kept, range } = list
  const data = selectionOf(list)
  const view = { ...filesView, fields: fieldsWith(sums?.facets) }
  const facets = renderFacets(sums?.facets, { filter, kept, limit: range.limit })
  return renderCollection(view, list, {
    links,
    headers,
    beside: facets,
    headline: (filters) => headline(filters, count, sums?.bytes),
    above: formatLinks(data),
    below: count > 0 && downloadHtml(data),
  })
}

/**
 * `GRAZ, observation: 31 files, 12.3 MB`; `All 222,108 files, 34 GB`.
 * @param filters in words; empty without any
 * @param bytes the sum of the sizes; `undefined` if it was not counted
 */
export function headline(filters: string, count: number, bytes: number | undefined): string {
  const files = counted(count, 'file', 'files')
  const total = bytes === undefined || count === 0 ? files : `${files}, ${readableSize(bytes)}`
  if (filters !== '') return `${filters}: ${total}`
  return count === 0 ? 'No files' : `All ${total}`
}

/** The same list in other formats. */
function formatLinks({ formats, total }: SelectedFiles): Html {
  const { json, urls, csv, ndjson, changes } = formats
  return html`<p class="formats">This page as <a href="${json}">JSON</a>; ${total} as
 <a href="${urls}">list of URLs</a>, <a href="${csv}">CSV</a> or <a href="${ndjson}">NDJSON</a>;
 new files as they come: <a href="${changes}">changes</a>.</p>
`
}

/** The commands that download all files of the list. */
function downloadHtml({ total, commands }: SelectedFiles): Html {
  return html`<section class="selection">
<h2>Download ${total}</h2>
${commands.map((command) => commandHtml(command))}
</section>
`
}

/** The fields of the form, with the stations and countries of this archive. */
function fieldsWith(facets: Facets | undefined): readonly Field[] {
  if (facets === undefined) return filesView.fields
  const { stations, countries } = facets.suggested
  const options = countries.map((value) => ({ value, text: countryName(value) }))
  return filesView.fields.map((field) => {
    if (field.name === 'station' && stations.length > 0) return { ...field, suggestions: stations }
    if (field.name !== 'country' || options.length === 0) return field
    return { ...field, options: options.sort((a, b) => (a.text < b.text ? -1 : 1)) }
  })
}

type SelectedFiles = ReturnType<typeof selectionOf>

function selectionOf({ kept, links, range, count, sums }: ListPageData) {
  // Streams have no facets, and refuse a parameter that has no effect.
  const selected = kept.filter(([name]) => name !== 'facets')
  const urlAs = (format: string): string =>
    pageUrl(links, 'rinex-file', [...selected, ['format', format]])
  const place: readonly QueryPair[] = [
    ['limit', String(range.limit)],
    ['offset', String(range.offset)],
  ]
  const json = pageUrl(links, 'rinex-file', [...kept, ...place, ['format', 'json']])
  const bytes = sums?.bytes
  return {
    total: `all ${counted(count, 'file', 'files')}${bytes === undefined || count === 0 ? '' : ` (${readableSize(bytes)})`}`,
    formats: {
      json,
      csv: urlAs('csv'),
      ndjson: urlAs('ndjson'),
      urls: urlAs('urls'),
      changes: pageUrl(links, 'changes', feedParameters(kept)),
    },
    commands: [
      `curl -s '${shellSafe(urlAs('urls'))}' | wget -N -x -nH -i -`,
      `curl -s --compressed '${shellSafe(urlAs('csv'))}' > list.csv`,
    ],
  }
}

/** Escapes a URL for single quotes in a shell command. */
function shellSafe(url: string): string {
  return url.replaceAll("'", '%27')
}
