/** Errors that mean that the database cannot be read, and errors that do not. */
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { connectionSource } from '../../../src/catalogue/sqlite/connection.ts'
import { connectForWriting } from '../../../src/catalogue/sqlite/open.ts'
import { openWriter } from '../../../src/catalogue/sqlite/writer.ts'
import { schemaVersion } from '../../../src/catalogue/tables/migrations.ts'
import { testFolder } from '../../folder.ts'
import t from '../../tap.ts'

t.test('a statement that SQLite rejects does not close the connection', (t) => {
  const database = join(testFolder(t), 'catalogue.db')
  openWriter({ database, nowUs: () => 1 }).close()
  let opened = 0
  const source = connectionSource(database, (db) => {
    opened++
    return db
  })
  t.teardown(() => {
    source.close()
  })
  const reject = (db: Database) => db.prepare('SELECT missing FROM file')
  t.throws(() => source.use(reject), { code: 'SQLITE_ERROR' }, 'a bug of this program')
  t.equal(
    source.use((db) => db.prepare('SELECT 1').pluck().get()),
    1,
  )
  t.equal(opened, 1)
  const other = connectForWriting(database)
  other.pragma(`user_version = ${schemaVersion + 1}`)
  other.close()
  t.throws(() => source.use(reject), { code: 'CATALOGUE_UNAVAILABLE' }, 'another schema')
  t.end()
})
