/** The URLs of links, the links between pages, and the header `Link`. Pure. */
import { joinPath } from '../../parse/layout.ts'

/** The two roots of all links: absolute URLs with a trailing slash. */
export interface Links {
  readonly api: string
  readonly data: string
}

export function linksBelow(baseUrl: string, datasetPrefix: string): Links {
  const root = `${baseUrl}/${datasetPrefix}`
  return { api: `${root}/api/`, data: `${root}/data/` }
}

/** Names of the API's resources, as in their paths and the API root. */
export const resourceNames = [
  'network',
  'rinex-file',
  'station',
  'receiver',
  'antenna',
  'series',
  'missing',
  'report',
  'alerts',
  'changes',
  'archive',
  'status',
  'search',
  'schema',
  'docs',
] as const
type ResourceName = (typeof resourceNames)[number]

/** Names of the collections that have pages. */
export type CollectionName = ResourceName | 'status/problems'

/** The root of absolute links, or the relative path from a page to it: `../`. */
type ApiRoot = Pick<Links, 'api'>

/** Links carry `format=api` for every client, so that the response is the same for all. */
export function resourceUrl(links: ApiRoot, name: ResourceName): string {
  return `${links.api}${name}/?format=api`
}

export function recordUrl(links: ApiRoot, id: number): string {
  return `${links.api}rinex-file/${id}/?format=api`
}

export function stationUrl(links: ApiRoot, code: string): string {
  return `${links.api}station/${code}/?format=api`
}

/** The download URL of a file. Catalogued names need no percent-encoding. */
export function downloadUrl(links: Links, directory: string, name: string): string {
  return links.data + joinPath(directory, name)
}

/** A parameter of a link; a key may be repeated. */
export type QueryPair = readonly [key: string, value: string]

/** The URL of a page of a collection; the values of a repeated key stay in their order. */
export function pageUrl(
  links: ApiRoot,
  name: CollectionName,
  parameters: readonly QueryPair[],
): string {
  return `${links.api}${name}/?${queryText(parameters)}`
}

/** The query of a link: keys sorted, with `format=api` unless a format is among them. */
export function queryText(parameters: readonly QueryPair[]): string {
  const hasFormat = parameters.some(([key]) => key === 'format')
  const query = new URLSearchParams([
    ...parameters,
    ...(hasFormat ? [] : [['format', 'api'] as const]),
  ] as [string, string][])
  query.sort()
  // These characters are allowed in a query (RFC 3986, 3.4).
  return query.toString().replaceAll('%2C', ',').replaceAll('%3A', ':').replaceAll('%2F', '/')
}

/** The number of items on a page without `limit`. */
export const defaultLimit = 20

/** A page of a collection. */
export interface PageRange {
  readonly limit: number
  /** At most the largest exact integer. */
  readonly offset: number
}

export interface PageLinks {
  readonly first: string
  readonly previous: string | null
  readonly next: string | null
  readonly last: string
}

/** A filtered collection: its links repeat the parameters that were understood. */
export interface FilteredList {
  readonly name: CollectionName
  readonly kept: readonly QueryPair[]
  readonly count: number
}

/** Links to the pages around one. */
export function pageLinks(
  links: Links,
  { limit, offset }: PageRange,
  { name, kept, count }: FilteredList,
): PageLinks {
  const lastOffset = count === 0 ? 0 : Math.floor((count - 1) / limit) * limit
  // A larger offset than the largest exact one is not known exactly.
  const before = offset < Number.MAX_SAFE_INTEGER ? Math.max(0, offset - limit) : lastOffset
  const at = (place: number): string =>
    pageUrl(links, name, [...kept, ['limit', String(limit)], ['offset', String(place)]])
  return {
    first: at(0),
    previous: offset === 0 ? null : at(before),
    next: offset + limit >= count ? null : at(offset + limit),
    last: at(lastOffset),
  }
}

/** Proxies buffer response headers in a few kilobytes and fail the request when they are larger. */
const maxHeaderLength = 2048

/** The `Link` header (RFC 8288) with these links, unless long filters make it too long. */
export function linkHeader(pages: PageLinks): { readonly link?: string } {
  const { first, previous, next, last } = pages
  const link =
    `<${first}>; rel="first"` +
    (previous === null ? '' : `, <${previous}>; rel="prev"`) +
    (next === null ? '' : `, <${next}>; rel="next"`) +
    `, <${last}>; rel="last"`
  return linkUnlessTooLong(link)
}

/** A `Link` header, if it is not too long. */
export function linkUnlessTooLong(link: string): { readonly link?: string } {
  return link.length > maxHeaderLength ? {} : { link }
}
