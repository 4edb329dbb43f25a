/** Where things are: every URL an answer contains is made here, from the configured base URL alone. */

/** The two roots of all links, absolute and with a slash at their ends. */
export interface Links {
  readonly api: string
  readonly data: string
}

export function linksBelow(baseUrl: string, datasetPrefix: string): Links {
  const root = `${baseUrl}/${datasetPrefix}`
  return { api: `${root}/api/`, data: `${root}/data/` }
}

/** Names of the API's resources, as their paths and the API root spell them. */
export const resourceNames = [
  'rinex-file',
  'station',
  'changes',
  'status',
  'schema',
  'docs',
] as const
export type ResourceName = (typeof resourceNames)[number]

/** What is paged through. */
export type CollectionName = ResourceName | 'status/problems'

/** Links into the API carry `format=api` whoever asks, so that an answer does not depend on that. */
export function resourceUrl(links: Links, name: ResourceName): string {
  return `${links.api}${name}/?format=api`
}

export function recordUrl(links: Links, id: number): string {
  return `${links.api}rinex-file/${id}/?format=api`
}

export function stationUrl(links: Links, code: string): string {
  return `${links.api}station/${code}/?format=api`
}

/** Where a file is downloaded. Catalogued names and directories need no percent-encoding (contract 6). */
export function downloadUrl(links: Links, directory: string, name: string): string {
  return `${links.data}${directory}/${name}`
}

/** A parameter of a link; a key may come several times. */
export type Parameter = readonly [key: string, value: string]

/** The first page of a collection; keys in alphabetical order, several values of one in theirs. */
export function pageUrl(
  links: Links,
  name: CollectionName,
  parameters: readonly Parameter[],
): string {
  return `${links.api}${name}/?${readable(sorted(parameters))}`
}

export type PageUrl = (offset: number | bigint) => string

/**
 * Pages of a collection, given by their offsets, in the form of `pageUrl`. What they have in common is put together once.
 */
export function pageUrls(
  links: Links,
  name: CollectionName,
  parameters: readonly Parameter[],
): PageUrl {
  const [before, after] = [new URLSearchParams(), new URLSearchParams()]
  for (const [key, value] of sorted(parameters))
    (key < 'offset' ? before : after).append(key, value)
  const begin = `${links.api}${name}/?${readable(before)}&offset=`
  const end = after.size === 0 ? '' : `&${readable(after)}`
  return (offset) => `${begin}${offset}${end}`
}

function sorted(parameters: readonly Parameter[]): URLSearchParams {
  const query = new URLSearchParams([...parameters, ['format', 'api']] as [string, string][])
  query.sort()
  return query
}

/** A page of the change feed, in the same form. */
export function changesUrl(links: Links, parameters: readonly Parameter[]): string {
  return `${links.api}changes/?${readable(sorted(parameters))}`
}

/** What may stand in a query as it is (RFC 3986, 3.4), and is easier to read so. */
function readable(query: URLSearchParams): string {
  return query.toString().replaceAll('%2C', ',').replaceAll('%3A', ':').replaceAll('%2F', '/')
}
