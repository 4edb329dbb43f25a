/** The example configuration under the real nginx, in front of a server that reports its requests. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import type { Test } from 'tap'
import { until } from './acceptance/service.ts'
import { testFolder } from './folder.ts'
import { lacksNginx, startNginx } from './nginx.ts'

interface Echo {
  readonly target: string
  readonly headers: IncomingHttpHeaders
  /** Identifies a connection of the proxy. */
  readonly port: number | undefined
}

type Sending = 'all sent' | 'held back'

// Far larger than the buffers of nginx and of its two connections.
const downloadBytes = 64 * 1024 * 1024

/** Sends a large file as fast as it is read; resolves at its end, or when it was not read for a second. */
function sendFile(response: ServerResponse): Promise<Sending> {
  const piece = Buffer.alloc(1024 * 1024)
  let left = downloadBytes
  response.writeHead(200, { 'content-length': downloadBytes, etag: '"strong"' })
  return new Promise((resolve) => {
    const send = (): void => {
      let taken = true
      for (; taken && left > 0; left -= piece.length) taken = response.write(piece)
      if (left === 0) return void response.end(resolve.bind(undefined, 'all sent'))
      const timer = setTimeout(resolve, 1000, 'held back')
      response.once('drain', () => {
        clearTimeout(timer)
        send()
      })
    }
    send()
  })
}

async function listen(t: Test, server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => server.close())
  return (server.address() as AddressInfo).port
}

t.test('the nginx of the example', { skip: lacksNginx }, async (t) => {
  let sending: Promise<Sending> | undefined
  const holding: ServerResponse[] = []
  const release = () => {
    for (const response of holding) response.end()
  }
  const service = createServer(({ url: target = '', headers, socket }, response) => {
    const handedOver = headers['x-hand-over']
    if ('x-hold' in headers) holding.push(response)
    else if (handedOver !== undefined) response.setHeader('x-accel-redirect', handedOver).end()
    else if (target.endsWith('.gz')) sending = sendFile(response)
    else response.end(JSON.stringify({ target, headers, port: socket.remotePort } satisfies Echo))
  })
  // A connection must stay open however late its next request is.
  service.keepAliveTimeout = 0
  const folder = testFolder(t, {
    archive: {
      obs: { 'a.gz': 'archived', 'linked.gz': t.fixture('symlink', 'a.gz') },
      linked: t.fixture('symlink', 'obs'),
    },
  })
  const behind = { service: await listen(t, service), archive: join(folder, 'archive') }
  const nginx = await startNginx(t, join(folder, 'nginx'), behind)
  const get = nginx.ask
  const echo = async (path: string, headers = {}): Promise<Echo> => {
    const pieces = (await (await get(path, headers)).toArray()) as Buffer[]
    return JSON.parse(Buffer.concat(pieces).toString()) as Echo
  }

  t.test('passes every target on unchanged', async (t) => {
    const paths = ['data/a%2Fb', 'data/%41', 'data//obs/', 'data/../x', 'data/%2e%2e/x', '%252e']
    const queries = ['api/?a=%20b&a=%2F&c', 'api/?', 'api/?x=a+b&y=//../']
    for (const target of [...paths, ...queries].map((rest) => `/rinex/${rest}`))
      t.equal((await echo(target)).target, target)
  })

  t.test('does not pass on paths for its own host', async (t) => {
    for (const path of ['/healthz', '/readyz', '/metrics', '/rinex/../metrics']) {
      const answer = await get(path)
      t.equal(answer.resume().statusCode, 404, path)
    }
  })

  t.test('sends the root to the resources', async (t) => {
    const answer = await get('/')
    t.equal(answer.resume().statusCode, 302)
    t.equal(answer.headers.location, 'https://archive.example.org/rinex/api/')
    t.equal(answer.headers['strict-transport-security'], 'max-age=31536000')
  })

  t.test('limits the connections of an address', async (t) => {
    // Each waits for its response, which the service does not send.
    const held = Array.from({ length: 129 }, () => get('/rinex/held', { 'x-hold': '1' }))
    const first = await Promise.race(held)
    t.equal(first.resume().statusCode, 429)
    await until('the others wait', () => holding.length === 128)
    release()
    const statuses = (await Promise.all(held)).map((answer) => answer.resume().statusCode)
    t.equal(statuses.filter((status) => status === 200).length, 128)
  })

  t.test('sends the client address, whatever the request claims', async (t) => {
    const claims = { 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'gopher' }
    const { headers } = await echo('/rinex/api/', { range: 'bytes=0-1', ...claims })
    t.match(headers, { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'https' })
    t.match(headers, { host: 'archive.example.org', range: 'bytes=0-1' })
  })

  t.test('keeps its connection for the next request', async (t) => {
    const { port } = await echo('/rinex/api/')
    t.equal((await echo('/rinex/api/')).port, port)
  })

  t.test('slows a download down for a slow client, without a temporary file', async (t) => {
    const answer = await get('/rinex/data/obs/2026/022/graz0220.26d.gz')
    t.match(answer.headers, { etag: '"strong"', 'content-length': String(downloadBytes) })
    t.equal(await sending, 'held back')
    let bytes = 0
    for await (const piece of answer) bytes += (piece as Buffer).length
    t.equal(bytes, downloadBytes)
  })

  t.test('sends offloaded files, and follows no symlink', async (t) => {
    const handedOver: [path: string, status: number][] = [
      ['obs/a.gz', 200],
      ['obs/linked.gz', 403],
      ['linked/a.gz', 404],
      ['obs/absent.gz', 404],
      ['../nginx.conf', 404],
    ]
    for (const [path, status] of handedOver) {
      const answer = await get('/rinex/data/x', { 'x-hand-over': `/internal/archive/${path}` })
      t.equal(answer.resume().statusCode, status, path)
    }
  })

  t.test('rewrites older paths and no others', async (t) => {
    const year = new Date().getUTCFullYear()
    const cases: Readonly<Record<string, string>> = {
      '/rinex/data/obs_v3/2026/022/x': '/rinex/data/obs/2026/022/x',
      '/rinex/data/obs_v3/': '/rinex/data/obs/',
      '/rinex/data/obs_v3': '/rinex/data/obs',
      '/rinex/data/obs_v3?format=json': '/rinex/data/obs?format=json',
      '/rinex/data/obs_v3/?x=/rinex/data/obs_v3/': '/rinex/data/obs/?x=/rinex/data/obs_v3/',
      '/rinex//data//obs_v3//2026//022/': '/rinex/data/obs//2026//022/',
      '/rinex/data/obs_v3/%41%2F../x': '/rinex/data/obs/%41%2F../x',
      '/rinex/data/nrt/022/05/x': `/rinex/data/nrt/${year}/022/05/x`,
      '/rinex/data/nrt/022/05/?format=json': `/rinex/data/nrt/${year}/022/05/?format=json`,
      '/rinex/data/nrt/022': `/rinex/data/nrt/${year}/022`,
      '/rinex//data//nrt//022//05//': `/rinex/data/nrt/${year}/022//05//`,
    }
    for (const [path, target] of Object.entries(cases)) t.equal((await echo(path)).target, target)
    const others = [
      'obs_v3x/2026/',
      'obs_v30/',
      'xobs_v3/',
      'obs/obs_v3/',
      'obs_v3%2F2026/',
      'OBS_V3/',
    ]
    others.push('nrt/', 'nrt/2026/022/05/', 'nrt/22/05/', 'nrt/0220/', 'nrt/02a/', 'obs/022/05/')
    others.push('nrt/%30%32%32/05/', '?x=/rinex/data/obs_v3/', 'x/nrt/022/05/')
    for (const path of others.map((rest) => `/rinex/data/${rest}`))
      t.equal((await echo(path)).target, path)
    t.equal(
      (await echo('/rinex/api/?next=/rinex/data/obs_v3/')).target,
      '/rinex/api/?next=/rinex/data/obs_v3/',
    )
  })

  t.test('sends plain HTTP to HTTPS', async (t) => {
    const target = '/rinex/api/rinex-file/?limit=5&x=%2F'
    const url = nginx.httpUrl + target
    const { status, headers } = await fetch(url, { redirect: 'manual' })
    t.equal(status, 301)
    t.equal(headers.get('location'), `https://archive.example.org${target}`)
  })
})

t.test('the year of an hourly path without one', { skip: lacksNginx }, async (t) => {
  const service = createServer(({ url }, response) => response.end(url))
  const folder = testFolder(t)
  const behind = { service: await listen(t, service), date: 'http_x_date' }
  const nginx = await startNginx(t, join(folder, 'nginx'), behind)
  const cases: [date: string, day: string, year: string][] = [
    ['Thursday, 22-Jan-2026 05:06:07 GMT', '022', '2026'],
    ['Thursday, 22-Jan-2026 05:06:07 GMT', '365', '2026'],
    ['Thursday, 31-Dec-2026 23:59:59 GMT', '365', '2026'],
    ['Thursday, 31-Dec-2026 23:59:59 GMT', '001', '2026'],
    ['Friday, 01-Jan-2027 00:00:00 GMT', '365', '2026'],
    ['Friday, 01-Jan-2027 00:00:00 GMT', '001', '2027'],
    ['Friday, 01-Jan-2027 00:00:00 GMT', '300', '2027'],
    ['Friday, 01-Jan-2027 00:00:00 GMT', '301', '2026'],
    ['Thursday, 07-Jan-2027 23:59:59 GMT', '309', '2026'],
    ['Friday, 08-Jan-2027 00:00:00 GMT', '365', '2027'],
    ['Sunday, 07-Feb-2027 00:00:00 GMT', '365', '2027'],
    ['Monday, 01-Jan-2029 12:00:00 GMT', '366', '2028'],
    ['Tuesday, 01-Jan-2030 12:00:00 GMT', '365', '2029'],
    ['Monday, 02-Jan-2040 12:00:00 GMT', '365', '2039'],
    ['Wednesday, 01-Jan-2099 12:00:00 GMT', '365', '2098'],
  ]
  for (const [date, day, year] of cases) {
    const answer = await nginx.ask(`/rinex/data/nrt/${day}/23/`, { 'x-date': date })
    const target = Buffer.concat((await answer.toArray()) as Buffer[]).toString()
    t.equal(target, `/rinex/data/nrt/${year}/${day}/23/`, date)
  }
})
