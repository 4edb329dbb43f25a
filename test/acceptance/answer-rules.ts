/** What holds for every answer of the API, whatever was asked, and for those whose content tells of what was asked. */
import { createHash } from 'node:crypto'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { valuesOf } from './strict-answer.ts'
import type { Answer } from './strict-answer.ts'
import type { OddRequest } from './odd-request.ts'

/** Those may come more than once (RFC 9110, 5.3). */
const lists = ['set-cookie']

/** Headers without which an answer of a status does not say what its client needs. */
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

/** All that is wrong with an answer. */
export function faultsOf(request: OddRequest, answer: Answer): string[] {
  const { status } = answer
  const names = answer.headers.map(([name]) => name).filter((name) => !lists.includes(name))
  const faults = names
    .filter((name, index) => names.indexOf(name) !== index)
    .map((name) => `${name} comes twice`)
  const has = (name: string): boolean => names.includes(name)
  if (status >= 500 && status !== 503) faults.push('a fault of the server')
  const header = needed[status]
  // Whoever asks this looks again anyway.
  const isReadiness = request.target.includes('/readyz')
  if (header !== undefined && !has(header) && !isReadiness) faults.push(`without ${header}`)
  if (!has('x-request-id') && !(request.isBroken && isRefusedBytes(answer)))
    faults.push('without x-request-id')
  const isWhole = request.method !== 'HEAD' && status !== 304 && status !== 204
  if (isWhole) faults.push(...bodyFaults(request, answer))
  return faults
}

/** Bytes that are no request are answered before there is one. */
function isRefusedBytes(answer: Answer): boolean {
  return [400, 408, 431].includes(answer.status) && valuesOf(answer, 'connection')[0] === 'close'
}

function bodyFaults(request: OddRequest, answer: Answer): string[] {
  let body: Buffer
  try {
    body = decoded(answer)
  } catch (error) {
    return [`a body that cannot be decoded: ${String(error)}`]
  }
  const [type = ''] = valuesOf(answer, 'content-type').map((value) => value.replace(/;.*/, ''))
  const fault = faultOfType[type]?.(body)
  const isAsked = answer.status === 200 && request.method === 'GET'
  const own = isAsked ? request.check?.(answer, body) : undefined
  return [fault, own, faultOfRange(answer), faultOfDigest(answer)].filter(
    (each) => each !== undefined,
  )
}

function decoded(answer: Answer): Buffer {
  const [coding] = valuesOf(answer, 'content-encoding')
  if (coding === undefined) return answer.body
  if (coding === 'br') return brotliDecompressSync(answer.body)
  if (coding === 'gzip') return gunzipSync(answer.body)
  if (coding === 'deflate') return inflateSync(answer.body)
  throw new Error(`an unknown coding, ${coding}`)
}

const faultOfType: Readonly<Record<string, (body: Buffer) => string | undefined>> = {
  'application/json': (body) => faultOfJson(body.toString()),
  'application/x-ndjson': (body) => {
    const lines = body.toString().split('\n')
    if (lines.pop() !== '') return 'half a line at the end'
    return lines.map(faultOfJson).find((fault) => fault !== undefined)
  },
  'text/csv': (body) => {
    const lines = body.toString().split('\n')
    if (lines.pop() !== '') return 'half a line at the end'
    const [columns] = lines.map((line) => line.split(',').length)
    return lines.every((line) => line.split(',').length === columns) ? undefined : 'a ragged table'
  },
  'text/html': (body) => {
    const text = body.toString().trimEnd()
    return text.endsWith('</html>') || text.endsWith('</pre>') ? undefined : 'a page without an end'
  },
}

function faultOfJson(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return `no JSON: ${String(error)}`
  }
}

function faultOfRange(answer: Answer): string | undefined {
  if (answer.status !== 206) return undefined
  const [range = ''] = valuesOf(answer, 'content-range')
  const [, first, last] = /^bytes (\d+)-(\d+)\/\d+$/.exec(range) ?? []
  if (Number(last) - Number(first) + 1 === answer.body.length) return undefined
  return `${answer.body.length} bytes of ${range}`
}

/** A file is sent whole and as it was hashed, or with no digest. */
function faultOfDigest(answer: Answer): string | undefined {
  if (answer.status !== 200 || valuesOf(answer, 'content-type')[0] !== 'application/gzip')
    return undefined
  try {
    gunzipSync(answer.body)
  } catch (error) {
    return `no gzip stream: ${String(error)}`
  }
  const [digest] = valuesOf(answer, 'repr-digest')
  const found = `sha-256=:${createHash('sha256').update(answer.body).digest('base64')}:`
  return digest === undefined || digest === found ? undefined : `bytes of another digest, ${found}`
}
