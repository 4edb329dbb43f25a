/** Migration of the databases of earlier releases. */
import { randomBytes } from 'node:crypto'
import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync, statSync, writeSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import t, { exact } from '../../tap.ts'
import type { Test } from 'tap'
import { migrate } from '../../../src/catalogue/sqlite/migration.ts'
import type { Migration } from '../../../src/catalogue/sqlite/migration.ts'
import { openForReading } from '../../../src/catalogue/sqlite/open.ts'
import { schemaVersion } from '../../../src/catalogue/selection/schema.ts'
import { versionOf } from '../../../src/catalogue/sqlite/schema.ts'
import { upgradeDatabase } from '../../../src/catalogue/sqlite/upgrade.ts'
import { Driver } from '../../../src/catalogue/sqlite/driver.ts'
import { openReader } from '../../../src/catalogue/sqlite/reader.ts'
import { openWriter } from '../../../src/catalogue/sqlite/writer.ts'
import { countFaults } from '../../../src/catalogue/questions/count-faults.ts'
import { lacksMounts } from '../../acceptance/service.ts'
import { checksumOf, facts, openCatalogue } from '../catalogue.ts'
import { newFile } from '../change.ts'
import { makeEarlier, read } from '../earlier-database.ts'
import { testFolder } from '../../folder.ts'
import { programLine } from '../../program.ts'

const hour = 'nrt/2026/001/05'

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
  'hashing',
  'series',
  'delivery',
  'sqlite_sequence',
  'rejection',
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

/**
 * The contents after a migration to schema 13: it takes a seq, with which clients of a country
 * start again.
 */
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
  const { database, sql, writer, apply, close } = await openCatalogue(t)
  const names = ['graz0010.26d.gz', 'zimm0010.26n.gz', 'GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz']
  await apply({ added: names.map((name) => newFile(name, facts)), misplaced: 0 })
  const hourly = ['zimm001f.26d.gz', 'zimm0010.26d.gz'].map((name) => newFile(name))
  await apply({ added: hourly, misplaced: 1 }, hour)
  await apply({ added: [newFile('onsa0010.26d.gz')], misplaced: 1 }, 'obs/odd')
  await apply({
    removed: [2],
    modified: [{ id: 1, name: names[0] ?? '', size: 11, mtimeUs: 5 }],
  })
  await writer.keepChecksums([checksumOf(3, { problem: 'broken' })], 5)
  await writer.checkpoint()
  for (const by of [300_000, 2_000_000])
    await sql(`INSERT INTO file (id, directory, name, station, kind, data_date, created_us, seq, change, misplaced)
      SELECT id + ${by}, directory, ${by} || name, station, kind, data_date, created_us, seq, 0, misplaced FROM file WHERE id < 100`)
  await sql(
    'UPDATE directory SET files = (SELECT count(*) FROM file WHERE directory = directory.id)',
  )
  await sql(
    `UPDATE area SET files = (SELECT sum(files) FROM directory WHERE path LIKE area.name || '%')`,
  )
  // A migration does not know when it was found.
  await sql(
    'UPDATE file SET damaged_us = coalesce(modified_us, created_us) WHERE damaged_us IS NOT NULL',
  )
  await sql('UPDATE catalogue SET details_seq = 0, last_id = (SELECT max(id) FROM file)')
  await writer.repairCounts()
  await writer.checkpoint()
  await close()
  return database
}

async function upgrade(database: string, signal = new AbortController().signal): Promise<string[]> {
  const lines: string[] = []
  const onMigrating = (progress: string) => void lines.push(progress)
  await upgradeDatabase({ database, onMigrating, signal })
  return lines
}

const differences = (database: string) => read(database, (db) => new Driver(db).read(countFaults()))

for (const version of [12, 13, 14] as const)
  t.test(`a migration from schema ${version} keeps all rows`, async (t) => {
    const database = await makeDatabase(t)
    const [before, schema] = [contents(database), schemaOf(database)]
    makeEarlier(database, version)
    const lines = await upgrade(database)
    const parts = ['making a backup', 'changing the tables']
    t.same(lines, [
      ...parts.map((part) => `from schema ${version} to ${schemaVersion}: ${part}`),
      ...[0, 33, 66].map((percent) => `to schema ${schemaVersion}: counting, ${percent} %`),
    ])
    t.same(differences(database), [])
    t.same(contents(database), version < 13 ? migrated(before) : before)
    t.same(schemaOf(database), schema, 'the tables and indexes are those of a new database')
    t.equal(read(`${database}-backup-1`, versionOf), version, 'the backup has the earlier schema')
    t.same(await upgrade(database), [], 'a second upgrade does nothing')
  })

t.test('a checksum without an identity is hidden, and its file is hashed again', async (t) => {
  const database = await makeDatabase(t)
  makeEarlier(database, 14)
  const db = new Sqlite(database)
  const columns = ['inode', 'ctime_us', 'links', 'mode', 'uid', 'gid']
  db.exec(`UPDATE checksum SET ${columns.map((name) => `${name} = NULL`).join(', ')}`)
  db.close()
  await upgrade(database)
  t.same(differences(database), [])
  const writer = openWriter({ database, nowUs: () => 1 })
  t.teardown(() => {
    writer.close()
  })
  t.match(await writer.staleChecksums(1), { count: 1, files: exact([{ id: 3 }]) })
})

function setVersion(database: string, version: number): void {
  const db = new Sqlite(database)
  db.pragma(`user_version = ${version}`)
  db.close()
}

/** A migration that changes the counts; a first scan has left out one of the tables. */
const recounting: readonly Migration[] = [
  [
    schemaVersion,
    `UPDATE id_count SET files = 0; UPDATE station_count SET files = 0; DELETE FROM day_count;
     DELETE FROM built WHERE name = 'day_count'`,
    ['id_count', 'station_count', 'day_count'],
  ],
]

t.test('a migration recounts tables, again after it was interrupted', async (t) => {
  const database = await makeDatabase(t)
  const counts = () =>
    read(database, (db) => [
      db.prepare('SELECT level, kind, bucket, files FROM id_count').all(),
      db.prepare('SELECT * FROM station_count').all(),
      db.prepare('SELECT live_seq FROM station').all(),
    ])
  const before = counts()
  setVersion(database, 14)
  const seen: string[] = []
  for (let done = false; !done;) {
    const db = new Sqlite(database)
    const parts = migrate(db, recounting)
    // Each round ends before a part, as with a kill.
    for (let left = 2; left > 0; left--) {
      const part = parts.next()
      done = part.done === true
      if (part.done !== true) seen.push(part.value)
    }
    if (!done)
      t.throws(() => openForReading(database), {
        code: 'CATALOGUE_UNAVAILABLE',
        progress: seen.at(-1),
      })
    db.close()
  }
  const from = `from schema 14 to ${schemaVersion}`
  const counting = `to schema ${schemaVersion}: counting`
  t.same(seen, [
    `${from}: changing the tables`,
    ...[0, 0, 50, 50].map((percent) => `${counting}, ${percent} %`),
  ])
  t.same(counts(), before)
  t.same(
    read(database, (db) => db.prepare('SELECT * FROM day_count').all()),
    [],
    'left out',
  )
  t.equal(read(database, versionOf), schemaVersion)
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
      `cannot be migrated: needs ${needed} bytes of free space, \\d+ are available: free some space`,
    ),
  )
  t.notMatch(refused.stdout, 'c.db-backup-1')
  const migrated = migrateOn(t, database, 1.6)
  t.match(migrated.stdout, 'c.db-backup-1')
  t.notMatch(migrated.stdout + migrated.stderr, 'free space')
})

t.test('a signal stops the migration between two steps', async (t) => {
  const database = await makeDatabase(t)
  makeEarlier(database)
  const stop = new AbortController()
  stop.abort()
  t.equal((await upgrade(database, stop.signal)).length, 1)
  t.equal(read(database, versionOf), 12)
  t.ok((await upgrade(database)).length > 1, 'the lock is released')
})

t.test('a database that is too old is rejected, and the error names the remedy', async (t) => {
  const database = await makeDatabase(t)
  const db = new Sqlite(database)
  db.pragma('user_version = 11')
  db.close()
  const tooOld = {
    code: 'UNUSABLE_DATABASE',
    message:
      /too old to upgrade: it has schema 11, .*start a version with schema 12 to \d+ once, or move the file aside/,
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
