import type { IncomingHttpHeaders } from 'node:http'
import type { ByteRange } from './ranges.ts'
import { parseRange } from './ranges.ts'
import { matchesStrongly, matchesWeakly } from './etag.ts'
import { parseHttpDate } from './http-date.ts'

/** The version of a file that would be sent. */
export interface Validators {
  /** Strong. */
  readonly tag: string
  /** Whole seconds since 1970; `undefined` if the date is not reliable. */
  readonly lastModified: number | undefined
  /** Whether only one version of the file was ever served with this `lastModified`. */
  readonly lastModifiedIsStrong: boolean
  /** Bytes. */
  readonly size: number
}

/** The status of the response, and the range of the file to send. */
export type Selection =
  | { readonly status: 200 }
  | { readonly status: 206; readonly range: ByteRange }
  | { readonly status: 304 | 412 | 416 }

interface FileRequest {
  readonly method: string
  readonly headers: IncomingHttpHeaders
}

/** Evaluates the preconditions of a GET or HEAD in the order of RFC 9110, 13.2.2. */
export function select({ method, headers }: FileRequest, validators: Validators): Selection {
  if (preconditionFails(headers, validators)) return { status: 412 }
  if (isKnown(headers, validators)) return { status: 304 }
  // Range is defined for GET alone (14.2).
  if (method !== 'GET' || headers.range === undefined) return { status: 200 }
  if (!rangeApplies(headers, validators)) return { status: 200 }
  const range = parseRange(headers.range, validators.size)
  if (range === 'whole') return { status: 200 }
  return range === 'unsatisfiable' ? { status: 416 } : { status: 206, range }
}

/** Steps 1 and 2. */
function preconditionFails(headers: IncomingHttpHeaders, validators: Validators): boolean {
  const match = headers['if-match']
  if (match !== undefined) return !matchesStrongly(match, validators.tag)
  const since = parseHttpDate(headers['if-unmodified-since'] ?? '')
  const { lastModified } = validators
  return since !== undefined && lastModified !== undefined && lastModified > since
}

/**
 * Steps 3 and 4: whether the client has this version. Only an equal date counts: a client whose download broke off sends the
 * time at which it stopped writing.
 */
function isKnown(headers: IncomingHttpHeaders, validators: Validators): boolean {
  const noneMatch = headers['if-none-match']
  if (noneMatch !== undefined) return matchesWeakly(noneMatch, validators.tag)
  const since = parseHttpDate(headers['if-modified-since'] ?? '')
  return since !== undefined && validators.lastModified === since
}

/** Step 5: a date counts only if it is equal and identifies one version (13.1.5). */
function rangeApplies(headers: IncomingHttpHeaders, validators: Validators): boolean {
  const validator = headers['if-range']
  if (validator === undefined || validator === validators.tag) return true
  const date = parseHttpDate(String(validator))
  return validators.lastModifiedIsStrong && date !== undefined && date === validators.lastModified
}
