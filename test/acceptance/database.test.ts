/**
 * Damage to the database file never makes the list wrong: the file is quarantined and its newest
 * backup restored, or without one a new database is built from the tree with ids above the old
 * ones; or the start is refused with a reason.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  closeSync,
  copyFileSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import Sqlite from 'better-sqlite3'
import type { Test } from 'tap'
import t, { exact } from '../tap.ts'
import type { Listed, LogLine, Service } from './service.ts'
import { longestMs, slow, startScanned, stop, timeoutMs, until, untilEqual } from './service.ts'
import { arrive, dayDirectory, hourDirectory, makeOldDays, pathIn, paths, put } from './tree.ts'

const oldDays = slow ? 333 : 10
const perDay = slow ? 300 : 50
const pageSize = 4096
/** Promised for 100,000 files. */
const rebuiltMs = slow ? 60_000 : timeoutMs

t.setTimeout(longestMs)

const quarantined = ({ folder }: Service): number =>
  readdirSync(folder).filter((name) => /^catalogue\.db\.corrupt-[-\dT]+Z$/.test(name)).length

interface Full {
  readonly service: Service
  readonly list: ReadonlyMap<string, Listed>
  readonly highest: number
  /** How many files were quarantined before. */
  readonly quarantined: number
  /** The log from now on. */
  readonly log: () => readonly LogLine[]
}

/**
 * Starts a service and waits until it has scanned its archive and, with `backedUp`, made a backup.
 */
async function startFull(t: Test, { backedUp = false } = {}): Promise<Full> {
  const options = { BACKUP_INTERVAL_HOURS: backedUp ? '24' : '0', SWEEP_INTERVAL_SECONDS: '1' }
  const fill = (archive: string): void => {
    makeOldDays(archive, oldDays, perDay)
    // Outside the hot window, but so recent that sizes and times are read with the names.
    const recent = [...paths(dayDirectory(50), 5), ...paths(hourDirectory(), 20)]
    for (const path of recent) put(archive, path)
  }
  const service = await startScanned(t, fill, { options })
  await untilEqual(service)
  if (backedUp)
    await until('a backup is made', () => service.log.some(({ msg }) => msg === 'backup made'))
  return full(service)
}

async function full(service: Service): Promise<Full> {
  const list = await service.list()
  const from = service.log.length
  return {
    service,
    list,
    highest: Math.max(...Array.from(list.values(), ({ id }) => id)),
    quarantined: quarantined(service),
    log: () => service.log.slice(from),
  }
}

/** A service without backups: each test leaves it as it should be. */
const unsaved = (await startFull(t)).service

let arrived = 5000
/** The path of a new file of this hour. */
const newPath = (): string => pathIn(hourDirectory(), arrived++)

/** Waits until a new catalogue is built, and checks its ids. */
async function untilRebuilt(t: Test, service: Service, highest: number): Promise<void> {
  const startedMs = performance.now()
  const lowest = async () =>
    Math.min(...Array.from((await service.list()).values(), ({ id }) => id))
  // The API may read the old database until it notices that it was replaced.
  const isNew = async () => (await service.ready()) && (await lowest()) > highest
  await until('a new catalogue is ready, with ids above the old ones', isNew, rebuiltMs)
  await untilEqual(service, rebuiltMs)
  t.pass(`rebuilt after ${Math.round(performance.now() - startedMs)} ms`)
}

/** Waits until the backup is restored, and checks the log and the ids. */
async function untilRestored(t: Test, { service, list, log }: Full): Promise<Map<string, Listed>> {
  const startedMs = performance.now()
  await until('the restore is logged', () => log().some(({ made }) => made !== undefined))
  const lines = log()
    .filter(({ backup }) => backup !== undefined)
    .slice(-2)
  t.match(
    lines,
    exact([{ bytes: Number }, { took_ms: Number }]),
    'its start and its end are logged',
  )
  await until('the catalogue is ready', service.ready)
  await untilEqual(service)
  t.pass(`restored after ${Math.round(performance.now() - startedMs)} ms`)
  const now = await service.list()
  const changed = [...list].filter(([path, { id }]) => now.has(path) && now.get(path)?.id !== id)
  t.same(changed, [], 'the ids of its records are kept')
  return now
}

/** Overwrites every fourth page but the first, so that some of them are in use. */
function overwritePages(database: string): void {
  const file = openSync(database, 'r+')
  for (let at = 4 * pageSize; at < statSync(database).size; at += 4 * pageSize)
    writeSync(file, randomBytes(pageSize), 0, pageSize, at)
  closeSync(file)
}

t.test('a corrupt database is quarantined at the start, and a new one is built', async (t) => {
  const { service, highest, quarantined: before, log } = await full(unsaved)
  await stop(service.indexer, 'SIGTERM')
  overwritePages(service.database)
  service.startIndexer()
  const isLogged = () => log().some(({ set_aside }) => set_aside !== undefined)
  await until('the quarantine is logged', isLogged)
  await untilRebuilt(t, service, highest)
  t.equal(quarantined(service), before + 1, 'the corrupt file is kept')
})

t.test(
  'if an older copy replaces the database, new files get ids above all ids assigned before',
  async (t) => {
    const { service, log } = await full(unsaved)
    const [earlier, later] = [newPath(), newPath()]
    const copy = join(service.folder, 'copy')
    await stop(service.indexer, 'SIGTERM')
    copyFileSync(service.database, copy)
    service.startIndexer()
    arrive(service.archive, earlier)
    await untilEqual(service)
    const assigned = (await service.list()).get(earlier)?.id ?? 0
    await stop(service.indexer, 'SIGTERM')
    for (const side of ['-wal', '-shm']) rmSync(service.database + side, { force: true })
    renameSync(copy, service.database)
    arrive(service.archive, later)
    service.startIndexer()
    const isLogged = () => log().some(({ msg }) => msg.includes('older copy'))
    await until('a warning is logged', isLogged)
    await untilEqual(service)
    const list = await service.list()
    for (const path of [earlier, later]) t.ok((list.get(path)?.id ?? 0) > assigned, path)
  },
)

t.test('after a restore, changes since the backup are found in the archive', async (t) => {
  const saved = await startFull(t, { backedUp: true })
  const { service, list, highest } = saved
  const [arrived, later] = [newPath(), newPath()]
  const removed = pathIn(dayDirectory(100), 0)
  const overwritten = pathIn(dayDirectory(50), 0)
  const begun = await service.status()
  arrive(service.archive, arrived)
  rmSync(join(service.archive, removed))
  await untilEqual(service)
  const given = (await service.list()).get(arrived)?.id ?? 0
  t.ok(given > highest)
  await stop(service.indexer, 'SIGKILL')
  // In place, so that the mtime of the directory stays the same.
  put(service.archive, overwritten, gzipSync('another version'))
  arrive(service.archive, later)
  for (const path of paths(dayDirectory(200), 2)) put(service.archive, path)
  // The WAL must not have a good copy of the damaged pages.
  new Sqlite(service.database).exec('PRAGMA wal_checkpoint(TRUNCATE)').close()
  overwritePages(service.database)

  service.startIndexer()
  const now = await untilRestored(t, saved)
  t.notOk(now.has(removed))
  for (const path of [arrived, later]) t.ok((now.get(path)?.id ?? 0) > given, 'a new id')
  const isNew = async () => {
    const record = (await service.list()).get(overwritten)
    return record !== undefined && record.modified > record.created
  }
  await until('the overwritten file is modified', isNew)
  t.equal(now.get(overwritten)?.created, list.get(overwritten)?.created)
  t.equal(quarantined(service), 1, 'the corrupt file is kept')
  const { epoch } = await service.status()
  t.not(epoch, begun.epoch)
  const { status } = await service.get(
    `/rinex/api/changes/?epoch=${begun.epoch}&since=${begun.seq}`,
  )
  t.equal(status, 410, 'mirrors start again')
})

for (const backedUp of [false, true]) {
  const next = backedUp ? 'restores the backup' : 'builds a new one'

  t.test(`if pages are overwritten, the indexer ends, and its next start ${next}`, async (t) => {
    const before = await (backedUp ? startFull(t, { backedUp }) : full(unsaved))
    const { service, highest } = before
    const ended = once(service.indexer, 'exit')
    // The transaction of another connection invalidates the page caches, which would hide the
    // damage.
    const db = new Sqlite(service.database)
    db.exec('UPDATE catalogue SET last_scan = last_scan')
    db.pragma('wal_checkpoint(TRUNCATE)')
    overwritePages(service.database)
    db.close()
    arrive(service.archive, newPath())
    t.same(await ended, [1, null], 'exit code')
    t.equal(quarantined(service), before.quarantined + 1, 'the corrupt file is kept')
    const refused = async () => (await service.get('?limit=1')).status === 503
    await until('the API answers 503', refused)
    service.startIndexer()
    if (backedUp) await untilRestored(t, before)
    else await untilRebuilt(t, service, highest)
  })

  t.test(`if the database is removed, the indexer ends, and its next start ${next}`, async (t) => {
    const before = await (backedUp ? startFull(t, { backedUp }) : full(unsaved))
    const { service, highest, log } = before
    const ended = once(service.indexer, 'exit')
    rmSync(service.database)
    arrive(service.archive, newPath())
    t.same(await ended, [1, null], 'exit code')
    const isLogged = () =>
      log().some(({ reason }) => /was removed or replaced/.test(String(reason)))
    await until('the reason is logged', isLogged)
    const refused = async () => (await service.get('?limit=1')).status === 503
    await until('the API answers 503', refused)
    service.startIndexer()
    if (backedUp) await untilRestored(t, before)
    else await untilRebuilt(t, service, highest)
  })
}

for (const side of ['-wal', '-shm'])
  t.test(
    `if the ${side} file is removed, nothing is lost, and the API reads the database again`,
    async (t) => {
      const { service, list, log } = await full(unsaved)
      const begun = await service.status()
      const ended = once(service.indexer, 'exit')
      rmSync(service.database + side)
      arrive(service.archive, newPath())
      t.same(await ended, [1, null], 'exit code')
      const isLogged = () =>
        log().some(({ reason }) => String(reason).includes(`${side} was removed`))
      await until('the reason is logged', isLogged)
      service.startIndexer()
      arrive(service.archive, newPath())
      await untilEqual(service)
      const now = await service.list()
      t.same(
        [...list].filter(([path, { id }]) => now.get(path)?.id !== id),
        [],
        'ids are kept',
      )
      t.equal((await service.status()).epoch, begun.epoch, 'mirrors continue')
      const { body } = await service.get('?filename__contains=mo&limit=1')
      t.match(body, { count: now.size }, 'query workers answer too')
    },
  )

t.test('if the -shm file is missing, it is created again, and all ids stay', async (t) => {
  const { service, list: before } = await full(unsaved)
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

// The last one: the service is left with that database.
t.test('the indexer and the API refuse a database of a newer version', async (t) => {
  const { service, quarantined: before } = await full(unsaved)
  await stop(service.indexer, 'SIGTERM')
  new Sqlite(service.database).exec('PRAGMA user_version = 999').close()
  service.startIndexer()
  t.same(await once(service.indexer, 'exit'), [78, null])
  t.equal(quarantined(service), before, 'and not quarantined')
  // The API reads the version when it opens the file.
  await stop(service.api, 'SIGTERM')
  await service.startApi()
  t.equal((await service.get('?limit=1')).status, 503)
})
