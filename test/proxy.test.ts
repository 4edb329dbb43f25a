/** The example configuration under the real nginx, in front of a server that tells what reached it. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { request } from 'node:https'
import { connect, createServer as createTcpServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import type { Test } from 'tap'
import { testFolder } from './folder.ts'

interface Echo {
  readonly target: string
  readonly headers: IncomingHttpHeaders
  /** Tells one connection of the proxy from another. */
  readonly port: number | undefined
}

type Sending = 'all sent' | 'held back'

// Far more than the buffers of nginx and of its two connections hold.
const downloadBytes = 64 * 1024 * 1024
const env = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` }

/** Sends a big file as fast as it is taken; tells at its end, or as soon as nobody takes more for a second. */
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

/** A loopback address that is this process's own: elsewhere a port that is free now may be taken a moment later. */
const ownHost = `127.${64 + ((process.pid >> 16) & 63)}.${(process.pid >> 8) & 255}.${process.pid & 255}`

/** Ports for nginx, which cannot tell those that it would find itself. */
async function freePorts(): Promise<{ http: number; https: number }> {
  const servers = [createTcpServer(), createTcpServer()]
  for (const server of servers) await once(server.listen(0, ownHost), 'listening')
  const [http = 0, https = 0] = servers.map((server) => (server.address() as AddressInfo).port)
  for (const server of servers) await once(server.close(), 'close')
  return { http, https }
}

type Ports = Readonly<Record<'http' | 'https' | 'service', number>>

/** The example with the ports of this test, and around it what `/etc/nginx/nginx.conf` has. */
function nginxConf({ http, https, service }: Ports): string {
  const example = readFileSync('config/nginx.conf.example', 'utf8')
    .replaceAll(/^ *listen \[::\].*\n/gm, '')
    .replace('listen 80;', `listen ${ownHost}:${http};`)
    .replace('listen 443 ssl;', `listen ${ownHost}:${https} ssl;`)
    .replace('server 127.0.0.1:8080;', `server 127.0.0.1:${service};`)
    .replaceAll(/\/etc\/ssl\/.*\.(pem|key);/g, 'archive.$1;')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `daemon off; pid nginx.pid; error_log stderr; events {}
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    http { access_log off; ${temporary.map((name) => `${name}_temp_path ${name};`).join(' ')}
    ${example} }`
}

async function startNginx(t: Test, ports: Ports): Promise<void> {
  const dir = testFolder(t, { 'nginx.conf': nginxConf(ports) })
  const key = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout archive.key'
  const certificate = `req -x509 ${key} -days 2 -subj /CN=archive.example.org -out archive.pem`
  spawnSync('openssl', certificate.split(' '), { cwd: dir })

  const options = ['-p', dir, '-e', 'stderr', '-c', join(dir, 'nginx.conf')]
  const check = spawnSync('nginx', ['-t', ...options], { env, encoding: 'utf8' })
  t.equal(check.status, 0, check.stderr)
  t.notMatch(check.stderr, /\[(warn|emerg)\]/)

  const nginx = spawn('nginx', options, { env, stdio: 'ignore' })
  t.teardown(async () => {
    if (nginx.exitCode === null && nginx.kill()) await once(nginx, 'exit')
  })
  while (!(await answers(ports.https))) {
    if (nginx.exitCode !== null || nginx.signalCode !== null)
      throw new Error(`nginx ended with ${nginx.exitCode ?? nginx.signalCode}`)
    await pause(20)
  }
}

function answers(port: number): Promise<boolean> {
  const socket = connect(port, ownHost)
  return new Promise<boolean>((resolve) => {
    socket.once('connect', resolve.bind(undefined, true)).once('error', () => {
      resolve(false)
    })
  }).finally(() => socket.destroy())
}

const missing = ['nginx', 'openssl'].filter((name) => spawnSync(name, ['-v'], { env }).error)
const skip = missing.length > 0 && `no ${missing.join(', no ')} here`

t.test('the nginx of the example', { skip }, async (t) => {
  let sending: Promise<Sending> | undefined
  const service = createServer(({ url: target = '', headers, socket }, response) => {
    if (target.endsWith('.gz')) sending = sendFile(response)
    else response.end(JSON.stringify({ target, headers, port: socket.remotePort } satisfies Echo))
  })
  // That a connection is kept must not depend on how soon its next request comes.
  service.keepAliveTimeout = 0
  const ports = { ...(await freePorts()), service: await listen(t, service) }
  await startNginx(t, ports)

  const get = async (path: string, headers = {}): Promise<IncomingMessage> => {
    const server = { host: ownHost, port: ports.https, rejectUnauthorized: false }
    const asked = request({ ...server, path, headers: { host: 'archive.example.org', ...headers } })
    const [answer] = (await once(asked.end(), 'response')) as [IncomingMessage]
    return answer
  }
  const echo = async (path: string, headers = {}): Promise<Echo> => {
    const pieces = (await (await get(path, headers)).toArray()) as Buffer[]
    return JSON.parse(Buffer.concat(pieces).toString()) as Echo
  }

  t.test('passes every target on as it came', async (t) => {
    const paths = ['data/a%2Fb', 'data/%41', 'data//obs/', 'data/../x', 'data/%2e%2e/x', '%252e']
    const queries = ['api/?a=%20b&a=%2F&c', 'api/?', 'api/?x=a+b&y=//../']
    for (const target of [...paths, ...queries].map((rest) => `/rinex/${rest}`))
      t.equal((await echo(target)).target, target)
  })

  t.test('keeps to itself what is for its own host alone', async (t) => {
    for (const path of ['/', '/healthz', '/readyz', '/metrics', '/rinex/../metrics']) {
      const answer = await get(path)
      t.equal(answer.resume().statusCode, 404, path)
    }
  })

  t.test('tells who asks, whatever the request claims', async (t) => {
    const claims = { 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'gopher' }
    const { headers } = await echo('/rinex/api/', { range: 'bytes=0-1', ...claims })
    t.match(headers, { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'https' })
    t.match(headers, { host: 'archive.example.org', range: 'bytes=0-1' })
  })

  t.test('keeps its connection for the next request', async (t) => {
    const { port } = await echo('/rinex/api/')
    t.equal((await echo('/rinex/api/')).port, port)
  })

  t.test('holds a download back for a slow client, and puts none on disk', async (t) => {
    const answer = await get('/rinex/data/obs/2026/022/graz0220.26d.gz')
    t.match(answer.headers, { etag: '"strong"', 'content-length': String(downloadBytes) })
    t.equal(await sending, 'held back')
    let bytes = 0
    for await (const piece of answer) bytes += (piece as Buffer).length
    t.equal(bytes, downloadBytes)
  })

  t.test('sends plain HTTP to HTTPS', async (t) => {
    const target = '/rinex/api/rinex-file/?limit=5&x=%2F'
    const url = `http://${ownHost}:${ports.http}${target}`
    const { status, headers } = await fetch(url, { redirect: 'manual' })
    t.equal(status, 301)
    t.equal(headers.get('location'), `https://archive.example.org${target}`)
  })
})
