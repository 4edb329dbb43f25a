/** Reads query strings, and builds the links to neighbouring pages. */
import type { Links, Parameter, CollectionName } from './links.ts'
import { pageUrl } from './links.ts'

/** A parsed query string: a repeated parameter is a list. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>

export const defaultLimit = 20

/** A page of a collection. The offset is a bigint, because clients may send any number. */
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

/** The value of a parameter; the last one if it is repeated, as in Django. */
export function lastValue(query: Query, key: string): string | undefined {
  const value = query[key]
  return typeof value === 'object' ? value.at(-1) : value
}

/** All values of a list parameter: comma-separated, repeated, or both. */
export function listedValues(query: Query, key: string): readonly string[] {
  return [query[key] ?? []]
    .flat(2)
    .flatMap((text) => text.split(','))
    .map((word) => word.trim())
    .filter((word) => word !== '')
}

/**
 * Reads `limit` and `offset` like DRF's LimitOffsetPagination: an invalid value is ignored, a limit above the maximum becomes
 * the maximum.
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

/** Parses like Python's `int()`; `undefined` for other text and negative numbers. */
export function parseInteger(text: string | undefined): bigint | undefined {
  const digits = /^\s*(?:\+?(\d+)|-0+)\s*$/.exec(text ?? '')
  return digits === null ? undefined : BigInt(digits[1] ?? 0)
}

/** The offset as a number, clamped to the largest exact integer. */
export function catalogueOffset(offset: bigint): number {
  const end = BigInt(Number.MAX_SAFE_INTEGER)
  return Number(offset < end ? offset : end)
}

/** A filtered collection: its links repeat the parameters that were understood. */
export interface Collection {
  readonly name: CollectionName
  readonly kept: readonly Parameter[]
  readonly count: number
}

/** Builds the links from a page to the first, previous, next and last page. */
export function pageLinks(
  links: Links,
  { limit, offset }: PageRange,
  { name, kept, count }: Collection,
): PageLinks {
  const step = BigInt(limit)
  const before = offset > step ? offset - step : 0n
  const lastOffset = count === 0 ? 0 : Math.floor((count - 1) / limit) * limit
  const at = (place: number | bigint): string =>
    pageUrl(links, name, [...kept, ['limit', String(limit)], ['offset', String(place)]])
  return {
    first: at(0),
    previous: offset === 0n ? null : at(before),
    next: offset + step >= BigInt(count) ? null : at(offset + step),
    last: at(lastOffset),
  }
}

/**
 * Most characters of a `Link` header: proxies buffer response headers in a few kilobytes and fail the request when they are
 * larger.
 */
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
