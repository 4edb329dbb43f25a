/** Evaluates conditional requests and ranges (RFC 9110), of files and of all other resources. */
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Describes the version of a file that would be sent. */
export interface Validators {
  /** The strong entity tag. */
  readonly tag: string
  /** Last modification, in whole seconds since 1970; `undefined` if it is not reliable. */
  readonly lastModified: number | undefined
  readonly size: number
}

/** The status of the response, and the range of the file to send. */
type PreconditionResult =
  | { readonly status: 200 }
  | { readonly status: 206; readonly range: ByteRange }
  | { readonly status: 304 | 412 | 416 }

/** Evaluates the preconditions of a GET or HEAD in the order of RFC 9110, 13.2.2. */
export function evaluatePreconditions(
  { method, headers }: Pick<FastifyRequest, 'method' | 'headers'>,
  validators: Validators,
): PreconditionResult {
  if (preconditionFails(headers, validators)) return { status: 412 }
  if (isKnown(headers, validators)) return { status: 304 }
  // Range is defined for GET alone (14.2).
  if (method !== 'GET' || headers.range === undefined) return { status: 200 }
  if (!rangeApplies(headers, validators)) return { status: 200 }
  const range = parseRange(headers.range, validators.size)
  if (range === 'whole') return { status: 200 }
  return range === 'unsatisfiable' ? { status: 416 } : { status: 206, range }
}

/** Steps 1 and 2: `If-Match` and `If-Unmodified-Since`. */
function preconditionFails(headers: IncomingHttpHeaders, validators: Validators): boolean {
  const match = headers['if-match']
  // Weak tags in the list never match.
  if (match !== undefined) return !tagsIn(match).some((tag) => ['*', validators.tag].includes(tag))
  const since = parseHttpDate(headers['if-unmodified-since'] ?? '')
  const { lastModified } = validators
  return since !== undefined && lastModified !== undefined && lastModified > since
}

/**
 * Steps 3 and 4: true if the client has this version. Only an equal date counts: after a broken
 * download, a client sends the time at which it stopped writing.
 */
function isKnown(headers: IncomingHttpHeaders, validators: Validators): boolean {
  const noneMatch = headers['if-none-match']
  if (noneMatch !== undefined) return matchesWeakly(noneMatch, validators.tag)
  const since = parseHttpDate(headers['if-modified-since'] ?? '')
  return since !== undefined && validators.lastModified === since
}

/**
 * Step 5 (`If-Range`): a date never counts (13.1.5), because it is no strong validator (8.8.2.2): a
 * file may be written in place and its time set back.
 */
function rangeApplies(headers: IncomingHttpHeaders, { tag }: Validators): boolean {
  const validator = headers['if-range']
  return validator === undefined || validator === tag
}

/** One entity tag of a list, or `*`. Quoted tags have no escapes. */
const tagPattern = /(?:W\/)?"[^"]*"|\*/g

/** True if a list like `If-None-Match` names the tag, weak or strong; `*` names every tag. */
function matchesWeakly(list: string, tag: string): boolean {
  return tagsIn(list).some((each) => each === '*' || opaque(each) === opaque(tag))
}

function tagsIn(list: string): readonly string[] {
  return list.match(tagPattern) ?? []
}

function opaque(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag
}

const day = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const month = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)'
const time = String.raw`\d\d:\d\d:\d\d`

/** The current format and the two obsolete ones that a server must accept (RFC 9110, 5.6.7). */
const fixed = new RegExp(String.raw`^${day}, \d\d ${month} \d{4} ${time} GMT$`)
const rfc850 = new RegExp(
  String.raw`^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d\d-${month}-\d\d ${time} GMT$`,
)
const asctime = new RegExp(String.raw`^${day} ${month} [ \d]\d ${time} \d{4}$`)

/** Parses an HTTP date to seconds since 1970; `undefined` for other text, which is ignored. */
export function parseHttpDate(text: string): number | undefined {
  if (text.length > 40) return undefined
  const readable =
    fixed.test(text) || rfc850.test(text) ? text : asctime.test(text) ? `${text} GMT` : ''
  const ms = Date.parse(readable)
  return Number.isNaN(ms) ? undefined : ms / 1000
}

export function formatHttpDate(seconds: number): string {
  return new Date(seconds * 1000).toUTCString()
}

/** Positions of the first and the last byte, both inclusive. */
export interface ByteRange {
  readonly first: number
  readonly last: number
}

/** `whole`: the header is ignored. `unsatisfiable`: the answer is 416. */
type RangeChoice = ByteRange | 'whole' | 'unsatisfiable'

/** Reads a `Range` header (RFC 9110, 14.1.2). Several ranges and malformed headers are ignored. */
export function parseRange(header: string, size: number): RangeChoice {
  const [, set] = /^bytes=(.*)$/i.exec(header) ?? []
  const ranges = (set ?? '').split(',').map((range) => range.trim())
  const [range, ...others] = ranges.filter((each) => each !== '')
  const [, first, last] = /^(\d*)-(\d*)$/.exec(range ?? '') ?? []
  if (others.length > 0 || first === undefined || last === undefined) return 'whole'
  if (first === '') return last === '' ? 'whole' : suffix(Number(last), size)
  if (last !== '' && BigInt(last) < BigInt(first)) return 'whole'
  if (Number(first) >= size) return 'unsatisfiable'
  return { first: Number(first), last: Math.min(last === '' ? Infinity : Number(last), size - 1) }
}

function suffix(length: number, size: number): RangeChoice {
  if (length === 0 || size === 0) return 'unsatisfiable'
  return { first: Math.max(size - length, 0), last: size - 1 }
}

/** Sets the `ETag`. True if the client's `If-None-Match` names it: the answer is then 304. */
export function isFresh(request: FastifyRequest, reply: FastifyReply, tag: string): boolean {
  reply.header('etag', tag)
  const known = request.headers['if-none-match']
  return known !== undefined && matchesWeakly(known, tag)
}

/** Sends 304 without the policy, by which the client would replace that of its stored page. */
export function sendNotModified(reply: FastifyReply): FastifyReply {
  return reply.removeHeader('content-security-policy').code(304).send()
}
