/** Large directories, the listing cache and the byte quota. */
import { once } from 'node:events'
import t from 'tap'
import { buildListing } from '../../../src/api/listings/build.ts'
import { listingFormats } from '../../../src/api/listings/formats.ts'
import { openByteQuota } from '../../../src/api/listings/byte-quota.ts'
import { openListingCache } from '../../../src/api/listings/cache.ts'
import { change, newFile } from '../../catalogue/change.ts'
import { day, openService } from '../service.ts'
import { readToEnd, startSlowly, until } from '../wire.ts'

const facts = { size: 2_000_000, mtimeUs: 1_769_058_000_000_000 }

function names(count: number): string[] {
  return Array.from(
    { length: count },
    (_, n) =>
      `${(n + 10 * 36 ** 3).toString(36).toUpperCase()}00AUT_R_20260010000_01D_30S_MO.crx.gz`,
  )
}

t.test('a listing of several chunks is complete: files, and directories', async (t) => {
  const { app, writer } = await openService(t)
  const files = names(3500)
  await writer.apply([change(day, { added: files.map((name) => newFile(name, facts)) })])
  const directories = Array.from({ length: 1300 }, (_, n) => `s${String(n).padStart(4, '0')}`)
  const [one = ''] = files
  await writer.apply(
    directories.map((name) => change(`obs/${name}`, { added: [newFile(one, facts)] })),
  )
  const listed = await app.inject(`/rinex/data/${day}/?format=json`)
  t.same(
    listed.json<{ name: string }[]>().map(({ name }) => name),
    files,
  )
  const above = await app.inject('/rinex/data/obs/')
  const found = Array.from(above.body.matchAll(/^<a href="([^"]*)\/">/gm), ([, name]) => name)
  t.same(found, ['..', '2026', ...directories])
})

t.test('the event loop runs between the chunks of a listing', async (t) => {
  const { reader, writer } = await openService(t)
  await writer.apply([change(day, { added: names(3500).map((name) => newFile(name, facts)) })])
  let ticks = 0
  let isRunning = true
  const count = (): void => {
    ticks++
    if (isRunning) setImmediate(count)
  }
  setImmediate(count)
  await buildListing(reader, { directory: day, path: '/', format: listingFormats.html })
  isRunning = false
  t.ok(ticks >= 3, `${ticks} ticks`)
})

t.test('names are escaped in HTML', async (t) => {
  const { html } = listingFormats
  const line = html.file({ name: `<a'&">`, size: 1, mtimeUs: 0 })
  t.match(line, '<a href="&lt;a&#39;&amp;&quot;&gt;">&lt;a&#39;&amp;&quot;&gt;</a>')
  t.match(html.begin('/<b>/', false), '<title>Index of /&lt;b&gt;/</title>')
})

t.test('a name longer than its column is not truncated', async (t) => {
  const name = 'x'.repeat(80)
  t.equal(
    listingFormats.html.file({ name, size: 10 ** 12, mtimeUs: 0 }),
    `<a href="${name}">${name}</a> 01-Jan-1970 00:00       1000000000000\n`,
  )
})

t.test('concurrent requests for a listing share one build', async (t) => {
  const cache = openListingCache()
  let builds = 0
  const build = async () => {
    await new Promise((resolve) => setImmediate(resolve))
    return Buffer.from(String(builds++))
  }
  const both = await Promise.all([cache.get('a', '1', build), cache.get('a', '1', build)])
  const [first, second] = both
  t.equal(first, second)
  t.equal(await cache.get('a', '1', build), first, 'cached while the version is the same')
  t.equal(builds, 1)
  t.not(await cache.get('a', '2', build), first)
  t.not(await cache.get('b', '2', build), await cache.get('a', '2', build))
  t.equal(builds, 3)
})

t.test('a failed build is not cached', async (t) => {
  const cache = openListingCache()
  await t.rejects(cache.get('a', '1', () => Promise.reject(new Error('away'))))
  t.same(await cache.get('a', '1', () => Promise.resolve(Buffer.from('x'))), Buffer.from('x'))
})

t.test(
  'the cache evicts the least recently used, and never holds a listing over its entry limit',
  async (t) => {
    const cache = openListingCache()
    const megabyte = 1024 * 1024
    const built: string[] = []
    const get = (key: string, megabytes = 3.9) =>
      cache.get(key, '1', () => {
        built.push(key)
        return Promise.resolve(Buffer.alloc(Math.floor(megabytes * megabyte)))
      })
    for (const key of ['a', 'b', 'c', 'd']) await get(key)
    await get('a')
    await get('e')
    t.same(built, ['a', 'b', 'c', 'd', 'e'])
    await get('a')
    await get('b')
    t.same(built.slice(5), ['b'], 'the most recently used stayed')
    await get('large', 9)
    await get('large', 9)
    t.same(built.slice(6), ['large', 'large'])
  },
)

t.test('the byte quota limits bodies in flight: 429 when full', async (t) => {
  const service = await openService(t)
  const byteQuota = openByteQuota(1000)
  const bodies = ['a', 'b'].map((letter) => Buffer.from(letter.repeat(600)))
  const finish: (() => void)[] = []
  service.app.get('/hold/:which', async (request, reply) => {
    byteQuota.acquire(
      reply,
      bodies[Number((request.params as { which: string }).which)] ?? Buffer.alloc(0),
    )
    reply.hijack()
    reply.raw.write('x')
    finish.push(() => reply.raw.end())
    return reply
  })
  const port = await service.listen()
  const statusOf = async (which: number) => (await service.app.inject(`/hold/${which}`)).statusCode
  const first = await startSlowly(port, '/hold/0')
  const second = await startSlowly(port, '/hold/0')
  t.equal(await statusOf(1), 429)
  first.destroy()
  const ended = readToEnd(second)
  for (const end of finish) end()
  await ended
  let third: Awaited<ReturnType<typeof startSlowly>> | undefined
  await until(async () => {
    third = await startSlowly(port, '/hold/1')
    return finish.length === 3
  }, 'the quota is free again')
  if (third !== undefined) {
    third.destroy()
    await once(third, 'close')
  }
})
