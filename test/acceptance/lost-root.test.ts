/** A lost disk removes nothing from the list, is reported, and needs no restart when it is back. */
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import type { Test } from 'tap'
import {
  directoriesUnsure,
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
import type { Options, Service } from './service.ts'
import { arrive, filesBelow, hourDirectory, makeOldDays, paths, pathIn, put } from './tree.ts'
import { testFolder } from '../folder.ts'

/** What is promised. */
const noticedMs = slow ? 10_000 : timeoutMs
const backMs = slow ? 30_000 : timeoutMs
const oldDays = slow ? 100 : 10
const removedAtOnce = 1500

t.setTimeout(longestMs)

async function startFull(t: Test, options: Options = {}): Promise<Service> {
  const folder = t.testdirName
  const archive = join(folder, 'archive')
  makeOldDays(archive, oldDays, 20)
  for (const path of paths(hourDirectory(), 20)) put(archive, path)
  const service = await startService(t, folder, options)
  await until('the first scan ends', service.ready)
  await untilEqual(service)
  return service
}

const state = async (service: Service) => (await service.status()).state

/** Loses the archive and gets it back; new files are seen arriving afterwards. */
async function loseAndFind(t: Test, service: Service, lose: () => void, find: () => void) {
  const count = await service.count()
  lose()
  const noticed = await untilTold(service, /lost|cannot be read/, noticedMs)
  t.pass(`reported ${Math.round(noticed)} ms after`)
  const degraded = async () => (await state(service)) === 'degraded'
  t.ok(await degraded())
  t.equal(await service.count(), count, 'nothing is removed')
  find()
  const back = await until('well again', async () => !(await degraded()), backMs)
  t.pass(`well ${Math.round(back)} ms after it was back`)
  t.equal(await service.count(), count, 'all is listed')
  arrive(service.archive, pathIn(hourDirectory(), await service.count()))
  await until('a new file is listed', async () => (await service.count()) === count + 1, backMs)
  await untilEqual(service)
}

t.test('the root renamed away', async (t) => {
  testFolder(t)
  const service = await startFull(t)
  const aside = join(service.folder, 'aside')
  await loseAndFind(
    t,
    service,
    () => {
      renameSync(service.archive, aside)
    },
    () => {
      renameSync(aside, service.archive)
    },
  )
})

t.test('another archive in the place of the root at once', async (t) => {
  testFolder(t)
  const service = await startFull(t, { options: { SWEEP_INTERVAL_SECONDS: '1' } })
  const next = join(service.folder, 'next')
  for (const path of filesBelow(service.archive)) put(next, path)
  renameSync(service.archive, join(service.folder, 'aside'))
  renameSync(next, service.archive)
  arrive(service.archive, pathIn(hourDirectory(), 5000))
  await untilEqual(service, backMs)
  // Sweeps have nothing to find any more: of a file that is written over only file events tell.
  await until('all is at rest', () => directoriesUnsure(service) === 0)
  const path = pathIn(hourDirectory(), 0)
  const modified = async () => (await service.list()).get(path)?.modified
  const before = await modified()
  put(service.archive, path, gzipSync('another version'))
  await until('it is seen', async () => (await modified()) !== before, backMs)
  t.same((await service.status()).reasons, [])
})

t.test('the root emptied, and its directories brought back', async (t) => {
  testFolder(t)
  const service = await startFull(t)
  const aside = join(service.folder, 'aside')
  const move = (from: string, to: string) => {
    mkdirSync(to, { recursive: true })
    for (const name of readdirSync(from)) renameSync(join(from, name), join(to, name))
  }
  await loseAndFind(
    t,
    service,
    () => {
      move(service.archive, aside)
    },
    () => {
      move(aside, service.archive)
    },
  )
})

t.test(
  'a disk that is unmounted, and an empty one in its place',
  { skip: lacksMounts },
  async (t) => {
    const mounts = await openMounts(t)
    const run = (command: string) => () => {
      mounts.run(`cd ${t.testdirName} && ${command}`)
    }
    mkdirSync(join(testFolder(t), 'mounted/archive'), { recursive: true })
    const mount = run('mount --bind archive mounted/archive')
    mkdirSync(join(t.testdirName, 'archive'))
    mount()
    const options = { ARCHIVE: 'mounted/archive' }
    const service = await startFull(t, { wrap: mounts.wrap(t.testdirName), options })
    await loseAndFind(t, service, run('umount --lazy mounted/archive'), mount)
    await loseAndFind(
      t,
      service,
      run('mount -t tmpfs none mounted/archive'),
      run('umount mounted/archive'),
    )
  },
)

t.test('a disk that answers with errors', { skip: lacksStrace }, async (t) => {
  testFolder(t)
  const service = await startFull(t)
  let strace: ReturnType<typeof spawn> | undefined
  await loseAndFind(
    t,
    service,
    () => {
      const words = ['-qq', '-f', '-e', 'inject=getdents64:error=EIO', '-e', 'trace=getdents64']
      const to = ['-o', '/dev/null', '-p', String(service.indexer.pid)]
      strace = spawn('strace', [...words, ...to], { stdio: 'ignore' })
      t.teardown(() => strace && stop(strace, 'SIGINT'))
    },
    () => {
      strace?.kill('SIGINT')
    },
  )
})

t.test('a mass removal is held back until it is accepted', async (t) => {
  testFolder(t)
  const service = await startFull(t)
  const many = paths(hourDirectory(1), removedAtOnce)
  for (const path of many) put(service.archive, path)
  await untilEqual(service)
  const count = await service.count()
  renameSync(join(service.archive, hourDirectory(1)), join(service.folder, 'aside'))
  await until('held', async () => (await service.status()).held_removals === removedAtOnce)
  t.equal(await service.count(), count, 'nothing is removed')
  await untilTold(service, /withheld by the deletion guard/)
  t.equal(await state(service), 'degraded')
  await service.control({ command: 'rescan', path: undefined, full: false, acceptRemovals: true })
  await untilEqual(service)
  t.equal(await service.count(), count - removedAtOnce, 'removed once it was accepted')
  await until('well again', async () => (await state(service)) === 'watching')
})

t.test('an area that appears later is found', async (t) => {
  const folder = testFolder(t)
  const service = await startService(t, folder)
  await untilTold(service, /contains no readable obs\/ or nrt\//)
  t.equal(await state(service), 'degraded')
  put(service.archive, pathIn(hourDirectory(), 0))
  await untilEqual(service, backMs)
  await until('the first scan ends', service.ready)
})
