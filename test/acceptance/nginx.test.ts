/** The service behind a real nginx with the example configuration, with offloaded downloads. */
import { randomBytes } from 'node:crypto'
import { readFileSync, renameSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import type { OutgoingHttpHeaders } from 'node:http'
import { basename, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import t, { exact } from '../tap.ts'
import type { Test } from 'tap'
import { testFolder } from '../folder.ts'
import { bytesOf } from '../front-server.ts'
import { lacksNginx, startNginx } from '../nginx.ts'
import { longestMs, startService, until } from './service.ts'
import { arrive, dayDirectory, hourDirectory, pathIn, put } from './tree.ts'

t.setTimeout(longestMs)

const day = dayDirectory(3)
const file = pathIn(day, 1)
const emptied = pathIn(day, 2)
const replaced = pathIn(day, 3)
const hourly = pathIn(hourDirectory(2), 1)
const linked = `obs/older/${basename(pathIn(dayDirectory(400), 1))}`
const content = gzipSync(randomBytes(3_000_000))
const writtenSeconds = Math.floor(Date.now() / 1000) - 3 * 86_400

async function startBehindNginx(t: Test) {
  const disk = join(t.testdirName, 'disk')
  const folder = testFolder(t, {
    disk: {},
    archive: { obs: { older: t.fixture('symlink', disk) } },
  })
  const archive = join(folder, 'archive')
  put(archive, file, content)
  utimesSync(join(archive, file), writtenSeconds, writtenSeconds)
  for (const path of [emptied, replaced, hourly]) put(archive, path)
  writeFileSync(join(disk, basename(linked)), content)
  const options = { SEND_FILES: 'x-accel-redirect', LINKED_DIRECTORIES: disk, CHECKSUMS: 'all' }
  const service = await startService(t, folder, { options })
  await until('all is listed', async () => (await service.count()) === 5)
  const behind = { service: Number(service.url.port), archive }
  const nginx = await startNginx(t, join(folder, 'nginx'), behind)
  return { service, archive, ask: nginx.ask }
}

t.test('nginx sends the downloads of the service', { skip: lacksNginx }, async (t) => {
  const { service, archive, ask } = await startBehindNginx(t)
  const get = (path: string, headers?: OutgoingHttpHeaders) => ask(`/rinex/data/${path}`, headers)
  const tagOf = async (): Promise<string> => String((await get(file)).resume().headers.etag)
  const seconds = (ofFile: number): string => new Date(ofFile * 1000).toUTCString()

  t.test('nginx sends a file with the headers of the service', async (t) => {
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
      // These are made by nginx, from mtime and size.
      'last-modified': seconds(writtenSeconds),
      etag: `"${writtenSeconds.toString(16)}-${content.length.toString(16)}"`,
      'accept-ranges': 'bytes',
    }
    const answer = await get(file)
    t.equal(answer.statusCode, 200)
    t.match(answer.headers, sent)
    for (const name of ['x-accel-redirect', 'content-encoding']) t.notOk(name in answer.headers)
    t.ok((await bytesOf(answer)).equals(content))
    const head = await ask(`/rinex/data/${file}`, {}, 'HEAD')
    t.equal(head.statusCode, 200)
    t.match(head.headers, sent)
    t.equal((await bytesOf(head)).length, 0)
  })

  t.test('a download has its checksum', async (t) => {
    const digest = async () => (await get(emptied)).resume().headers['repr-digest']
    await until('it is hashed', async () => (await digest()) !== undefined)
    t.match(await digest(), /^sha-256=:/)
  })

  t.test('nginx answers range requests', async (t) => {
    const tag = await tagOf()
    for (const headers of [{}, { 'if-range': tag }, { 'if-range': seconds(writtenSeconds) }]) {
      const answer = await get(file, { range: 'bytes=100-299', ...headers })
      t.equal(answer.statusCode, 206)
      t.equal(answer.headers['content-range'], `bytes 100-299/${content.length}`)
      t.equal(answer.headers['x-content-type-options'], 'nosniff')
      t.same(await bytesOf(answer), content.subarray(100, 300))
    }
    for (const headers of [{ range: 'bytes=0-1,5-6' }, { range: 'bytes=0-1', 'if-range': '"x"' }]) {
      const whole = await get(file, headers)
      t.equal(whole.statusCode, 200)
      t.equal((await bytesOf(whole)).length, content.length)
    }
    const beyond = await get(file, { range: `bytes=${content.length}-` })
    t.equal(beyond.resume().statusCode, 416)
  })

  t.test('nginx answers conditional requests', async (t) => {
    const conditions: [headers: OutgoingHttpHeaders, status: number][] = [
      [{ 'if-none-match': await tagOf() }, 304],
      [{ 'if-none-match': '"x"' }, 200],
      [{ 'if-modified-since': seconds(writtenSeconds) }, 304],
      // A client whose part is younger than the file must get the rest.
      [{ 'if-modified-since': seconds(writtenSeconds + 60) }, 200],
      [{ 'if-modified-since': seconds(writtenSeconds + 60), range: 'bytes=100-299' }, 206],
      [{ 'if-modified-since': seconds(writtenSeconds - 60) }, 200],
      [{ 'if-match': '"x"' }, 412],
    ]
    for (const [headers, status] of conditions) {
      const answer = await get(file, headers)
      t.equal(answer.resume().statusCode, status, JSON.stringify(headers))
    }
  })

  t.test('nginx serves files under the paths of the former layout', async (t) => {
    const older = file.replace('obs/', 'obs_v3/')
    const answer = await get(older)
    t.equal(answer.statusCode, 200)
    t.ok((await bytesOf(answer)).equals(content))
    t.equal((await get(older.replace('.gz', '%2egz'))).resume().statusCode, 404)
    t.equal((await get('obs_v3/../../metrics')).resume().statusCode, 404)
    const withoutYear = hourly.replace(/^nrt\/\d{4}/, 'nrt')
    t.equal((await get(withoutYear)).resume().statusCode, 200)
    // The names and redirects of a listing are relative, so they work there too.
    const directory = withoutYear.slice(0, withoutYear.lastIndexOf('/'))
    const listing = (await bytesOf(await get(`${directory}/`))).toString()
    t.match(listing, `<a href="${basename(hourly)}">`)
    const redirect = await get(directory)
    t.equal(redirect.resume().statusCode, 301)
    t.equal(redirect.headers.location, `${basename(directory)}/`)
  })

  t.test('targets may have absolute form and empty segments', async (t) => {
    for (const path of [`//data//${file}`, `/data/obs_v3//${file.slice(4)}`]) {
      const answer = await ask(`https://archive.example.org/rinex${path}`)
      t.equal(answer.statusCode, 200, path)
      t.ok((await bytesOf(answer)).equals(content))
    }
  })

  t.test('clients cannot request the internal location', async (t) => {
    const within = `internal/archive/${file}`
    for (const path of [
      `/${within}`,
      `//${within}`,
      `/rinex/../${within}`,
      `/rinex/%2e./${within}`,
    ])
      t.equal((await ask(path)).resume().statusCode, 404, path)
    const answer = await ask('/rinex/data/x', { 'x-accel-redirect': `/${within}` })
    t.equal(answer.resume().statusCode, 404)
  })

  t.test('the service itself sends files of linked directories', async (t) => {
    const answer = await get(linked)
    const { size } = statSync(join(archive, linked))
    t.match(answer.headers.etag, new RegExp(`^"[0-9a-f]+-${size.toString(16)}-[0-9a-f]+-`))
    t.ok((await bytesOf(answer)).equals(content))
  })

  t.test('lists are compressed for clients that accept it, downloads are not', async (t) => {
    const compressed = { accept: 'application/json', 'accept-encoding': 'gzip' }
    for (const query of ['?limit=5', '?format=csv', '?format=ndjson']) {
      const path = `/rinex/api/rinex-file/${query}`
      const plain = await bytesOf(await ask(path, { accept: 'application/json' }))
      const answer = await ask(path, compressed)
      t.equal(answer.headers['content-encoding'], 'gzip', query)
      t.match(answer.headers.vary, /Accept-Encoding/)
      t.ok(gunzipSync(await bytesOf(answer)).equals(plain), query)
    }
    const { etag } = (await ask('/rinex/api/rinex-file/?limit=5', compressed)).resume().headers
    const conditional = { ...compressed, 'if-none-match': String(etag) }
    t.equal((await ask('/rinex/api/rinex-file/?limit=5', conditional)).resume().statusCode, 304)
    const download = await get(file, compressed)
    t.notOk('content-encoding' in download.headers)
    t.ok((await bytesOf(download)).equals(content))
    t.equal(download.headers['strict-transport-security'], 'max-age=31536000')
  })

  t.test('nginx passes on the error responses to refused downloads', async (t) => {
    const absent = await get(pathIn(day, 9))
    t.equal(absent.statusCode, 404)
    t.equal((await bytesOf(absent)).toString(), '{"detail":"Not found."}')

    writeFileSync(join(archive, emptied), content.subarray(0, 1000))
    const beingWritten = await get(emptied)
    t.equal(beingWritten.statusCode, 503)
    t.equal(beingWritten.headers['retry-after'], '5')
    t.match(JSON.parse((await bytesOf(beingWritten)).toString()), { detail: /being written/ })

    symlinkSync(basename(file), join(archive, `${replaced}.link`))
    renameSync(join(archive, `${replaced}.link`), join(archive, replaced))
    t.equal((await get(replaced)).resume().statusCode, 404)
  })

  t.test('nginx passes on lists, directory listings, long polls and events', async (t) => {
    const list = await ask('/rinex/api/rinex-file/?limit=1', { accept: 'application/json' })
    t.match(JSON.parse((await bytesOf(list)).toString()), { results: exact([{ id: Number }]) })
    const listing = await get(`${day}/`)
    t.match((await bytesOf(listing)).toString(), `<a href="${basename(file)}">`)

    const { seq } = await service.status()
    const changes = `/rinex/api/changes/?since=${seq}`
    const events = await ask(changes, { accept: 'text/event-stream' })
    const waiting = ask(`${changes}&wait=60`, { accept: 'application/json' })
    const arrived = pathIn(day, 7)
    arrive(archive, arrived)
    let received = ''
    for await (const chunk of events.setEncoding('utf8')) {
      received += String(chunk)
      if (received.includes(basename(arrived))) break
    }
    t.match(received, /^id: \d+$/m)
    t.match((await bytesOf(await waiting)).toString(), '"results":[{"seq"')
  })
  t.ok(readFileSync(join(archive, file)).equals(content))
})
