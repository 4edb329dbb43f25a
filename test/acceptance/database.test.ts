/**
 * Whatever happens to the database file, the list never shows what is not so: the file is set aside and its newest
 * backup takes its place or, without one, a new one is built from the tree, with ids above the old ones; or the start
 * is refused in clear words.
 */
import {
  closeSync,
  copyFileSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import type { Test } from 'tap'
import { longestMs, slow, startService, stop, timeoutMs, until, untilEqual } from './service.ts'
import type { Listed, Service } from './service.ts'
import { arrive, dayDirectory, hourDirectory, makeOldDays, paths, pathIn, put } from './tree.ts'
import { testFolder } from '../folder.ts'

const oldDays = slow ? 333 : 10
const perDay = slow ? 300 : 50
const pageSize = 4096
/** Promised for 100,000 files. */
const rebuiltMs = slow ? 60_000 : timeoutMs

t.setTimeout(longestMs)

interface Full {
  readonly service: Service
  readonly list: ReadonlyMap<string, Listed>
  readonly highest: number
}

/** A service that has scanned its archive and, if that is wanted, has made a backup. */
async function startFull(t: Test, { backedUp = false } = {}): Promise<Full> {
  const folder = testFolder(t)
  const archive = join(folder, 'archive')
  makeOldDays(archive, oldDays, perDay)
  // Not watched any more, but so recently touched that sizes and times are read with the names.
  for (const path of paths(dayDirectory(50), 5)) put(archive, path)
  for (const path of paths(hourDirectory(), 20)) put(archive, path)
  const options = { BACKUP_INTERVAL_HOURS: backedUp ? '24' : '0', SWEEP_INTERVAL_SECONDS: '1' }
  const service = await startService(t, folder, { options })
  await until('the first scan ends', service.ready)
  await untilEqual(service)
  if (backedUp) await until('a backup', () => service.log.some(({ msg }) => msg === 'backup made'))
  const list = await service.list()
  return { service, list, highest: Math.max(...Array.from(list.values(), ({ id }) => id)) }
}

/** What every rebuilt catalogue has to be. */
async function untilRebuilt(t: Test, service: Service, highest: number): Promise<void> {
  const startedMs = performance.now()
  const lowest = async () =>
    Math.min(...Array.from((await service.list()).values(), ({ id }) => id))
  // The API may read on from the old one until it looks whether it was replaced.
  const isNew = async () => (await service.ready()) && (await lowest()) > highest
  await until('a new catalogue is ready, with ids above the old ones', isNew, rebuiltMs)
  await untilEqual(service, rebuiltMs)
  t.pass(`rebuilt after ${Math.round(performance.now() - startedMs)} ms`)
}

/** What every catalogue from a backup has to be. */
async function untilRestored(t: Test, { service, list }: Full): Promise<Map<string, Listed>> {
  const startedMs = performance.now()
  await until('told', () => service.log.some(({ made }) => made !== undefined))
  const told = service.log.filter(({ backup }) => backup !== undefined).slice(-2)
  t.match(told, [{ bytes: Number }, { took_ms: Number }], 'before and after it')
  await until('it is ready', service.ready)
  await untilEqual(service)
  t.pass(`restored after ${Math.round(performance.now() - startedMs)} ms`)
  const now = await service.list()
  const changed = [...list].filter(([path, { id }]) => now.has(path) && now.get(path)?.id !== id)
  t.same(changed, [], 'the ids of its records are kept')
  return now
}

const asides = ({ folder }: Service) =>
  readdirSync(folder).filter((name) => /^catalogue\.db\.corrupt-[-\dT]+Z$/.test(name))

const damages: readonly [string, (database: string) => void][] = [
  ['pages overwritten', overwritePages],
  [
    'no database at all',
    (database) => {
      const file = openSync(database, 'w')
      writeSync(file, randomBytes(100_000))
      closeSync(file)
    },
  ],
]

/** Every fourth page but the first, so that some of them are in use. */
function overwritePages(database: string): void {
  const file = openSync(database, 'r+')
  for (let at = 4 * pageSize; at < statSync(database).size; at += 4 * pageSize)
    writeSync(file, randomBytes(pageSize), 0, pageSize, at)
  closeSync(file)
}

for (const [what, damage] of damages)
  t.test(`${what}: set aside and built anew`, async (t) => {
    const { service, highest } = await startFull(t)
    await stop(service.indexer, 'SIGTERM')
    damage(service.database)
    service.startIndexer()
    await until('told', () => service.log.some(({ set_aside }) => set_aside !== undefined))
    await untilRebuilt(t, service, highest)
    t.equal(asides(service).length, 1, 'the corrupt file is kept')
  })

t.test('an empty file is filled anew', async (t) => {
  const { service, highest } = await startFull(t)
  await stop(service.indexer, 'SIGTERM')
  truncateSync(service.database)
  service.startIndexer()
  await untilRebuilt(t, service, highest)
})

t.test('what happened since the backup is found in the archive', async (t) => {
  const full = await startFull(t, { backedUp: true })
  const { service, list, highest } = full
  const [arrived, later] = paths(hourDirectory(), 2, 5000) as [string, string]
  const removed = pathIn(dayDirectory(100), 0)
  const overwritten = pathIn(dayDirectory(50), 0)
  const begun = await service.status()
  arrive(service.archive, arrived)
  rmSync(join(service.archive, removed))
  await untilEqual(service)
  const given = (await service.list()).get(arrived)?.id ?? 0
  t.ok(given > highest)
  await stop(service.indexer, 'SIGKILL')
  // In place, which leaves the time of its directory alone.
  put(service.archive, overwritten, gzipSync('another version'))
  arrive(service.archive, later)
  for (const path of paths(dayDirectory(200), 2)) put(service.archive, path)
  // Else the log would still hold what is damaged.
  const db = new Sqlite(service.database)
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
  overwritePages(service.database)

  service.startIndexer()
  const now = await untilRestored(t, full)
  t.notOk(now.has(removed))
  for (const path of [arrived, later]) t.ok((now.get(path)?.id ?? 0) > given, 'a new id')
  const isNew = async () => {
    const record = (await service.list()).get(overwritten)
    return record !== undefined && record.modified > record.created
  }
  await until('the file that was overwritten is looked at', isNew)
  t.equal(now.get(overwritten)?.created, list.get(overwritten)?.created)
  t.equal(asides(service).length, 1, 'the corrupt file is kept')
  const { epoch } = await service.status()
  t.not(epoch, begun.epoch)
  const { status } = await service.get(
    `/rinex/api/changes/?epoch=${begun.epoch}&since=${begun.seq}`,
  )
  t.equal(status, 410, 'who followed starts again')
})

for (const backedUp of [false, true]) {
  const what = backedUp ? 'the next one takes the backup' : 'the next one builds anew'

  t.test(`pages overwritten while it is in use: the indexer ends, ${what}`, async (t) => {
    const full = await startFull(t, { backedUp })
    const { service, highest } = full
    const ended = once(service.indexer, 'exit')
    // Another's transaction makes all forget what they remember of pages, which would hide the damage for long.
    const db = new Sqlite(service.database)
    db.exec('UPDATE catalogue SET last_scan = last_scan')
    db.pragma('wal_checkpoint(TRUNCATE)')
    overwritePages(service.database)
    db.close()
    arrive(service.archive, pathIn(hourDirectory(), 5000))
    t.same(await ended, [1, null], 'it ends with a failure')
    t.equal(asides(service).length, 1, 'the corrupt file is kept')
    const refused = async () => (await service.get('?limit=1')).status === 503
    await until('nothing is answered from it', refused)
    service.startIndexer()
    if (backedUp) await untilRestored(t, full)
    else await untilRebuilt(t, service, highest)
  })

  t.test(`removed while it is in use: the indexer ends, ${what}`, async (t) => {
    const full = await startFull(t, { backedUp })
    const { service, highest } = full
    const ended = once(service.indexer, 'exit')
    rmSync(service.database)
    arrive(service.archive, pathIn(hourDirectory(), 5000))
    t.same(await ended, [1, null], 'it ends with a failure')
    const told = () =>
      service.log.some(({ reason }) => /was removed or replaced/.test(String(reason)))
    await until('it says why', told)
    const refused = async () => (await service.get('?limit=1')).status === 503
    await until('there is nothing to answer from', refused)
    service.startIndexer()
    if (backedUp) await untilRestored(t, full)
    else await untilRebuilt(t, service, highest)
  })
}

for (const side of ['-wal', '-shm'])
  t.test(
    `its ${side} removed while it is in use: nothing is lost, and readers go along`,
    async (t) => {
      const { service, list } = await startFull(t)
      const begun = await service.status()
      const ended = once(service.indexer, 'exit')
      rmSync(service.database + side)
      arrive(service.archive, pathIn(hourDirectory(), 5000))
      t.same(await ended, [1, null], 'it ends with a failure')
      const told = () =>
        service.log.some(({ reason }) => String(reason).includes(`${side} was removed`))
      await until('it says why', told)
      service.startIndexer()
      arrive(service.archive, pathIn(hourDirectory(), 5001))
      await untilEqual(service)
      const now = await service.list()
      t.same(
        [...list].filter(([path, { id }]) => now.get(path)?.id !== id),
        [],
        'ids are kept',
      )
      t.equal((await service.status()).epoch, begun.epoch, 'and who followed goes on')
      const { body } = await service.get('?filename__contains=mo&limit=1')
      t.match(body, { count: now.size }, 'questions are answered from it too')
    },
  )

t.test('an older copy that is put back goes on above the numbers given since', async (t) => {
  const { service, highest } = await startFull(t)
  const told = () => service.log.filter(({ msg }) => /older copy/.test(msg)).length
  const [earlier, later] = [5000, 6000].map((n) => pathIn(hourDirectory(), n)) as [string, string]
  await stop(service.indexer, 'SIGTERM')
  copyFileSync(service.database, join(service.folder, 'copy'))
  const before = await service.list()
  service.startIndexer()
  await until('it follows the tree', async () => (await service.status()).state === 'watching')
  arrive(service.archive, earlier)
  await untilEqual(service)
  const given = (await service.list()).get(earlier)?.id ?? 0
  t.ok(given > highest)
  await stop(service.indexer, 'SIGKILL')
  service.startIndexer()
  await until('it follows the tree', async () => (await service.status()).state === 'watching')
  t.equal(told(), 0, 'what was committed before a kill is there')
  const lost = (await service.status()).epoch
  await stop(service.indexer, 'SIGTERM')

  for (const side of ['-wal', '-shm']) rmSync(service.database + side, { force: true })
  copyFileSync(join(service.folder, 'copy'), `${service.database}.new`)
  renameSync(`${service.database}.new`, service.database)
  arrive(service.archive, later)
  service.startIndexer()
  await until('told', () => told() === 1)
  await untilEqual(service)
  const list = await service.list()
  t.same(
    [...before].filter(([path, { id }]) => list.get(path)?.id !== id),
    [],
    'ids are kept',
  )
  for (const path of [earlier, later]) t.ok((list.get(path)?.id ?? 0) > given)
  t.not((await service.status()).epoch, lost, 'and followers start again')
})

t.test('a database of a newer version is refused', async (t) => {
  const { service } = await startFull(t)
  await stop(service.indexer, 'SIGTERM')
  const db = new Sqlite(service.database)
  db.pragma('user_version = 999')
  db.close()
  service.startIndexer()
  t.same(await once(service.indexer, 'exit'), [1, null])
  t.same(asides(service), [], 'and left alone')
  // The API finds out when it opens the file, not while it holds it.
  await stop(service.api, 'SIGTERM')
  await service.startApi()
  t.equal((await service.get('?limit=1')).status, 503)
})

t.test('a side file that is missing is made again', async (t) => {
  const { service } = await startFull(t)
  const before = await service.list()
  await Promise.all([stop(service.indexer, 'SIGKILL'), stop(service.api, 'SIGKILL')])
  rmSync(`${service.database}-shm`)
  service.startIndexer()
  await service.startApi()
  await until('ready', service.ready)
  const changed = [...(await service.list())].filter(
    ([path, { id }]) => before.get(path)?.id !== id,
  )
  t.same(changed, [])
  await untilEqual(service)
})
