/** What a query string asks for, and the links that ask for its neighbours. */
import type { Links, Parameter, CollectionName } from './links.ts'
import { pageUrls } from './links.ts'

/** A parsed query string: a parameter that is repeated is a list. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>

export const defaultLimit = 20

/**
 * A page of the list. The offset is of any size, since a client may send any; no collection is larger than
 * what a double counts exactly.
 */
export interface PageRange {
  readonly limit: number
  readonly offset: bigint
}

export interface PageLinks {
  readonly first: string
  readonly previous: string | null
  readonly next: string | null
  readonly last: string
}

/** The value of a parameter: of a repeated one the last, as Django has it. */
export function lastValue(query: Query, key: string): string | undefined {
  const value = query[key]
  return typeof value === 'object' ? value.at(-1) : value
}

/** All values of a parameter that is a list: with commas between them, or repeated. */
export function listedValues(query: Query, key: string): readonly string[] {
  return [query[key] ?? []]
    .flat(2)
    .flatMap((text) => text.split(','))
    .map((word) => word.trim())
    .filter((word) => word !== '')
}

/**
 * `limit` and `offset` as DRF's LimitOffsetPagination reads them: what is not an integer, or not in range, is
 * as if it were absent; a limit above the cap is the cap.
 */
export function parsePageRange(query: Query, maxLimit: number): PageRange {
  const limit = parseInteger(lastValue(query, 'limit'))
  const offset = parseInteger(lastValue(query, 'offset'))
  const wanted = limit === undefined || limit === 0n ? BigInt(defaultLimit) : limit
  return {
    limit: wanted > BigInt(maxLimit) ? maxLimit : Number(wanted),
    offset: offset ?? 0n,
  }
}

/** What Python's `int()` makes of a text, as far as that is not negative. */
export function parseInteger(text: string | undefined): bigint | undefined {
  const digits = /^\s*(?:\+?(\d+)|-0+)\s*$/.exec(text ?? '')
  return digits === null ? undefined : BigInt(digits[1] ?? 0)
}

/** The offset as the catalogue takes it: past any end it does not matter how far. */
export function catalogueOffset(offset: bigint): number {
  const end = BigInt(Number.MAX_SAFE_INTEGER)
  return Number(offset < end ? offset : end)
}

/** What of a collection is paged through: the parameters that its links repeat are those that chose it. */
export interface Collection {
  readonly name: CollectionName
  readonly kept: readonly Parameter[]
  readonly count: number
}

/** Links to the pages around one. */
export function pageLinks(
  links: Links,
  { limit, offset }: PageRange,
  { name, kept, count }: Collection,
): PageLinks {
  const step = BigInt(limit)
  const before = offset > step ? offset - step : 0n
  const lastOffset = count === 0 ? 0 : Math.floor((count - 1) / limit) * limit
  const at = pageUrls(links, name, [...kept, ['limit', String(limit)]])
  return {
    first: at(0),
    previous: offset === 0n ? null : at(before),
    next: offset + step >= BigInt(count) ? null : at(offset + step),
    last: at(lastOffset),
  }
}

/** Proxies hold the headers of an answer in a few kilobytes, and fail the request when they cannot. */
const longestHeader = 2048

/** The `Link` header (RFC 8288) that repeats them; none where the filters in them make it too long. */
export function linkHeader(pages: PageLinks): { readonly link?: string } {
  const { first, previous, next, last } = pages
  const link =
    `<${first}>; rel="first"` +
    (previous === null ? '' : `, <${previous}>; rel="prev"`) +
    (next === null ? '' : `, <${next}>; rel="next"`) +
    `, <${last}>; rel="last"`
  return fitting(link)
}

/** A `Link` header, if it is not too long. */
export function fitting(link: string): { readonly link?: string } {
  return link.length > longestHeader ? {} : { link }
}
