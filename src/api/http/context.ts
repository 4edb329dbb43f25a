/** What routes share: their dependencies, and the tags of responses. */
import { createHash } from 'node:crypto'
import type { Head } from '../../catalogue/records.ts'
import type { Format } from './formats.ts'
import type { ClientLimits } from './limits.ts'
import type { Links } from './links.ts'
import { linksBelow } from './links.ts'
import type { ApiDeps, SiteFacts } from './settings.ts'

/** The dependencies of routes; each route takes the part that it needs. */
export interface ApiContext extends ApiDeps {
  readonly limits: ClientLimits
  /** Path of the API, with a trailing slash. */
  readonly apiPath: string
  readonly dataPath: string
  readonly links: () => Links
  /** What every page says of the archive at this moment. */
  readonly site: () => SiteFacts
  /**
   * The weak `ETag` of a representation at a state of the catalogue, with a digest of the settings
   * that change responses.
   * @param options.details true if the response depends on the details of files
   */
  readonly tag: (
    state: Head | string,
    format: Format,
    options?: { readonly details?: boolean },
  ) => string
}

/** @param site its version changes whenever what all pages say does */
export function apiContext(
  deps: ApiDeps,
  limits: ClientLimits,
  site: { readonly facts: () => SiteFacts; readonly version: () => string },
): ApiContext {
  const { baseUrl, datasetPrefix, version, checksums, identity, places } = deps.settings
  const placesDigest = digest(JSON.stringify(places?.all ?? []))
  // The base URL is known only when the server listens, so links are computed on first use.
  let cached: { base: string; links: Links; deployment: string } | undefined
  const current = () => {
    const base = baseUrl()
    if (cached?.base !== base) {
      const settings = [
        version,
        base,
        datasetPrefix,
        checksums,
        JSON.stringify(identity),
        placesDigest,
      ]
      const deployment = digest(settings.join('\n')).slice(0, 8)
      cached = { base, links: linksBelow(base, datasetPrefix), deployment }
    }
    return cached
  }
  return {
    ...deps,
    limits,
    apiPath: `/${datasetPrefix}/api/`,
    dataPath: `/${datasetPrefix}/data/`,
    links: () => current().links,
    site: () => site.facts(),
    tag: (state, format, { details = false } = {}) => {
      const parts = typeof state === 'string' ? [state] : [state.epoch, state.seq]
      if (details && typeof state !== 'string') parts.push(`d${state.detailsSeq}`)
      if (format === 'html') parts.push(site.version())
      return `W/"${[...parts, format, current().deployment].join('-')}"`
    },
  }
}

/** A short digest of a text: 16 characters that need no escaping in a header. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16)
}
