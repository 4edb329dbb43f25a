/** A database of an earlier release, which is brought to the schema of this one when a writer opens it. */
import { randomBytes } from 'node:crypto'
import { closeSync, openSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import type { Test } from 'tap'
import { openWriter } from '../../../src/catalogue/sqlite/writer.ts'
import { change, newFile } from '../change.ts'
import { makeEarlier } from '../earlier.ts'
import { testFolder } from '../../folder.ts'

const day = 'obs/2026/001'

/** Opens a writer for what it tells, and closes it again. Nothing is checked for being small. */
async function opened(database: string, adding?: string) {
  const told: object[] = []
  const onMigrating = (migrating: object) => told.push(migrating)
  const writer = openWriter({ database, nowUs: () => 1, checkUpTo: 0, onMigrating })
  if (adding !== undefined) await writer.apply([change(day, { added: [newFile(adding)] })])
  const { files } = (await writer.directory(day)) ?? { files: new Map() }
  const { setAside } = writer.recovery
  await writer.checkpoint()
  writer.close()
  return { told, files: files.size, isSetAside: setAside !== undefined }
}

function versionOf(database: string): number {
  const db = new Sqlite(database, { readonly: true })
  const version = db.pragma('user_version', { simple: true }) as number
  db.close()
  return version
}

async function makeDatabase(t: Test) {
  const database = join(testFolder(t), 'catalogue.db')
  await opened(database, 'graz0010.26d.gz')
  return { database, version: versionOf(database) }
}

/** Ruins the first page of a table that no migration has to do with. */
function ruin(database: string): void {
  const db = new Sqlite(database, { readonly: true })
  const page = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'rejection'").pluck()
  const at = ((page.get() as number) - 1) * 4096
  db.close()
  const file = openSync(database, 'r+')
  writeSync(file, randomBytes(4096), 0, 4096, at)
  closeSync(file)
}

t.test('it is told before that begins, and once', async (t) => {
  const { database, version } = await makeDatabase(t)
  makeEarlier(database)
  const { size } = statSync(database)
  t.strictSame(await opened(database), {
    told: [{ from: 1, to: version, bytes: size }],
    files: 1,
    isSetAside: false,
  })
  t.equal(versionOf(database), version)
  t.strictSame(await opened(database), { told: [], files: 1, isSetAside: false })
})

t.test('one that is damaged is set aside, which is not looked for in any other', async (t) => {
  const { database } = await makeDatabase(t)
  ruin(database)
  t.match(await opened(database), { told: [], isSetAside: false })
  makeEarlier(database)
  ruin(database)
  t.match(await opened(database), { told: [{ from: 1 }], files: 0, isSetAside: true })
})
