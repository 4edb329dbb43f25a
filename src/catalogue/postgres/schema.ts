/** The schema in a database on a server: created, checked and migrated by the writer. */
import pg from 'pg'
import { serverName } from '../database-url.ts'
import { newEpoch } from '../epoch.ts'
import { UnusableDatabase } from '../errors.ts'
import { countTableNames, deferredCounts } from '../tables/count-tables.ts'
import { createIndex, indexNames } from '../tables/indexes.ts'
import { migrate } from '../tables/migrate.ts'
import {
  copyingSchema,
  isKnownSchema,
  latestOf,
  migrations,
  schemaVersion,
  unfinishedCopy,
  unknownSchema,
} from '../tables/migrations.ts'
import type { SchemaWords } from '../tables/schema.ts'
import { createTables } from '../tables/schema.ts'
import type { ServerAddress } from './connection.ts'
import { clientConfig, ignoreLoss, serverFault } from './connection.ts'
import { dialect } from './dialect.ts'
import { Driver } from './driver.ts'

const words: SchemaWords = {
  INT8: 'bigint',
  INT4: 'integer',
  TEXT: 'text COLLATE "C"',
  BYTES: 'bytea',
  ROWID: 'bigint PRIMARY KEY',
  STRICT: '',
  KEYED: '',
  references: false,
}

/** Counts are updated in place all the time, so their pages keep room, and are cleaned often. */
const inPlace = 'fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02'

/** What only a server needs. */
const ofServer = `
  -- The server and the writer, one row: the number of the schema; which server and table this is,
  -- and its timeline, which a promoted standby changes; a random text of the process that wrote
  -- last.
  CREATE TABLE server (
    one               integer PRIMARY KEY CHECK (one = 1),
    schema            integer NOT NULL,
    system_identifier text    NOT NULL,
    timeline          text    NOT NULL,
    writer            text    NOT NULL
  );

  -- The indexers: the active one, and those that wait to take over. Each keeps its row fresh.
  -- status is the answer of the active one to the request for its status.
  CREATE TABLE indexer (
    host      text        NOT NULL,
    pid       integer     NOT NULL,
    is_active boolean     NOT NULL,
    status    text        NOT NULL,
    seen      timestamptz NOT NULL,
    PRIMARY KEY (host, pid)
  );

  -- Requests to the active indexer, and its answers: lines of JSON, as on the control socket. The
  -- API may only add rows.
  CREATE TABLE request (
    id      text        PRIMARY KEY,
    made    timestamptz NOT NULL DEFAULT now(),
    request text        NOT NULL,
    answer  text
  );

  -- The active indexer looks for requests without an answer.
  CREATE INDEX request_open ON request (made) WHERE answer IS NULL;
`

/** SQL for the server and its timeline. A dump that is restored makes tables of other numbers. */
export const identity = `(SELECT system_identifier FROM pg_control_system())
    || '/' || 'server'::regclass::oid,
  substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)`

/** True on a standby too. */
export const readOnly = `(pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on')`

const [server, schema] = [`to_regclass('server')`, 'current_schema()']

/** Why a server cannot be used: SQL that is true then, and the words after its name. */
type SchemaFault = readonly [when: string, words: string]

const faults: readonly SchemaFault[] = [
  [
    `current_setting('server_version_num')::int < 150000`,
    'is older than PostgreSQL 15: install PostgreSQL 15 or newer',
  ],
  [
    `current_setting('server_encoding') <> 'UTF8'`,
    `has another encoding: create the database with ENCODING 'UTF8'`,
  ],
  [`${schema} IS NULL`, 'has no schema for this user: create one, or grant USAGE on it'],
  [
    `(${server} IS NULL OR to_regclass('id_count') IS NULL)
      AND EXISTS (SELECT FROM pg_tables WHERE schemaname = ${schema})`,
    'has tables of another program: create another database, or another schema',
  ],
  [
    `EXISTS (SELECT FROM pg_attribute JOIN pg_collation c ON c.oid = attcollation
      WHERE attrelid IN (to_regclass('file'), to_regclass('directory'), to_regclass('station'))
        AND atttypid = 'text'::regtype AND collname <> 'C')`,
    'has columns with another collation than "C": let the indexer create the tables',
  ],
]

const faultsOfReading: readonly SchemaFault[] = [
  ...faults,
  [
    `NOT has_table_privilege(${server}, 'SELECT')`,
    'may not be read by this user: GRANT SELECT on all tables',
  ],
]

const faultsOfWriting: readonly SchemaFault[] = [
  ...faults,
  [readOnly, 'is read-only: name the primary server in database'],
  [
    `NOT CASE WHEN ${server} IS NULL THEN has_schema_privilege(${schema}, 'CREATE')
      ELSE has_table_privilege(${server}, 'UPDATE') END`,
    'may not be written by this user: make it the owner of the schema and its tables',
  ],
]

interface ServerRow {
  readonly version: string
  readonly has_tables: boolean
  readonly fault: string | null
}

/** @throws UnusableDatabase */
async function check(client: pg.ClientBase, name: string, list: readonly SchemaFault[]) {
  const cases = list.map(([when, words]) => `WHEN ${when} THEN ${pg.escapeLiteral(words)}`)
  const { rows } = await client.query<ServerRow>(
    `SELECT current_setting('server_version') AS version, ${server} IS NOT NULL AS has_tables,
       CASE ${cases.join(' ')} END AS fault`,
  )
  const { fault, ...found } = rows[0] as ServerRow
  if (fault !== null) throw new UnusableDatabase(`${name} ${fault}`)
  return found
}

/**
 * Checks the server for writing. @returns whether it has the tables already
 * @throws UnusableDatabase
 */
export async function checkServer(client: pg.ClientBase, name: string): Promise<boolean> {
  return (await check(client, name, faultsOfWriting)).has_tables
}

/** What a check of a server has found. */
interface CheckedServer {
  readonly version: string
  /** `undefined` while there are no tables. */
  readonly schema: number | undefined
}

/**
 * Connects to a server, and checks that its user can read the catalogue, or write it.
 * @throws UnusableDatabase
 */
export async function inspectServer(
  address: ServerAddress,
  { writes }: { readonly writes: boolean },
): Promise<CheckedServer> {
  const name = serverName(address.url)
  const client = new pg.Client(clientConfig(address))
  ignoreLoss(client)
  try {
    await client.connect()
    const found = await check(client, name, writes ? faultsOfWriting : faultsOfReading)
    const number = found.has_tables ? await schemaOn(client, name) : undefined
    return { version: found.version, schema: number }
  } catch (error) {
    if (error instanceof UnusableDatabase) throw error
    throw new UnusableDatabase(`${name} ${serverFault(error)}`, { cause: error })
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Creates the tables of an empty database, with all indexes and counts. */
export async function createSchema(client: pg.ClientBase): Promise<void> {
  const built = [...indexNames, ...deferredCounts].map((name) => `('${name}')`)
  const statements = [
    createTables(words),
    ofServer,
    ...countTableNames.map((table) => `ALTER TABLE ${table} SET (${inPlace})`),
    ...indexNames.map((name) => createIndex(name, dialect)),
    `INSERT INTO built (name) VALUES ${built.join(', ')}`,
    `INSERT INTO catalogue (one, epoch, seq) VALUES (1, '${newEpoch()}', 0)`,
    `INSERT INTO server SELECT 1, ${schemaVersion}, ${identity}, ''`,
  ]
  await client.query(`BEGIN; ${statements.join(';\n')}; COMMIT`)
}

/**
 * Migrates the tables of an earlier release in one transaction, under the lock of the writer. A
 * backup is the server's matter.
 * @throws UnusableDatabase for a schema that this program does not know
 */
export async function migrateTables(
  client: pg.ClientBase,
  name: string,
  list = migrations,
): Promise<void> {
  const latest = latestOf(list)
  if ((await schemaOn(client, name, latest)) === latest) return
  // Its statements are used once, so they get no names.
  const driver = new Driver({ prepare: false })
  await driver.run(client, migrate(dialect, words, list), { begin: 'BEGIN', untilCommitted: true })
}

/** @throws UnusableDatabase for a schema that this program does not know */
async function schemaOn(
  client: pg.ClientBase,
  name: string,
  latest = schemaVersion,
): Promise<number> {
  const { rows } = await client.query<{ schema: number }>('SELECT schema FROM server')
  const schema = rows[0]?.schema ?? 0
  if (schema === copyingSchema) throw new UnusableDatabase(`${name} ${unfinishedCopy}`)
  if (!isKnownSchema(schema, latest))
    throw new UnusableDatabase(`${name} ${unknownSchema(schema)}, or use another database`)
  return schema
}
