/** No room left for the database: the list is answered as before, and agrees with the tree once there is room. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import {
  lacksMounts,
  longestMs,
  openMounts,
  timeoutMs,
  slow,
  startService,
  stop,
  until,
  untilEqual,
  untilTold,
} from './service.ts'
import { arrive, hourDirectory, paths, pathIn, put } from './tree.ts'
import { testFolder } from '../folder.ts'

const megabytes = slow ? 32 : 8
const newFiles = slow ? 5000 : 500
const watchedMs = slow ? 60_000 : 6000
const promisedMs = slow ? 30_000 : timeoutMs

t.setTimeout(longestMs)

t.test('a database on a disk that is full', { skip: lacksMounts }, async (t) => {
  const mounts = await openMounts(t)
  const folder = testFolder(t)
  mkdirSync(join(folder, 'var'))
  mounts.run(`mount -t tmpfs -o size=${megabytes}m none ${folder}/var`)
  put(join(folder, 'archive'), pathIn(hourDirectory(), 0))
  const service = await startService(t, folder, {
    wrap: mounts.wrap(folder),
    database: 'var/catalogue.db',
  })
  await until('the first scan ends', service.ready)

  mounts.run(`cat /dev/zero > ${folder}/var/filler 2> /dev/null || true`)
  for (const path of paths(hourDirectory(), newFiles, 1)) arrive(service.archive, path)
  await untilTold(service, /cannot be written/)
  t.equal((await service.status()).state, 'degraded')

  let [answers, refusals] = [0, 0]
  const endMs = performance.now() + watchedMs
  await until('some time has passed', async () => {
    answers++
    if ((await service.get('?limit=5')).status !== 200) refusals++
    return performance.now() > endMs
  })
  t.equal(refusals, 0, `${answers} requests, all answered`)
  t.equal(service.indexer.exitCode, null, 'the indexer still runs')

  mounts.run(`rm ${folder}/var/filler`)
  const tookMs = await untilEqual(service, promisedMs)
  t.pass(`equal ${Math.round(tookMs)} ms after there was room`)
  await until('well again', async () => (await service.status()).state === 'watching')
})

t.test('no room for a backup', { skip: lacksMounts }, async (t) => {
  const mounts = await openMounts(t)
  const folder = testFolder(t)
  mkdirSync(join(folder, 'var'))
  mounts.run(`mount -t tmpfs -o size=8m none ${folder}/var`)
  put(join(folder, 'archive'), pathIn(hourDirectory(), 0))
  const service = await startService(t, folder, {
    wrap: mounts.wrap(folder),
    database: 'var/catalogue.db',
  })
  const reported = (words: RegExp) => service.log.some(({ msg }) => words.test(msg))
  await until('a backup where there is room', () => reported(/^backup made$/))
  await stop(service.indexer, 'SIGTERM')
  mounts.run(`rm ${folder}/var/catalogue.db-backup-1`)
  mounts.run(`cat /dev/zero > ${folder}/var/filler 2> /dev/null || true`)
  // Some room, but not twice the size of the smallest database.
  mounts.run(`truncate -s -128K ${folder}/var/filler`)
  service.startIndexer()
  await until('it says so', () => reported(/^backup skipped: /))
  arrive(service.archive, pathIn(hourDirectory(), 1))
  await untilEqual(service)
  t.equal(service.indexer.exitCode, null, 'and works on')
})
