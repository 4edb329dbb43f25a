/** The example for Apache under the real one, to which the running service hands its downloads. */
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import type { Test } from 'tap'
import { testFolder } from '../folder.ts'
import { longestMs, startService, stop, until } from './service.ts'
import type { Service } from './service.ts'
import { dayDirectory, pathIn, put } from './tree.ts'

t.setTimeout(longestMs)

const program = '/usr/sbin/apache2'
const modules = '/usr/lib/apache2/modules'
/** Those that Debian's Apache has by itself, those that the example names, and what these need. */
const wanted = ['mpm_event', 'authz_core', 'socache_shmcb', 'ssl', 'alias', 'env']
wanted.push('proxy', 'proxy_http', 'headers', 'xsendfile')
const lacking = [program, ...wanted.map((name) => `${modules}/mod_${name}.so`)].find(
  (path) => !existsSync(path),
)
/** Apache never sends files as root. */
const user = process.getuid?.() === 0 ? 'www-data' : undefined
const ask = ['--reuid', user ?? '', '--clear-groups', 'test', '-x', process.cwd()]
const shut = user !== undefined && spawnSync('setpriv', ask).status !== 0
const skip =
  (lacking !== undefined && `no ${lacking} here`) || (shut && `${user} may not read what is here`)

/** Of this process alone, so that a port stays free until it is taken. */
const host = `127.${128 + ((process.pid >> 16) & 63)}.${(process.pid >> 8) & 255}.${process.pid & 255}`

async function freePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, host), 'listening')
  const { port } = server.address() as AddressInfo
  await once(server.close(), 'close')
  return port
}

/** The example without TLS, which is not what differs, and around it what Debian's configuration has. */
async function startApache(t: Test, { folder, archive, url }: Service): Promise<URL> {
  const port = await freePort()
  const example = readFileSync('config/apache.conf.example', 'utf8')
    .replace('*:80>', `${host}:1>`)
    .replace('*:443>', `${host}:${port}>`)
    .replaceAll(/^ *SSL.*\n/gm, '')
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${url.port}`)
    .replaceAll('/srv/gnss', `"${archive}"`)
  const loaded = wanted.map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`)
  const own = [`Listen ${host}:${port}`, 'ServerName localhost', 'PidFile pid', 'ErrorLog log']
  const users = user === undefined ? [] : [`User ${user}`, `Group ${user}`]
  const root = join(folder, 'apache')
  const conf = join(root, 'apache.conf')
  mkdirSync(root)
  writeFileSync(conf, [`ServerRoot "${root}"`, ...loaded, ...own, ...users, example].join('\n'))
  const { status, stderr } = spawnSync(program, ['-t', '-f', conf], { encoding: 'utf8' })
  t.equal(status, 0, stderr)
  const apache = spawn(program, ['-D', 'FOREGROUND', '-f', conf], { stdio: 'ignore' })
  t.teardown(() => stop(apache, 'SIGTERM'))
  const base = new URL(`http://${host}:${port}/rinex/data/`)
  await until('Apache answers', async () => (await fetch(base)).status === 200)
  return base
}

t.test('Apache sends what the service hands it', { skip }, async (t) => {
  const folder = testFolder(t, { archive: { obs: {}, nrt: {} } })
  const [file, other] = [1, 2].map((n) => pathIn(dayDirectory(3), n)) as [string, string]
  const content = gzipSync(randomBytes(300_000))
  put(join(folder, 'archive'), file, content)
  put(join(folder, 'archive'), other)
  const service = await startService(t, folder, { options: { SEND_FILES: 'x-sendfile' } })
  await until('all is listed', async () => (await service.count()) === 2)
  const base = await startApache(t, service)
  const get = async (path: string, headers = {}) => {
    const answer = await fetch(new URL(path, base), { headers })
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
    'last-modified': /GMT$/,
  })
  t.notOk(answer.headers.has('x-sendfile'))
  const tag = answer.headers.get('etag') ?? ''
  t.not((await get(other)).answer.headers.get('etag'), tag, 'each file has a tag of its own')

  const part = await get(file, { range: 'bytes=100-299', 'if-range': tag })
  t.equal(part.status, 206)
  t.same(part.body, content.subarray(100, 300))
  t.equal((await get(file, { range: 'bytes=0-1', 'if-range': '"x"' })).status, 200)
  t.equal((await get(file, { range: 'bytes=0-1,5-6' })).body.length, content.length)
  t.equal((await get(file, { 'if-none-match': tag })).status, 304)
  t.equal((await get(file, { 'if-match': '"x"' })).status, 412)
  t.equal((await get(pathIn(dayDirectory(3), 9))).body.toString(), '{"detail":"Not found."}')
})
