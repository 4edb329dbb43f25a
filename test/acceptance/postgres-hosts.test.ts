/**
 * Several hosts on PostgreSQL, with the two roles of the documents: requests reach the active
 * indexer from any host, another indexer takes over when it ends, and reading goes on while the
 * primary server is away.
 */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { testFolder } from '../folder.ts'
import { Cluster, lacksPostgres, psql } from '../postgres.ts'
import { kept, programLine } from '../program.ts'
import t, { exact } from '../tap.ts'
import { Fleet } from './fleet.ts'
import { fetchAlone, longestMs, slow, timeoutMs, until } from './service.ts'
import { dayDirectory, hourDirectory, paths, put } from './tree.ts'

const takeoverMs = slow ? 30_000 : timeoutMs
const token = 'a-token-of-enough-characters'
const ownFile = promisify(execFile)

t.setTimeout(longestMs)

t.test('several hosts', { skip: lacksPostgres() }, async (t) => {
  const primary = await Cluster.start(t)
  await primary.psql('CREATE ROLE indexer LOGIN; CREATE ROLE api LOGIN')
  await primary.psql('CREATE DATABASE rinex OWNER indexer')
  const standby = await primary.standby(t, { synchronous: false })
  const urlOf = (role: string, { folder } = primary) =>
    `postgresql://${role}@localhost/rinex?host=${folder}&port=5432`
  const folder = testFolder(t)
  const archive = join(folder, 'archive')
  const hour = hourDirectory()
  for (const path of [...paths(hour, 20), ...paths(dayDirectory(), 20)]) put(archive, path)
  const tokenFile = join(folder, 'token')
  writeFileSync(tokenFile, token, { mode: 0o600 })
  const read = urlOf('api', standby)
  const serve = { DATABASE: urlOf('api'), DATABASE_READ: read, ADMIN_TOKEN_FILE: tokenFile }
  const fleet = new Fleet(t, archive, urlOf('indexer'), { serve })
  const [api] = fleet.apis
  const asIndexer = (sql: string) => psql(urlOf('indexer'), sql)
  const active = () =>
    asIndexer('SELECT pid FROM indexer WHERE is_active ORDER BY seen DESC LIMIT 1')
  await until('there are tables', async () => (await asIndexer('SELECT 1 FROM server')) === '1')

  /** How a command runs on a host of the API. */
  const there = () => {
    const ours = {
      DATABASE: urlOf('api'),
      ARCHIVE: archive,
    }
    const env = Object.entries(ours).map(([name, value]) => [`RINEX_CATALOGUE_${name}`, value])
    return {
      cwd: testFolder(t),
      env: { PATH: process.env['PATH'], ...kept, ...Object.fromEntries(env) } as NodeJS.ProcessEnv,
    }
  }
  const run = async (...args: string[]) => (await ownFile(...programLine(args), there())).stdout
  const post = (path: string, body: object) =>
    fetchAlone(`http://${api?.address}/rinex/api/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

  await t.test('the role of the API needs a grant, and then may only add requests', async (t) => {
    await until('the API listens', () => api?.address !== undefined)
    const answer = await fetchAlone(`http://${api?.address}/rinex/api/rinex-file/`)
    t.equal(answer.status, 503)
    t.match(answer.headers.get('retry-after'), /^\d+$/)
    await asIndexer(`GRANT SELECT ON ALL TABLES IN SCHEMA public TO api;
      GRANT INSERT (id, request) ON request TO api`)
    await fleet.untilEqual()
    const list = `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`
    const tables = (await asIndexer(list)).split('\n')
    t.ok(tables.length > 15)
    const allowed: string[] = []
    const tryAll = async (...statements: string[]) => {
      for (const sql of statements)
        await psql(urlOf('api'), sql).then(
          () => allowed.push(sql),
          (error: unknown) => {
            if (!/permission denied|must be owner/.test(String(error))) throw error
          },
        )
    }
    for (const table of tables) {
      const columns = `SELECT column_name FROM information_schema.columns
        WHERE table_name = '${table}' LIMIT 1`
      await tryAll(
        `DELETE FROM ${table}`,
        `TRUNCATE ${table}`,
        `DROP TABLE ${table}`,
        `UPDATE ${table} SET ${await asIndexer(columns)} = NULL`,
      )
      if (table !== 'request') await tryAll(`INSERT INTO ${table} DEFAULT VALUES`)
    }
    await tryAll(
      `INSERT INTO request (id, request, answer) VALUES ('x', '', '')`,
      `INSERT INTO request (id, request, made) VALUES ('x', '', now())`,
      'CREATE TABLE x (y int)',
    )
    t.same(allowed, [], 'nothing else is allowed')
    await psql(urlOf('api'), `INSERT INTO request (id, request) VALUES ('x', 'y')`)
  })

  await t.test('requests reach the active indexer from another folder', async (t) => {
    const waits = async () => (await run('status')).includes(`waiting on ${hostname()}`)
    await until('the other indexer waits', waits)
    const status = JSON.parse(await run('status', '--json')) as { indexer: { pid: number } }
    t.match(status, {
      state: /scanning|watching/,
      indexer: { host: hostname(), waiting: exact([hostname()]) },
    })
    t.equal(String(status.indexer.pid), await active())
    t.match(await run('status', '--check'), /^RINEX CATALOGUE OK /)
    t.match(await run('rescan', '--wait', hour), /rescan \d+ is running/)
    const [path = ''] = paths(hour, 1, 500)
    put(archive, path)
    const registered = await post('rinex-file/', { path })
    t.match(registered.status, /^20[01]$/, await registered.text())
    const ordered = await post('rescan/', { path: hour })
    t.equal(ordered.status, 202, await ordered.text())
    t.equal((await post('rescan/', { path: 'obs/1999' })).status, 400)
    const metrics = await (await fetchAlone(`http://${api?.address}/metrics`)).text()
    t.match(metrics, /^rinex_indexer_changes_total/m)
    t.equal(await run('check'), 'nothing differs\n')
  })

  for (const signal of ['SIGKILL', 'SIGTERM'] as const)
    await t.test(`another indexer takes over after ${signal}`, async (t) => {
      const before = await active()
      await until('the other one waits', async () =>
        (await run('status')).includes(`waiting on ${hostname()}`),
      )
      const numbers = await asIndexer('SELECT seq, last_id FROM catalogue')
      const token = await asIndexer('SELECT writer FROM server')
      const startedMs = performance.now()
      fleet.indexers.find(({ pid }) => String(pid) === before)?.kill(signal)
      const taken = async () => (await asIndexer('SELECT writer FROM server')) !== token
      await until('the other one is active', taken, takeoverMs)
      t.pass(`after ${Math.round(performance.now() - startedMs)} ms`)
      await until('it answers', async () => !['', before].includes(await active()), takeoverMs)
      t.pass(`it shows that after ${Math.round(performance.now() - startedMs)} ms`)
      t.equal(await asIndexer('SELECT seq, last_id FROM catalogue'), numbers, 'nothing changed')
      for (const path of paths(hour, 10, signal === 'SIGKILL' ? 600 : 700)) put(archive, path)
      await fleet.untilEqual()
      t.equal(await asIndexer('SELECT count(*) FROM tombstone'), '0', 'nothing was removed')
    })

  await t.test('reading goes on while the primary is away', async (t) => {
    const { length } = await fleet.walk('?limit=1000', api)
    await primary.stop('immediate')
    const count = (await fleet.get<{ count: number }>('?limit=1', api)).count
    t.equal(count, length)
    const refused = await post('rescan/', { path: hour })
    t.equal(refused.status, 503, await refused.text())
    t.match(refused.headers.get('retry-after'), /^\d+$/)
    const status = await fleet.get<{ state: string; reasons: string[] }>('/rinex/api/status/', api)
    t.match(status, { state: 'degraded', reasons: exact([/^the database unavailable/]) })
    const [path = ''] = paths(hour, 1, 800)
    put(archive, path)
    await primary.start()
    await fleet.untilEqual()
    const takes = async () => (await post('rescan/', { path: hour })).status === 202
    await until('a rescan is taken', takes)
    t.match(await fleet.get('/rinex/api/status/', api), { state: 'watching', reasons: exact([]) })
  })

  t.same(fleet.ends, [], 'no process ended by itself')
  const said = [...fleet.indexers, ...fleet.apis].flatMap(({ log }) => log).join('\n')
  t.notMatch(said, /"(?:indexer|api)@|\?host=|user "/, 'the log shows no part of a URL')
})
