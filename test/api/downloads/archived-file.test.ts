import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { toUs } from '../../../src/catalogue/identity.ts'
import { change } from '../../catalogue/change.ts'
import { harmless, overwrite, replace } from '../../file-changes.ts'
import { laterThan } from '../../file-clock.ts'
import t from '../../tap.ts'
import { until } from '../../until.ts'
import type { Service } from '../service.ts'
import { day, dayFile, hour, hourFile, openService, shortFile } from '../service.ts'
import { parseAnswer, readToEnd, runEventLoop, sendRaw, startSlowly } from '../wire.ts'

const path = `${day}/${dayFile}`
const target = `/rinex/data/${path}`
const content = randomBytes(1000)
/** Several chunks, the last of them not full. */
const large = randomBytes(700_001)

/** Paths of the files below a directory that this process has open. */
function openBelow(directory: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`)
      return path.startsWith(`${directory}/`) ? [path] : []
    } catch {
      return [] // the file descriptor of this directory listing
    }
  })
}

async function updateRecord(service: Service): Promise<void> {
  const { size, mtimeMs } = statSync(join(service.archive, path))
  const facts = { size, mtimeUs: toUs(mtimeMs) }
  const modified = [{ id: await service.idOf(path), name: dayFile, ...facts }]
  await service.writer.apply([change(day, { modified })])
}

/** Adds a file, changes it while a slow client reads it, and returns all that the client gets. */
async function changeWhileSent(
  service: Service,
  port: number,
  sent: { readonly path: string; readonly bytes: Buffer; readonly apply: (file: string) => void },
): Promise<Buffer> {
  await service.add(sent.path, sent.bytes)
  const socket = await startSlowly(port, `/rinex/data/${sent.path}`)
  const file = join(service.archive, sent.path)
  await laterThan(file)
  sent.apply(file)
  return parseAnswer(await readToEnd(socket)).body
}

/** An mtime so old that a file is not taken for one that is being written. */
const oldMtime = new Date('2026-01-02T00:00:00Z')

t.test('a name in another letter case redirects to the only file that it can mean', async (t) => {
  const service = await openService(t)
  await service.add(path, content)
  await service.add(`${day}/${shortFile}`, content)
  const twice = ['zimm0220.26d.gz', 'ZIMM0220.26d.gz']
  for (const name of twice) await service.add(`${day}/${name}`, content)
  for (const name of [dayFile.toLowerCase(), dayFile.replace('GRAZ', 'graz')])
    for (const method of ['GET', 'HEAD'] as const) {
      const answer = await service.app.inject({ method, url: `/rinex/data/${day}/${name}` })
      t.equal(answer.statusCode, 303, name)
      t.equal(answer.headers.location, dayFile)
      t.equal((await service.app.inject(`/rinex/data/${day}/${dayFile}`)).statusCode, 200)
    }
  const upper = await service.app.inject(`/rinex/data/${day}/${shortFile.toUpperCase()}`)
  t.equal(upper.headers.location, shortFile)
  for (const name of twice)
    t.equal((await service.app.inject(`/rinex/data/${day}/${name}`)).statusCode, 200, name)
  const none = [
    `${day}/Zimm0220.26d.gz`,
    `${day.toUpperCase()}/${dayFile}`,
    `${hour}/${dayFile.toLowerCase()}`,
    `${day}/graz%30`,
    `${day}/${dayFile.toLowerCase()}x`,
  ]
  for (const other of none)
    t.equal((await service.app.inject(`/rinex/data/${other}`)).statusCode, 404, other)
})

t.test('a file is sent unchanged and with all its headers', async (t) => {
  const service = await openService(t)
  await service.add(path, content)
  await service.add(`${hour}/${hourFile}`, large)
  await service.add(`${day}/${shortFile}`, '')
  const answer = await service.app.inject(target)
  const { mtimeMs } = statSync(join(service.archive, path))
  t.equal(answer.statusCode, 200)
  t.same(answer.rawPayload, content)
  t.match(answer.headers, {
    'content-type': 'application/gzip',
    'content-length': '1000',
    'last-modified': new Date(Math.floor(mtimeMs / 1000) * 1000).toUTCString(),
    etag: /^"[0-9a-f-]+"$/,
    'accept-ranges': 'bytes',
    'content-disposition': `attachment; filename="${dayFile}"`,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'access-control-allow-origin': '*',
    'cache-control': 'no-cache',
  })
  t.notOk(answer.headers['content-encoding'])
  t.notOk(answer.headers['transfer-encoding'])
  const download = await service.app.inject(`/rinex/data/${hour}/${hourFile}?download`)
  t.same(download.rawPayload, large, 'several chunks; a query is ignored')
  const empty = await service.app.inject(`/rinex/data/${day}/${shortFile}`)
  t.equal(empty.statusCode, 200)
  t.equal(empty.headers['content-length'], '0')
  await until('all files are closed', () => openBelow(service.archive).length === 0)
})

const prlimit = `prlimit --pid ${process.pid} --nofile`
const limit = spawnSync('sh', ['-c', `${prlimit} --output SOFT --noheadings`])
const skip = limit.status === 0 ? false : 'prlimit is not installed'

t.test('without a free file descriptor a download gets 503', { skip }, async (t) => {
  const service = await openService(t)
  await service.add(path, content)
  t.equal((await service.app.inject(target)).statusCode, 200)
  // Restores the limit when it reads a line: no process can be started without file descriptors.
  const script = `read line; exec ${prlimit}=${limit.stdout.toString().trim()}:`
  const child = spawn('sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'] })
  const exited = once(child, 'exit')
  const restoreLimit = () => {
    if (child.exitCode === null) child.stdin.end('\n')
    return exited
  }
  t.teardown(restoreLimit)
  execFileSync('sh', ['-c', `exec ${prlimit}=1:`])
  const answer = await service.app.inject(target)
  await restoreLimit()
  t.equal(answer.statusCode, 503)
  t.equal(answer.headers['retry-after'], '5')
  t.match(answer.json(), { detail: 'Too many files are open at this moment.' })
  t.equal((await service.app.inject(target)).statusCode, 200)
})

t.test('a download answers range requests and conditional requests', async (t) => {
  const service = await openService(t)
  await service.add(path, large)
  const whole = await service.app.inject({ url: target, method: 'HEAD' })
  const etag = String(whole.headers.etag)
  const modified = String(whole.headers['last-modified'])
  const size = large.length
  const cases: [Record<string, string>, number, [number, number] | undefined][] = [
    [{ range: 'bytes=0-0' }, 206, [0, 1]],
    [{ range: 'bytes=100000-' }, 206, [100_000, size]],
    [{ range: 'bytes=262143-262144' }, 206, [262_143, 262_145]],
    [{ range: `bytes=262144-${size + 5}` }, 206, [262_144, size]],
    [{ range: 'bytes=-10' }, 206, [size - 10, size]],
    [{ range: 'bytes=0-9,20-29' }, 200, [0, size]],
    [{ range: 'bytes=9-0' }, 200, [0, size]],
    [{ range: `bytes=${size}-` }, 416, undefined],
    [{ range: 'bytes=0-9', 'if-range': etag }, 206, [0, 10]],
    [{ range: 'bytes=0-9', 'if-range': `W/${etag}` }, 200, [0, size]],
    [{ range: 'bytes=0-9', 'if-range': modified }, 200, [0, size]],
    [{ range: 'bytes=0-9', 'if-range': 'Thu, 01 Jan 2026 00:00:00 GMT' }, 200, [0, size]],
    [{ 'if-none-match': etag }, 304, undefined],
    [{ 'if-none-match': `"x", W/${etag}`, range: 'bytes=0-9' }, 304, undefined],
    [{ 'if-modified-since': modified }, 304, undefined],
    [{ 'if-modified-since': 'Thu, 01 Jan 2026 00:00:00 GMT' }, 200, [0, size]],
    // A later date, of an interrupted download.
    [{ 'if-modified-since': 'Thu, 01 Jan 2099 00:00:00 GMT' }, 200, [0, size]],
    [{ 'if-match': '"x"' }, 412, undefined],
    [{ 'if-match': etag, range: 'bytes=0-9' }, 206, [0, 10]],
    [{ 'if-unmodified-since': 'Thu, 01 Jan 2026 00:00:00 GMT' }, 412, undefined],
  ]
  for (const [headers, status, part] of cases) {
    const name = JSON.stringify(headers)
    const answer = await service.app.inject({ url: target, headers })
    t.equal(answer.statusCode, status, name)
    if (part !== undefined) {
      t.ok(answer.rawPayload.equals(large.subarray(...part)), name)
      t.equal(answer.headers['content-length'], String(part[1] - part[0]), name)
    }
    const ranges: Record<number, string> = {
      206: `bytes ${part?.[0] ?? 0}-${(part?.[1] ?? 0) - 1}/${size}`,
      416: `bytes */${size}`,
    }
    t.equal(answer.headers['content-range'], ranges[status], name)
    if (status < 400) t.equal(answer.headers.etag, etag, name)
    if (status === 304) t.equal(answer.body, '')
    if (status >= 400) t.match(answer.json(), { detail: /\w/ })
    const head = await service.app.inject({ url: target, headers, method: 'HEAD' })
    t.equal(head.statusCode, status === 206 || status === 416 ? 200 : status, `HEAD ${name}`)
    t.equal(head.body, '')
    if (head.statusCode === 200) t.equal(head.headers['content-length'], String(size))
  }
  await until('all files are closed', () => openBelow(service.archive).length === 0)
})

t.test('a file that is overwritten with the same size and time has another ETag', async (t) => {
  const service = await openService(t)
  await service.add(path, content)
  const file = join(service.archive, path)
  const mtime = new Date(1_700_000_000_000)
  utimesSync(file, mtime, mtime)
  await updateRecord(service)
  const first = await service.app.inject(target)
  await laterThan(file)
  overwrite(file, randomBytes(1000))
  const second = await service.app.inject(target)
  t.ok(second.rawPayload.equals(readFileSync(file)))
  t.equal(second.headers['last-modified'], first.headers['last-modified'])
  t.not(second.headers.etag, first.headers.etag, 'with the same size and mtime')
  rmSync(file)
  t.equal((await service.app.inject(target)).statusCode, 404, 'removed since')
})

t.test('a young file that differs from its record gets 503', async (t) => {
  const service = await openService(t)
  await service.add(path, content)
  const file = join(service.archive, path)
  writeFileSync(file, randomBytes(500))
  for (const method of ['GET', 'HEAD'] as const) {
    const answer = await service.app.inject({ url: target, method })
    t.equal(answer.statusCode, 503, method)
    t.equal(answer.headers['retry-after'], '5')
    t.notOk(answer.headers.etag)
    t.notOk(answer.headers['content-disposition'])
  }
  const elevenMinutesAgo = new Date(Date.now() - 11 * 60_000)
  utimesSync(file, elevenMinutesAgo, elevenMinutesAgo)
  t.equal((await service.app.inject(target)).statusCode, 200, 'an old file is served')
  const now = new Date()
  utimesSync(file, now, now)
  await updateRecord(service)
  t.equal((await service.app.inject(target)).statusCode, 200, 'young, but as catalogued')
  // A time that is no exact number of microseconds in a double.
  utimesSync(file, Date.UTC(2300, 0) / 1000, Date.UTC(2300, 0) / 1000)
  await updateRecord(service)
  t.equal((await service.app.inject(target)).statusCode, 200, 'an mtime far in the future')
})

t.test('a path gets 404 if it leads out of the archive or not to a regular file', async (t) => {
  const service = await openService(t)
  const outside = join(dirname(service.archive), 'outside')
  mkdirSync(outside)
  writeFileSync(join(outside, dayFile), 'secret')
  mkdirSync(join(service.archive, 'obs/2026'), { recursive: true })
  const at = (place: string) => join(service.archive, place)
  const cases: [string, string, (file: string) => void][] = [
    ['a symlink to a file', '011', (file) => symlinkSync(join(outside, dayFile), file)],
    ['a symlink to /etc/passwd', '012', (file) => symlinkSync('/etc/passwd', file)],
    ['a directory', '013', (file) => mkdirSync(file)],
    ['a FIFO', '014', (file) => execFileSync('mkfifo', [file])],
    ['a dangling symlink', '015', (file) => symlinkSync('nothing', file)],
    ['nothing', '016', () => {}],
    ['a symlink to a name that is too long', '018', (file) => symlinkSync('a'.repeat(300), file)],
  ]
  for (const [what, folder, plant] of cases) {
    const directory = `obs/2026/${folder}`
    mkdirSync(at(directory))
    plant(at(`${directory}/${dayFile}`))
    await service.addNames(directory, [dayFile])
    const answer = await service.app.inject(`/rinex/data/${directory}/${dayFile}`)
    t.equal(answer.statusCode, 404, what)
    t.same(answer.json(), { detail: 'Not found.' })
  }
  symlinkSync(outside, at('obs/2026/017'))
  await service.addNames('obs/2026/017', [dayFile])
  const linked = await service.app.inject(`/rinex/data/obs/2026/017/${dayFile}`)
  t.equal(linked.statusCode, 404, 'a symlink to a directory')
  const lines = service.log.filter(({ msg }) => msg === 'catalogued file is not served')
  t.equal(lines.length, 8, 'one log line for each')
  t.match(lines.at(-1), {
    id: 8,
    directory: 'obs/2026/017',
    why: `outside the archive, at ${realpathSync(outside)}/${dayFile}`,
  })
  for (const place of [service.archive, outside])
    await until('all files are closed', () => openBelow(place).length === 0)
})

t.test('a path that is not in the catalogue gets 404', async (t) => {
  const service = await openService(t)
  await service.add(path, content)
  const removed = [await service.idOf(path)]
  writeFileSync(join(service.archive, day, shortFile), 'unlisted')
  const unlisted = [`${day}/${shortFile}`, `${path}/`, `obs/2026/01/${dayFile}`, 'nrt/', 'other/']
  for (const each of unlisted)
    t.equal((await service.app.inject(`/rinex/data/${each}`)).statusCode, 404, each)
  await service.writer.apply([change(day, { removed })])
  t.equal((await service.app.inject(target)).statusCode, 404, 'also after its removal')
})

t.test('symlinks may lead to the linked directories of the configuration', async (t) => {
  const disk = t.testdirName
  const service = await openService(t, { settings: { linkedDirectories: [join(disk, 'disk')] } })
  mkdirSync(join(service.archive, 'obs/2026'), { recursive: true })
  // The name of the one that is not linked begins with that of the linked one.
  for (const name of ['disk', 'disk-old']) {
    mkdirSync(join(disk, name))
    writeFileSync(join(disk, name, dayFile), content)
    utimesSync(join(disk, name, dayFile), oldMtime, oldMtime)
    symlinkSync(join(disk, name), join(service.archive, 'obs/2026', name))
    await service.addNames(`obs/2026/${name}`, [dayFile])
    mkdirSync(join(service.archive, 'nrt/2026', name), { recursive: true })
    symlinkSync(join(disk, name, dayFile), join(service.archive, 'nrt/2026', name, dayFile))
    await service.addNames(`nrt/2026/${name}`, [dayFile])
  }
  const status = async (place: string) =>
    (await service.app.inject(`/rinex/data/${place}/${dayFile}`)).statusCode
  t.equal(await status('obs/2026/disk'), 200)
  t.equal(await status('nrt/2026/disk'), 200, 'a symlink to a file')
  t.equal(await status('obs/2026/disk-old'), 404)
  t.equal(await status('nrt/2026/disk-old'), 404)
})

t.test('the archive root may be a symlink, and the symlink may change', async (t) => {
  const disks = t.testdirName
  const archive = join(disks, 'root')
  const service = await openService(t, { settings: { archive } })
  await service.addNames(day, [dayFile])
  for (const disk of ['one', 'two']) {
    mkdirSync(join(disks, disk, day), { recursive: true })
    writeFileSync(join(disks, disk, path), disk)
    utimesSync(join(disks, disk, path), oldMtime, oldMtime)
  }
  symlinkSync('one', archive)
  t.equal((await service.app.inject(target)).body, 'one')
  rmSync(archive)
  symlinkSync('two', archive)
  t.equal((await service.app.inject(target)).body, 'two')
  rmSync(archive)
  t.equal((await service.app.inject(target)).statusCode, 503, 'without the archive')
})

t.test('a client that leaves keeps no file open', async (t) => {
  const service = await openService(t)
  await service.add(path, Buffer.alloc(32 * 1024 * 1024))
  const port = await service.listen()
  const sockets = await Promise.all([1, 2, 3, 4].map(() => startSlowly(port, target)))
  t.equal(openBelow(service.archive).length, 4)
  for (const socket of sockets) socket.destroy()
  await until('all files are closed', () => openBelow(service.archive).length === 0)
  const errors = service.log.filter(({ level }) => Number(level) >= 40)
  t.same(errors, [], 'and is no error')
})

t.test('clients that leave before their file is opened keep no file open', async (t) => {
  let lookups = 0
  let open = (): void => undefined
  const gate = new Promise<void>((resolve) => (open = resolve))
  const service = await openService(t, {
    reader: (reader) => ({
      file: async (query) => {
        lookups++
        await gate
        return reader.file(query)
      },
    }),
  })
  await service.add(path, large)
  const port = await service.listen()
  const request = `GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`
  const sockets = Array.from({ length: 50 }, () => connect(port, '127.0.0.1'))
  for (const socket of sockets) socket.on('error', () => undefined).write(request)
  await until('all wait', () => lookups === sockets.length)
  for (const socket of sockets) socket.resetAndDestroy()
  const left = () => service.log.filter(({ status }) => status === 499).length
  await until('all have left', () => left() === sockets.length)
  open()
  await runEventLoop()
  await until('all files are closed', () => openBelow(service.archive).length === 0)
  const errors = service.log.filter(({ level }) => Number(level) >= 40)
  t.same(errors, [], 'and is no error')
})

t.test('pipelined downloads are complete and in order, with one file open at a time', async (t) => {
  const warnings: Error[] = []
  const warn = (warning: Error): unknown => warnings.push(warning)
  process.on('warning', warn)
  t.teardown(() => process.removeListener('warning', warn))
  const service = await openService(t)
  await service.add(path, large)
  const port = await service.listen()
  const count = 20
  const request = `GET ${target} HTTP/1.1\r\nHost: x\r\n`
  const earlier = `${request}\r\n`.repeat(count - 1)
  const all = (await sendRaw(port, `${earlier}${request}Connection: close\r\n\r\n`)).body
  let at = 0
  for (let n = 0; n < count; n++) {
    if (n > 0) at = all.indexOf('\r\n\r\n', at) + 4
    t.ok(all.subarray(at, at + large.length).equals(large), `file ${n} is complete`)
    at += large.length
  }
  const slow = await startSlowly(port, target, `\r\n${earlier}${request}`)
  // The kernel buffers may take the first few, but not all.
  await until('one is being sent', () => openBelow(service.archive).length === 1)
  await runEventLoop()
  t.ok(openBelow(service.archive).length <= 1, 'the others have no file open')
  slow.destroy()
  await until('no file is open', () => openBelow(service.archive).length === 0)
  t.strictSame(warnings, [])
})

t.test('if a file changes while it is sent, the connection is closed', async (t) => {
  const bytes = Buffer.alloc(32 * 1024 * 1024, 'a')
  const changes = {
    truncated: (file: string) => truncateSync(file, 1_000_000),
    grown: (file: string) => appendFileSync(file, 'x'),
    'overwritten in place': overwrite,
  }
  const service = await openService(t)
  const port = await service.listen()
  for (const [index, [what, apply]] of Object.entries(changes).entries()) {
    const file = `obs/2026/10${index}/${dayFile}`
    const received = await changeWhileSent(service, port, { path: file, bytes, apply })
    t.ok(received.length < bytes.length, `${what}: ${received.length} of ${bytes.length} bytes`)
  }
  const warnings = service.log.filter(({ level }) => Number(level) >= 40)
  t.equal(warnings.length, Object.keys(changes).length)
  // The reason is the change, not a timeout of the connection.
  for (const line of warnings)
    t.match(line, { err: { message: /^(?:truncated|changed) while it was sent$/ } })
  await until('all files are closed', () => openBelow(service.archive).length === 0)
})

t.test('a file that keeps its bytes is sent completely, even if its path changes', async (t) => {
  const changes = {
    'replaced by another': (file: string) => replace(file, Buffer.from('new')),
    removed: (file: string) => rmSync(file),
    ...harmless,
  }
  const service = await openService(t)
  const port = await service.listen()
  const bytes = randomBytes(16 * 1024 * 1024)
  for (const [index, [what, apply]] of Object.entries(changes).entries()) {
    const file = `obs/2026/10${index}/${dayFile}`
    t.ok((await changeWhileSent(service, port, { path: file, bytes, apply })).equals(bytes), what)
  }
  await until('all files are closed', () => openBelow(service.archive).length === 0)
})

t.test('the ETag depends on the bytes of a file, not on links or permissions', async (t) => {
  const service = await openService(t)
  await service.add(path, content)
  const file = join(service.archive, path)
  utimesSync(file, oldMtime, oldMtime)
  await updateRecord(service)
  const tag = async () => (await service.app.inject({ url: target, method: 'HEAD' })).headers.etag
  const first = await tag()
  for (const [what, apply] of Object.entries({
    ...harmless,
    'hard link removed': (path: string) => rmSync(`${path}.link`),
  })) {
    await laterThan(file)
    apply(file)
    t.equal(await tag(), first, what)
  }
  const otherEnd = Buffer.concat([content.subarray(0, -4), Buffer.from('ends')])
  overwrite(file, otherEnd)
  t.not(await tag(), first, 'overwritten in place by `cp -p`: same inode, size and mtime')
})

t.test('a file dated in the future has no Last-Modified', async (t) => {
  const service = await openService(t)
  await service.add(path, content)
  const later = new Date(Date.now() + 3_600_000)
  utimesSync(join(service.archive, path), later, later)
  await updateRecord(service)
  const headers = { 'if-modified-since': later.toUTCString() }
  const answer = await service.app.inject({ url: target, headers })
  t.equal(answer.statusCode, 200)
  t.notOk(answer.headers['last-modified'])
  t.ok(answer.headers.etag)
  const since = { 'if-unmodified-since': oldMtime.toUTCString() }
  t.equal((await service.app.inject({ url: target, headers: since })).statusCode, 200)
})
