/** The parameters of pages. As in DRF, a value that is no such number is ignored. Pure. */
import { defaultLimit } from '../http/links.ts'
import { integer } from '../openapi/schema.ts'
import type { Parameter } from './parameter.ts'

/**
 * @param most the maximum; a larger limit is reduced to it
 * @param rows number of items on an HTML page without a limit
 */
export function limit(most: number, rows = defaultLimit): Parameter<number> {
  return {
    schema: integer(
      `Items per page; more than ${most} is answered as ${most}. A value that is not a positive integer is ignored.`,
      5,
      { minimum: 1, default: defaultLimit },
    ),
    takes: 'last',
    read: ([text], format) => {
      const usual = format === 'html' ? rows : defaultLimit
      return { value: Math.min(parseInteger(text) || usual, most), isKept: false }
    },
  }
}

/** `limit` and `offset`, see there. */
export function paging(most: number, rows?: number) {
  const offset: Parameter<number> = {
    schema: integer(
      'Number of items to skip. A value that is not an integer from 0 up is ignored.',
      0,
      { default: 0 },
    ),
    takes: 'last',
    read: ([text]) => ({ value: parseInteger(text) ?? 0, isKept: false }),
  }
  return { limit: limit(most, rows), offset }
}

/**
 * Parses like Python's `int()`, up to the largest exact integer; `undefined` for other text and
 * negative numbers.
 */
export function parseInteger(text = ''): number | undefined {
  const digits = /^\s*(?:\+?(\d+)|-0+)\s*$/.exec(text)
  return digits === null ? undefined : Math.min(Number(digits[1] ?? 0), Number.MAX_SAFE_INTEGER)
}
