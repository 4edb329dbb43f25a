/** What commands say of a PostgreSQL server: its faults with their remedies, and its indexers. */
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { WireStatus } from '../../src/api/status/serialise.ts'
import { openWriter } from '../../src/catalogue/engines/engine.ts'
import { schemaVersion } from '../../src/catalogue/tables/migrations.ts'
import { longestMs, stop } from '../acceptance/service.ts'
import { testFolder } from '../folder.ts'
import { Cluster, lacksPostgres, openSchema, psql } from '../postgres.ts'
import { kept, programLine } from '../program.ts'
import t from '../tap.ts'
import { until } from '../until.ts'

const skip = lacksPostgres()

t.setTimeout(longestMs)

function run(args: readonly string[], home = '/nowhere') {
  const [program, all] = programLine(args)
  const env = { ...kept, HOME: home }
  const { status, stdout, stderr } = spawnSync(program, all, { env, encoding: 'utf8' })
  return { code: status, stdout, stderr }
}

const check = (command: string, database: string, ...more: string[]) =>
  run(['check-config', command, '--archive', 'fixtures/archive', '--database', database, ...more])

/** Makes the tables as the indexer does. */
async function makeTables(database: string): Promise<void> {
  const writer = await openWriter({ database }, () => 1)
  await writer.checkpoint()
}

/** The role of a URL, which must be shown nowhere. */
const roleOf = (url: string): string => new URL(url).username

t.test('check-config names the server, its version and its schema', { skip }, async (t) => {
  const url = await openSchema(t)
  const empty = check('index', url)
  t.strictSame({ code: empty.code, stderr: empty.stderr }, { code: 0, stderr: '' })
  t.match(empty.stdout, /^# database postgresql:\/\/\S+:5432\/postgres may be written$/m)
  t.match(empty.stdout, /^# PostgreSQL \d+\.\d+.*, no tables yet$/m)
  await makeTables(url)
  const full = check('serve', url, '--database-read', url)
  t.equal(full.code, 0)
  t.match(full.stdout, /^# database_read postgresql:\S+ may be read$/m)
  t.match(full.stdout, new RegExp(`^# PostgreSQL \\d.*, schema ${schemaVersion}$`, 'm'))
  t.notMatch(empty.stdout + full.stdout, /SQLite|not checked/)
  t.notMatch(full.stdout.replaceAll(/^# archive.*$/gm, ''), `//${roleOf(url)}`)
})

t.test('check-config names the faults of a server with their remedies', { skip }, async (t) => {
  const cluster = await Cluster.start(t)
  const urlOf = (user: string, database = 'postgres'): string =>
    cluster.url.replace('//postgres@', `//${user}@`).replace('/postgres?', `/${database}?`)
  await cluster.psql(`CREATE ROLE wr1ter LOGIN PASSWORD 'r1ght+%zz'; CREATE ROLE other LOGIN`)
  await cluster.psql('CREATE ROLE r3ader LOGIN')
  await cluster.psql('CREATE SCHEMA AUTHORIZATION wr1ter')
  await cluster.psql(`CREATE DATABASE ascii ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0`)
  await cluster.psql('ALTER ROLE r3ader SET search_path = wr1ter')
  const finds = (command: string, url: string, fault: RegExp): void => {
    const { code, stdout, stderr } = check(command, url)
    t.equal(code, 78, fault.source)
    t.match(stderr, fault)
    t.match(stderr, /^ {2}--database: database postgresql:\/\/\S+:\d+\/\w+ /m)
    t.notMatch(stderr + stdout.replaceAll(/^# archive.*$/gm, ''), /r3ader|n0body|wr1ter/)
  }
  finds('index', urlOf('n0body'), / refuses this user: check the user in the URL/)
  finds('index', urlOf('wr1ter', 'none'), /\/none has no such database: create it/)
  finds('serve', urlOf('r3ader'), / has no schema for this user: create one, or grant USAGE/)
  finds('index', urlOf('other'), / may not be written by this user: make it the owner/)
  finds('index', urlOf('wr1ter', 'ascii'), / has another encoding: create the database with/)
  await cluster.psql('CREATE TABLE wr1ter.theirs (a int)')
  finds('index', urlOf('wr1ter'), / has tables of another program: create another database/)
  await cluster.psql('DROP TABLE wr1ter.theirs')
  await makeTables(urlOf('wr1ter'))
  await cluster.psql('GRANT USAGE ON SCHEMA wr1ter TO r3ader')
  finds('serve', urlOf('r3ader'), / may not be read by this user: GRANT SELECT/)
  await cluster.psql('GRANT SELECT ON ALL TABLES IN SCHEMA wr1ter TO r3ader')
  t.equal(check('serve', urlOf('r3ader')).code, 0)
  finds('index', urlOf('r3ader'), / may not be written by this user: make it the owner/)
  await cluster.psql('ALTER ROLE wr1ter SET default_transaction_read_only = on')
  finds('index', urlOf('wr1ter'), / is read-only: name the primary server in database/)
  t.equal(check('serve', urlOf('wr1ter')).code, 0)
  await cluster.psql('ALTER ROLE wr1ter RESET default_transaction_read_only')
  await cluster.psql('UPDATE wr1ter.server SET schema = 99')
  finds(
    'serve',
    urlOf('wr1ter'),
    / has schema 99, this program knows \d+: install the program that made it/,
  )
  await cluster.psql('ALTER TABLE wr1ter.station ALTER code TYPE text COLLATE "default"')
  finds('index', urlOf('wr1ter'), / has columns with another collation than "C"/)

  const rule = 'local all wr1ter scram-sha-256\\nlocal all all trust\\n'
  const hba = join(cluster.folder, 'data/pg_hba.conf')
  await cluster.psql(`COPY (SELECT E'${rule}') TO PROGRAM 'cat >${hba}; printf "${rule}" >${hba}'`)
  await cluster.psql('SELECT pg_reload_conf()')
  const home = testFolder(t, { wrong: 'wr0ng\n', right: 'r1ght+%zz\n' })
  finds('index', urlOf('wr1ter'), / needs a password: set database_password_file/)
  const passwordOf = (file: string) => ['--database-password-file', join(home, file)] as const
  const wrong = check('index', urlOf('wr1ter'), ...passwordOf('wrong'))
  t.match(wrong.stderr, / refuses the password: correct database_password_file/)
  t.notMatch(wrong.stderr, /wr0ng|wr1ter/)
  t.match(check('index', urlOf('wr1ter'), ...passwordOf('right')).stderr, /another collation/)
})

t.test('the roles of the document have what they need, and no more', { skip }, async (t) => {
  const cluster = await Cluster.start(t)
  const url = (user: string): string =>
    cluster.url.replace('//postgres@', `//${user}@`).replace('/postgres?', '/rinex?')
  const document = readFileSync('docs/postgresql.md', 'utf8')
  const [, sql = ''] = /<<'END'\n(.*?)^END$/ms.exec(document) ?? []
  const [ofServer = '', ofDatabase = ''] = sql.split('\\connect rinex\n')
  for (const line of ofServer.trim().split('\n')) await cluster.psql(line)
  const ask = (user: string, sql: string) => psql(url(user), sql)
  await ask('postgres', ofDatabase)
  t.equal(check('serve', url('rinexcat-api')).code, 0)
  t.equal(check('index', url('rinexcat-api')).code, 78)
  t.equal(check('index', url('rinexcat-indexer')).code, 0)
  await makeTables(url('rinexcat-indexer'))
  const request = `INSERT INTO request (id, request) VALUES ('a', 'b')`
  await t.rejects(ask('rinexcat-api', request), 'before its GRANT')
  const [, grant = ''] = /psql -d rinex -c '(GRANT .*)'$/m.exec(document) ?? []
  await ask('postgres', grant)
  const tables = (
    await ask('postgres', `SELECT tablename FROM pg_tables WHERE schemaname = 'rinex'`)
  )
    .split('\n')
    .toSorted()
  t.ok(tables.length > 15, `${tables.length} tables`)
  const role = 'rinexcat-api'
  await ask(role, request)
  for (const table of tables) {
    await ask(role, `SELECT * FROM ${table}`)
    await t.rejects(ask(role, `DELETE FROM ${table}`), table)
    if (table !== 'request')
      await t.rejects(ask(role, `INSERT INTO ${table} DEFAULT VALUES`), /permission denied/)
  }
  await t.rejects(ask(role, `UPDATE request SET answer = 'b'`), /permission denied/)
  await t.rejects(ask(role, 'CREATE TABLE other (a int)'), /permission denied/)

  await t.test('also after the schema was emptied as the document says', async (t) => {
    const [, emptying = ''] = /<<'END'\n(DROP SCHEMA .*?)^END$/ms.exec(document) ?? []
    await ask('postgres', emptying)
    await makeTables(url('rinexcat-indexer'))
    await ask('postgres', grant)
    await ask(role, request)
    for (const table of tables) await ask(role, `SELECT * FROM ${table}`)
    t.equal(check('serve', url('rinexcat-api')).code, 0)
    t.equal(document.split(grant).length, 3, 'it is said in both places')
  })
})

/** Starts an indexer that ends with the test. */
function startIndexer(t: Test, url: string, archive: string) {
  const [program, args] = programLine(['index', '--archive', archive, '--database', url])
  const child = spawn(program, args, { env: kept, stdio: ['ignore', 'pipe', 'inherit'] })
  let log = ''
  child.stdout.on('data', (text: Buffer) => (log += text.toString()))
  t.teardown(() => stop(child, 'SIGTERM'))
  return { child, log: () => log }
}

t.test('status names the hosts of the indexers', { skip }, async (t) => {
  const url = await openSchema(t)
  const archive = join(testFolder(t, {}), 'archive')
  cpSync('fixtures/archive', archive, { recursive: true })
  const statusOf = (): WireStatus =>
    JSON.parse(run(['status', '--json', '--database', url]).stdout || '{}') as WireStatus
  const first = startIndexer(t, url, archive)
  await until('it watches', () => statusOf().state === 'watching')
  t.strictSame(statusOf().indexer, {
    pid: first.child.pid,
    version: (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version,
    host: hostname(),
    waiting: [],
  })
  await until('its log is read', () => first.log().includes('"msg":"indexing"'))
  t.match(first.log(), /"postgresql":"\d+\.\d+/)
  t.notMatch(first.log(), /"sqlite"/)
  startIndexer(t, url, archive)
  await until('the other one waits', () => statusOf().indexer?.waiting.length === 1)
  const text = run(['status', '--database', url]).stdout
  t.match(text, `indexer: active on ${hostname()}, waiting on ${hostname()}\n`)
  await stop(first.child, 'SIGKILL')
  await until('the other one took over', () => {
    const { indexer } = statusOf()
    return indexer !== null && indexer.host === hostname() && indexer.pid !== first.child.pid
  })
})
