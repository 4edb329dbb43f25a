/** An archive of another layout, and the change to another one while clients know its ids. */
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { testFolder } from '../folder.ts'
import t from '../tap.ts'
import type { Service } from './service.ts'
import { fetchAlone, longestMs, startService, stop, until } from './service.ts'
import { arrive, put } from './tree.ts'

const kills = 5

t.setTimeout(longestMs)

/** The ids of the list by the path below the archive. */
async function idsOf(service: Service): Promise<Record<string, number>> {
  const list = [...(await service.list())].map(([path, { id }]): [string, number] => [path, id])
  return Object.fromEntries(list.sort())
}

const statusOf = async ({ url }: Service, path: string): Promise<number> =>
  (await fetchAlone(new URL(`/rinex/data/${path}`, url))).status

async function end({ indexer, api }: Service): Promise<void> {
  await Promise.all([stop(indexer, 'SIGTERM'), stop(api, 'SIGTERM')])
}

t.test('all of an archive is listed, then parts of it, and ids stay', async (t) => {
  const folder = testFolder(t)
  const archive = `${folder}/archive`
  const station = (code: string): string => `${code}00AUT_R_20240010000_01D_30S_MO.crx.gz`
  const found = [
    station('ROOT'),
    `stations/graz/${station('GRAZ')}`,
    `pub/rinex3/2024/001/${station('ZIMM')}`,
    `pub/rinex3/raw/${station('WTZR')}`,
  ]
  for (const path of found) put(archive, path)
  const whole = await startService(t, folder, { options: { AREAS: '.' } })
  await until('the first scan ends', whole.ready)
  const before = await idsOf(whole)
  t.same(Object.keys(before), found.toSorted())
  for (const path of found) t.equal(await statusOf(whole, path), 200, path)
  for (const path of ['', 'stations/', 'SHA256SUMS', 'pub/rinex3/raw/'])
    t.equal(await statusOf(whole, path), 200, path)
  const arrived = `stations/graz/${station('ONSA')}`
  arrive(archive, arrived, gzipSync('y'))
  await until('a file arrives', async () => (await whole.count()) === 5)
  const all = await idsOf(whole)
  await end(whole)

  const options = { AREAS: 'pub/rinex3,stations', EXCLUDE: 'raw/' }
  const parts = await startService(t, folder, { options })
  // It is killed while it puts the records right, or looks at the tree.
  for (let kill = 0; kill < kills; kill++) {
    await pause(100 * (kill + 1))
    await stop(parts.indexer, 'SIGKILL')
    parts.startIndexer()
  }
  const { [station('ROOT')]: root, [`pub/rinex3/raw/${station('WTZR')}`]: raw, ...left } = all
  t.ok(root !== undefined && raw !== undefined)
  await until('the others are left', async () => (await parts.count()) === 3)
  t.same(await idsOf(parts), left)
  await until('it is in order', async () => (await parts.status()).state === 'watching')
  t.match((await parts.status()).areas, {
    'pub/rinex3': { files: 1 },
    stations: { files: 2 },
  })
  t.equal(await parts.check(), 'nothing differs\n')
  for (const path of ['pub/', 'pub/rinex3/', arrived])
    t.equal(await statusOf(parts, path), 200, path)
  for (const path of [station('ROOT'), 'pub/rinex3/raw/', `pub/rinex3/raw/${station('WTZR')}`])
    t.equal(await statusOf(parts, path), 404, path)
  await end(parts)

  const back = await startService(t, folder, { options: { AREAS: '.' } })
  await until('they are back', async () => (await back.count()) === 5)
  t.same(await idsOf(back), all, 'with their ids')
  t.equal(await back.check(), 'nothing differs\n')
})
