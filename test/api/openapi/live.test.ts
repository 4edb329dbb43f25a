/** Compares each documented response with a real one of the service. */
import { statSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { InjectOptions } from 'fastify'
import type { Test } from 'tap'
import { hashToken } from '../../../src/api/admin/authentication.ts'
import type { Administration } from '../../../src/api/http/settings.ts'
import type { ResponseObject } from '../../../src/api/openapi/openapi.ts'
import { filePlace } from '../../../src/api/openapi/parameters.ts'
import { toIdentity } from '../../../src/catalogue/identity.ts'
import { IndexerUnreachable } from '../../../src/control-socket/protocol.ts'
import { checksumOf } from '../../catalogue/catalogue.ts'
import { allFacts } from '../../catalogue/some-facts.ts'
import { header3 } from '../../rinex/texts.ts'
import t from '../../tap.ts'
import type { Service, ServiceOptions } from '../service.ts'
import { openService } from '../service.ts'
import type { Answer, Operation } from './cases.ts'
import { faultsOf, follow, operationsOf, parseSample, readDocument, tryParameter } from './cases.ts'

const { year, day, hour, filename } = filePlace
const token = 'TOKEN'
const authorization = `Bearer ${token}`

/** A service with the files of the examples. */
async function openDescribed(t: Test, options: ServiceOptions = {}): Promise<Service> {
  const service = await openService(t, options)
  await service.writer.setAsOf({ atUs: Date.now() * 1000, limitSeconds: 180 })
  // Only the first one has a header.
  for (const [directory, content] of [
    [`obs/${year}/${day}`, header3()],
    [`nrt/${year}/${day}/${hour}`, 'no RINEX'],
  ] as const) {
    const path = `${directory}/${filename}`
    await service.add(path, content)
    const identity = toIdentity(statSync(join(service.archive, path)))
    const id = await service.idOf(path)
    await service.writer.keepChecksums([checksumOf(id, { ...identity, facts: allFacts })], 0)
  }
  return service
}

function administered(answers: Partial<Administration> = {}): ServiceOptions {
  const administration: Administration = {
    tokenHash: hashToken(token),
    register: () => Promise.resolve({ outcome: 'known', id: 1 }),
    rescan: () => Promise.resolve({ number: 1, place: 'running' }),
    ...answers,
  }
  return { deps: () => ({ administration }) }
}

const unavailable = () => Promise.reject(new IndexerUnreachable('nobody is there'))

interface Services {
  /** All parts work. */
  readonly usual: Service
  /** Catalogue and indexer are unavailable. */
  readonly without: Service
  /** Without administrators, and with paths of problems not public. */
  readonly closed: Service
  /** Each registered file is new. */
  readonly fresh: Service
}

async function openServices(t: Test): Promise<Services> {
  const [usual, without, closed, fresh] = [
    await openDescribed(t, administered()),
    await openDescribed(t, administered({ register: unavailable, rescan: unavailable })),
    await openDescribed(t, { settings: { problems: 'command-line' } }),
    await openDescribed(
      t,
      administered({ register: () => Promise.resolve({ outcome: 'created', id: 1 }) }),
    ),
  ]
  without.reader.close()
  for (const service of [usual, without, closed, fresh]) await service.listen()
  return { usual, without, closed, fresh }
}

/** The status that is documented, the service, and the request. */
type Case = readonly [status: string, keyof Services, InjectOptions]

function readCases({ url, path, responses }: Operation, tag: string): readonly Case[] {
  const isFile = /\/(?:\{filename\}|SHA256SUMS|MD5SUMS)$/.test(path)
  const cases: Case[] = [
    ['200', 'usual', { url }],
    ['303', 'usual', { url: url.replace('GRAZ', 'graz') }],
    ['304', 'usual', { url, headers: { 'if-none-match': tag } }],
    ['default', 'usual', { url, method: 'PUT' }],
    [
      '404',
      'usual',
      isFile ? { url: url.replace(/GRAZ|SHA256|MD5/, 'WTZR') } : withQuery(url, 'format=none'),
    ],
    ['406', 'usual', { url, headers: { accept: 'image/png' } }],
    ['503', 'without', { url }],
    ['412', 'usual', { url, headers: { 'if-match': '"another"' } }],
    ['206', 'usual', { url, headers: { range: 'bytes=0-3' } }],
    ['416', 'usual', { url, headers: { range: 'bytes=999999-' } }],
    [
      '400',
      'usual',
      withQuery(
        url,
        'area=nowhere&expand=nothing&problem=nothing&week=nothing&file_type=nothing&strict=1',
      ),
    ],
    ['403', 'closed', { url }],
    ['410', 'usual', withQuery(url, 'since=999999')],
    ['422', 'usual', { url: url.replace('/1/', '/2/') }],
  ]
  const expanded: Case = ['200', 'usual', withQuery(url, 'expand=file,facts&since=0')]
  return [
    ...cases.filter(([status]) => status in responses),
    ...(/rinex-file|changes/.test(path) ? [expanded] : []),
  ]
}

function withQuery(url: string, query: string): InjectOptions {
  return { url: `${url}?${query}` }
}

/** Cases of the resource whose body is text. */
function textCases(
  { url, responses }: Pick<Operation, 'url' | 'responses'>,
  payload: string,
): readonly Case[] {
  const headers = { 'content-type': 'text/plain' }
  const post = { url, method: 'POST', headers, payload } as const
  const cases: Case[] = [
    ...['json', 'csv', 'urls'].map((format): Case => [
      '200',
      'usual',
      { ...post, url: `${url}?format=${format}` },
    ]),
    ['400', 'usual', { ...post, payload: 'GRAZ' }],
    ['404', 'usual', { ...post, url: `${url}?format=none` }],
    ['406', 'usual', { ...post, headers: { ...headers, accept: 'image/png' } }],
    ['413', 'usual', { ...post, payload: '#'.repeat(200_000) }],
    ['415', 'usual', { ...post, headers: { 'content-type': 'text/html' } }],
    ['503', 'without', post],
    ['default', 'usual', { ...post, method: 'PUT' }],
  ]
  return cases.filter(([status]) => status in responses)
}

function writeCases({ url, requestBody, responses }: Operation): readonly Case[] {
  const [[type, media] = ['', undefined]] = Object.entries(requestBody?.content ?? {})
  if (type === 'text/plain') return textCases({ url, responses }, String(media?.example))
  const payload = JSON.stringify(media?.example)
  const headers = { 'content-type': type, authorization }
  const post = { url, method: 'POST', headers, payload } as const
  const text = { ...headers, 'content-type': 'text/plain' }
  const cases: Case[] = [
    ['200', 'usual', post],
    ['201', 'fresh', post],
    ['202', 'usual', post],
    ['400', 'usual', { ...post, payload: '{"path":"x","full":1}' }],
    ['400', 'usual', { ...post, payload: '{' }],
    ['401', 'usual', { ...post, headers: { 'content-type': 'application/json' } }],
    ['401', 'usual', { ...post, headers: { ...headers, authorization: 'Bearer wrong' } }],
    ['403', 'closed', post],
    ['413', 'usual', { ...post, payload: JSON.stringify({ path: 'x'.repeat(20_000) }) }],
    ['415', 'usual', { ...post, headers: text }],
    ['503', 'without', post],
    ['default', 'usual', { ...post, method: 'PUT' }],
  ]
  return cases.filter(([status]) => status in responses)
}

/** POST goes over a real connection, because its route sets the timeout of the connection. */
async function send(service: Service, request: InjectOptions): Promise<Answer> {
  const { method, url, headers, payload } = request
  const isLong = typeof payload === 'string' && payload.length > 10_000
  if (method !== 'POST' || isLong) return service.app.inject(request)
  const { port } = service.app.server.address() as AddressInfo
  const answer = await fetch(`http://127.0.0.1:${port}${url as string}`, {
    method,
    headers: headers as Record<string, string>,
    body: payload as string,
  })
  const body = await answer.text()
  return { statusCode: answer.status, headers: Object.fromEntries(answer.headers), body }
}

t.test('each documented response occurs, and matches its description', async (t) => {
  const services = await openServices(t)
  const document = await readDocument(services.usual)
  for (const operation of operationsOf(document)) {
    const { method, path, url, responses } = operation
    const { etag } = (await services.usual.app.inject(url)).headers
    const cases = method === 'GET' ? readCases(operation, String(etag)) : writeCases(operation)
    for (const [status, who, request] of cases) {
      const answer = await send(services[who], request)
      const name = `${method} ${path} ${status} ${JSON.stringify(request.headers ?? {})}`
      const wanted = status === 'default' ? 405 : Number(status)
      const { statusCode, headers, body } = answer
      t.equal(statusCode, wanted, name, { headers, body })
      t.strictSame(faultsOf(document, responses[status], answer), [], name)
    }
    const had = new Set([...cases.map(([status]) => status), '429'])
    t.strictSame(
      Object.keys(responses).filter((status) => !had.has(status)),
      [],
      `${method} ${path} has no documented responses that never occur`,
    )
  }
})

t.test('exactly the documented resources have HTML pages', async (t) => {
  const { usual } = await openServices(t)
  const document = await readDocument(usual)
  const headers = { accept: 'text/html;q=1, */*;q=0.5' }
  for (const { method, path, url, responses } of operationsOf(document)) {
    if (method !== 'GET') continue
    let answer = await usual.app.inject({ url, headers })
    // A page may be that of another resource.
    const { location } = answer.headers
    if (answer.statusCode === 303 && location !== undefined)
      answer = await usual.app.inject({ url: join(url, location), headers })
    const { content = {} } = follow<ResponseObject>(document, responses['200'])
    const isPage = String(answer.headers['content-type']).startsWith('text/html')
    t.equal(isPage, 'text/html' in content, path)
    t.strictSame(faultsOf(document, responses['200'], answer), [], path)
  }
})

t.test('HEAD has the headers of GET, without the body', async (t) => {
  const { usual } = await openServices(t)
  const urls = operationsOf(await readDocument(usual))
    .filter(({ method }) => method === 'GET')
    .map(({ url }) => url)
  const ofRequest = { date: '', 'x-request-id': '', 'transfer-encoding': '' }
  // It waits for the states, which also give the countries that the forms of all pages offer.
  await usual.page('network/?format=api')
  for (const url of [...urls, '/healthz', '/readyz', '/rinex/api/rinex-file/99/'])
    for (const accept of ['*/*', 'text/html']) {
      const get = await usual.app.inject({ url, headers: { accept } })
      const head = await usual.app.inject({ url, headers: { accept }, method: 'HEAD' })
      t.match(head, { statusCode: get.statusCode, body: '' }, url)
      t.same({ ...head.headers, ...ofRequest }, { ...get.headers, ...ofRequest }, url)
    }
})

t.test('OPTIONS describes each resource of the API, and has no body elsewhere', async (t) => {
  const { usual } = await openServices(t)
  const description = {
    name: String,
    description: String,
    renders: Array,
    parses: Array,
  }
  const operations = operationsOf(await readDocument(usual))
  for (const { path, url } of operations) {
    const answer = await usual.app.inject({ url, method: 'OPTIONS' })
    const methods = operations.filter((each) => each.path === path).map(({ method }) => method)
    const documented = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS']
    const allow = String(answer.headers.allow).split(', ')
    t.strictSame(allow.toSorted(), documented.toSorted(), path)
    if (path.startsWith('/api/')) {
      t.equal(answer.statusCode, 200, path)
      t.equal(answer.headers['content-type'], 'application/json', path)
      const body = answer.json<Record<string, unknown>>()
      t.match(body, description, path)
      const parses = path === '/api/availability/' ? 'text/plain' : 'application/json'
      t.strictSame(body['parses'], [parses], path)
      t.strictSame(Object.keys(body).toSorted(), Object.keys(description).toSorted(), path)
    } else t.match(answer, { statusCode: 204, body: '' }, path)
  }
})

t.test('a 429 response matches its description', async (t) => {
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  const service = await openDescribed(t, {
    reader: (reader) => ({ records: (range) => held.then(() => reader.records(range)) }),
  })
  const document = await readDocument(service)
  for (const [path, url, places] of [
    ['/api/rinex-file/', '/rinex/api/rinex-file/?format=urls', 50],
    ['/api/changes/', '/rinex/api/changes/?wait=60', 16],
  ] as const) {
    const under = Array.from({ length: places }, async () => await service.app.inject(url))
    const late = await service.app.inject(url)
    t.equal(late.statusCode, 429)
    const described = document.paths[path]?.get?.responses['429']
    t.strictSame(faultsOf(document, described, late), [])
    t.equal(under.length, places)
  }
  release()
})

t.test('each documented header occurs in a response', async (t) => {
  const { usual } = await openServices(t)
  const document = await readDocument(usual)
  for (const operation of operationsOf(document).filter(({ method }) => method === 'GET')) {
    const { path, url, responses } = operation
    const query = path === '/api/changes/' ? '' : 'sation=x'
    const answers = [await usual.app.inject(withQuery(url, query))]
    if (path === '/api/rinex-file/')
      answers.push(await usual.app.inject(withQuery(url, 'format=urls')))
    const { headers: described = {} } = follow<ResponseObject>(document, responses['200'])
    for (const name of Object.keys(described))
      t.ok(
        answers.some(({ headers }) => headers[name.toLowerCase()] !== undefined),
        `${path} ${name}`,
      )
  }
})

t.test('the example of each parameter is accepted, and not ignored', async (t) => {
  const service = await openDescribed(t)
  const document = await readDocument(service)
  for (const operation of operationsOf(document).filter(({ method }) => method === 'GET'))
    for (const parameter of operation.parameters ?? []) {
      if (parameter.in === 'path' || parameter.example === undefined) continue
      const answer = await service.app.inject(tryParameter(operation, parameter))
      const name = `${operation.path} ${parameter.name}`
      t.equal(answer.statusCode, parameter.name === 'Range' ? 206 : 200, name)
      t.equal(answer.headers['ignored-parameters'], undefined, name)
    }
})

t.test('the curl examples succeed', async (t) => {
  const service = await openDescribed(t, administered())
  await service.listen()
  const document = await readDocument(service)
  for (const { method, path, ...operation } of operationsOf(document))
    for (const { source } of operation['x-codeSamples'] ?? []) {
      const request = parseSample(source)
      t.equal(request.method, method, source)
      // A long poll may wait; its headers are enough.
      const isLongPoll = source.includes('wait=')
      const answer = await send(service, isLongPoll ? { ...request, method: 'HEAD' } : request)
      t.ok(answer.statusCode >= 200 && answer.statusCode < 300, `${path}: ${source}`)
      t.notOk(answer.headers['ignored-parameters'], source)
    }
})
