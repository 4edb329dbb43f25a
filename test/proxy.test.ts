/**
 * The example configuration in a real nginx, in front of a server that returns each request as
 * JSON.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import t from './tap.ts'
import type { Test } from 'tap'
import { until } from './acceptance/service.ts'
import { testFolder } from './folder.ts'
import { lacksNginx, startNginx } from './nginx.ts'
import { rewritten, unchanged, years } from './older-paths.ts'

interface Echo {
  readonly target: string
  readonly headers: IncomingHttpHeaders
  /** Identifies a connection of the proxy. */
  readonly port: number | undefined
}

type Sending = 'complete' | 'paused'

// Far larger than the buffers of nginx and of its two connections.
const downloadBytes = 64 * 1024 * 1024

/**
 * Sends a large file as fast as it is read. @returns `paused` when nothing was read for a second
 */
function sendFile(response: ServerResponse): Promise<Sending> {
  const chunk = Buffer.alloc(1024 * 1024)
  let left = downloadBytes
  response.writeHead(200, { 'content-length': downloadBytes, etag: '"strong"' })
  return new Promise((resolve) => {
    const send = (): void => {
      let taken = true
      for (; taken && left > 0; left -= chunk.length) taken = response.write(chunk)
      if (left === 0) return void response.end(resolve.bind(undefined, 'complete'))
      const timer = setTimeout(resolve, 1000, 'paused')
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

t.test('nginx works with the example configuration', { skip: lacksNginx }, async (t) => {
  let sending: Promise<Sending> | undefined
  const waiting: ServerResponse[] = []
  const service = createServer(({ url: target = '', headers, socket }, response) => {
    const offload = headers['x-offload']
    if ('x-hold' in headers) waiting.push(response)
    else if (offload !== undefined) response.setHeader('x-accel-redirect', offload).end()
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
    const chunks = (await (await get(path, headers)).toArray()) as Buffer[]
    return JSON.parse(Buffer.concat(chunks).toString()) as Echo
  }

  t.test('nginx passes targets on unchanged', async (t) => {
    const paths = ['data/a%2Fb', 'data/%41', 'data//obs/', 'data/../x', 'data/%2e%2e/x', '%252e']
    const queries = ['api/?a=%20b&a=%2F&c', 'api/?', 'api/?x=a+b&y=//../']
    for (const target of [...paths, ...queries].map((rest) => `/rinex/${rest}`))
      t.equal((await echo(target)).target, target)
  })

  t.test('nginx answers 404 for paths that only its own host may request', async (t) => {
    for (const path of ['/healthz', '/readyz', '/metrics', '/rinex/../metrics']) {
      const answer = await get(path)
      t.equal(answer.resume().statusCode, 404, path)
    }
  })

  t.test('nginx redirects / to the root of the API', async (t) => {
    const answer = await get('/')
    t.equal(answer.resume().statusCode, 302)
    t.equal(answer.headers.location, 'https://archive.example.org/rinex/api/')
    t.equal(answer.headers['strict-transport-security'], 'max-age=31536000')
  })

  t.test('nginx limits the connections of a client address', async (t) => {
    // The service does not answer these requests until the test ends them.
    const requests = Array.from({ length: 129 }, () => get('/rinex/held', { 'x-hold': '1' }))
    const first = await Promise.race(requests)
    t.equal(first.resume().statusCode, 429)
    await until('128 requests wait', () => waiting.length === 128)
    for (const response of waiting) response.end()
    const statuses = (await Promise.all(requests)).map((answer) => answer.resume().statusCode)
    t.equal(statuses.filter((status) => status === 200).length, 128)
  })

  t.test('nginx sends the real client address, not a claimed address', async (t) => {
    const claims = { 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'gopher' }
    const { headers } = await echo('/rinex/api/', { range: 'bytes=0-1', ...claims })
    t.match(headers, { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'https' })
    t.match(headers, { host: 'archive.example.org', range: 'bytes=0-1' })
  })

  t.test('nginx reuses its connection to the service', async (t) => {
    const { port } = await echo('/rinex/api/')
    t.equal((await echo('/rinex/api/')).port, port)
  })

  t.test('nginx slows a download for a slow client, and makes no temporary file', async (t) => {
    const answer = await get('/rinex/data/obs/2026/022/graz0220.26d.gz')
    t.match(answer.headers, { etag: '"strong"', 'content-length': String(downloadBytes) })
    t.equal(await sending, 'paused')
    let bytes = 0
    for await (const chunk of answer) bytes += (chunk as Buffer).length
    t.equal(bytes, downloadBytes)
  })

  t.test('nginx sends offloaded files, and follows no symlink', async (t) => {
    const cases: [path: string, status: number][] = [
      ['obs/a.gz', 200],
      ['obs/linked.gz', 403],
      ['linked/a.gz', 404],
      ['obs/absent.gz', 404],
      ['../nginx.conf', 404],
    ]
    for (const [path, status] of cases) {
      const answer = await get('/rinex/data/x', { 'x-offload': `/internal/archive/${path}` })
      t.equal(answer.resume().statusCode, status, path)
    }
  })

  t.test('nginx redirects HTTP to HTTPS', async (t) => {
    const target = '/rinex/api/rinex-file/?limit=5&x=%2F'
    const url = nginx.httpUrl + target
    const { status, headers } = await fetch(url, { redirect: 'manual' })
    t.equal(status, 301)
    t.equal(headers.get('location'), `https://archive.example.org${target}`)
  })
})

t.test('nginx rewrites older paths and no other paths', { skip: lacksNginx }, async (t) => {
  const service = createServer(({ url }, response) => response.end(url))
  const behind = { service: await listen(t, service), date: 'http_x_date' }
  const nginx = await startNginx(t, join(testFolder(t), 'nginx'), behind)
  const passedOn = async (path: string, date = '2026-01-22'): Promise<string> => {
    const at = new Date(date)
    const weekday = at.toLocaleString('en-US', { weekday: 'long', timeZone: 'UTC' })
    const [, day = '', month = '', year = ''] = at.toUTCString().split(' ')
    const headers = { 'x-date': `${weekday}, ${day}-${month}-${year} 12:00:00 GMT` }
    const answer = await nginx.ask(`/rinex${path}`, headers)
    return Buffer.concat((await answer.toArray()) as Buffer[]).toString()
  }
  const others: Readonly<Record<string, string>> = {
    '//data//obs_v3//2026//022/': '/data/obs//2026//022/',
    '//data//nrt//022//05//': '/data/nrt/2026/022//05//',
    '/data/obs_v3/%41%2F../x': '/data/obs/%41%2F../x',
    '/api/?next=/rinex/data/obs_v3/': '/api/?next=/rinex/data/obs_v3/',
  }
  for (const [path, target] of Object.entries(others))
    t.equal(await passedOn(path), `/rinex${target}`, path)
  for (const [path, target] of Object.entries(rewritten))
    t.equal(await passedOn(`/data/${path}`), `/rinex/data/${target}`, path)
  for (const path of unchanged)
    t.equal(await passedOn(`/data/${path}`), `/rinex/data/${path}`, path)
  for (const [date, day, year] of years)
    t.equal(
      await passedOn(`/data/nrt/${day}/23/`, date),
      `/rinex/data/nrt/${year}/${day}/23/`,
      date,
    )
})
