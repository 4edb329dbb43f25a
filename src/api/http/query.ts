/** Reads query strings. */
import { defaultLimit } from '../openapi/parameters.ts'

/** A parsed query string. A repeated parameter is a list. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>

/** A page of a collection. The offset is a bigint, because clients may send any number. */
export interface PageRange {
  readonly limit: number
  readonly offset: bigint
}

/** The value of a parameter; the last one if it is repeated, as in Django. */
export function lastValue(query: Query, key: string): string | undefined {
  const value = query[key]
  return typeof value === 'object' ? value.at(-1) : value
}

/** All values of a parameter that are not blank. */
export function valuesOf(query: Query, key: string): readonly string[] {
  return [query[key] ?? []].flat().filter((value) => value.trim() !== '')
}

/**
 * Reads `limit` and `offset` like DRF's LimitOffsetPagination. An invalid value or a limit of 0 is
 * ignored, and a limit above the maximum becomes the maximum.
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
