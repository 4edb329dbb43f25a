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
export type ResourceName = 'rinex-file' | 'changes' | 'status'

/** Links into the API carry `format=api` whoever asks, so that an answer does not depend on that. */
export function resourceUrl(links: Links, name: ResourceName): string {
  return `${links.api}${name}/?format=api`
}

export function recordUrl(links: Links, id: number): string {
  return `${links.api}rinex-file/${id}/?format=api`
}

/** Where a file is downloaded. Catalogued names and directories need no percent-encoding (contract 6). */
export function downloadUrl(links: Links, directory: string, name: string): string {
  return `${links.data}${directory}/${name}`
}

/** A page of the list; keys in alphabetical order. */
export function pageUrl(links: Links, limit: number, offset: number | bigint): string {
  return `${links.api}rinex-file/?format=api&limit=${limit}&offset=${offset}`
}

/** A page of the change feed; keys in alphabetical order. */
export function changesUrl(links: Links, parameters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams({ ...parameters, format: 'api' })
  query.sort()
  // Commas between values are ours, and easier to read as they are.
  return `${links.api}changes/?${query.toString().replaceAll('%2C', ',')}`
}
