/** Downloads of files with other suffixes than `.gz`. */
import { chmodSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { ApiSettings } from '../../../src/api/http/settings.ts'
import { toIdentity } from '../../../src/catalogue/identity.ts'
import { createLayout, defaultLists } from '../../../src/parse/layout.ts'
import { checksumOf } from '../../catalogue/catalogue.ts'
import { laterThan } from '../../file-clock.ts'
import { compress } from '../../lzw.ts'
import t from '../../tap.ts'
import { day, openService } from '../service.ts'
import { parseAnswer, readToEnd, startSlowly } from '../wire.ts'

const lists = { ...defaultLists, suffixes: ['.gz', '.Z', ''] }
const text = 'a line of a RINEX file\n'.repeat(100_000)
const [packed, plain] = ['graz0220.26d.Z', 'graz0220.26o']
const types = { [packed]: 'application/x-compress', [plain]: 'text/plain; charset=us-ascii' }
const contents = { [packed]: compress(Buffer.from(text)), [plain]: Buffer.from(text) }

async function open(t: Test, settings: Partial<ApiSettings> = {}) {
  const service = await openService(t, { settings: { layout: createLayout(lists), ...settings } })
  await service.writer.adoptLayout(lists)
  for (const [name, content] of Object.entries(contents))
    await service.add(`${day}/${name}`, content)
  const get = (
    name: string,
    headers: Record<string, string> = {},
    method: 'GET' | 'HEAD' = 'GET',
  ) => service.app.inject({ method, url: `/rinex/data/${day}/${name}`, headers })
  return { ...service, get }
}

t.test('each suffix has its media type, and no file an encoding', async (t) => {
  const { get } = await open(t)
  for (const [name, content] of Object.entries(contents))
    for (const method of ['GET', 'HEAD'] as const) {
      const accept = { 'accept-encoding': 'gzip, br, zstd' }
      const { statusCode, headers, rawPayload } = await get(name, accept, method)
      t.equal(statusCode, 200, name)
      t.match(headers, {
        'content-type': types[name],
        'content-length': String(content.length),
        'content-disposition': `attachment; filename="${name}"`,
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
        'accept-ranges': 'bytes',
        etag: /^"[0-9a-f-]+"$/,
      })
      t.notOk('content-encoding' in headers)
      t.ok(rawPayload.equals(method === 'GET' ? content : Buffer.alloc(0)))
    }
})

t.test('a download is resumed, and the rest of another content is not', async (t) => {
  const { get, archive } = await open(t)
  for (const [name, content] of Object.entries(contents)) {
    const file = join(archive, day, name)
    const second = Math.floor(statSync(file).mtimeMs / 1000)
    utimesSync(file, second, second)
    const etag = String((await get(name, {}, 'HEAD')).headers.etag)
    const rest = { range: 'bytes=1000-', 'if-range': etag }
    const resumed = await get(name, rest)
    t.match(resumed, { statusCode: 206, headers: { 'content-type': types[name], etag } })
    t.ok(resumed.rawPayload.equals(content.subarray(1000)), name)
    t.equal((await get(name, { 'if-none-match': etag })).statusCode, 304)
    // The size, the mtime and the last bytes stay.
    await laterThan(file)
    const other = Buffer.from(content)
    other[500] = 1
    writeFileSync(file, other)
    utimesSync(file, second, second)
    const whole = await get(name, rest)
    t.equal(whole.statusCode, 200, `${name} was overwritten in place`)
    t.ok(whole.rawPayload.equals(other))
  }
})

// RFC 9110, 13.1.5: a date must be strong, that is, of one version alone (8.8.2.2).
t.test('a file that is overwritten while it is sent is not sent as a mixture', async (t) => {
  const service = await open(t)
  const large = Buffer.alloc(20_000_000, 'a line of a RINEX file\n')
  const port = await service.listen()
  const path = join(service.archive, day, 'zimm0220.26o')
  const sent = async (change: () => void) => {
    await service.add(`${day}/zimm0220.26o`, large)
    const socket = await startSlowly(port, `/rinex/data/${day}/zimm0220.26o`)
    await laterThan(path)
    change()
    return parseAnswer(await readToEnd(socket)).body
  }
  const whole = await sent(() => {
    chmodSync(path, 0o600)
  })
  t.ok(whole.equals(large), 'other permissions do not matter')
  const broken = await sent(() => {
    const { mtime } = statSync(path)
    writeFileSync(path, Buffer.from(large).fill('x', 0, large.length - 8))
    utimesSync(path, mtime, mtime)
  })
  t.ok(broken.length < large.length, 'the same size, mtime and last bytes')
})

t.test('they are offloaded, listed, and have checksums', async (t) => {
  const service = await open(t, { internalPrefix: '/internal/' })
  const { app, get, writer, archive } = service
  for (const name of [packed, plain]) {
    const { headers, payload } = await get(name)
    t.match(headers, {
      'x-accel-redirect': `/internal/${day}/${name}`,
      'content-type': types[name],
      'x-content-type-options': 'nosniff',
    })
    t.equal(payload, '')
  }
  const listing = await app.inject({ url: `/rinex/data/${day}/`, headers: { accept: 'text/html' } })
  for (const name of [packed, plain]) t.match(listing.payload, `href="${name}"`)
  const sha256 = Buffer.alloc(32, 7)
  const identity = toIdentity(statSync(join(archive, day, packed)))
  const id = await service.idOf(`${day}/${packed}`)
  await writer.keepChecksums([checksumOf(id, { ...identity, sha256 })], 0)
  const sums = await app.inject(`/rinex/data/${day}/SHA256SUMS`)
  t.match(sums.payload, `${sha256.toString('hex')}  ${packed}\n`)
  t.match(sums.payload, '# 1 files are not hashed yet')
})
