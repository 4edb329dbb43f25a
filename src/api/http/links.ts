/** Builds every URL in responses, from the configured base URL alone. */

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
  'series',
  'missing',
  'report',
  'alerts',
  'changes',
  'status',
  'schema',
  'docs',
] as const
export type ResourceName = (typeof resourceNames)[number]

/** Collections with pages. */
export type CollectionName = ResourceName | 'status/problems'

/** Links into the API carry `format=api` for every client, so that the response is the same for all. */
export function resourceUrl(links: Links, name: ResourceName): string {
  return `${links.api}${name}/?format=api`
}

export function recordUrl(links: Links, id: number): string {
  return `${links.api}rinex-file/${id}/?format=api`
}

export function stationUrl(links: Links, code: string): string {
  return `${links.api}station/${code}/?format=api`
}

/** The download URL of a file. Catalogued names and directories need no percent-encoding (contract 6). */
export function downloadUrl(links: Links, directory: string, name: string): string {
  return `${links.data}${directory}/${name}`
}

/** A parameter of a link; a key may be repeated. */
export type Parameter = readonly [key: string, value: string]

/** A page of a collection; keys in alphabetical order, values of a repeated key in their order. */
export function pageUrl(
  links: Links,
  name: CollectionName,
  parameters: readonly Parameter[],
): string {
  return `${links.api}${name}/?${queryText(parameters)}`
}

/** The query of a link: keys in alphabetical order, with `format=api` unless another format is among the parameters. */
export function queryText(parameters: readonly Parameter[]): string {
  const hasFormat = parameters.some(([key]) => key === 'format')
  const query = new URLSearchParams([
    ...parameters,
    ...(hasFormat ? [] : [['format', 'api'] as const]),
  ] as [string, string][])
  query.sort()
  return readable(query)
}

/** A page of the change feed; keys in alphabetical order. */
export function changesUrl(links: Links, parameters: readonly Parameter[]): string {
  return `${links.api}changes/?${queryText(parameters)}`
}

/** Leaves characters unescaped that are allowed in a query (RFC 3986, 3.4). */
function readable(query: URLSearchParams): string {
  return query.toString().replaceAll('%2C', ',').replaceAll('%3A', ':').replaceAll('%2F', '/')
}
