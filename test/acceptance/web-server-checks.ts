/** What holds behind each web server with its example configuration. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { utimesSync } from 'node:fs'
import type { IncomingHttpHeaders, OutgoingHttpHeaders, RequestListener } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Test } from 'tap'
import { commonFolder } from '../folder.ts'
import { fetchAlone, startService, until } from './service.ts'
import { arrive, dayDirectory, hourDirectory, pathIn, paths, put } from './tree.ts'
import type { WebServer } from './web-servers.ts'
import { dateHeaders, publicName, startWebServer } from './web-servers.ts'

export const day = dayDirectory(3)
export const file = pathIn(day, 0)
export const hourly = pathIn(hourDirectory(2), 1)
export const content = gzipSync(randomBytes(3_000_000))
export const writtenSeconds = Math.floor(Date.now() / 1000) - 3 * 86_400
const json = { accept: 'application/json' }

/** Listens until the end of the test. @returns the port */
export async function listen(t: Test, answer: RequestListener): Promise<number> {
  const server = createServer(answer)
  // A connection must stay open however late its next request is.
  server.keepAliveTimeout = 0
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => server.close())
  return (server.address() as AddressInfo).port
}

/** Starts a web server in front of a service with 50 daily files and an hourly one. */
export async function startBehind(
  t: Test,
  server: WebServer,
  prepare: (folder: string) => Record<string, string> = () => ({}),
) {
  const folder = commonFolder(t)
  const archive = join(folder, 'archive')
  for (const path of [...paths(day, 50), hourly]) put(archive, path)
  put(archive, file, content)
  utimesSync(join(archive, file), writtenSeconds, writtenSeconds)
  const sending = server.sendsFiles === true ? { INTERNAL_PREFIX: '/internal/archive/' } : {}
  const options = { ...sending, ...prepare(folder) }
  const service = await startService(t, folder, { options })
  await until('all is listed', async () => (await service.count()) >= 51)
  const behind = { service: Number(service.url.port), archive }
  const front = await startWebServer(t, server, join(folder, 'front'), behind)
  return { service, archive, server, ...front }
}
export type Front = Awaited<ReturnType<typeof startBehind>>

/** In front of a server that returns each request as JSON. */
export async function checkPassing(t: Test, server: WebServer): Promise<void> {
  const service = await listen(t, ({ url, headers }, response) => {
    response.end(JSON.stringify({ url, headers }))
  })
  const { ask, httpUrl } = await startWebServer(t, server, join(commonFolder(t), 'front'), {
    service,
  })
  const passed = async (path: string, headers = {}) => {
    const { body } = await ask(path, headers)
    return JSON.parse(body.toString()) as { url: string; headers: IncomingHttpHeaders }
  }
  const targets = ['data/a%2Fb', 'data/%41', 'data//obs/', 'data/../x', 'data/%2e%2e/x', '%252e']
  const queries = ['api/?a=%20b&a=%2F&c', 'api/?', 'api/?x=a+b&y=//../']
  for (const target of [...targets, ...queries].map((rest) => `/rinex/${rest}`))
    t.equal((await passed(target)).url, target)
  const claims = { 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'gopher' }
  const { headers } = await passed('/rinex/api/', claims)
  t.match(headers, { 'x-forwarded-for': /^127\.[\d.]+$/, host: publicName })
  const own = ['/healthz', '/readyz', '/metrics', '/rinex/../metrics', '/rinex/%2e%2e/metrics']
  for (const path of own) t.equal((await ask(path)).status, 404, `${path} is for its own host`)
  const target = '/rinex/api/rinex-file/?limit=5&x=%2F'
  const plain = await fetchAlone(httpUrl + target, { headers: { host: publicName } })
  t.ok([301, 308].includes(plain.status), 'plain HTTP redirects to HTTPS')
  t.equal(plain.headers.get('location'), `https://${publicName}${target}`)
  if (server.entrance === undefined) return
  t.match(headers, { 'x-forwarded-proto': 'https' })
  t.match((await passed('/rinex/api/', { range: 'bytes=0-1' })).headers, { range: 'bytes=0-1' })
  t.match(await ask('/'), {
    status: 302,
    headers: { location: server.entrance, 'strict-transport-security': 'max-age=31536000' },
  })
}

/** Paths of the original service below `/rinex/data/`, as they are now, on 22 January 2026. */
const rewritten: Readonly<Record<string, string>> = {
  'obs_v3/2026/022/x.gz': 'obs/2026/022/x.gz',
  'obs_v3/': 'obs/',
  obs_v3: 'obs',
  'obs_v3?format=json': 'obs?format=json',
  'obs_v3/?x=/data/obs_v3/': 'obs/?x=/data/obs_v3/',
  'nrt/022/05/x.gz': 'nrt/2026/022/05/x.gz',
  'nrt/022/05/?format=json': 'nrt/2026/022/05/?format=json',
  'nrt/022': 'nrt/2026/022',
}

/** Paths below `/rinex/data/` that are similar and stay unchanged. */
const unchanged = [
  ...['obs_v3x/2026/', 'obs_v30/', 'xobs_v3/', 'obs/obs_v3/', 'obs_v3%2F2026/', 'OBS_V3/', 'nrt/'],
  ...['nrt/2026/022/05/', 'nrt/22/05/', 'nrt/0220/', 'nrt/02a/', 'obs/022/05/'],
  ...['nrt/%30%32%32/05/', '?x=/rinex/data/obs_v3/', 'x/nrt/022/05/'],
]

/** The year of an hourly path without one: of the date of the request, or of the year before. */
const years: readonly (readonly [date: string, day: string, year: string])[] = [
  ['2026-01-22', '022', '2026'],
  ['2026-01-22', '365', '2026'],
  ['2026-12-31', '365', '2026'],
  ['2026-12-31', '001', '2026'],
  ['2027-01-01', '365', '2026'],
  ['2027-01-01', '001', '2027'],
  ['2027-01-01', '300', '2027'],
  ['2027-01-01', '301', '2026'],
  ['2027-01-07', '309', '2026'],
  ['2027-01-08', '365', '2027'],
  ['2027-02-07', '365', '2027'],
  ['2029-01-01', '366', '2028'],
  ['2030-01-01', '365', '2029'],
  ['2040-01-02', '365', '2039'],
  ['2099-01-01', '365', '2098'],
]

/** In front of a server that returns each target: older paths are rewritten, and no other paths. */
export async function checkOlderPaths(
  t: Test,
  server: WebServer,
  others: Readonly<Record<string, string>>,
): Promise<void> {
  const behind = { service: await listen(t, ({ url }, response) => response.end(url)) }
  const folder = join(commonFolder(t), 'front')
  const { ask } = await startWebServer(t, server, folder, { ...behind, isDated: true })
  const passedOn = async (path: string, date = '2026-01-22') =>
    (await ask(`/rinex${path}`, dateHeaders(date))).body.toString()
  for (const [path, target] of Object.entries({
    '//data//obs_v3//2026//022/': '/data/obs//2026//022/',
    '//data//nrt//022//05//': '/data/nrt/2026/022//05//',
    '/api/?next=/rinex/data/obs_v3/': '/api/?next=/rinex/data/obs_v3/',
    ...others,
  }))
    t.equal(await passedOn(path), `/rinex${target}`, path)
  for (const [path, target] of Object.entries(rewritten))
    t.equal(await passedOn(`/data/${path}`), `/rinex/data/${target}`, path)
  for (const path of unchanged)
    t.equal(await passedOn(`/data/${path}`), `/rinex/data/${path}`, path)
  for (const [date, day, year] of years) {
    const target = await passedOn(`/data/nrt/${day}/23/`, date)
    t.equal(target, `/rinex/data/nrt/${year}/${day}/23/`, date)
  }
}

/** Downloads, lists, long polls and older paths of the service. */
export async function checkService(t: Test, front: Front): Promise<void> {
  const { server } = front
  await t.test('a download has the headers of the service', (t) => checkDownload(t, front))
  await t.test('ranges and conditions of downloads', (t) => checkConditions(t, front))
  await t.test('answers to long polls are not delayed', (t) => checkFeed(t, front))
  if (server.entrance !== undefined)
    await t.test('lists are compressed, and polls get 304', (t) => checkLists(t, front))
  if (server.rewrites !== true) return
  const { body } = await front.ask(`/rinex/data/${file.replace('obs/', 'obs_v3/')}`)
  t.ok(body.equals(content), 'a path of the former layout')
  const withoutYear = `/rinex/data/${hourly.replace(/^nrt\/\d{4}/, 'nrt')}`
  t.equal((await front.ask(withoutYear)).status, 200, 'a path without its year')
}

const seconds = (ofFile: number): string => new Date(ofFile * 1000).toUTCString()

async function checkDownload(t: Test, { ask }: Front): Promise<void> {
  const path = `/rinex/data/${file}`
  const sent = {
    'content-type': 'application/gzip',
    'content-length': String(content.length),
    'content-disposition': `attachment; filename="${basename(file)}"`,
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'access-control-allow-origin': '*',
    'access-control-expose-headers': /Repr-Digest/,
    'cache-control': 'no-cache',
    'x-request-id': /^[0-9a-f-]{36}$/,
    'last-modified': seconds(writtenSeconds),
    etag: /^"[0-9a-f-]+"$/,
    'accept-ranges': 'bytes',
  }
  const { status, headers, body } = await ask(path, { 'accept-encoding': 'gzip, zstd' })
  t.match({ status, headers }, { status: 200, headers: sent })
  for (const name of ['x-accel-redirect', 'content-encoding']) t.notOk(name in headers, name)
  t.ok(body.equals(content))
  t.match(await ask(path, {}, 'HEAD'), { status: 200, headers: sent, body: { length: 0 } })
  const other = await ask(`/rinex/data/${pathIn(day, 1)}`)
  t.not(other.headers.etag, headers.etag, 'each file has another ETag')
  const absent = await ask(`/rinex/data/${pathIn(day, 60)}`)
  t.strictSame([absent.status, absent.body.toString()], [404, '{"detail":"Not found."}'])
}

async function checkConditions(t: Test, { ask, server }: Front): Promise<void> {
  const tag = String((await ask(`/rinex/data/${file}`, {}, 'HEAD')).headers.etag)
  const range = 'bytes=100-299'
  const written = seconds(writtenSeconds)
  const cases: [headers: OutgoingHttpHeaders, status: number][] = [
    [{ range }, 206],
    [{ range, 'if-range': tag }, 206],
    [{ range, 'if-range': written }, server.sendsFiles === true ? 206 : 200],
    [{ range, 'if-range': '"x"' }, 200],
    [{ range: 'bytes=0-1,5-6' }, 200],
    [{ range: `bytes=${content.length}-` }, 416],
    [{ 'if-none-match': tag }, 304],
    [{ 'if-none-match': '"x"' }, 200],
    [{ 'if-match': '"x"' }, 412],
    [{ 'if-modified-since': written }, 304],
    ...[-60, 60].flatMap((later): [OutgoingHttpHeaders, number][] => {
      const since = { 'if-modified-since': seconds(writtenSeconds + later) }
      return [
        [since, 200],
        [{ ...since, range }, 206],
        // nginx tests both.
        [{ ...since, 'if-none-match': tag }, server.sendsFiles === true ? 200 : 304],
      ]
    }),
  ]
  const older = server.rewrites === true ? [file.replace('obs/', 'obs_v3/')] : []
  for (const path of [file, `/${file}`, ...older])
    for (const [headers, expected] of cases) {
      const name = `${path} ${JSON.stringify(headers)}`
      const { status, headers: sent, body } = await ask(`/rinex//data/${path}`, headers)
      t.equal(status, expected, name)
      if (status === 200) t.ok(body.equals(content), name)
      if (status !== 206) continue
      t.ok(body.equals(content.subarray(100, 300)), name)
      t.equal(sent['content-range'], `bytes 100-299/${content.length}`)
      t.equal(sent['x-content-type-options'], 'nosniff')
    }
}

async function checkFeed(t: Test, { ask, service, archive }: Front): Promise<void> {
  const { seq } = await service.status()
  const waiting = ask(`/rinex/api/changes/?since=${seq}&wait=60`, json)
  const arrived = pathIn(day, 100)
  arrive(archive, arrived)
  t.match((await waiting).body.toString(), basename(arrived))
}

async function checkLists(t: Test, { ask }: Front): Promise<void> {
  for (const query of ['?limit=50', '?format=csv', '?format=ndjson', '?format=urls']) {
    const path = `/rinex/api/rinex-file/${query}`
    const plain = await ask(path, json)
    const compressed = await ask(path, { ...json, 'accept-encoding': 'gzip' })
    t.equal(compressed.headers['content-encoding'], 'gzip', query)
    t.match(compressed.headers.vary, /Accept-Encoding/i)
    t.ok(gunzipSync(compressed.body).equals(plain.body), query)
  }
  for (const coding of ['identity', 'gzip']) {
    const headers = { ...json, 'accept-encoding': coding }
    const { etag } = (await ask('/rinex/api/rinex-file/', headers)).headers
    const again = await ask('/rinex/api/rinex-file/', { ...headers, 'if-none-match': etag })
    t.equal(again.status, 304, coding)
  }
}
