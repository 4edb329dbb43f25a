/** The reader on a server has no connection, or waits too long. */
import type { Test } from 'tap'
import { openReader } from '../../../src/catalogue/postgres/reader.ts'
import { RequestClient } from '../../../src/catalogue/postgres/requests.ts'
import { openWriter } from '../../../src/catalogue/postgres/writer.ts'
import { lacksPostgres, openSchema, psql, sharedFolder } from '../../postgres.ts'
import t from '../../tap.ts'
import { day, facts, manyNames } from '../catalogue.ts'
import { change, newFile } from '../change.ts'
import { Proxy } from './proxy.ts'

const skip = lacksPostgres()
const unavailable = { code: 'CATALOGUE_UNAVAILABLE' }
const list = { filter: {}, limit: 10, offset: 0 }
const asker = { client: 'x', signal: new AbortController().signal }

async function openWritten(t: Test) {
  const url = await openSchema(t)
  const opened = await openWriter({
    url,
    passwordFile: undefined,
    nowUs: () => Date.now() * 1000,
    onWaiting: () => undefined,
    waits: false,
    signal: new AbortController().signal,
  })
  const added = manyNames(20).map((name) => newFile(name, facts))
  await opened?.methods().apply([change(day, { added })])
  await opened?.connection.close(true)
  const proxy = await Proxy.start(t, url)
  const reader = openReader({ url: proxy.url, passwordFile: undefined })
  t.teardown(() => reader.close())
  return { url, proxy, reader }
}

const asServer = (sql: string) =>
  psql(`postgresql://postgres@localhost/postgres?host=${sharedFolder()}&port=5432`, sql)

t.test('the server takes no connection', { skip }, async (t) => {
  const { url, proxy, reader } = await openWritten(t)
  proxy.behaviour = { closed: true }
  await t.rejects(reader.head(), unavailable)
  proxy.behaviour = {}
  t.match(await reader.head(), { seq: 20 })
  const { username } = new URL(url)
  await asServer(`ALTER ROLE ${username} CONNECTION LIMIT 1`)
  const answers = await Promise.allSettled([1, 2, 3, 4].map(() => reader.head()))
  const reasons = answers.flatMap((each) =>
    each.status === 'rejected' ? [each.reason as Error] : [],
  )
  t.ok(reasons.length > 0, 'some have no connection')
  for (const reason of reasons) {
    t.match(reason, { ...unavailable, message: /no free connection/ })
    t.notOk(reason.message.includes(username))
  }
  await asServer(`ALTER ROLE ${username} CONNECTION LIMIT -1`)
  await Promise.all([1, 2, 3, 4].map(() => reader.head()))
  t.pass('and then all have one')
})

t.test('a statement takes too long', { skip }, async (t) => {
  const { url, reader } = await openWritten(t)
  t.equal((await reader.page(list)).count, 20)
  const locked = psql(url, 'BEGIN; LOCK TABLE file; SELECT pg_sleep(5)')
  const sleeping = `SELECT count(*) FROM pg_stat_activity
    WHERE usename = '${new URL(url).username}' AND wait_event = 'PgSleep'`
  while ((await asServer(sleeping)) !== '1');
  const startedMs = performance.now()
  await t.rejects(reader.page(list, asker), { code: 'QUERY_TIMEOUT' })
  t.ok(performance.now() - startedMs < 4500)
  await locked
  t.equal((await reader.page(list)).count, 20)
})

t.test('an error of SQL names its question', { skip }, async (t) => {
  const { url, reader } = await openWritten(t)
  await psql(url, 'ALTER TABLE station RENAME COLUMN code TO name')
  await t.rejects(reader.station('GRAZ'), { message: /^station: column "code" does not exist/ })
})

t.test('the network swallows packets', { skip }, async (t) => {
  const { proxy, reader } = await openWritten(t)
  const requests = new RequestClient({ url: proxy.url, passwordFile: undefined })
  t.teardown(() => requests.close())
  await Promise.all([reader.page(list), reader.head(), requests.indexers()])
  proxy.behaviour = { silent: true }
  const startedMs = performance.now()
  await Promise.all([
    t.rejects(reader.head(), unavailable),
    t.rejects(reader.page(list), unavailable),
    t.rejects(reader.head(), unavailable),
    t.rejects(requests.indexers()),
  ])
  t.ok(performance.now() - startedMs < 10_000, 'nobody waits for ever')
  proxy.behaviour = {}
  t.match(await reader.head(), { seq: 20 })
  t.same(await requests.indexers(), { active: undefined, waiting: [] })
})

for (const prepare of [true, false])
  t.test(`a pooler cuts connections, prepare=${prepare}`, { skip }, async (t) => {
    const { proxy } = await openWritten(t)
    const reader = openReader({ url: `${proxy.url}&prepare=${prepare}`, passwordFile: undefined })
    t.teardown(() => reader.close())
    proxy.behaviour = { cutShare: 0.02 }
    const outcomes = { answered: 0, unavailable: 0 }
    const ask = async () => {
      for (let n = 0; n < 50; n++)
        try {
          if ((await reader.page(list, asker)).count !== 20) throw new Error('wrong count')
          await reader.head()
          outcomes.answered++
        } catch (error) {
          if ((error as { code?: string }).code !== unavailable.code) throw error
          outcomes.unavailable++
        }
    }
    await Promise.all([ask(), ask(), ask(), ask()])
    t.comment(outcomes, `${proxy.cuts} cuts`)
    t.ok(outcomes.answered > 0 && outcomes.unavailable > 0)
    proxy.behaviour = {}
    await Promise.allSettled(Array.from({ length: 8 }, () => reader.head()))
    t.match(await reader.head(), { seq: 20 })
  })
