/** The cache of small files: a cached file is served only while it is unchanged on disk. */
import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import t from '../../tap.ts'
import type { Test } from 'tap'
import { openFileCache } from '../../../src/api/downloads/file-cache.ts'
import { testFolder } from '../../folder.ts'
import { laterThan } from '../../file-clock.ts'
import { catalogue, day, dayFile, openService } from '../service.ts'

const url = `/rinex/data/${day}/${dayFile}`
const then = new Date('2026-01-02T00:00:00Z')

async function cached(t: Test) {
  const path = join(testFolder(t, { file: 'content' }), 'file')
  utimesSync(path, then, then)
  const cache = openFileCache()
  const stats = statSync(path)
  const file = { path, stats, tail: Buffer.from('content') }
  await laterThan(path)
  return { path, cache, file, later: stats.ctimeMs + 3000 }
}

t.test('any change of a file invalidates its cache entry', async (t) => {
  const changes: Record<string, (path: string) => void> = {
    'replaced, with the same size and mtime': (path) => {
      writeFileSync(`${path}.new`, 'CONTENT')
      utimesSync(`${path}.new`, then, then)
      renameSync(`${path}.new`, path)
    },
    'rewritten in place, with its times restored': (path) => {
      writeFileSync(path, 'CONTENT')
      utimesSync(path, then, then)
    },
    longer: (path) => appendFileSync(path, 'x'),
    'other permissions': (path) => chmodSync(path, 0o600),
    'another hard link': (path) => linkSync(path, `${path}.link`),
    removed: (path) => rmSync(path),
    'a directory': (path) => {
      rmSync(path)
      mkdirSync(path)
    },
    'a dangling symlink': (path) => {
      rmSync(path)
      symlinkSync('missing', path)
    },
  }
  for (const [what, change] of Object.entries(changes)) {
    const { path, cache, file, later } = await cached(t)
    cache.keep(file, Buffer.from('content'), later)
    t.match(await cache.find(path), { bytes: Buffer.from('content') }, `${what}: before`)
    change(path)
    t.equal(await cache.find(path), undefined, what)
    t.equal(await cache.find(path), undefined, 'and it was evicted')
  }
})

t.test('the cache stores a copy, and does not store a file that has just changed', async (t) => {
  const { path, cache, file, later } = await cached(t)
  cache.keep(file, Buffer.from('content'), later - 2000)
  t.equal(await cache.find(path), undefined)
  const buffer = Buffer.from('content')
  cache.keep(file, buffer, later)
  buffer.fill('x')
  t.equal((await cache.find(path))?.bytes.toString(), 'content')
})

t.test('a response from the cache equals a response from disk', async (t) => {
  // Ten seconds ahead, so that the file is old enough for the cache.
  const nowUs = () => (Date.now() + 10_000) * 1000
  const { app, archive, writer } = await openService(t, { deps: () => ({ nowUs }) })
  const path = join(archive, day, dayFile)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, 'the content')
  utimesSync(path, then, then)
  await catalogue(writer, archive, `${day}/${dayFile}`)
  const send = async (method: 'GET' | 'HEAD', headers: Record<string, string> = {}) => {
    const { statusCode, body, headers: received } = await app.inject({ method, url, headers })
    const comparable = Object.entries(received).filter(
      ([name]) => !/^(date|x-request-id)$/.test(name),
    )
    return { statusCode, body, headers: Object.fromEntries(comparable) }
  }
  const all = async (etag: string) => [
    await send('HEAD'),
    await send('GET', { range: 'bytes=4-6' }),
    await send('GET', { range: 'bytes=99-' }),
    await send('GET', { 'if-none-match': etag }),
    await send('GET', { 'if-match': '"other"' }),
    await send('GET'),
  ]
  const etag = String((await send('HEAD')).headers['etag'])
  const first = await all(etag)
  t.match(first.at(-1), { statusCode: 200, body: 'the content' })
  t.match(first[1], { statusCode: 206, body: 'con' })
  t.same(await all(etag), first)
  writeFileSync(join(dirname(path), 'part'), 'THE CONTENT')
  utimesSync(join(dirname(path), 'part'), then, then)
  renameSync(join(dirname(path), 'part'), path)
  t.equal((await send('GET')).body, 'THE CONTENT', 'replaced, with the same size and mtime')
  t.not((await send('HEAD')).headers['etag'], etag)
  rmSync(path)
  t.equal((await send('GET')).statusCode, 404)
})
