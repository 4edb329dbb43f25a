/** Random requests as bytes: of every method, with headers and bodies right and wrong, and bytes that are no request. */
import type { Chance } from './chance.ts'
import type { Target, Targets } from './odd-targets.ts'
import type { Asked } from './strict-answer.ts'

export interface OddRequest extends Asked, Pick<Target, 'isFile' | 'check'> {
  readonly target: string
  /** As latin1. */
  readonly bytes: string
  /** The connection ends with its answer. */
  readonly closes: boolean
  /** It may be refused as no HTTP, or its connection be closed; it is the last one of its connection. */
  readonly isBroken: boolean
  /** Its client may still be sending when it is answered. */
  readonly hasBody: boolean
  /** Bytes come after it that may be answered too, as no HTTP. */
  readonly trails: boolean
  /** Its answer has no end before the client leaves. */
  readonly isEndless: boolean
}

/** What is put together to the bytes of a request. */
interface Parts {
  method: string
  version: '1.0' | '1.1'
  host: string[]
  headers: string[]
  body: string
  closes: boolean
  isBroken: boolean
  trails: boolean
}

const known = ['GET', 'GET', 'GET', 'GET', 'GET', 'GET', 'GET', 'HEAD', 'HEAD', 'OPTIONS', 'POST']
const others = ['PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND', 'SEARCH', 'QUERY', 'M-SEARCH']
const noMethods = ['BREW', 'get', 'G ET', 'CONNECT', 'PRI', '', 'GE\x00T', 'GET\t']

const types = ['text/html', 'application/json', 'text/csv', 'text/event-stream', 'image/png', '*/*']

/** @param mayBreak whether it may be one that ends its connection by itself */
export function makeRequest(
  chance: Chance,
  targets: Targets,
  { mayBreak, closes }: { readonly mayBreak: boolean; readonly closes: boolean },
): OddRequest {
  let target = targets.make()
  while (target.isBroken === true && !mayBreak) target = targets.make()
  const { parts, accept } = makeParts(chance, targets, target, closes)
  if (mayBreak && chance.may(0.3)) chance.pick(breakages)(parts, chance)
  const { method, version, host, headers, body } = parts
  const lines = [`${method} ${target.text} HTTP/${version}`, ...host, ...headers]
  const isBroken = parts.isBroken || target.isBroken === true
  return {
    ...{
      method,
      version,
      target: target.text,
      isBroken,
      closes: parts.closes,
      trails: parts.trails,
    },
    expectsContinue: headers.some((line) => /^expect: 100-continue$/i.test(line)),
    hasBody: body !== '',
    bytes: `${lines.join('\r\n')}\r\n\r\n${body}`,
    isEndless: target.isEndless === true && accept.includes('event-stream'),
    ...(target.isFile !== undefined && { isFile: target.isFile }),
    ...(target.check !== undefined && { check: target.check }),
  }
}

function makeParts(chance: Chance, targets: Targets, target: Target, closes: boolean) {
  const method = chance.pick(chance.may(0.9) ? known : others)
  const version = chance.may(0.1) ? '1.0' : '1.1'
  const accept = acceptOf(chance)
  const parts: Parts = {
    ...{ method, version, closes, isBroken: false, trails: false, body: '' },
    host: version === '1.1' || chance.may(0.5) ? ['Host: x'] : [],
    headers: [
      ...(accept === '' ? [] : [`Accept: ${accept}`]),
      ...Object.values(optional).flatMap((make) => (chance.may(0.08) ? [make(chance)] : [])),
      ...(chance.may(0.45) ? conditions(chance, targets, target.text) : []),
    ],
  }
  if (closes && version === '1.1') parts.headers.push('Connection: close')
  if (!closes && version === '1.0') parts.headers.push('Connection: keep-alive')
  if (method === 'POST' || method === 'PUT' || chance.may(0.03)) addBody(parts, chance)
  return { parts, accept }
}

function acceptOf(chance: Chance): string {
  if (chance.may(0.3)) return ''
  const one = (): string =>
    `${chance.pick(types)}${chance.may(0.2) ? `;q=0.${chance.below(10)}` : ''}`
  return chance.may(0.8) ? one() : chance.may(0.8) ? `${one()}, ${one()}` : 'text/html;q=x, , /'
}

/** Headers by name, each with a value of chance; a name comes at most once. */
const optional: Readonly<Record<string, (chance: Chance) => string>> = {
  encoding: ({ pick }) => `Accept-Encoding: ${pick(['gzip', 'br', 'gzip, br', 'x', '*;q=0'])}`,
  origin: () => 'Origin: https://a.example',
  preflight: ({ pick }) => `Access-Control-Request-Method: ${pick(['GET', 'PUT', 'x'])}`,
  proxy: ({ pick }) => `X-Forwarded-For: ${pick(['10.1.2.3', 'x', '::1, 10.0.0.1'])}`,
  proto: () => 'X-Forwarded-Proto: https, http',
  upgrade: ({ pick }) => `Upgrade: ${pick(['websocket', 'h2c'])}`,
  cookie: () => 'Cookie: a=b; c=d',
  token: ({ pick }) => `Authorization: ${pick(['Bearer x', 'Basic eDp5', 'x'])}`,
  event: ({ pick }) => `Last-Event-ID: ${pick(['0', 'x', '99999999', ''])}`,
  expect: ({ pick }) => `Expect: ${pick(['100-continue', 'wonders'])}`,
  override: () => 'X-HTTP-Method-Override: DELETE',
  id: () => 'X-Request-Id: of-the-client',
  te: () => 'TE: trailers, deflate',
}

/** With what is known of a target, so that some of them hold. */
function conditions(chance: Chance, { known }: Targets, target: string): string[] {
  const { etag = '"x"', modified = 'Thu, 01 Jan 1970 00:00:00 GMT' } =
    known.validators.get(target) ?? {}
  const tag = chance.pick([etag, etag, etag, 'W/"old"', '*', '"a", "b"', 'x', ''])
  const time = chance.pick([modified, modified, 'Thu, 01 Jan 1970 00:00:00 GMT', 'now'])
  const ranges = ['0-1', '5-', '-7', '999999-', '3-1', '0-0,2-3', '-', '0-99999999999999999999']
  const range = `Range: bytes=${chance.pick(ranges)}`
  return chance.pick([
    [`If-None-Match: ${tag}`],
    [`If-None-Match: ${tag}`],
    [`If-Modified-Since: ${time}`],
    [`If-None-Match: ${tag}`, `If-Modified-Since: ${time}`],
    [`If-Match: ${tag}`],
    [`If-Unmodified-Since: ${time}`],
    [range],
    [range],
    [range, `If-Range: ${chance.pick([tag, time])}`],
    ['Range: lines=1-2'],
  ])
}

/** A body that is framed right, by its length or in chunks. */
function addBody(parts: Parts, chance: Chance): void {
  const text = chance.pick([
    '{}',
    '',
    '{"path":"obs"}',
    '{',
    '"x"',
    'x'.repeat(3000),
    'y'.repeat(40_000),
  ])
  const type = chance.pick(['application/json', 'text/plain', 'application/json; charset=x', 'x'])
  if (chance.may(0.9)) parts.headers.push(`Content-Type: ${type}`)
  if (chance.may(0.6) || parts.version === '1.0') {
    parts.headers.push(`Content-Length: ${text.length}`)
    parts.body = text
  } else {
    parts.headers.push('Transfer-Encoding: chunked')
    const chunk = text === '' ? '' : `${text.length.toString(16)}\r\n${text}\r\n`
    parts.body = `${chunk}0\r\n${chance.may(0.2) ? 'Trailer-Of: x\r\n' : ''}\r\n`
  }
}

type Breakage = (parts: Parts, chance: Chance) => void

/** With other headers and another body than a request may have. */
const broken =
  (headers: readonly string[], body = ''): Breakage =>
  (parts) => {
    parts.headers.push(...headers)
    parts.body += body
    parts.isBroken = true
  }

/** With bytes behind it that begin no request. */
const trailed =
  (bytes: string, ...headers: readonly string[]): Breakage =>
  (parts) => {
    parts.headers.push(...headers)
    parts.body += bytes
    parts.isBroken = true
    parts.trails = true
  }

const breakages: readonly Breakage[] = [
  (parts, chance) => {
    parts.method = chance.pick(noMethods)
    parts.isBroken = true
  },
  (parts, chance) => {
    // Of the right form and without a meaning: it is answered, and closed.
    parts.host = chance.pick([[], ['Host: '], ['Host: a', 'Host: b']])
    parts.isBroken = true
  },
  broken(['No colon']),
  broken(['A b: c']),
  broken(['A: b\x00c']),
  broken(['A: b', ' folded']),
  broken([`Long: ${'x'.repeat(9000)}`]),
  broken(Array.from({ length: 300 }, (_, n) => `A${n}: ${n}`)),
  broken(['Content-Length: 5', 'Content-Length: 6'], 'abcde'),
  broken(['Content-Length: x'], 'abcde'),
  broken(['Content-Length: -1']),
  broken(['Content-Length: 99'], 'too short'),
  trailed('{} and more than that', 'Content-Length: 2'),
  broken(['Content-Length: 4', 'Transfer-Encoding: chunked'], '0\r\n\r\n'),
  broken(['Transfer-Encoding: gzip'], 'x'),
  broken(['Transfer-Encoding: chunked'], 'zz\r\nx\r\n0\r\n\r\n'),
  broken(['Transfer-Encoding: chunked'], '2\r\nabc\r\n0\r\n\r\n'),
  broken(['Transfer-Encoding: chunked'], '5\r\nab'),
  trailed('GET / HTTP/9.9\r\n\r\n'),
  trailed('\x16\x03\x01\x00\xa5'),
  trailed('\r\n\r\n\x00\x00'),
]
