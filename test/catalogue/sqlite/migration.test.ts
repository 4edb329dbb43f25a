/** The database of an earlier release is migrated after a backup, or refused. */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, openSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import Sqlite from 'better-sqlite3'
import type { Test } from 'tap'
import { openForReading } from '../../../src/catalogue/sqlite/open.ts'
import { versionOf } from '../../../src/catalogue/sqlite/schema.ts'
import { upgradeDatabase } from '../../../src/catalogue/sqlite/upgrade.ts'
import { openWriter } from '../../../src/catalogue/sqlite/writer.ts'
import { schemaVersion } from '../../../src/catalogue/tables/migrations.ts'
import { lacksMounts } from '../../acceptance/service.ts'
import { testFolder } from '../../folder.ts'
import t from '../../tap.ts'
import { openCatalogue } from '../catalogue.ts'
import { newFile } from '../change.ts'
import { sqlite } from '../engines.ts'
import { later } from '../migrating.ts'

const latest = schemaVersion + later.length

/** A catalogue of this program with a file. */
async function makeDatabase(t: Test): Promise<string> {
  const { database, writer, apply, close } = await openCatalogue(t, { engine: sqlite })
  await apply({ added: [newFile('graz0010.26d.gz')] })
  await writer.checkpoint()
  await close()
  return database
}

/** Uses a database over a connection of its own. */
function use<T>(database: string, work: (db: Database) => T): T {
  const db = new Sqlite(database)
  try {
    return work(db)
  } finally {
    db.close()
  }
}

async function upgrade(database: string, { list = later, isAborted = false } = {}) {
  const lines: string[] = []
  const onMigrating = (words: string) => void lines.push(words)
  const signal = isAborted ? AbortSignal.abort() : new AbortController().signal
  await upgradeDatabase({ database, list, onMigrating, signal })
  return lines
}

t.test('a backup is made before a migration', async (t) => {
  const database = await makeDatabase(t)
  t.same(await upgrade(database), [`from schema ${schemaVersion} to ${latest}, after a backup`])
  t.equal(use(database, versionOf), latest)
  t.equal(use(`${database}-backup-1`, versionOf), schemaVersion)
  t.same(await upgrade(database), [], 'a second upgrade does nothing')
})

t.test('a signal ends the backup, and the next start migrates', async (t) => {
  const database = await makeDatabase(t)
  await upgrade(database, { isAborted: true })
  t.equal(use(database, versionOf), schemaVersion)
  await upgrade(database)
  t.equal(use(database, versionOf), latest, 'the lock is released')
})

/** Migrates a database on a disk with a copy of it and this much more space. */
function migrateOn(t: Test, database: string, freeFactor: number) {
  const cwd = testFolder(t, { disk: {} })
  const { size } = statSync(database)
  const bytes = Math.floor(size * (1 + freeFactor))
  const script = `mount -t tmpfs -o size=${bytes} none disk && cp ${database} disk/c.db &&
    "$0" "$@"; ls disk`
  const program = join(import.meta.dirname, '../migrating.ts')
  const args = [process.execPath, program, 'SQLite', 'disk/c.db', 'migrate']
  const done = spawnSync('unshare', ['-m', 'sh', '-c', script, ...args], { cwd, encoding: 'utf8' })
  return { size, ...done }
}

t.test('a migration needs free space of 1.5 times the size', { skip: lacksMounts }, async (t) => {
  const database = await makeDatabase(t)
  use(database, (db) => {
    db.exec('CREATE TABLE filler AS SELECT zeroblob(4000000)')
    db.pragma('wal_checkpoint(TRUNCATE)')
  })
  const refused = migrateOn(t, database, 1.45)
  const needed = Math.ceil(refused.size * 1.5)
  t.match(
    refused.stderr,
    new RegExp(
      `cannot be migrated: needs ${needed} bytes of free space, \\d+ are available: free some space`,
    ),
  )
  t.notMatch(refused.stdout, 'c.db-backup-1')
  const migrated = migrateOn(t, database, 1.6)
  t.match(migrated.stdout, 'c.db-backup-1')
  t.equal(migrated.stderr, '')
})

for (const schema of [0, schemaVersion + 1, 17])
  t.test(`a database of the schema ${schema} is refused with the remedy`, async (t) => {
    const database = await makeDatabase(t)
    use(database, (db) => {
      db.pragma(`user_version = ${schema}`)
    })
    const refused = {
      code: 'UNUSABLE_DATABASE',
      message: `${database} has schema ${schema}, this program knows ${schemaVersion}: install the program that made it, or move the file aside, and the indexer builds a new one`,
    }
    await t.rejects(upgrade(database, { list: [] }), refused)
    t.throws(() => openWriter({ database, nowUs: () => 1 }), refused)
    t.throws(() => openForReading(database), refused)
    t.equal(use(database, versionOf), schema)
  })

t.test('a corrupt database is not migrated', async (t) => {
  const database = await makeDatabase(t)
  const page = use(database, (db) =>
    db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'rejection'").pluck().get(),
  )
  const file = openSync(database, 'r+')
  writeSync(file, randomBytes(4096), 0, 4096, ((page as number) - 1) * 4096)
  closeSync(file)
  await upgrade(database)
  t.notOk(existsSync(`${database}-backup-1`), 'no backup is made of it')
  t.equal(use(database, versionOf), schemaVersion)
})
