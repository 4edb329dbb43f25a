/** Rules that hold for every response of the API, whatever the request. */
import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { RandomRequest } from './random-requests.ts'

export interface CompleteResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn, as they were received. */
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
}

/** Headers that a response with this status needs. */
const needed: Readonly<Record<number, string>> = {
  206: 'content-range',
  301: 'location',
  303: 'location',
  304: 'etag',
  401: 'www-authenticate',
  405: 'allow',
  416: 'content-range',
  429: 'retry-after',
  503: 'retry-after',
}

/** All faults of a response. */
export function faultsOf(request: RandomRequest, response: CompleteResponse): string[] {
  const { status, headers, rawHeaders } = response
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
  const faults = names
    .filter((name, index) => names.indexOf(name) !== index)
    .map((name) => `${name} is sent twice`)
  if (status >= 500 && status !== 503) faults.push('internal error')
  const header = needed[status]
  if (header !== undefined && headers[header] === undefined && request.target !== '/readyz')
    faults.push(`no ${header}`)
  // Node refuses long headers before there is a request.
  if (headers['x-request-id'] === undefined && status !== 431) faults.push('no x-request-id')
  const { mark } = request
  const ignored = String(headers['ignored-parameters'])
  if (status === 200 && request.method === 'GET' && mark !== undefined && !ignored.includes(mark))
    faults.push('the response to another request')
  const hasBody = request.method !== 'HEAD' && status !== 304 && status !== 204
  return hasBody ? [...faults, ...bodyFaults(response)] : faults
}

function bodyFaults({ status, headers, body }: CompleteResponse): string[] {
  const [type = ''] = (headers['content-type'] ?? '').split(';')
  try {
    if (status === 206) checkRange(headers['content-range'] ?? '', body)
    else if (status === 200 && type === 'application/gzip') checkFile(headers, body)
    else checkText(type, decoded(headers['content-encoding'], body).toString())
    return []
  } catch (error) {
    return [String(error)]
  }
}

function decoded(encoding: string | undefined, body: Buffer): Buffer {
  if (encoding === undefined) return body
  return encoding === 'br' ? brotliDecompressSync(body) : gunzipSync(body)
}

function checkText(type: string, text: string): void {
  if (type === 'application/json') JSON.parse(text)
  const isPage = type === 'text/html'
  if (isPage && !/<\/(?:html|pre)>$/.test(text.trimEnd())) throw new Error('a page without an end')
  if (type !== 'text/csv' && type !== 'application/x-ndjson') return
  const lines = text.split('\n')
  if (lines.pop() !== '') throw new Error('the last line is incomplete')
  if (type === 'application/x-ndjson') for (const line of lines) JSON.parse(line)
  else if (new Set(lines.map((line) => line.split(',').length)).size > 1)
    throw new Error('lines with different numbers of columns')
}

function checkRange(range: string, body: Buffer): void {
  const [, first, last] = /^bytes (\d+)-(\d+)\/\d+$/.exec(range) ?? []
  if (Number(last) - Number(first) + 1 !== body.length)
    throw new Error(`${body.length} bytes of ${range}`)
}

/** A file is a complete gzip stream, and has the digest that is sent with it, if any. */
function checkFile(headers: IncomingHttpHeaders, body: Buffer): void {
  gunzipSync(body)
  const digest = headers['repr-digest']
  const found = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`
  if (digest !== undefined && digest !== found)
    throw new Error(`${found} is sent as ${String(digest)}`)
}
