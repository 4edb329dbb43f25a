/** Long queries run in a limited number of workers, and end when they are cancelled. */
import { getEventListeners, once } from 'node:events'
import { readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import type { Test } from 'tap'
import type { FileFilter } from '../../../src/catalogue/filter.ts'
import { QueryPool } from '../../../src/catalogue/sqlite/query-pool.ts'
import { openWriter } from '../../../src/catalogue/sqlite/writer.ts'
import type { Asker } from '../../../src/catalogue/turns.ts'
import t from '../../tap.ts'
import { manyNames, openCatalogue } from '../catalogue.ts'
import { change, newFile } from '../change.ts'

/** A pool on 300 files, and the workers that it starts. */
async function openPool(t: Test) {
  const opened = await openCatalogue(t)
  await opened.add(...manyNames(300))
  const started: Worker[] = []
  const onWorker = (worker: Worker): void => void started.push(worker)
  process.on('worker', onWorker)
  const pool = new QueryPool(opened.database)
  t.teardown(() => {
    process.off('worker', onWorker)
    pool.close()
  })
  const count = async (filter: FileFilter, asker?: Asker) =>
    (await pool.ask('page', { limit: 1, offset: 0, filter }, asker)).count
  return { ...opened, pool, started, count }
}

const askerOf = (client: string, { signal } = new AbortController()): Asker => ({ client, signal })

const early: FileFilter = { names: [{ how: 'starts', text: '000' }] }

t.test('a client has one worker, all clients have two, and the program has its own', async (t) => {
  const { started, count } = await openPool(t)
  t.equal(started.length, 0, 'no worker before the first query')
  const counts: number[] = []
  const ask = async (...askers: (Asker | undefined)[]): Promise<void> => {
    const many = Array.from({ length: 7 }, () => askers.map((asker) => count(early, asker)))
    counts.push(...(await Promise.all(many.flat())))
  }
  const [a, b, c] = ['a', 'b', 'c'].map((client) => askerOf(client))
  await ask(a)
  t.equal(started.length, 1)
  await ask(a, b, c)
  t.equal(started.length, 2)
  await ask(a, b, c, undefined)
  t.equal(started.length, 3)
  t.strictSame(new Set(counts), new Set([36]))
})

t.test('when 30 queries wait, further ones of the same clients are rejected', async (t) => {
  const { count } = await openPool(t)
  const pending = Array.from({ length: 31 }, () => count(early, askerOf('a')))
  await t.rejects(count(early, askerOf('a')), { code: 'TOO_MANY_QUERIES' })
  t.equal(await count(early, askerOf('b')), 36, 'another client')
  t.equal(await count(early), 36, 'the program itself')
  t.equal((await Promise.all(pending)).length, 31)
  t.equal(await count(early, askerOf('a')), 36, 'the queue accepts queries again')
})

t.test('a cancelled query ends with the reason of its cancellation', async (t) => {
  const { count } = await openPool(t)
  const cancel = new AbortController()
  const pending = Array.from({ length: 5 }, () => count(early, askerOf('a', cancel)))
  t.ok(getEventListeners(cancel.signal, 'abort').length >= 5)
  cancel.abort(new Error('cancelled'))
  for (const each of pending) await t.rejects(each, { message: 'cancelled' })
  await t.rejects(
    count(early, askerOf('a', cancel)),
    { message: 'cancelled' },
    'a query with an aborted signal is not started',
  )
  const kept = new AbortController()
  t.equal(await count(early, askerOf('a', kept)), 36, 'the workers continue')
  t.equal(getEventListeners(kept.signal, 'abort').length, 0, 'no listeners remain on the signal')
})

t.test(
  'when a worker ends, its query fails and the next query starts another worker',
  async (t) => {
    const { started, count } = await openPool(t)
    t.equal(await count(early), 36)
    await started[0]?.terminate()
    t.equal(await count(early), 36, 'after it ended')
    const ended = started[1]?.terminate()
    await t.rejects(count(early), { code: 'CATALOGUE_UNAVAILABLE' }, 'while it ends')
    await ended
    t.equal(await count(early), 36)
    t.equal(started.length, 3)
  },
)

t.test('a worker reads a database that replaced another from the next query on', async (t) => {
  const { database, count } = await openPool(t)
  const other = join(dirname(database), 'other.db')
  const writer = openWriter({ database: other, nowUs: () => 1 })
  await writer.apply([change('obs/2026/001', { added: manyNames(1).map((name) => newFile(name)) })])
  await writer.checkpoint()
  writer.close()
  t.equal(await count(early), 36)
  for (const suffix of ['-wal', '-shm']) rmSync(database + suffix)
  renameSync(other, database)
  t.equal(await count(early), 1)
})

t.test('a closed pool rejects queries, and its workers end', async (t) => {
  const { pool, started, count } = await openPool(t)
  await count(early)
  const [worker] = started
  const ended = worker && once(worker, 'exit')
  const pending = t.rejects(count(early), { code: 'CATALOGUE_UNAVAILABLE' }, 'a running query')
  pool.close()
  await pending
  await ended
  await t.rejects(count(early), { code: 'CATALOGUE_UNAVAILABLE' })
  t.equal(started.length, 1)
})

t.test('workers that start or search end with their pool, and the process goes on', async (t) => {
  const { database, started } = await openPool(t)
  // A thread that is ended while it loads the driver, or is within it, aborts the process.
  for (let round = 0; round < 8; round++) {
    const pool = new QueryPool(database)
    const asked = pool.ask('page', { limit: 1, offset: 0, filter: early }).catch(() => undefined)
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    while (started.length <= round) await turn()
    const worker = started[round]
    const ended = worker && once(worker, 'exit')
    for (let turns = 0; turns < round * 4; turns++) await turn()
    pool.close()
    await Promise.all([asked, ended])
  }
  t.equal(started.length, 8)
})

t.test('a closed reader rejects queries', async (t) => {
  const { reader } = await openCatalogue(t)
  await reader.close()
  const queries: (() => Promise<unknown>)[] = [
    () => reader.page({ limit: 1, offset: 0, filter: early }),
    () => reader.page({ limit: 1, offset: 0 }),
    () => reader.station('0000'),
    () => reader.summary(),
    () => reader.head(),
  ]
  for (const query of queries) await t.rejects(query(), { code: 'CATALOGUE_UNAVAILABLE' })
})

t.test('a worker that has to end while it starts opens no database', async (t) => {
  const { pool, count, close, folder } = await openPool(t)
  await close()
  const files = readdirSync(folder)
  const starting = once(process, 'worker') as Promise<[Worker]>
  const rejected = t.rejects(count(early), { message: /the reader is closed/ })
  pool.close()
  await rejected
  const [worker] = await starting
  await once(worker, 'exit')
  t.strictSame(readdirSync(folder), files, 'SQLite made no file')
})
