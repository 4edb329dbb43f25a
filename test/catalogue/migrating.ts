/**
 * A process that migrates a catalogue by the migrations of the test, or builds what they took out
 * of `built`. It is killed before one of its steps.
 *
 * Arguments: the name of the engine, the database, `migrate` or `build`, and the number of the
 * step; without a number it is not killed.
 */
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import { clientConfig } from '../../src/catalogue/postgres/connection.ts'
import { dialect as postgresDialect } from '../../src/catalogue/postgres/dialect.ts'
import { Driver as PostgresDriver } from '../../src/catalogue/postgres/driver.ts'
import { migrateTables } from '../../src/catalogue/postgres/schema.ts'
import type { Question } from '../../src/catalogue/question.ts'
import { dialect } from '../../src/catalogue/sqlite/dialect.ts'
import { Driver } from '../../src/catalogue/sqlite/driver.ts'
import { upgradeDatabase } from '../../src/catalogue/sqlite/upgrade.ts'
import type { Migration } from '../../src/catalogue/tables/migrations.ts'
import { schemaVersion } from '../../src/catalogue/tables/migrations.ts'
import { buildIndexes } from '../../src/catalogue/updates/indexes.ts'

/** Two schemas after that of this program: a column, other counts, an index and a table. */
export const later: readonly Migration[] = [
  [
    schemaVersion + 1,
    [
      'ALTER TABLE station ADD COLUMN approved INT8 NOT NULL DEFAULT 0',
      'UPDATE station SET approved = id',
      'UPDATE day_count SET files = 0',
      'DROP INDEX file_name',
    ],
    ['day_count', 'file_name'],
  ],
  [
    schemaVersion + 2,
    [
      'CREATE TABLE visit (id INT8 PRIMARY KEY, name TEXT NOT NULL) STRICT',
      'UPDATE station_count SET bytes = 0',
    ],
    ['station_count'],
  ],
]

if (process.argv[1] === import.meta.filename) {
  const [, , engine = '', database = '', phase, step = 'Infinity'] = process.argv
  let left = Number(step)
  const killed = (): void => {
    if (left-- === 0) process.kill(process.pid, 'SIGKILL')
  }

  /** The same list, whose statements are steps when they are read. */
  const list = later.map(([schema, sql, remade = []]): Migration => {
    const statements = [...sql]
    for (const [at, text] of sql.entries())
      Object.defineProperty(statements, at, { get: () => (killed(), text) })
    return [schema, statements, remade]
  })

  /** The same question, whose statements are steps. */
  function* inSteps<T>(question: Question<T>): Question<T> {
    let next = question.next()
    while (next.done !== true) {
      killed()
      next = question.next(yield next.value)
    }
    return next.value
  }

  if (engine === 'PostgreSQL') {
    const client = new pg.Client(clientConfig({ url: database, passwordFile: undefined }))
    await client.connect()
    if (phase === 'migrate') await migrateTables(client, database, list)
    else
      await new PostgresDriver({ prepare: false }).run(
        client,
        inSteps(buildIndexes(postgresDialect)),
        { begin: 'BEGIN', untilCommitted: true },
      )
    await client.end()
  } else if (phase === 'migrate')
    await upgradeDatabase({
      database,
      list,
      onMigrating: killed,
      signal: new AbortController().signal,
    })
  else new Driver(new Sqlite(database)).write(inSteps(buildIndexes(dialect)))
}
