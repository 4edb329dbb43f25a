/** The writer on a server loses its connection, its lock, or the server. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Test } from 'tap'
import { CatalogueUnavailable } from '../../../src/catalogue/errors.ts'
import { openReader } from '../../../src/catalogue/postgres/reader.ts'
import { openWriter } from '../../../src/catalogue/postgres/writer.ts'
import { lacksPostgres, openSchema, psql, sharedFolder } from '../../postgres.ts'
import t from '../../tap.ts'
import { day, facts, manyNames } from '../catalogue.ts'
import { change, newFile } from '../change.ts'
import { Proxy } from './proxy.ts'

const skip = lacksPostgres()
const takenOver = { message: /^another indexer or another server has taken over/ }

async function open(t: Test, url: string, name = '') {
  const reasons: (string | undefined)[] = []
  const ending = new AbortController()
  const opened = await openWriter({
    url,
    passwordFile: undefined,
    nowUs: () => Date.now() * 1000,
    onWaiting: (reason) => reasons.push(reason),
    waits: true,
    signal: ending.signal,
  })
  if (opened === undefined) throw new Error(`${name} was ended`)
  t.teardown(async () => {
    ending.abort()
    await opened.connection.close(true)
  })
  const writer = opened.methods()
  const names = async () => [...((await writer.directory(day))?.files.keys() ?? [])]
  const add = (count: number, first: number) =>
    writer.apply([
      change(day, {
        added: manyNames(count, undefined, first).map((each) => newFile(each, facts)),
      }),
    ])
  return { opened, writer, reasons, names, add }
}

/** As the superuser, because a role may be out of connections. */
const asServer = (sql: string) =>
  psql(`postgresql://postgres@localhost/postgres?host=${sharedFolder()}&port=5432`, sql)

const roleOf = (url: string): string => new URL(url).username

/** Ends the connection that has the lock of this schema. */
const cutWriter = (url: string) =>
  asServer(`SELECT pg_terminate_backend(l.pid, 5000) FROM pg_locks l JOIN pg_stat_activity a
    ON a.pid = l.pid WHERE l.locktype = 'advisory' AND granted AND usename = '${roleOf(url)}'`)

t.test('the connection is lost while nothing is asked', { skip }, async (t) => {
  const url = await openSchema(t)
  const { writer, add, names, reasons } = await open(t, url)
  await add(10, 0)
  t.equal(await cutWriter(url), 't')
  await pause(100)
  const { added, head } = await add(5, 10)
  t.match({ added, seq: head.seq }, { added: 5, seq: 15 })
  await cutWriter(url)
  await writer.setAsOf({ atUs: 1, limitSeconds: 2 })
  t.equal((await names()).length, 15)
  t.equal(reasons.at(-1), undefined)
})

for (const when of ['before', 'after'] as const)
  t.test(`the connection is lost ${when} a commit`, { skip }, async (t) => {
    const url = await openSchema(t)
    const proxy = await Proxy.start(t, url)
    const { writer, add, names } = await open(t, proxy.url)
    await add(10, 0)
    proxy.behaviour = { cutAt: { text: 'COMMIT', when } }
    await t.rejects(add(5, 10), { code: 'CONNECTION_LOST' })
    t.equal(proxy.cuts, 1)
    const found = when === 'after' ? 15 : 10
    t.equal((await names()).length, found, 'reading again tells what was written')
    proxy.behaviour = { cutAt: { text: 'COMMIT', when } }
    await writer.setAsOf({ atUs: 1, limitSeconds: 2 })
    t.equal(proxy.cuts, 2, 'what may be repeated is')
    const { head } = await add(3, 15)
    t.equal(head.seq, found + 3)
    t.equal(
      await psql(url, 'SELECT count(DISTINCT seq), max(id) FROM file'),
      `${found + 3}|${found + 3}`,
    )
  })

t.test('the connection is lost within a transaction', { skip }, async (t) => {
  const url = await openSchema(t)
  const proxy = await Proxy.start(t, url)
  const { add, names } = await open(t, proxy.url)
  await add(10, 0)
  proxy.behaviour = { cutAt: { text: '000c0010', when: 'after' } }
  await t.rejects(add(5, 10), { code: 'CONNECTION_LOST' })
  t.equal((await names()).length, 10)
  t.match(await add(5, 10), { added: 5 })
})

t.test('connections are lost at random', { skip }, async (t) => {
  const url = await openSchema(t)
  const proxy = await Proxy.start(t, url)
  const { writer, add, names } = await open(t, proxy.url)
  const reader = openReader({ url: proxy.url, passwordFile: undefined })
  t.teardown(() => reader.close())
  proxy.behaviour = { cutShare: 0.005 }
  const outcomes = { lost: 0, unavailable: 0 }
  for (let first = 0; first < 100;) {
    await add(1, first).catch((error: unknown) => {
      if ((error as { code?: string }).code !== 'CONNECTION_LOST') throw error
      outcomes.lost++
    })
    await writer.setAsOf({ atUs: first, limitSeconds: 2 })
    first = (await names()).length
    await reader.head().catch((error: unknown) => {
      if (!(error instanceof CatalogueUnavailable)) throw error
      outcomes.unavailable++
    })
  }
  t.comment(outcomes, `${proxy.cuts} cuts`)
  t.ok(proxy.cuts > 0)
  proxy.behaviour = {}
  t.match(await reader.head(), { seq: 100 })
  const numbers = 'SELECT count(*), count(DISTINCT seq), max(seq), max(id) FROM file'
  t.match(await psql(url, numbers), '100|100|100|100')
})

t.test('another indexer takes over', { skip }, async (t) => {
  const url = await openSchema(t)
  const proxy = await Proxy.start(t, url)
  const first = await open(t, proxy.url)
  await first.add(10, 0)
  const opening = open(t, url)
  await pause(700)
  t.equal(await psql(url, 'SELECT is_active FROM indexer'), 'f', 'it shows that it waits')
  proxy.behaviour = { closed: true }
  proxy.cut()
  const startedMs = performance.now()
  const second = await opening
  t.pass(`after ${Math.round(performance.now() - startedMs)} ms`)
  t.same(second.reasons, ['another indexer is active', undefined])
  t.match(await second.add(1, 10), { added: 1, head: { seq: 11 } })
  proxy.behaviour = {}
  await t.rejects(first.add(1, 10), takenOver)
  await t.rejects(first.names(), takenOver, 'it knows no more what is true')
  await t.rejects(first.writer.setAsOf({ atUs: 1, limitSeconds: 1 }), takenOver)
  t.equal((await second.names()).length, 11)
})

t.test('the server has no connection left', { skip }, async (t) => {
  const url = await openSchema(t)
  const { add, names, reasons } = await open(t, url)
  await add(1, 0)
  await asServer(`ALTER ROLE ${roleOf(url)} CONNECTION LIMIT 0`)
  await cutWriter(url)
  await pause(100)
  const adding = add(1, 1)
  await pause(700)
  t.match(reasons.at(-1), /has no free connection/)
  await asServer(`ALTER ROLE ${roleOf(url)} CONNECTION LIMIT -1`)
  t.match(await adding, { added: 1 })
  t.equal(reasons.at(-1), undefined)
  t.equal((await names()).length, 2)
})

t.test('a restored dump may lack the last changes', { skip }, async (t) => {
  const url = await openSchema(t)
  const first = await open(t, url)
  const { head } = await first.add(3, 0)
  await first.opened.connection.close(true)
  await psql(
    url,
    `CREATE TABLE restored (LIKE server INCLUDING ALL); INSERT INTO restored SELECT * FROM server;
     DROP TABLE server; ALTER TABLE restored RENAME TO server`,
  )
  const second = await open(t, url)
  const after = (await second.add(1, 3)).head
  t.not(after.epoch, head.epoch, 'a new epoch')
  t.equal(after.seq, head.seq + 1_000_001)
  await second.opened.connection.close(true)
  const third = await open(t, url)
  t.match((await third.add(1, 4)).head, { epoch: after.epoch, seq: after.seq + 1 })
})
