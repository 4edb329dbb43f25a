/** Long queries run in workers, so many at a time, and end when they take too long or nobody waits for them. */
import { getEventListeners, once } from 'node:events'
import { renameSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import t from 'tap'
import type { Test } from 'tap'
import type { FileFilter } from '../../../src/catalogue/filter.ts'
import { openQueryPool } from '../../../src/catalogue/sqlite/query-pool.ts'
import { openReader } from '../../../src/catalogue/sqlite/reader.ts'
import { openWriter } from '../../../src/catalogue/sqlite/writer.ts'
import { until } from '../../indexer/until.ts'
import { change, newFile } from '../change.ts'
import { openWide } from './wide.ts'

/** A pool on 300 files, and the workers that it starts. */
async function openPool(t: Test) {
  const wide = openWide(t)
  const added = Array.from({ length: 300 }, (_, i) =>
    newFile(`s${String(i).padStart(3, '0')}0010.26d.gz`),
  )
  await wide.writer.apply([change('obs/2026/001', { added })])
  const started: Worker[] = []
  const remember = (worker: Worker): void => void started.push(worker)
  process.on('worker', remember)
  const pool = openQueryPool(wide)
  t.teardown(() => {
    process.off('worker', remember)
    pool.close()
  })
  const count = async (filter: FileFilter, signal?: AbortSignal) =>
    (await pool.ask('page', { limit: 1, offset: 0, filter }, signal)).count
  return { ...wide, pool, started, count }
}

const early: FileFilter = { names: [{ how: 'starts', text: 's00' }] }

t.test('two workers answer many queries', async (t) => {
  const { started, count } = await openPool(t)
  t.equal(started.length, 0, 'none before it is needed')
  const counts = await Promise.all(Array.from({ length: 20 }, () => count(early)))
  t.same(new Set(counts), new Set([10]))
  t.equal(started.length, 2)
})

t.test('with 30 waiting one more is refused', async (t) => {
  const { count } = await openPool(t)
  const asked = Array.from({ length: 32 }, () => count(early))
  await t.rejects(count(early), { code: 'TOO_MANY_QUERIES' })
  t.equal((await Promise.all(asked)).length, 32)
  t.equal(await count(early), 10, 'there is room again')
})

t.test('a query of which nobody awaits the answer ends', async (t) => {
  const { count } = await openPool(t)
  const gone = new AbortController()
  const asked = Array.from({ length: 5 }, () => count(early, gone.signal))
  t.equal(getEventListeners(gone.signal, 'abort').length, 5)
  gone.abort(new Error('gone'))
  for (const each of asked) await t.rejects(each, { message: 'gone' })
  await t.rejects(count(early, gone.signal), { message: 'gone' }, 'not even begun')
  const kept = new AbortController().signal
  t.equal(await count(early, kept), 10, 'the workers go on')
  t.equal(getEventListeners(kept, 'abort').length, 0, 'a signal of many queries keeps no listeners')
})

t.test('a worker that ends takes its query with it, and the next one starts another', async (t) => {
  const { started, count } = await openPool(t)
  t.equal(await count(early), 10)
  await started[0]?.terminate()
  t.equal(await count(early), 10, 'after it ended')
  const ended = started[1]?.terminate()
  await t.rejects(count(early), { code: 'CATALOGUE_UNAVAILABLE' }, 'while it ends')
  await ended
  t.equal(await count(early), 10)
  t.equal(started.length, 3)
})

t.test('workers read the database that took the place of another', async (t) => {
  const { database, close, count } = await openPool(t)
  t.equal(await count(early), 10)
  close()
  for (const suffix of ['', '-wal', '-shm'])
    if (statSync(database + suffix, { throwIfNoEntry: false }))
      renameSync(database + suffix, join(dirname(database), `aside${suffix}`))
  const writer = openWriter({ database, nowUs: () => 1 })
  t.teardown(() => {
    writer.close()
  })
  await writer.apply([change('obs/2026/001', { added: [newFile('s0000010.26d.gz')] })])
  await until(t, 'the new one', async () => (await count(early)) === 1)
})

t.test('a closed pool answers nothing, and its workers end', async (t) => {
  const { pool, started, count } = await openPool(t)
  await count(early)
  const [worker] = started
  const ended = worker && once(worker, 'exit')
  const asked = t.rejects(count(early), { code: 'CATALOGUE_UNAVAILABLE' }, 'asked before')
  pool.close()
  await asked
  await ended
  await t.rejects(count(early), { code: 'CATALOGUE_UNAVAILABLE' })
  t.equal(started.length, 1)
})

t.test('a closed reader answers nothing', async (t) => {
  const reader = openReader(openWide(t))
  reader.close()
  const queries: (() => Promise<unknown>)[] = [
    () => reader.page({ limit: 1, offset: 0, filter: early }),
    () => reader.page({ limit: 1, offset: 0 }),
    () => reader.station('S000'),
    () => reader.summary(),
    () => reader.head(),
  ]
  for (const ask of queries) await t.rejects(ask(), { code: 'CATALOGUE_UNAVAILABLE' })
})
