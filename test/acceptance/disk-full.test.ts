/** The disk of the database is full: the API answers, and the list equals the tree when there is space again. */
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
  untilReported,
} from './service.ts'
import { arrive, hourDirectory, paths, pathIn, put } from './tree.ts'
import { testFolder } from '../folder.ts'

const megabytes = slow ? 32 : 8
const newFiles = slow ? 5000 : 500
const watchedMs = slow ? 60_000 : 6000
const promisedMs = slow ? 30_000 : timeoutMs

t.setTimeout(longestMs)

t.test('on a full disk the API answers and the indexer waits', { skip: lacksMounts }, async (t) => {
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
  await untilReported(service, /cannot be written/)
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
  t.pass(`equal ${Math.round(tookMs)} ms after there was space`)
  await until('it has recovered', async () => (await service.status()).state === 'watching')
})

t.test('without space for a backup the indexer continues', { skip: lacksMounts }, async (t) => {
  const mounts = await openMounts(t)
  const folder = testFolder(t)
  mkdirSync(join(folder, 'var'))
  mounts.run(`mount -t tmpfs -o size=8m none ${folder}/var`)
  put(join(folder, 'archive'), pathIn(hourDirectory(), 0))
  const service = await startService(t, folder, {
    wrap: mounts.wrap(folder),
    database: 'var/catalogue.db',
  })
  const isLogged = (message: RegExp) => service.log.some(({ msg }) => message.test(msg))
  await until('a backup is made', () => isLogged(/^backup made$/))
  await stop(service.indexer, 'SIGTERM')
  mounts.run(`rm ${folder}/var/catalogue.db-backup-1`)
  mounts.run(`cat /dev/zero > ${folder}/var/filler 2> /dev/null || true`)
  // Some space, but less than twice the size of the smallest database.
  mounts.run(`truncate -s -128K ${folder}/var/filler`)
  service.startIndexer()
  await until('the backup is skipped', () => isLogged(/^backup skipped: /))
  arrive(service.archive, pathIn(hourDirectory(), 1))
  await untilEqual(service)
  t.equal(service.indexer.exitCode, null, 'the indexer runs')
})
