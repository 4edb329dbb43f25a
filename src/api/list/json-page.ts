/** A page of the list as JSON (contract 1, "The list"). Pure. */
import type { Page } from '../../catalogue/catalogue.ts'
import type { Links } from '../links.ts'
import { mediaTypes } from '../negotiate.ts'
import { linkHeader } from '../query.ts'
import type { PageLinks } from '../query.ts'
import { recordJson } from './record-json.ts'

export interface JsonPage {
  /** Those that it has besides the ones of every answer. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

export function jsonPage({ count, records }: Page, pages: PageLinks, links: Links): JsonPage {
  const { next, previous } = pages
  const results = records.map((record) => recordJson(record, links)).join()
  const begin = JSON.stringify({ count, next, previous }).slice(0, -1)
  return {
    headers: { ...linkHeader(pages), 'content-type': mediaTypes.json },
    text: `${begin},"results":[${results}]}`,
  }
}
