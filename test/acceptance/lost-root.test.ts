/**
 * A disk that is away is reported, and its files stay in the list; when the disk is back, no
 * restart is needed.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Test } from 'tap'
import { testFolder } from '../folder.ts'
import t from '../tap.ts'
import type { Options, Service } from './service.ts'
import {
  directoriesWithoutStamp,
  lacksMounts,
  lacksStrace,
  longestMs,
  openMounts,
  slow,
  startService,
  stop,
  timeoutMs,
  until,
  untilEqual,
  untilReported,
} from './service.ts'
import { arrive, filesBelow, hourDirectory, makeOldDays, pathIn, paths, put } from './tree.ts'

/** The promised times. */
const noticedMs = slow ? 10_000 : timeoutMs
const backMs = slow ? 30_000 : timeoutMs
const oldDays = slow ? 100 : 10
const removedAtOnce = 1500

t.setTimeout(longestMs)
// Tests that mostly wait, each with a service of its own.
t.jobs = 2

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

/** Removes the archive and restores it; afterwards new files are noticed. */
async function loseAndRestore(t: Test, service: Service, lose: () => void, restore: () => void) {
  const count = await service.count()
  lose()
  const noticed = await untilReported(service, /lost|cannot be read/, noticedMs)
  t.pass(`reported ${Math.round(noticed)} ms after`)
  const degraded = async () => (await state(service)) === 'degraded'
  t.ok(await degraded())
  t.equal(await service.count(), count, 'nothing is removed')
  restore()
  const back = await until('it has recovered', async () => !(await degraded()), backMs)
  t.pass(`recovered ${Math.round(back)} ms after it was back`)
  t.equal(await service.count(), count, 'all is listed')
  arrive(service.archive, pathIn(hourDirectory(), await service.count()))
  await until('a new file is listed', async () => (await service.count()) === count + 1, backMs)
  await untilEqual(service)
}

t.test('if another archive replaces the root, its directories are watched', async (t) => {
  testFolder(t)
  const service = await startFull(t, { options: { SWEEP_INTERVAL_SECONDS: '1' } })
  const next = join(service.folder, 'next')
  for (const path of filesBelow(service.archive)) put(next, path)
  renameSync(service.archive, join(service.folder, 'moved'))
  renameSync(next, service.archive)
  arrive(service.archive, pathIn(hourDirectory(), 5000))
  await untilEqual(service, backMs)
  // Then sweeps read no directory again: only a file event shows that a file was overwritten.
  await until('all directories have a stamp', () => directoriesWithoutStamp(service) === 0)
  const path = pathIn(hourDirectory(), 0)
  const modified = async () => (await service.list()).get(path)?.modified
  const before = await modified()
  put(service.archive, path, gzipSync('another version'))
  await until('the change is noticed', async () => (await modified()) !== before, backMs)
  t.same((await service.status()).reasons, [])
})

t.test('no record is removed while a disk is not mounted', { skip: lacksMounts }, async (t) => {
  const mounts = await openMounts(t)
  const run = (command: string) => () => mounts.run(`cd ${t.testdirName} && ${command}`)
  mkdirSync(join(testFolder(t), 'mounted/archive'), { recursive: true })
  const mount = run('mount --bind archive mounted/archive')
  mkdirSync(join(t.testdirName, 'archive'))
  mount()
  const options = { ARCHIVE: 'mounted/archive' }
  const service = await startFull(t, { wrap: mounts.wrap(t.testdirName), options })
  await loseAndRestore(t, service, run('umount --lazy mounted/archive'), mount)
  await loseAndRestore(
    t,
    service,
    run('mount -t tmpfs none mounted/archive'),
    run('umount mounted/archive'),
  )
})

t.test('no record is removed while the archive is moved away or fails', async (t) => {
  testFolder(t)
  const service = await startFull(t)
  const moved = join(service.folder, 'moved')
  await t.test('its root is renamed', (t) =>
    loseAndRestore(
      t,
      service,
      () => renameSync(service.archive, moved),
      () => renameSync(moved, service.archive),
    ),
  )
  const move = (from: string, to: string) => {
    mkdirSync(to, { recursive: true })
    for (const name of readdirSync(from)) renameSync(join(from, name), join(to, name))
  }
  await t.test('the directories of its root are moved', (t) =>
    loseAndRestore(
      t,
      service,
      () => move(service.archive, moved),
      () => move(moved, service.archive),
    ),
  )
  await t.test('its disk returns I/O errors', { skip: lacksStrace }, async (t) => {
    let strace: ReturnType<typeof spawn> | undefined
    const lose = (): void => {
      const inject = ['-qq', '-f', '-e', 'inject=getdents64:error=EIO', '-e', 'trace=getdents64']
      const target = ['-o', '/dev/null', '-p', String(service.indexer.pid)]
      strace = spawn('strace', [...inject, ...target], { stdio: 'ignore' })
      t.teardown(() => strace && stop(strace, 'SIGINT'))
    }
    await loseAndRestore(t, service, lose, () => strace?.kill('SIGINT'))
  })
})

t.test('the removal of many files is withheld until an administrator accepts it', async (t) => {
  testFolder(t)
  const service = await startFull(t)
  const many = paths(hourDirectory(1), removedAtOnce)
  for (const path of many) put(service.archive, path)
  await untilEqual(service)
  const count = await service.count()
  renameSync(join(service.archive, hourDirectory(1)), join(service.folder, 'moved'))
  await until(
    'all removals are withheld',
    async () => (await service.status()).held_removals === removedAtOnce,
  )
  t.equal(await service.count(), count, 'nothing is removed')
  await untilReported(service, /withheld by the deletion guard/)
  t.equal(await state(service), 'degraded')
  await service.control({ command: 'rescan', path: undefined, acceptRemovals: true })
  await untilEqual(service)
  t.equal(await service.count(), count - removedAtOnce, 'removed after it was accepted')
  await until('it has recovered', async () => (await state(service)) === 'watching')
})

t.test('an area that appears after the start of the indexer is scanned', async (t) => {
  const folder = testFolder(t)
  const service = await startService(t, folder)
  await untilReported(service, /contains no readable obs\/ or nrt\//)
  t.equal(await state(service), 'degraded')
  put(service.archive, pathIn(hourDirectory(), 0))
  await untilEqual(service, backMs)
  await until('the first scan ends', service.ready)
})
