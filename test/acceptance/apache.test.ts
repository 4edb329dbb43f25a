/**
 * The example configuration in a real Apache in front of the service, which offloads its downloads.
 */
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from '../tap.ts'
import type { Test } from 'tap'
import { testFolder } from '../folder.ts'
import { freePorts, ownHost } from '../loopback.ts'
import { rewritten, unchanged, years } from '../older-paths.ts'
import { fetchAlone, longestMs, startService, stop, until } from './service.ts'
import type { Service } from './service.ts'
import { dayDirectory, hourDirectory, pathIn, put } from './tree.ts'

t.setTimeout(longestMs)

const program = '/usr/sbin/apache2'
const modules = '/usr/lib/apache2/modules'
/**
 * Modules of Debian's default configuration, modules that the example names, and their
 * dependencies.
 */
const wanted = ['mpm_event', 'authz_core', 'socache_shmcb', 'ssl', 'alias', 'env']
wanted.push('proxy', 'proxy_http', 'headers', 'rewrite')
const fileOf = (name: string): string => `${modules}/mod_${name}.so`
const lacking = [program, ...wanted.map(fileOf)].find((path) => !existsSync(path))
/** Debian has this module in a separate package. */
const sendfile = fileOf('xsendfile')
if (existsSync(sendfile)) wanted.push('xsendfile')
/** Apache never sends files as root. */
const user = process.getuid?.() === 0 ? 'www-data' : undefined
const accessCheck = ['--reuid', user ?? '', '--clear-groups', 'test', '-x', process.cwd()]
const isInaccessible = user !== undefined && spawnSync('setpriv', accessCheck).status !== 0
const skip =
  (lacking !== undefined && `no ${lacking} here`) ||
  (isInaccessible && `${user} cannot read this checkout`)

interface Behind extends Pick<Service, 'folder' | 'archive'> {
  /** Port of the service on 127.0.0.1. */
  readonly service: number
  /**
   * The date of rewriting comes from the headers `X-TIME-YEAR`, `X-TIME-MON`, `X-TIME-DAY` of a
   * request.
   */
  readonly isDated?: boolean
}

/** Starts Apache with the example, without TLS, inside the parts of Debian's configuration. */
async function startApache(t: Test, behind: Behind): Promise<URL> {
  const { folder, archive, service, isDated = false } = behind
  const [port = 0] = await freePorts(1)
  const example = readFileSync('config/apache.conf.example', 'utf8')
    .replace('*:80>', `${ownHost}:1>`)
    .replace('*:443>', `${ownHost}:${port}>`)
    .replaceAll(/^ *SSL.*\n/gm, '')
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${service}`)
    .replaceAll('/srv/gnss', `"${archive}"`)
    .replaceAll(/%\{TIME_(\w+)\}/g, isDated ? '%{HTTP:X-TIME-$1}' : '$&')
  const loaded = wanted.map((name) => `LoadModule ${name}_module ${fileOf(name)}`)
  const own = [`Listen ${ownHost}:${port}`, 'ServerName localhost', 'PidFile pid', 'ErrorLog log']
  const users = user === undefined ? [] : [`User ${user}`, `Group ${user}`]
  const root = join(folder, 'apache')
  const conf = join(root, 'apache.conf')
  mkdirSync(root)
  writeFileSync(conf, [`ServerRoot "${root}"`, ...loaded, ...own, ...users, example].join('\n'))
  const { status, stderr } = spawnSync(program, ['-t', '-f', conf], { encoding: 'utf8' })
  t.equal(status, 0, stderr)
  const apache = spawn(program, ['-D', 'FOREGROUND', '-f', conf], { stdio: 'ignore' })
  t.teardown(() => stop(apache, 'SIGTERM'))
  const base = new URL(`http://${ownHost}:${port}/rinex/data/`)
  await until('Apache answers', async () => (await fetchAlone(base)).status === 200)
  return base
}

const lacksSendfile = skip || (!existsSync(sendfile) && `no ${sendfile} here`)

t.test('Apache sends the files that the service offloads', { skip: lacksSendfile }, async (t) => {
  const folder = testFolder(t, { archive: { obs: {} } })
  const [file, other] = [1, 2].map((n) => pathIn(dayDirectory(3), n)) as [string, string]
  const hourly = pathIn(hourDirectory(2), 1)
  const content = gzipSync(randomBytes(300_000))
  put(join(folder, 'archive'), file, content)
  for (const path of [other, hourly]) put(join(folder, 'archive'), path)
  // Apache ignores dates in the future.
  const writtenMs = Math.floor(Date.now() / 1000) * 1000 - 3 * 86_400_000
  utimesSync(join(folder, 'archive', file), writtenMs / 1000, writtenMs / 1000)
  const service = await startService(t, folder, { options: { SEND_FILES: 'x-sendfile' } })
  await until('all is listed', async () => (await service.count()) === 3)
  const base = await startApache(t, { ...service, service: Number(service.url.port) })
  const get = async (path: string, headers = {}) => {
    const answer = await fetchAlone(new URL(path, base), { headers })
    return { answer, status: answer.status, body: Buffer.from(await answer.arrayBuffer()) }
  }

  const { answer, body } = await get(file)
  t.equal(answer.status, 200)
  t.ok(body.equals(content))
  t.match(Object.fromEntries(answer.headers), {
    'content-type': 'application/gzip',
    'content-disposition': `attachment; filename="${basename(file)}"`,
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'accept-ranges': 'bytes',
    'cache-control': 'no-cache',
    'last-modified': new Date(writtenMs).toUTCString(),
  })
  t.notOk(answer.headers.has('x-sendfile'))
  const tag = answer.headers.get('etag') ?? ''
  t.not((await get(other)).answer.headers.get('etag'), tag, 'each file has another ETag')

  const part = await get(file, { range: 'bytes=100-299', 'if-range': tag })
  t.equal(part.status, 206)
  t.same(part.body, content.subarray(100, 300))
  t.equal((await get(file, { range: 'bytes=0-1', 'if-range': '"x"' })).status, 200)
  t.equal((await get(file, { range: 'bytes=0-1,5-6' })).body.length, content.length)
  t.equal((await get(file, { 'if-none-match': tag })).status, 304)
  t.equal((await get(file, { 'if-match': '"x"' })).status, 412)
  // For every date: Apache alone would answer 304 to a later date, also to a client that has only a
  // part of the file.
  for (const path of [file, `/rinex//data//${file}`, file.replace('obs/', 'obs_v3/')])
    for (const laterMs of [-60_000, 0, 60_000]) {
      const since = { 'if-modified-since': new Date(writtenMs + laterMs).toUTCString() }
      t.equal((await get(path, since)).body.length, content.length, `${path} ${laterMs}`)
      t.equal((await get(path, { ...since, range: 'bytes=100-299' })).status, 206)
      t.equal((await get(path, { ...since, 'if-none-match': tag })).status, 304)
    }
  t.same((await get(file.replace('obs/', 'obs_v3/'))).body, content)
  t.equal((await get(hourly.replace(/^nrt\/\d{4}/, 'nrt'))).status, 200)
  t.equal((await get(pathIn(dayDirectory(3), 9))).body.toString(), '{"detail":"Not found."}')
})

t.test('Apache rewrites the older paths of files and no other paths', { skip }, async (t) => {
  const folder = testFolder(t, { archive: {} })
  const echo = createHttpServer(({ url }, response) => response.end(url)).listen(0, '127.0.0.1')
  await once(echo, 'listening')
  t.teardown(() => echo.close())
  const service = (echo.address() as AddressInfo).port
  const archive = join(folder, 'archive')
  const { hostname, port } = await startApache(t, { folder, archive, service, isDated: true })
  /** Sends a target unchanged. @returns the target that reaches the service */
  const passedOn = async (path: string, date = '2026-01-22'): Promise<string> => {
    const [year, month, day] = date.split('-')
    const headers = { 'x-time-year': year, 'x-time-mon': month, 'x-time-day': day }
    const asked = request({ hostname, port, path, headers }).end()
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    return Buffer.concat((await answer.toArray()) as Buffer[]).toString()
  }
  for (const [path, target] of Object.entries(rewritten))
    t.equal(await passedOn(`/rinex/data/${path}`), `/rinex/data/${target}`, path)
  t.equal(await passedOn('/rinex//data//obs_v3//2026/'), '/rinex/data/obs//2026/')
  for (const path of [...unchanged, 'obs_v3/%41', 'nrt/022/05/%41'])
    t.equal(await passedOn(`/rinex/data/${path}`), `/rinex/data/${path}`, path)
  for (const [date, day, year] of years) {
    const target = await passedOn(`/rinex/data/nrt/${day}/23/`, date)
    t.equal(target, `/rinex/data/nrt/${year}/${day}/23/`, date)
  }
})
