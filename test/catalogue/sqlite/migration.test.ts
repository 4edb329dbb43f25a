/** Migration of the databases of earlier releases. */
import { randomBytes } from 'node:crypto'
import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from '../../tap.ts'
import type { Test } from 'tap'
import { differencesOf } from '../../../src/catalogue/sqlite/consistency-check.ts'
import { describeProgress, migrate } from '../../../src/catalogue/sqlite/migration.ts'
import { connectForWriting, openForReading } from '../../../src/catalogue/sqlite/open.ts'
import { migratingVersion, schemaVersion, versionOf } from '../../../src/catalogue/sqlite/schema.ts'
import { upgradeDatabase } from '../../../src/catalogue/sqlite/open.ts'
import { openReader } from '../../../src/catalogue/sqlite/reader.ts'
import { openWriter } from '../../../src/catalogue/sqlite/writer.ts'
import { lacksMounts } from '../../acceptance/service.ts'
import { change, newFile } from '../change.ts'
import { makeEarlier, read } from '../earlier-database.ts'
import { testFolder } from '../../folder.ts'
import { programLine } from '../../program.ts'

const day = 'obs/2026/001'
const hour = 'nrt/2026/001/05'
const facts = { size: 10, mtimeUs: 1000 }

/** Tables that a migration must not change. */
const unchangedTables = [
  'catalogue',
  'directory',
  'station',
  'kind',
  'file',
  'tombstone',
  'checksum',
  'area',
]

function contents(database: string): Record<string, unknown[]> {
  return read(database, (db) =>
    Object.fromEntries(
      unchangedTables.map((table) => [
        table,
        db.prepare(`SELECT * FROM ${table} ORDER BY 1`).all(),
      ]),
    ),
  )
}

/** The contents after a migration to schema 13: it takes a seq, with which clients of a country start again. */
function migrated(before: Record<string, unknown[]>): Record<string, unknown[]> {
  const [catalogue] = before['catalogue'] as { readonly seq: number }[]
  const seq = (catalogue?.seq ?? 0) + 1
  const stations = before['station'] as object[]
  return {
    ...before,
    catalogue: [{ ...catalogue, seq }],
    station: stations.map((station) => ({ ...station, live_seq: seq })),
  }
}

/** Before schema 9 a checksum was bound to its file only by size and mtime. */
function unbind(database: string): void {
  const db = new Sqlite(database)
  const columns = ['inode', 'ctime_us', 'links', 'mode', 'uid', 'gid']
  db.exec(`UPDATE checksum SET ${columns.map((name) => `${name} = NULL`).join(', ')}`)
  db.close()
}

/** Tables and indexes with their columns. */
function schemaOf(database: string): unknown {
  return read(database, (db) => {
    const names = db.prepare('SELECT type, name FROM sqlite_schema ORDER BY name').all()
    return (names as { type: string; name: string }[]).map(({ type, name }) => [
      name,
      db.pragma(type === 'table' ? `table_info(${name})` : `index_xinfo(${name})`),
    ])
  })
}

/** A catalogue with misplaced, modified, removed and hashed files, and ids over several ranges. */
async function makeDatabase(t: Test) {
  const database = join(testFolder(t), 'catalogue.db')
  const writer = openWriter({ database, nowUs: () => 1 })
  const names = ['graz0010.26d.gz', 'zimm0010.26n.gz', 'GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz']
  const added = names.map((name) => newFile(name, facts))
  await writer.apply([change(day, { added, misplaced: 0 })])
  await writer.apply([
    change(hour, { added: [newFile('zimm001f.26d.gz'), newFile('zimm0010.26d.gz')], misplaced: 1 }),
  ])
  await writer.apply([change('obs/odd', { added: [newFile('onsa0010.26d.gz')], misplaced: 1 })])
  await writer.apply([
    change(day, {
      removed: [2],
      modified: [{ id: 1, name: names[0] ?? '', size: 11, mtimeUs: 5 }],
    }),
  ])
  const identity = { ...facts, inode: 7, ctimeUs: 2000, links: 1, mode: 0o100644, uid: 1, gid: 1 }
  const checksum = {
    id: 3,
    ...identity,
    sha256: randomBytes(32),
    problem: 'broken' as const,
    rested: true,
  }
  await writer.keepChecksums([checksum], 5)
  await writer.checkpoint()
  const db = new Sqlite(database)
  for (const [table, by] of [
    ['file', 300_000],
    ['file', 2_000_000],
  ] as const)
    db.exec(`INSERT INTO ${table} (id, directory, name, station, kind, data_date, created_us, seq, change, arrived, misplaced)
      SELECT id + ${by}, directory, ${by} || name, station, kind, data_date, created_us, seq, 0, 0, misplaced FROM ${table} WHERE id < 100`)
  db.exec('UPDATE directory SET files = (SELECT count(*) FROM file WHERE directory = directory.id)')
  db.exec(
    `UPDATE area SET files = (SELECT sum(files) FROM directory WHERE path LIKE area.name || '%')`,
  )
  db.exec('UPDATE catalogue SET details_seq = 0')
  db.close()
  await writer.repairCounts()
  await writer.checkpoint()
  writer.close()
  return database
}

async function upgrade(database: string, signal = new AbortController().signal): Promise<string[]> {
  const lines: string[] = []
  const onMigrating = (progress: Parameters<typeof describeProgress>[0]) =>
    lines.push(describeProgress(progress))
  await upgradeDatabase({ database, onMigrating, signal })
  return lines
}

/** Opens a writer, builds the missing indexes and counts, and closes it. */
async function buildIndexes(database: string): Promise<void> {
  const writer = openWriter({ database, nowUs: () => 1 })
  while ((await writer.buildIndexes()).left > 0);
  await writer.checkpoint()
  writer.close()
}

const differences = (database: string) => read(database, differencesOf)

for (const version of [7, 8, 9, 10, 12, 13, 14] as const)
  t.test(`a migration from schema ${version} keeps all rows and makes the counts`, async (t) => {
    const database = await makeDatabase(t)
    if (version < 9) unbind(database)
    const [before, schema] = [contents(database), schemaOf(database)]
    makeEarlier(database, version)
    const lines = await upgrade(database)
    t.equal(lines[0], `from schema ${version} to ${schemaVersion}: checking, 0 %`)
    t.equal(
      lines.some((line) => line.endsWith('counting, 0 %')),
      version < 10,
      'existing counts stay',
    )
    t.same(differences(database), [])
    await buildIndexes(database)
    t.same(differences(database), [])
    const wanted = version < 13 ? migrated(before) : before
    t.same(contents(database), wanted, 'including misplaced files')
    t.same(schemaOf(database), schema, 'the tables and indexes are those of a new database')
    t.equal(read(`${database}-backup-1`, versionOf), version, 'the backup has the earlier schema')
    t.same(await upgrade(database), [], 'a second upgrade does nothing')
  })

t.test('a migrated database has no heartbeat before its next scan or sweep', async (t) => {
  const database = await makeDatabase(t)
  const writer = openWriter({ database, nowUs: () => 1 })
  await writer.heartbeat({ atUs: 5, limitSeconds: 180 })
  await writer.checkpoint()
  writer.close()
  makeEarlier(database, 13)
  await upgrade(database)
  const reader = openReader({ database })
  t.teardown(() => {
    reader.close()
  })
  t.equal((await reader.head()).heartbeat, undefined)
})

/** Runs the indexer once on a disk with a copy of a database and this much more space. */
function migrateOn(t: Test, database: string, freeFactor: number) {
  // In this folder the path of the control socket is short.
  const cwd = testFolder(t, { disk: {}, archive: { obs: {}, nrt: {} } })
  const { size } = statSync(database)
  const bytes = Math.floor(size * (1 + freeFactor))
  const script = `mount -t tmpfs -o size=${bytes} none disk && cp ${database} disk/c.db &&
    "$0" "$@"; code=$?; ls disk; exit $code`
  const [node, args] = programLine(['index', '--once', '--archive', 'archive'])
  const command = ['-m', 'sh', '-c', script, node, ...args, '--database', 'disk/c.db']
  return { size, ...spawnSync('unshare', command, { cwd, encoding: 'utf8' }) }
}

t.test('a migration needs free space of 1.5 times the size', { skip: lacksMounts }, async (t) => {
  const database = await makeDatabase(t)
  makeEarlier(database, 12)
  const db = new Sqlite(database)
  db.exec('CREATE TABLE filler AS SELECT zeroblob(4000000)')
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
  const refused = migrateOn(t, database, 1.45)
  t.equal(refused.status, 1, 'systemd tries again: space may become free')
  const needed = Math.ceil(refused.size * 1.5)
  t.match(
    refused.stdout + refused.stderr,
    new RegExp(
      `cannot be migrated to schema ${schemaVersion}: needs ${needed} bytes of free space, \\d+ are available: free some space`,
    ),
  )
  t.notMatch(refused.stdout, 'c.db-backup-1')
  const migrated = migrateOn(t, database, 1.6)
  t.match(migrated.stdout, 'c.db-backup-1')
  t.notMatch(migrated.stdout + migrated.stderr, 'free space')
})

t.test('an interrupted migration continues at the next start', async (t) => {
  const database = await makeDatabase(t)
  unbind(database)
  const before = contents(database)
  makeEarlier(database)
  for (let version = 7, rounds = 0; version !== schemaVersion; rounds++) {
    t.ok(rounds < 50)
    const db = connectForWriting(database)
    const steps = migrate(db, { path: database, keepBackup: true })
    for (let step = 0; step < 4; step++) if (steps.next().done === true) break
    version = versionOf(db)
    if (version === migratingVersion)
      t.throws(() => openForReading(database), {
        code: 'CATALOGUE_UNAVAILABLE',
        progress: /^from schema 7 to \d+: .*, \d+ %$/,
      })
    db.close()
  }
  await buildIndexes(database)
  t.same(differences(database), [])
  t.same(contents(database), migrated(before))
})

t.test('a signal stops the migration between two steps', async (t) => {
  const database = await makeDatabase(t)
  makeEarlier(database)
  const stop = new AbortController()
  stop.abort()
  t.equal((await upgrade(database, stop.signal)).length, 1)
  t.equal(read(database, versionOf), 7)
  t.ok((await upgrade(database)).length > 1, 'the lock is released')
})

t.test('a database that is too old is rejected, and the error names the remedy', async (t) => {
  const database = await makeDatabase(t)
  makeEarlier(database)
  const db = new Sqlite(database)
  db.pragma('user_version = 6')
  db.close()
  const tooOld = {
    code: 'UNUSABLE_DATABASE',
    message: /too old to upgrade: .*start a release with schema 7/,
  }
  await t.rejects(upgrade(database), tooOld)
  t.throws(() => openWriter({ database, nowUs: () => 1 }), tooOld)
})

t.test('a corrupt database is not migrated, and the writer quarantines it', async (t) => {
  const database = await makeDatabase(t)
  makeEarlier(database)
  const page = read(database, (db) =>
    db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'rejection'").pluck().get(),
  )
  const file = openSync(database, 'r+')
  writeSync(file, randomBytes(4096), 0, 4096, ((page as number) - 1) * 4096)
  closeSync(file)
  await upgrade(database)
  t.notOk(existsSync(`${database}-backup-1`), 'no backup is made of it')
  const writer = openWriter({ database, nowUs: () => 1 })
  t.ok(writer.recovery.quarantined?.includes('.corrupt-'))
  writer.close()
})
