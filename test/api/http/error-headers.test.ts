/**
 * Each response below the API, and each error, has `Vary` and `Cache-Control`; all others have the
 * latter. Those
 * below `data/` are in downloads/cache-headers.test.ts.
 */
import type { Test } from 'tap'
import { hashToken } from '../../../src/api/admin/authentication.ts'
import t from '../../tap.ts'
import type { Service, ServiceOptions } from '../service.ts'
import { day, dayFile, openService } from '../service.ts'

const page = { accept: 'text/html, */*;q=0.1' }
const post = { 'content-type': 'application/json', authorization: 'Bearer TOKEN' }

/** A status and its request; a path without a slash at its start is below the API. */
type Case = readonly [
  status: number,
  target: string,
  headers?: Readonly<Record<string, string>>,
  body?: string | undefined,
]

const resources = [
  ...['', 'network/', 'rinex-file/', 'rinex-file/1/', 'station/', 'station/GRAZ/', 'series/'],
  ...['station/GRAZ/availability/', 'station/GRAZ/latency/', 'missing/', 'report/', 'alerts/'],
  ...['changes/', 'archive/', 'status/', 'status/problems/', 'search/', 'schema/', 'docs/'],
]

const errors: readonly Case[] = [
  ...resources.flatMap((path): Case[] => [
    [404, `GET ${path}?format=none`],
    [405, `PUT ${path}`],
    [405, `PROPFIND ${path}`],
    [406, `GET ${path}`, { accept: 'image/png' }],
    [417, `GET ${path}`, { expect: 'wonders' }],
  ]),
  ...['rinex-file/?area=x', 'rinex-file/?format=csv&x=1', 'station/?ordering=x', 'series/?state=x']
    .concat('missing/?from=x', 'report/?week=x', 'changes/?x=1', 'status/problems/?problem=x')
    .concat('station/GRAZ/availability/?period=x', 'station/GRAZ/latency/?from=x')
    .concat('rinex-file/1/?expand=x', 'alerts/?country=x')
    .map((target): Case => [400, `GET ${target}`]),
  ...['nothing', 'nothing/', 'rinex-file/99/', 'rinex-file/x/', 'station/WTZR/', '%', '%zz/']
    .concat('station/WTZR/availability/', 'station/x/', `${'x'.repeat(1000)}/`)
    .flatMap((path): Case[] => [
      [404, `GET ${path}`],
      [404, `PUT ${path.replace(/^(?:rinex-file|station)\/.*/, 'nothing/')}`],
    ]),
  [405, 'GET rescan/'],
  [410, 'GET changes/?since=999999'],
  ...['rinex-file/', 'rescan/'].flatMap((path): Case[] => [
    [400, `POST ${path}`, post, '{'],
    [400, `POST ${path}`, post, '{"x":1}'],
    [401, `POST ${path}`, { ...post, authorization: 'Bearer x' }, '{}'],
    [413, `POST ${path}`, post, JSON.stringify({ path: 'x'.repeat(20_000) })],
    [415, `POST ${path}`, { ...post, 'content-type': 'text/plain' }, '{}'],
  ]),
  ...['/nothing', '/%', '/rinex/apinothing', '/rinex/assets/none', '/?format=xml'].map(
    (path): Case => [404, `GET ${path}`],
  ),
  [405, 'PUT /'],
  [405, 'PUT /rinex/'],
  [405, 'PUT /healthz'],
  [405, 'PUT /metrics'],
  [405, 'PUT /rinex/assets/page.css'],
]

/** Sends a request, and describes what its response lacks. */
async function faultsOf(t: Test, { app }: Service, [status, request, headers, body]: Case) {
  const [method = '', path = ''] = request.split(' ')
  const url = path.startsWith('/') ? path : `/rinex/api/${path}`
  const answer = await app.inject({
    method: method as 'GET',
    url,
    ...(headers && { headers }),
    ...(body === undefined ? {} : { payload: body }),
  })
  t.equal(answer.statusCode, status, `${request} ${JSON.stringify(headers)}`)
  const isPage = String(answer.headers['content-type']).startsWith('text/html')
  const vary = isPage ? 'Accept, Accept-Encoding' : 'Accept'
  const expected = { vary, 'cache-control': 'no-cache' }
  const { vary: had, 'cache-control': control } = answer.headers
  t.strictSame({ vary: had, 'cache-control': control }, expected, `${status} ${request}`)
  return isPage
}

function administered(more: ServiceOptions['deps'] = () => ({})): ServiceOptions {
  const administration = {
    tokenHash: hashToken('TOKEN'),
    register: () => Promise.resolve({ outcome: 'known', id: 1 } as const),
    rescan: () => Promise.resolve({ number: 1, place: 'running' } as const),
  }
  return { deps: (deps) => ({ administration, ...more(deps) }) }
}

t.test('each kind of error has Vary and Cache-Control', async (t) => {
  const service = await openService(t, administered())
  await service.add(`${day}/${dayFile}`, 'content')
  for (const each of errors) await faultsOf(t, service, each)
  let pages = 0
  for (const [status, request, headers, body] of errors)
    if (headers === undefined && request.startsWith('GET'))
      if (await faultsOf(t, service, [status, request, page, body])) pages++
  t.ok(pages > 20, 'errors are pages for people')
})

t.test('a rejected POST of a service without administrators has them too', async (t) => {
  const service = await openService(t)
  for (const path of ['rinex-file/', 'rescan/'])
    await faultsOf(t, service, [403, `POST ${path}`, post, '{}'])
})

t.test('an unavailable catalogue, and reached limits too', async (t) => {
  const away = await openService(t)
  away.reader.close()
  for (const path of resources.filter((each) => !['', 'schema/', 'docs/'].includes(each)))
    await faultsOf(t, away, [503, `GET ${path}`])
  for (const format of ['csv', 'ndjson', 'urls'])
    await faultsOf(t, away, [503, `GET rinex-file/?format=${format}`])
  let open = (): void => undefined
  const gate = new Promise<void>((resolve) => (open = resolve))
  const gated = await openService(t, {
    reader: (reader) => ({ records: (query) => gate.then(() => reader.records(query)) }),
  })
  const target = 'rinex-file/?format=csv'
  const four = Array.from({ length: 4 }, async () => await gated.app.inject(`/rinex/api/${target}`))
  await faultsOf(t, gated, [429, `GET ${target}`])
  open()
  for (const { statusCode } of await Promise.all(four)) t.equal(statusCode, 200)
})

t.test('answers without an error have them too', async (t) => {
  const service = await openService(t, administered())
  const { app } = service
  await service.add(`${day}/${dayFile}`, 'content')
  const streams = ['csv', 'ndjson', 'urls'].map((format) => `rinex-file/?format=${format}`)
  for (const path of [...resources, ...streams, 'changes/?since=0'])
    for (const [method, headers] of [
      ['GET', {}],
      ['HEAD', {}],
      ['GET', page],
      ['OPTIONS', {}],
      ['OPTIONS', { origin: 'https://a.example', 'access-control-request-method': 'GET' }],
      ['GET', { 'if-none-match': '*' }],
    ] as const) {
      const answer = await app.inject({ method, url: `/rinex/api/${path}`, headers })
      t.ok(answer.statusCode < 400, `${method} ${path}`)
      t.match(answer.headers.vary, /^Accept/, `${method} ${path}`)
      t.equal(answer.headers['cache-control'], 'no-cache', `${method} ${path}`)
    }
  const moved = await app.inject('/rinex/api/rinex-file')
  t.match(moved, { statusCode: 301, headers: { vary: 'Accept', 'cache-control': 'no-cache' } })
  for (const path of ['/healthz', '/readyz', '/metrics'])
    t.equal((await app.inject(path)).headers['cache-control'], 'no-store', path)
  const asset = await app.inject('/rinex/assets/page.css')
  t.equal(asset.headers['cache-control'], 'public, max-age=3600')
})
