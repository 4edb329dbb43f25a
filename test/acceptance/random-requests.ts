/**
 * Random requests: targets with values of earlier responses and invalid ones, conditions, other
 * headers and bodies.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { fileFilters } from '../../src/api/parameters/file-filters.ts'
import { defaultLayout } from '../../src/parse/layout.ts'
import type { Random } from './random-choices.ts'

const filterParameters = fileFilters(defaultLayout)

export interface RandomRequest {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The response may have no end before the client leaves. */
  readonly isLongPoll: boolean
  /** The response breaks off when the file changes. */
  readonly isFile: boolean
  /** An unknown parameter, which the response of the list must name. */
  readonly mark: string | undefined
}

interface Validators {
  readonly etag: string | undefined
  readonly modified: string | undefined
}

/** What a client has learnt from responses. */
export interface Known {
  /** `/rinex/data/…` of listed files; some of them may be removed. */
  readonly paths: string[]
  readonly ids: number[]
  readonly validators: Map<string, Validators>
  seq: number
}

const mostKept = 300

/** Adds what a successful response says to what is known. */
export function learn(known: Known, target: string, headers: IncomingHttpHeaders, body: string) {
  known.validators.set(target, { etag: headers.etag, modified: headers['last-modified'] })
  if (typeof headers['catalogue-seq'] === 'string') known.seq = Number(headers['catalogue-seq'])
  for (const [, id] of body.matchAll(/"id":(\d+)/g)) known.ids.push(Number(id))
  for (const [, path = ''] of body.matchAll(/"download_path":"[^"]*?(\/rinex\/data\/[^"]*)"/g))
    known.paths.push(path)
  for (const list of [known.ids, known.paths]) list.splice(0, list.length - mostKept)
}

const api = '/rinex/api/'
const list = `${api}rinex-file/`
const data = '/rinex/data'

const nonsense = ['', 'x', '-1', '0', '1e9', '9'.repeat(20), '%00', '%zz', 'a,b', "'", '..']
const orderings = ['id', '-id', 'data_date', '-created', 'filename,-id', 'none', 'id,id', '', '-']

/** Filters, three of four with a valid value, and sometimes an unknown parameter. */
function filters(random: Random, most: number): string[] {
  const names = [...filterParameters.keys()]
  return Array.from({ length: random.below(most + 1) }, () => {
    if (random.isTrue(0.1)) return `${random.pick(['foo', 'file_typ', '__', 'limit[]'])}=1`
    const name = random.pick(names)
    const example = filterParameters.get(name)?.example ?? ''
    return `${name}=${random.isTrue(0.75) ? encodeURIComponent(example) : random.pick(nonsense)}`
  })
}

/** One of several values of a parameter, or in half of the cases none. */
function maybe(random: Random, name: string, values: readonly unknown[]): string[] {
  return random.isTrue(0.5) ? [`${name}=${String(random.pick([...values, ...nonsense]))}`] : []
}

function listTarget(random: Random): string {
  const query = [
    ...filters(random, 3),
    ...maybe(random, 'limit', [1, 3, 100, 10_000]),
    ...maybe(random, 'offset', [1, 5, 100_000]),
    ...maybe(random, 'ordering', orderings),
    ...maybe(random, 'format', ['json', 'api']),
    ...(random.isTrue(0.1) ? ['expand=file'] : []),
    ...(random.isTrue(0.1) ? ['strict=1'] : []),
  ]
  return `${list}?${query.join('&')}`
}

function streamTarget(random: Random): string {
  const query = [
    `format=${random.pick(['csv', 'ndjson', 'urls'])}`,
    ...filters(random, 1),
    ...maybe(random, 'limit', [1, 7]),
    ...maybe(random, 'ordering', orderings),
  ]
  return `${list}?${query.join('&')}`
}

function changesTarget(random: Random, { seq }: Known): string {
  const query = [
    ...maybe(random, 'since', [seq, Math.max(0, seq - 5), 0, 999_999_999]),
    ...maybe(random, 'wait', [1, 2, 0]),
    ...maybe(random, 'limit', [1, 10, 1000]),
    ...filters(random, 1),
  ]
  return `${api}changes/?${query.join('&')}`
}

const fixedTargets = [
  ...['/', '/healthz', '/readyz', '/metrics', '/rinex/assets/page.css', '*', '/%zz'],
  ...[
    '',
    'archive/',
    'status/',
    'status',
    'schema/',
    'docs/',
    'nothing/',
    'rescan/',
    'status/problems/',
  ]
    .concat('station/?search=gr', 'station/?ordering=x', 'station/GRAZ/', 'station/wtzr/')
    .map((path) => `${api}${path}`),
  // The same pages again and again, so that conditions with their ETag hold.
  ...['', '?limit=1', '?limit=10000', '?file_type=o', '?format=json'].map((query) => list + query),
  ...[`${list}?${'x'.repeat(6000)}=1`, `${list}?filename=%ff%fe`],
  ...[`${data}/../data/obs/`, `${data}/obs/../../../etc/passwd`, `${data}/%2e%2e/`],
]

/** A catalogued path, or one that is derived from it. */
function fileTarget(random: Random, { paths }: Known): string {
  const path = random.pick(paths.length > 0 ? paths : [`${data}/obs/2010/001/none.gz`])
  const name = path.slice(path.lastIndexOf('/') + 1)
  const segments = path.split('/')
  const directory = segments.slice(0, 3 + random.below(segments.length - 3)).join('/')
  const ends = ['/', '', '/?format=json', '/SHA256SUMS', '/?format=xml', '//']
  return random.pick([
    ...[path, path, path, path.replace(name, name.toLowerCase()), path.replaceAll('/', '//')],
    ...[`http://other.example${path}`, `${path}/`, `${path}%00`, path.replace('obs', '%6fbs')],
    ...[0, 1, 2, 3].map(() => directory + random.pick(ends)),
  ])
}

const methods = ['GET', 'GET', 'GET', 'GET', 'GET', 'GET', 'HEAD', 'HEAD', 'OPTIONS', 'POST', 'PUT']
const types = ['text/html', 'application/json', 'image/png', '*/*']

/** Values of headers; a request has each with a probability of 8 %. */
const otherHeaders: Readonly<Record<string, readonly string[]>> = {
  'accept-encoding': ['gzip', 'br', 'gzip, br', 'x', '*;q=0'],
  origin: ['https://a.example'],
  'access-control-request-method': ['GET', 'PUT', 'x'],
  'x-forwarded-for': ['10.1.2.3', 'x', '::1, 10.0.0.1'],
  authorization: ['Bearer x', 'Basic eDp5', 'x'],
  expect: ['100-continue', 'wonders'],
  'x-http-method-override': ['DELETE'],
  'x-request-id': ['of-the-client'],
}

const ranges = ['0-1', '5-', '-7', '999999-', '3-1', '0-0,2-3', '-', `0-${'9'.repeat(20)}`]

/** Conditions and ranges, most with the validators of the last response. */
function conditions(random: Random, { etag = '"x"', modified = 'now' }: Partial<Validators>) {
  const tag = random.pick([etag, etag, etag, 'W/"old"', '*', '"a", "b"', 'x', ''])
  const range = { range: `bytes=${random.pick(ranges)}` }
  return random.pick<Record<string, string>>([
    { 'if-none-match': tag },
    { 'if-modified-since': modified },
    { 'if-none-match': tag, 'if-modified-since': modified },
    { 'if-match': tag },
    { 'if-unmodified-since': modified },
    range,
    { ...range, 'if-range': random.pick([tag, modified]) },
    { range: 'lines=1-2' },
  ])
}

const kinds = ['list', 'stream', 'record', 'changes', 'fixed', 'fixed', 'file', 'file'] as const
const bodies = ['{}', '', '{"path":"obs"}', '{', '"x"', 'x'.repeat(3000), 'y'.repeat(40_000)]

/** @param number another one for each request, so that its response can be recognised */
export function makeRequest(random: Random, known: Known, number: number): RandomRequest {
  const kind = random.pick(kinds)
  const mark = kind === 'list' ? `mark${number}` : undefined
  const targets: Record<typeof kind, () => string> = {
    list: () => `${listTarget(random)}&${mark ?? ''}=1`,
    stream: () => streamTarget(random),
    record: () => `${list}${random.pick([...known.ids, ...nonsense, '9'.repeat(30)])}/`,
    changes: () => changesTarget(random, known),
    fixed: () => random.pick(fixedTargets),
    file: () => fileTarget(random, known),
  }
  const target = targets[kind]()
  const method = random.pick(methods)
  const accept = random.isTrue(0.3) ? undefined : random.pick(types)
  const headers: Record<string, string> = { ...(accept === undefined ? {} : { accept }) }
  for (const [name, values] of Object.entries(otherHeaders))
    if (random.isTrue(0.08)) headers[name] = random.pick(values)
  if (random.isTrue(0.45))
    Object.assign(headers, conditions(random, known.validators.get(target) ?? {}))
  const body = method.startsWith('P') ? random.pick(bodies) : ''
  if (body !== '') headers['content-type'] = random.pick(['application/json', 'text/plain', 'x'])
  const isLongPoll = kind === 'changes' && /[?&]wait=(?:[3-9]|\d\d)/.test(target)
  return { method, target, headers, body, isLongPoll, isFile: kind === 'file', mark }
}
