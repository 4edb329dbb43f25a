/** The HTML page of the list: filter form, table, and links to the same list in other formats. */
import type { FileFilter, Ordering } from '../../catalogue/filter.ts'
import type { Facets, PageSums } from '../../catalogue/sums.ts'
import { microsecondsToIso } from '../../parse/calendar.ts'
import { countryName } from '../../parse/countries.ts'
import { counted, readableNumber, readableSize, readableTime } from '../../runtime/readable.ts'
import type { Links, QueryPair } from '../http/links.ts'
import { pageUrl, stationUrl } from '../http/links.ts'
import type { CollectionPage, CollectionView, ViewColumn } from '../pages/collection.ts'
import { renderCollection } from '../pages/collection.ts'
import type { Field } from '../pages/filter-form.ts'
import type { Child } from '../pages/html.ts'
import type { Page } from '../pages/layout.ts'
import { fetchCommand, getLine, link, note } from '../pages/parts.ts'
import type { FilterParameters } from '../parameters/file-filters.ts'
import { feedParameters } from '../parameters/file-filters.ts'
import { formFieldsOf } from '../parameters/parameter.ts'
import { renderFacets } from './facets-view.ts'
import type { FileView } from './file-view.ts'
import { arrivedCell, faultMark, kindCell, startCell } from './file-view.ts'

const filesView: Omit<CollectionView<FileView>, 'filters' | 'fields'> = {
  frame: { title: 'Files', section: 'rinex-file', up: '../' },
  noun: ['file', 'files'],
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
      cell: (file) => [link(file.name, file.href), faultMark(file)],
    },
    { label: 'Get', cell: ({ download, name }) => link('↓', download, `Download ${name}`) },
    {
      label: 'Station',
      cell: ({ parsed }, links) =>
        parsed && link(parsed.station, stationUrl(links, parsed.station)),
    },
    { label: 'Size', isNumber: true, cell: ({ size }) => readableSize(size) },
    { key: 'data_date', label: 'Start of data', first: 'descending', cell: startCell },
    { label: 'What', cell: kindCell },
  ],
}

/** Which of the two it is differs by file, so no order of the list is that of this column. */
const arrivedColumn = (thisYear: number): ViewColumn<FileView> => ({
  label: 'Arrived or found',
  cell: (file) => [arrivedCell(file, thisYear), replacedNote(file)],
})

function replacedNote({ createdUs, modifiedUs }: FileView): Child {
  const time = readableTime(microsecondsToIso(modifiedUs), 'second')
  return modifiedUs !== createdUs && note('replaced', `replaced ${time}`)
}

interface ListPageData extends CollectionPage<FileView> {
  readonly filter: FileFilter
  readonly filters: FilterParameters
  readonly sums: PageSums | undefined
  readonly ordering: Ordering
  readonly links: Links
  readonly thisYear: number
  /** False while the first scan finds further files. */
  readonly isScanned: boolean
}

export function renderList(list: ListPageData): Page {
  const { links, sums, filter, filters, count, kept, range } = list
  const columns = [...filesView.columns, arrivedColumn(list.thisYear)]
  const fields = fieldsWith(formFieldsOf(filters), sums?.facets)
  const view = { ...filesView, columns, filters, fields }
  const facets = renderFacets(sums?.facets, { filter, filters, kept, limit: range.limit })
  return renderCollection(view, list, {
    links,
    beside: facets,
    headline: (words) => `${headline(words, count, sums?.bytes)}${list.isScanned ? '' : ' so far'}`,
    get: getLine(selectionOf(list)),
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

/** The fields of the form, with the stations and countries of this archive. */
function fieldsWith(fields: readonly Field[], facets: Facets | undefined): readonly Field[] {
  if (facets === undefined) return fields
  const { stations, countries } = facets.suggested
  const options = countries.map((value) => ({ value, text: countryName(value) }))
  return fields.map((field) => {
    if (field.name === 'station' && stations.length > 0) return { ...field, suggestions: stations }
    if (field.name !== 'country' || options.length === 0) return field
    return { ...field, options: options.sort((a, b) => (a.text < b.text ? -1 : 1)) }
  })
}

/** How to get all files of the list: a command, and the list in other formats. */
function selectionOf({ kept, links, range, count, filters }: ListPageData) {
  // Streams have no facets, and refuse a parameter that has no effect.
  const selected = kept.filter(([name]) => name !== 'facets')
  const urlAs = (format: string): string =>
    pageUrl(links, 'rinex-file', [...selected, ['format', format]])
  const place: readonly QueryPair[] = [
    ['limit', String(range.limit)],
    ['offset', String(range.offset)],
  ]
  return {
    what: count === 1 ? 'it' : `all ${readableNumber(count)}`,
    formats: [
      { text: 'URLs', href: urlAs('urls') },
      { text: 'CSV', href: urlAs('csv') },
      { text: 'NDJSON', href: urlAs('ndjson') },
      { text: 'JSON', href: pageUrl(links, 'rinex-file', [...kept, ...place, ['format', 'json']]) },
      { text: 'follow changes', href: pageUrl(links, 'changes', feedParameters(kept, filters)) },
    ],
    command: `${fetchCommand(urlAs('urls'))} | wget -N -x -nH -i -`,
  }
}
