/**
 * The disk of the database is full, has no free inodes, or is read-only: the API answers, the
 * indexer continues, and the list equals the tree when the disk can be written again.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { testFolder } from '../folder.ts'
import t from '../tap.ts'
import type { Service } from './service.ts'
import {
  lacksMounts,
  lacksStrace,
  longestMs,
  openMounts,
  slow,
  startScanned,
  startService,
  stop,
  timeoutMs,
  until,
  untilEqual,
  untilReported,
} from './service.ts'
import { arrive, hourDirectory, pathIn, paths, put } from './tree.ts'

const megabytes = slow ? 32 : 8
const newFiles = slow ? 5000 : 500
const watchedMs = slow ? 60_000 : 3000
const promisedMs = slow ? 30_000 : timeoutMs

t.setTimeout(longestMs)
// Tests that mostly wait, each with a service of its own.
t.jobs = 2

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

/**
 * Requests the list for a while: the API answers every request, and the indexer is the same
 * process.
 */
async function answersMeanwhile(t: Test, service: Service): Promise<void> {
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
  t.pass(`equal ${Math.round(tookMs)} ms after the disk could be written`)
  await until('it has recovered', async () => (await service.status()).state === 'watching')
}

t.test('the API and the indexer survive a full disk', { skip: lacksMounts }, async (t) => {
  const { service, run } = await startOnDisk(t, `size=${megabytes}m`)
  const fill = () => {
    run('cat /dev/zero >> filler 2> /dev/null || true')
  }
  fill()
  for (const path of paths(hourDirectory(), newFiles, 1)) arrive(service.archive, path)
  await until('the disk is full', async () => {
    fill() // takes what the database gives back
    return (await service.status()).reasons.some((each) => each.includes('cannot be written'))
  })
  t.equal((await service.status()).state, 'degraded')
  await answersMeanwhile(t, service)
  run('rm filler')
  await recovers(t, service)
})

t.test('the API and the indexer survive a lack of inodes', { skip: lacksMounts }, async (t) => {
  const { service, run } = await startOnDisk(t, `size=${megabytes * 4}m,nr_inodes=50`)
  const fill = 'for n in $(seq 50); do touch filler$n || break; done 2> /dev/null; true'
  run(fill)
  for (const path of paths(hourDirectory(), newFiles, 1)) arrive(service.archive, path)
  await untilEqual(service)
  t.pass('the files of the database exist, so that it can be written')
  await answersMeanwhile(t, service)
  // A start creates the control socket again.
  await stop(service.indexer, 'SIGKILL')
  run(fill)
  service.startIndexer()
  arrive(service.archive, pathIn(hourDirectory(), 5000))
  await until('the API still answers', async () => (await service.get('?limit=5')).status === 200)
  run('rm filler*')
  if (service.indexer.exitCode !== null) service.startIndexer()
  await recovers(t, service)
})

/** Makes writes of the database fail as on a disk that the kernel turned read-only. */
function makeReadOnly(t: Test, service: Service) {
  const calls = 'write,pwrite64,ftruncate,fallocate,fsync,fdatasync,openat,unlink,rename'
  const suffixes = ['', '-wal', '-numbers', '-backup-1']
  const files = suffixes.flatMap((suffix) => ['-P', service.database + suffix])
  const inject = ['-e', `trace=${calls}`, '-e', `inject=${calls}:error=EROFS`]
  const process = ['-p', String(service.indexer.pid)]
  const options = ['-f', '-qq', '-o', '/dev/null', ...inject, ...files, ...process]
  const strace = spawn('strace', options, { stdio: 'ignore' })
  t.teardown(() => stop(strace, 'SIGINT'))
  return strace
}

// Not by `mount -o remount,ro`, which fails while files are open for writing.
t.test('the API and the indexer survive a read-only disk', { skip: lacksStrace }, async (t) => {
  const service = await startScanned(t, [pathIn(hourDirectory(), 0)])
  const strace = makeReadOnly(t, service)
  await until('strace is attached', () => isTraced(service.indexer.pid ?? 0))
  for (const path of paths(hourDirectory(), newFiles, 1)) arrive(service.archive, path)
  await untilReported(service, /cannot be written/)
  await answersMeanwhile(t, service)
  await stop(strace, 'SIGINT')
  await recovers(t, service)
})

function isTraced(pid: number): boolean {
  return /^TracerPid:\s+[1-9]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
}

t.test('on a read-only disk only the API starts', { skip: lacksMounts }, async (t) => {
  const { service, run } = await startOnDisk(t, `size=${megabytes}m`)
  await untilEqual(service)
  await Promise.all([stop(service.indexer, 'SIGKILL'), stop(service.api, 'SIGKILL')])
  run('mount -o remount,ro .')
  service.startIndexer()
  await once(service.indexer, 'exit')
  t.equal(service.indexer.exitCode, 1, 'the indexer ends, for systemd to start it again')
  await service.startApi()
  await until('the API answers', async () => (await service.get('?limit=5')).status === 200)
  arrive(service.archive, pathIn(hourDirectory(), 1))
  run('mount -o remount,rw .')
  service.startIndexer()
  await recovers(t, service)
})

t.test('without space for a backup the indexer continues', { skip: lacksMounts }, async (t) => {
  const { service, run } = await startOnDisk(t, 'size=8m')
  const isLogged = (message: RegExp) => service.log.some(({ msg }) => message.test(msg))
  await until('a backup is made', () => isLogged(/^backup made$/))
  await until('the indexes are built', () => isLogged(/^caught up/))
  await stop(service.indexer, 'SIGTERM')
  run('rm catalogue.db-backup-1')
  run('cat /dev/zero > filler 2> /dev/null || true')
  // Some space, but less than twice the size of the smallest database.
  run('truncate -s -128K filler')
  service.startIndexer()
  await until('the backup is skipped', () => isLogged(/^backup skipped: /))
  arrive(service.archive, pathIn(hourDirectory(), 1))
  await untilEqual(service)
  t.equal(service.indexer.exitCode, null, 'the indexer runs')
})
