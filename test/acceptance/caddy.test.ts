/** The running service behind the real Caddy with the example configuration. */
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { OutgoingHttpHeaders } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import t from '../tap.ts'
import type { Test } from 'tap'
import { testFolder } from '../folder.ts'
import { ask, bytesOf, makeCertificate, publicName, untilListening } from '../front-server.ts'
import { freePorts, ownHost } from '../loopback.ts'
import { fetchAlone, longestMs, startService, stop, until } from './service.ts'
import { arrive, dayDirectory, paths, pathIn, put } from './tree.ts'

t.setTimeout(longestMs)

const missing = ['caddy', 'openssl'].filter((name) => spawnSync(name, ['version']).error)
const skip = missing.length > 0 && `no ${missing.join(', no ')} here`

/** Starts Caddy with the example, on other ports and with a certificate of this test. */
async function startCaddy(t: Test, folder: string, service: number) {
  const [http = 0, https = 0] = await freePorts(2)
  mkdirSync(folder)
  makeCertificate(folder)
  const example = readFileSync('config/Caddyfile.example', 'utf8')
    .replace(`${publicName} {`, `${publicName} {\n\tbind ${ownHost}\n\ttls archive.pem archive.key`)
    .replace('127.0.0.1:8080', `127.0.0.1:${service}`)
  const global = `{\n\tadmin off\n\thttp_port ${http}\n\thttps_port ${https}\n}\n`
  writeFileSync(join(folder, 'Caddyfile'), `${global}${example}`)
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
  }
  const options = ['--config', 'Caddyfile', '--adapter', 'caddyfile']
  const checked = spawnSync('caddy', ['validate', ...options], {
    cwd: folder,
    env,
    encoding: 'utf8',
  })
  t.equal(checked.status, 0, checked.stderr)
  const caddy = spawn('caddy', ['run', ...options], { cwd: folder, env, stdio: 'ignore' })
  t.teardown(() => stop(caddy, 'SIGTERM'))
  await untilListening(caddy, https)
  return {
    ask: (path: string, headers?: OutgoingHttpHeaders, method?: string) =>
      ask(https, path, headers, method),
    httpUrl: `http://${ownHost}:${http}`,
  }
}

t.test('the service works behind Caddy with the example configuration', { skip }, async (t) => {
  const folder = testFolder(t)
  const day = dayDirectory(3)
  const file = pathIn(day, 0)
  const content = gzipSync(randomBytes(3_000_000))
  put(join(folder, 'archive'), file, content)
  for (const path of paths(day, 49, 1)) put(join(folder, 'archive'), path)
  const service = await startService(t, folder)
  await until('all files are listed', async () => (await service.count()) === 50)
  const caddy = await startCaddy(t, join(folder, 'caddy'), Number(service.url.port))
  const get = caddy.ask

  t.test('lists are compressed for clients that accept compression', async (t) => {
    for (const query of ['?limit=50', '?format=csv', '?format=ndjson', '?format=urls']) {
      const path = `/rinex/api/rinex-file/${query}`
      const headers = { accept: 'application/json' }
      const plain = await bytesOf(await get(path, headers))
      const answer = await get(path, { ...headers, 'accept-encoding': 'gzip' })
      t.equal(answer.headers['content-encoding'], 'gzip', query)
      t.match(answer.headers.vary, /Accept-Encoding/i)
      t.ok(gunzipSync(await bytesOf(answer)).equals(plain))
    }
  })

  t.test('a poll with the current ETag gets 304', async (t) => {
    for (const coding of ['identity', 'gzip']) {
      const headers = { accept: 'application/json', 'accept-encoding': coding }
      const { etag } = (await get('/rinex/api/rinex-file/', headers)).resume().headers
      const repeated = await get('/rinex/api/rinex-file/', {
        ...headers,
        'if-none-match': String(etag),
      })
      t.equal(repeated.resume().statusCode, 304, coding)
    }
  })

  t.test('whole downloads and parts of downloads are not compressed again', async (t) => {
    const path = `/rinex/data/${file}`
    const whole = await get(path, { 'accept-encoding': 'gzip, zstd' })
    t.match(whole.headers, {
      'content-type': 'application/gzip',
      'content-length': String(content.length),
      'content-disposition': `attachment; filename="${basename(file)}"`,
      'accept-ranges': 'bytes',
    })
    t.notOk('content-encoding' in whole.headers)
    t.ok((await bytesOf(whole)).equals(content))
    const etag = String(whole.headers.etag)
    const part = await get(path, { range: 'bytes=100-299', 'if-range': etag })
    t.equal(part.statusCode, 206)
    t.same(await bytesOf(part), content.subarray(100, 300))
    const beyond = await get(path, { range: `bytes=${content.length}-` })
    t.equal(beyond.resume().statusCode, 416)
    const unchanged = await get(path, { 'if-none-match': etag })
    t.equal(unchanged.resume().statusCode, 304)
    const head = await get(path, {}, 'HEAD')
    t.equal(head.resume().headers['content-length'], String(content.length))
  })

  t.test('events and answers to long polls are not delayed', async (t) => {
    const { seq } = await service.status()
    const changes = `/rinex/api/changes/?since=${seq}`
    const events = await get(changes, { accept: 'text/event-stream', 'accept-encoding': 'gzip' })
    const waiting = get(`${changes}&wait=60`, { accept: 'application/json' })
    const arrived = pathIn(day, 100)
    arrive(service.archive, arrived)
    let text = ''
    for await (const chunk of events.setEncoding('utf8')) {
      text += String(chunk)
      if (text.includes(basename(arrived))) break
    }
    t.match(text, /^id: \d+$/m)
    t.match((await bytesOf(await waiting)).toString(), basename(arrived))
  })

  t.test('/ redirects to the root of the API, and plain HTTP redirects to HTTPS', async (t) => {
    const root = await get('/')
    t.equal(root.resume().statusCode, 302)
    t.equal(root.headers.location, '/rinex/api/')
    t.ok(root.headers['strict-transport-security'])
    const { status, headers } = await fetchAlone(`${caddy.httpUrl}/rinex/api/?x=1`, {
      headers: { host: publicName },
    })
    t.ok([301, 308].includes(status), `${status} ${headers.get('location')}`)
  })

  t.test('Caddy answers 404 for paths that only its own host may request', async (t) => {
    for (const path of [
      '/healthz',
      '/readyz',
      '/metrics',
      '/rinex/../metrics',
      '/rinex/%2e%2e/metrics',
    ])
      t.equal((await get(path)).resume().statusCode, 404, path)
  })
})

t.test('Caddy passes each path on unchanged, with the real client address', { skip }, async (t) => {
  const echo = createServer(({ url, headers }, response) => {
    response.end(JSON.stringify({ url, headers }))
  })
  await once(echo.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => echo.close())
  const { port } = echo.address() as AddressInfo
  const caddy = await startCaddy(t, join(testFolder(t), 'caddy'), port)
  const passed = async (path: string, headers = {}) =>
    JSON.parse((await bytesOf(await caddy.ask(path, headers))).toString()) as {
      url: string
      headers: Record<string, string>
    }
  for (const rest of [
    'data/a%2Fb',
    'data/%41',
    'data//obs/',
    'api/?a=%20b&a=%2F&c',
    'api/?x=a+b&y=//../',
  ])
    t.equal((await passed(`/rinex/${rest}`)).url, `/rinex/${rest}`)
  const claims = {
    'x-forwarded-for': '192.0.2.1',
    'x-forwarded-proto': 'gopher',
    range: 'bytes=0-1',
  }
  const { headers } = await passed('/rinex/api/', claims)
  t.match(headers, { 'x-forwarded-for': /^127\.[\d.]+$/, 'x-forwarded-proto': 'https' })
  t.match(headers, { host: publicName, range: 'bytes=0-1' })
})
