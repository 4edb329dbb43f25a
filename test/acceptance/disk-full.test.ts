/**
 * The disk of the database is full, has no inodes left, or is read-only: the list is answered as before, the indexer goes on,
 * and the list agrees with the tree once the disk is well.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Test } from 'tap'
import {
  lacksMounts,
  lacksStrace,
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
import type { Service } from './service.ts'
import { arrive, hourDirectory, paths, pathIn, put } from './tree.ts'
import { testFolder } from '../folder.ts'

const megabytes = slow ? 32 : 8
const newFiles = slow ? 5000 : 500
const watchedMs = slow ? 60_000 : 6000
const promisedMs = slow ? 30_000 : timeoutMs

t.setTimeout(longestMs)

async function startOnDisk(t: Test, options: string) {
  const mounts = await openMounts(t)
  const folder = testFolder(t)
  mkdirSync(join(folder, 'var'))
  mounts.run(`mount -t tmpfs -o ${options} none ${folder}/var`)
  put(join(folder, 'archive'), pathIn(hourDirectory(), 0))
  const wrap = mounts.wrap(folder)
  const service = await startService(t, folder, { wrap, database: 'var/catalogue.db' })
  await until('the first scan ends', service.ready)
  return {
    service,
    run: (command: string) => {
      mounts.run(`cd ${folder}/var && ${command}`)
    },
  }
}

/** Reads the list for the promised time: every request is answered, and the indexer is the same process. */
async function answersAllTheTime(t: Test, service: Service): Promise<void> {
  const { pid } = service.indexer
  let [answers, refusals] = [0, 0]
  const endMs = performance.now() + watchedMs
  await until('some time has passed', async () => {
    answers++
    if ((await service.get('?limit=5')).status !== 200) refusals++
    return performance.now() > endMs
  })
  t.equal(refusals, 0, `${answers} requests, all answered`)
  t.same([service.indexer.pid, service.indexer.exitCode], [pid, null], 'the indexer still runs')
}

async function recovers(t: Test, service: Service): Promise<void> {
  const tookMs = await untilEqual(service, promisedMs)
  t.pass(`equal ${Math.round(tookMs)} ms after there was room`)
  await until('well again', async () => (await service.status()).state === 'watching')
}

t.test('a database on a disk that is full', { skip: lacksMounts }, async (t) => {
  const { service, run } = await startOnDisk(t, `size=${megabytes}m`)
  run('cat /dev/zero > filler 2> /dev/null || true')
  for (const path of paths(hourDirectory(), newFiles, 1)) arrive(service.archive, path)
  await untilTold(service, /cannot be written/)
  t.equal((await service.status()).state, 'degraded')
  await answersAllTheTime(t, service)
  run('rm filler')
  await recovers(t, service)
})

t.test('a database on a disk without free inodes', { skip: lacksMounts }, async (t) => {
  const { service, run } = await startOnDisk(t, `size=${megabytes * 4}m,nr_inodes=50`)
  const fill = 'for n in $(seq 50); do touch filler$n || break; done 2> /dev/null; true'
  run(fill)
  for (const path of paths(hourDirectory(), newFiles, 1)) arrive(service.archive, path)
  await untilEqual(service)
  t.pass('the files of the database are there: it can be written')
  await answersAllTheTime(t, service)
  // The next start makes its control socket anew, and reserves numbers.
  await stop(service.indexer, 'SIGKILL')
  run(fill)
  service.startIndexer()
  arrive(service.archive, pathIn(hourDirectory(), 5000))
  await until('it still answers', async () => (await service.get('?limit=5')).status === 200)
  run('rm filler*')
  if (service.indexer.exitCode !== null) service.startIndexer()
  await recovers(t, service)
})

/** A disk that the kernel turned read-only: writes of open files fail. `mount -o remount,ro` refuses while they are open. */
t.test('a database on a disk that becomes read-only', { skip: lacksStrace }, async (t) => {
  const folder = testFolder(t)
  put(join(folder, 'archive'), pathIn(hourDirectory(), 0))
  const service = await startService(t, folder)
  await until('the first scan ends', service.ready)
  const calls = 'write,pwrite64,ftruncate,fallocate,fsync,fdatasync,openat,unlink,rename'
  const files = ['', '-wal', '-numbers', '-backup-1'].flatMap((side) => [
    '-P',
    service.database + side,
  ])
  const inject = [
    '-f',
    '-qq',
    '-o',
    '/dev/null',
    '-e',
    `trace=${calls}`,
    '-e',
    `inject=${calls}:error=EROFS`,
  ]
  const strace = spawn('strace', [...inject, ...files, '-p', String(service.indexer.pid)], {
    stdio: 'ignore',
  })
  t.teardown(() => stop(strace, 'SIGINT'))
  await until('strace is attached', () => isTraced(service.indexer.pid ?? 0))
  for (const path of paths(hourDirectory(), newFiles, 1)) arrive(service.archive, path)
  await untilTold(service, /cannot be written/)
  await answersAllTheTime(t, service)
  await stop(strace, 'SIGINT')
  await recovers(t, service)
})

t.test('a start on a disk that is read-only', { skip: lacksMounts }, async (t) => {
  const { service, run } = await startOnDisk(t, `size=${megabytes}m`)
  await untilEqual(service)
  await Promise.all([stop(service.indexer, 'SIGKILL'), stop(service.api, 'SIGKILL')])
  run('mount -o remount,ro .')
  service.startIndexer()
  await once(service.indexer, 'exit')
  t.equal(service.indexer.exitCode, 1, 'the indexer refuses')
  await service.startApi()
  await until('the API answers', async () => (await service.get('?limit=5')).status === 200)
  arrive(service.archive, pathIn(hourDirectory(), 1))
  run('mount -o remount,rw .')
  service.startIndexer()
  await recovers(t, service)
})

function isTraced(pid: number): boolean {
  return /^TracerPid:\s+[1-9]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
}

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
