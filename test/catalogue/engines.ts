/**
 * The engines on which tests open a catalogue: SQLite, or with RINEX_TEST_ENGINE=postgres
 * PostgreSQL. The runner of all tests runs many files once on each.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import type { Test } from 'tap'
import type { Dialect } from '../../src/catalogue/dialect.ts'
import { dialect as postgresDialect } from '../../src/catalogue/postgres/dialect.ts'
import { Driver as PostgresDriver } from '../../src/catalogue/postgres/driver.ts'
import type { Question } from '../../src/catalogue/question.ts'
import { dialect as sqliteDialect } from '../../src/catalogue/sqlite/dialect.ts'
import { Driver as SqliteDriver } from '../../src/catalogue/sqlite/driver.ts'
import type { CatalogueWriter } from '../../src/catalogue/updates/writer.ts'
import { openSchema, psql } from '../postgres.ts'

/** Another connection to the database of a catalogue, to inspect and change it. */
export interface Connection {
  /** Answers a question in a transaction. */
  readonly ask: <Answer>(question: Question<Answer>) => Promise<Answer>
  /** Runs SQL, one statement if it has rows. */
  readonly sql: (text: string) => Promise<Record<string, unknown>[]>
  readonly close: () => Promise<void>
}

export interface TestEngine {
  readonly name: string
  readonly dialect: Dialect
  /** The database of a catalogue in a folder. It is removed after the test. */
  database(t: Test, folder: string): Promise<string>
  connect(database: string): Promise<Connection>
  /** Closes a writer, so that another one may be opened. */
  close(writer: CatalogueWriter): Promise<void>
  /** SQL that makes a write fail, as on a full disk: a trigger that is named `failing`. */
  failing(event: string): string
  /** SQL that makes the database refuse a file of this name: a trigger that is named `refusing`. */
  refusing(name: string): string
  /** SQL that removes such a trigger. */
  repaired(trigger: string): string
}

export const sqlite: TestEngine = {
  name: 'SQLite',
  dialect: sqliteDialect,
  database: (_, folder) => Promise.resolve(join(folder, 'catalogue.db')),
  connect: (database) => {
    const db = new Sqlite(database)
    const driver = new SqliteDriver(db)
    const run = (text: string): Record<string, unknown>[] => {
      if (/^(SELECT|PRAGMA \w+$)/.test(text)) return db.prepare<[], object>(text).all() as []
      db.exec(text)
      return []
    }
    return Promise.resolve({
      ask: (question) => Promise.resolve(driver.write(question)),
      sql: (text) => Promise.resolve(run(text)),
      close: () => {
        db.close()
        return Promise.resolve()
      },
    })
  },
  close: (writer) => {
    writer.close()
    return Promise.resolve()
  },
  failing: (event) => `CREATE TRIGGER failing BEFORE ${event} BEGIN SELECT json('no space'); END`,
  refusing: (name) =>
    `CREATE TRIGGER refusing BEFORE INSERT ON file WHEN new.name = '${name}'
     BEGIN SELECT RAISE(ABORT, 'odd row'); END`,
  repaired: (trigger) => `DROP TRIGGER ${trigger}`,
}

const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)

export const postgres: TestEngine = {
  name: 'PostgreSQL',
  dialect: postgresDialect,
  database: async (t, folder) => {
    const file = join(folder, 'catalogue.url')
    if (!existsSync(file)) writeFileSync(file, await openSchema(t))
    return readFileSync(file, 'utf8')
  },
  connect: async (database) => {
    const client = new pg.Client({ connectionString: database, types, pipeline: true })
    await client.connect()
    const driver = new PostgresDriver({ prepare: true })
    return {
      ask: (question) => driver.run(client, question, { begin: 'BEGIN', untilCommitted: true }),
      sql: async (text) => (await client.query<Record<string, unknown>>(text)).rows,
      close: () => client.end(),
    }
  },
  close: async (writer) => {
    await writer.checkpoint()
    writer.close()
  },
  failing: (event) => `${raising('failing', "'malformed JSON'")};
    CREATE TRIGGER failing BEFORE ${event} FOR EACH ROW EXECUTE FUNCTION failing()`,
  refusing: (name) => `${raising('refusing', "'odd row' USING ERRCODE = 'check_violation'")};
    CREATE TRIGGER refusing BEFORE INSERT ON file FOR EACH ROW WHEN (new.name = '${name}')
    EXECUTE FUNCTION refusing()`,
  repaired: (trigger) => `DROP FUNCTION ${trigger} CASCADE`,
}

/** What other programs make of the settings of a role or a database. */
const oddSettings: Readonly<Record<string, string>> = {
  standard_conforming_strings: 'off',
  escape_string_warning: 'on',
  backslash_quote: 'off',
  transform_null_equals: 'on',
  array_nulls: 'off',
  DateStyle: 'SQL, DMY',
  IntervalStyle: 'iso_8601',
  TimeZone: 'Asia/Kolkata',
  bytea_output: 'escape',
  extra_float_digits: '-15',
  default_transaction_isolation: 'serializable',
  default_transaction_deferrable: 'on',
  statement_timeout: '1h',
  lock_timeout: '1h',
  idle_in_transaction_session_timeout: '1h',
  idle_session_timeout: '1h',
  synchronous_commit: 'off',
  client_encoding: 'LATIN1',
  row_security: 'off',
  enable_indexscan: 'off',
  quote_all_identifiers: 'on',
  synchronize_seqscans: 'off',
  lc_numeric: 'C',
}

/** The same for a role whose settings are unlike those of a new server. */
export const oddPostgres: TestEngine = {
  ...postgres,
  name: 'PostgreSQL with odd settings',
  database: async (t, folder) => {
    const url = await postgres.database(t, folder)
    const sets = Object.entries(oddSettings).map(
      ([name, value]) =>
        `ALTER ROLE CURRENT_USER SET ${name} = ${value.includes(',') ? value : `'${value}'`}`,
    )
    await psql(url, sets.join(';'))
    return url
  },
}

const raising = (name: string, what: string): string =>
  `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql
   AS $$ BEGIN RAISE ${what}; END $$`

/** The engine of this process. */
export const engine = process.env['RINEX_TEST_ENGINE'] === 'postgres' ? postgres : sqlite

/** For `skip`: why a test that is about files, or about SQLite, cannot run on this engine. */
export const aboutSqlite = engine === sqlite ? false : 'this is about SQLite'
