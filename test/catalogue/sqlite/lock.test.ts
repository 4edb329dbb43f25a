/** The lock file, and hard links of the database. */
import { linkSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lockWriter } from '../../../src/catalogue/sqlite/lock.ts'
import { openWriter } from '../../../src/catalogue/sqlite/writer.ts'
import { testFolder } from '../../folder.ts'
import t from '../../tap.ts'
import { until } from '../../until.ts'

t.test('a database with two names is refused, by each of them', async (t) => {
  const database = join(testFolder(t), 'catalogue.db')
  openWriter({ database, nowUs: () => 1 }).close()
  const other = `${database}.link`
  linkSync(database, other)
  for (const name of [database, other])
    t.throws(() => openWriter({ database: name, nowUs: () => 1 }), {
      code: 'UNUSABLE_DATABASE',
      message: `${name} has 2 hard links: remove one`,
    })
  rmSync(other)
  openWriter({ database, nowUs: () => 1 }).close()
})

t.test('a removed lock file is created and locked again', async (t) => {
  const database = join(testFolder(t), 'catalogue.db')
  const path = `${database}-lock`
  const lock = lockWriter(database, 5)
  t.teardown(() => lock.release())
  const isLocked = (): boolean => {
    try {
      lockWriter(database).release()
      return false
    } catch {
      return true
    }
  }
  t.ok(isLocked())
  rmSync(path)
  const exists = (): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined
  await until('a removed lock file exists again', exists)
  t.ok(isLocked(), 'and is locked')
  rmSync(path)
  lock.check()
  t.ok(isLocked(), 'at once before a write')
})

t.test('a writer whose lock file was replaced must end', async (t) => {
  const database = join(testFolder(t), 'catalogue.db')
  const writer = openWriter({ database, nowUs: () => 1 })
  t.teardown(() => {
    writer.close()
  })
  await writer.apply([])
  rmSync(`${database}-lock`)
  await writer.apply([])
  writeFileSync(`${database}-other`, '')
  renameSync(`${database}-other`, `${database}-lock`)
  await t.rejects(writer.apply([]), { code: 'CATALOGUE_CORRUPT', message: /-lock was replaced/ })
})
