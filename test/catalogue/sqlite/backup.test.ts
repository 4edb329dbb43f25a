/** Backups, and recovery of a corrupt database with and without them. */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  copyFileSync,
  cpSync,
  existsSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { Test } from 'tap'
import type { OpenedWriter, WriterOptions } from '../../../src/catalogue/sqlite/writer.ts'
import { openWriter } from '../../../src/catalogue/sqlite/writer.ts'
import { testFolder } from '../../folder.ts'
import t, { exact } from '../../tap.ts'
import { day, manyNames, stamp } from '../catalogue.ts'
import { change, newFile } from '../change.ts'

const pageSize = 4096

function openFolder(t: Test) {
  const folder = testFolder(t)
  const database = join(folder, 'catalogue.db')
  const clock = { us: Date.now() * 1000 }
  let writer: OpenedWriter | undefined
  const close = () => {
    writer?.close()
    writer = undefined
  }
  t.teardown(close)
  /** Opens a writer; closes the previous one. */
  const open = (options: Partial<WriterOptions> = {}): OpenedWriter => {
    close()
    return (writer = openWriter({ database, nowUs: () => clock.us, ...options }))
  }
  const names = () =>
    readdirSync(folder)
      .map((name) => name.replace(/corrupt-[-\dT]+Z/, 'corrupt'))
      .sort()
  return { folder, database, clock, open, close, names }
}

/** Adds a file of the station to the directory. */
const add = (writer: OpenedWriter, station: string) =>
  writer.apply([change(day, { stamp, added: [newFile(`${station}0010.26d.gz`)] })])

const idsOf = async (writer: OpenedWriter) =>
  new Map([...((await writer.directory(day))?.files ?? [])].map(([name, { id }]) => [name, id]))

/** Overwrites the pages of a file from page `from` on with random bytes. */
function overwrite(path: string, from = 1): void {
  const file = openSync(path, 'r+')
  const { size } = statSync(path)
  writeSync(file, randomBytes(size - from * pageSize), 0, size - from * pageSize, from * pageSize)
  closeSync(file)
}

t.test('database and backups have mode 0640 regardless of the umask', async (t) => {
  for (const umask of [0o000, 0o077]) {
    const before = process.umask(umask)
    t.teardown(() => process.umask(before))
    const { database, open, names } = openFolder(t)
    const writer = open()
    await add(writer, 'graz')
    t.match(await writer.backup({ ifOlderThanMs: 0 }), { outcome: 'kept' })
    await add(writer, 'zimm')
    for (const name of names()) {
      const { mode } = statSync(join(dirname(database), name))
      t.equal((mode & 0o777).toString(8), '640', name)
    }
    process.umask(before)
  }
})

t.test(
  'a backup contains the committed rows and is a sound database in a single file',
  async (t) => {
    const { open, database, names, close } = openFolder(t)
    const writer = open()
    await add(writer, 'graz')
    t.match(await writer.backup({ ifOlderThanMs: 0 }), {
      outcome: 'kept',
      path: `${database}-backup-1`,
      bytes: statSync(`${database}-backup-1`).size,
    })
    const db = new Sqlite(`${database}-backup-1`, { readonly: true })
    t.equal(db.pragma('integrity_check', { simple: true }), 'ok')
    t.equal(db.prepare('SELECT name FROM file').pluck().get(), 'graz0010.26d.gz')
    db.close()
    close()
    t.same(
      names(),
      ['', '-backup-1', '-lock', '-numbers'].map((end) => `catalogue.db${end}`),
    )
  },
)

t.test('an unfinished backup is removed when a writer opens the database', (t) => {
  const database = join(testFolder(t), 'catalogue.db')
  const unfinished = ['backup-new', 'backup-new-journal', 'restoring'].map(
    (suffix) => `${database}-${suffix}`,
  )
  for (const file of unfinished) writeFileSync(file, 'unfinished')
  openWriter({ database, nowUs: () => 1 }).close()
  t.strictSame(
    unfinished.filter((file) => existsSync(file)),
    [],
  )
  t.end()
})

t.test('the newest two backups are kept', async (t) => {
  const { open, database } = openFolder(t)
  const writer = open()
  for (const station of ['graz', 'zimm', 'gope']) {
    await add(writer, station)
    await writer.backup({ ifOlderThanMs: 0 })
  }
  const files = ['-backup-1', '-backup-2'].map((end) => {
    const db = new Sqlite(database + end, { readonly: true })
    t.teardown(() => db.close())
    return db.prepare('SELECT count(*) FROM file').pluck().get()
  })
  t.same(files, [3, 2])
})

t.test('no backup is made if the newest backup is young or nothing has changed', async (t) => {
  const { open, clock, database } = openFolder(t)
  const writer = open()
  await add(writer, 'graz')
  const make = async () => {
    const { outcome } = await writer.backup({ ifOlderThanMs: 60_000 })
    const made = new Date(clock.us / 1000)
    if (outcome === 'kept') utimesSync(`${database}-backup-1`, made, made)
    return outcome
  }
  t.equal(await make(), 'kept', 'the first backup')
  await add(writer, 'zimm')
  t.equal(await make(), 'unneeded', 'the newest backup is young')
  clock.us += 61_000_000
  t.equal(await make(), 'kept')
  clock.us += 61_000_000
  t.equal(await make(), 'unneeded', 'nothing has changed since')
  await add(writer, 'gope')
  utimesSync(`${database}-backup-1`, new Date(), new Date(clock.us / 1000 + 3_600_000))
  t.equal(await make(), 'kept', 'a backup time in the future does not tell the age')
})

t.test('a backup shows one state of a catalogue that is written while it is made', async (t) => {
  const { open, database } = openFolder(t)
  const writer = open()
  const names = manyNames(20_000)
  await writer.apply([change(day, { added: names.map((name) => newFile(name)) })])
  const made = writer.backup({ ifOlderThanMs: 0 })
  let during = 0
  for (let ended = false; !ended; during++) {
    await add(writer, `z${during.toString(36).padStart(3, '0')}`)
    // One iteration of the event loop.
    ended = await Promise.race([
      made.then(() => true),
      new Promise<boolean>((resolve) => setImmediate(resolve, false)),
    ])
  }
  const db = new Sqlite(`${database}-backup-1`, { readonly: true })
  t.teardown(() => db.close())
  t.equal(db.pragma('integrity_check', { simple: true }), 'ok')
  const kept = db.prepare(`SELECT count(*) FROM file WHERE name GLOB 'z*'`).pluck().get() as number
  t.ok(kept <= during, `${kept} of ${during}`)
  t.equal(db.prepare('SELECT seq FROM catalogue').pluck().get(), names.length + kept)
})

const damages: Readonly<Record<string, (database: string) => void>> = {
  'a database with damaged pages': overwrite,
  'a file that is no database': (database) => writeFileSync(database, randomBytes(50_000)),
  'an empty file': (database) => truncateSync(database),
  'a missing database': (database) => rmSync(database),
}

for (const [name, damage] of Object.entries(damages))
  t.test(`${name} is replaced by the newest backup`, async (t) => {
    const { open, close, database, names } = openFolder(t)
    let writer = open()
    await add(writer, 'graz')
    await writer.backup({ ifOlderThanMs: 0 })
    const lost = (await add(writer, 'zimm')).head
    close()
    damage(database)

    writer = open()
    t.equal(writer.recovery.restored?.backup, `${database}-backup-1`)
    t.same(await idsOf(writer), new Map([['graz0010.26d.gz', 1]]), 'records keep their ids')
    t.match(
      await writer.directories(),
      exact([{ path: day, stamp: undefined }]),
      'stamps are discarded',
    )
    const { head } = await add(writer, 'gope')
    t.not(head.epoch, lost.epoch)
    t.ok(head.seq > lost.seq)
    t.ok(((await idsOf(writer)).get('gope0010.26d.gz') ?? 0) > 2, 'no id is used twice')
    close()
    const isQuarantined = name !== 'an empty file' && name !== 'a missing database'
    t.equal(writer.recovery.quarantined !== undefined, isQuarantined)
    t.equal(names().includes('catalogue.db.corrupt'), isQuarantined)
    t.ok(existsSync(`${database}-backup-1`), 'the backup is still there')
    t.same(open().recovery, {
      quarantined: undefined,
      restored: undefined,
      rejectedBackups: [],
      isOlderCopy: false,
    })
  })

t.test('onRestoring is called before each attempt to restore a backup', async (t) => {
  const { open, close, database } = openFolder(t)
  for (const station of ['graz', 'zimm']) {
    const writer = open()
    await add(writer, station)
    await writer.backup({ ifOlderThanMs: 0 })
  }
  close()
  rmSync(database)
  overwrite(`${database}-backup-1`)
  const backups = [1, 2].map((n) => `${database}-backup-${n}`)
  const expected = backups.map((backup) => ({
    backup,
    bytes: statSync(backup).size,
    isThere: false,
  }))
  const calls: object[] = []
  const { recovery } = open({
    onRestoring: (restoring) => calls.push({ ...restoring, isThere: existsSync(database) }),
  })
  t.strictSame(calls, expected, 'the bad backup and the good one')
  t.type(recovery.restored?.tookMs, 'number')
})

t.test('the WAL of a removed database is not used with the restored backup', async (t) => {
  const { open, close, database } = openFolder(t)
  let writer = open()
  await add(writer, 'graz')
  await writer.backup({ ifOlderThanMs: 0 })
  for (const station of ['zimm', 'gope']) await add(writer, station)
  copyFileSync(`${database}-wal`, `${database}-wal-kept`)
  close()
  copyFileSync(`${database}-wal-kept`, `${database}-wal`)
  rmSync(database)
  writer = open()
  t.same([...(await idsOf(writer)).keys()], ['graz0010.26d.gz'])
  close()
  const db = new Sqlite(database, { readonly: true })
  t.equal(db.pragma('integrity_check', { simple: true }), 'ok')
  db.close()
})

t.test('a bad backup is skipped', async (t) => {
  const { folder, open, close, database, names } = openFolder(t)
  const writer = open()
  for (const station of ['graz', 'zimm']) {
    await add(writer, station)
    await writer.backup({ ifOlderThanMs: 0 })
  }
  close()
  overwrite(database)
  const kept = testFolder(t)
  cpSync(folder, kept, { recursive: true })
  /** Puts the damaged database and its backups back. */
  const restore = () => {
    close()
    rmSync(folder, { recursive: true })
    cpSync(kept, folder, { recursive: true })
  }
  const bad: Readonly<Record<string, (backup: string) => void>> = {
    corrupt: overwrite,
    truncated: (backup) => truncateSync(backup, 3 * pageSize),
    empty: (backup) => truncateSync(backup),
    'no catalogue': (backup) => {
      rmSync(backup)
      new Sqlite(backup).exec('CREATE TABLE other (a)').close()
    },
  }
  for (const [name, damage] of Object.entries(bad))
    await t.test(`the next backup is used if the newest backup is bad: ${name}`, async (t) => {
      restore()
      damage(`${database}-backup-1`)
      const writer = open()
      const { restored, rejectedBackups } = writer.recovery
      t.equal(restored?.backup, `${database}-backup-2`)
      t.match(rejectedBackups, exact([{ backup: `${database}-backup-1` }]))
      t.same([...(await idsOf(writer)).keys()], ['graz0010.26d.gz'])
      t.ok(names().includes('catalogue.db-backup-1.corrupt'), 'it is quarantined')
    })
  await t.test('without a good backup a new database is created', async (t) => {
    restore()
    for (const n of [1, 2]) overwrite(`${database}-backup-${n}`)
    const writer = open()
    t.equal(writer.recovery.restored, undefined)
    t.equal(writer.recovery.rejectedBackups.length, 2)
    t.same(await writer.directories(), [])
  })
})

t.test('a database that is found corrupt when it is backed up is quarantined', async (t) => {
  const { open, database, names } = openFolder(t)
  const writer = open()
  for (let n = 0; n < 40; n++)
    await writer.apply([
      change(`obs/2025/${100 + n}`, {
        added: manyNames(2, `${100 + n}0.25d.gz`).map((name) => newFile(name)),
      }),
    ])
  await writer.backup({ ifOlderThanMs: 0 })
  await add(writer, 'gope')
  // A transaction of another connection invalidates the page cache of this one.
  const db = new Sqlite(database)
  db.exec('UPDATE catalogue SET last_scan = last_scan')
  db.pragma('wal_checkpoint(TRUNCATE)')
  const root = db
    .prepare(`SELECT rootpage FROM sqlite_schema WHERE name = 'file_seq'`)
    .pluck()
    .get()
  db.close()
  const file = openSync(database, 'r+')
  writeSync(file, randomBytes(pageSize), 0, pageSize, (Number(root) - 1) * pageSize)
  closeSync(file)
  await t.rejects(writer.backup({ ifOlderThanMs: 0 }), { code: 'CATALOGUE_CORRUPT' })
  t.ok(names().includes('catalogue.db.corrupt'))
  t.notOk(
    names().some((name) => name.includes('backup-new')),
    'the bad copy is removed',
  )
  t.equal(basename(open().recovery.restored?.backup ?? ''), 'catalogue.db-backup-1')
})
