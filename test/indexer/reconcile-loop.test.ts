/** The whole indexer: faults of its environment, registered files, rescans and its end. */
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Test } from 'tap'
import type { DirectorySnapshot } from '../../src/indexer/read/directory-snapshot.ts'
import type { TreeReader } from '../../src/indexer/read/tree-reader.ts'
import { startTreeReader } from '../../src/indexer/read/tree-reader.ts'
import type { WalkStep } from '../../src/indexer/read/walk.ts'
import { ReconcileLoop } from '../../src/indexer/reconcile-loop.ts'
import { day, manyNames } from '../catalogue/catalogue.ts'
import { newFile } from '../catalogue/change.ts'
import { engine, sqlite } from '../catalogue/engines.ts'
import t, { exact } from '../tap.ts'
import { until } from '../until.ts'
import { openParts, startOn, unreadableSnapshotOf } from './parts.ts'

const graz = 'graz0010.26d.gz'
/** A running indexer whose requests to the tree are counted. */
async function start(t: Test) {
  const parts = await openParts(t)
  mkdirSync(join(parts.archive, 'nrt'))
  let requested = (): void => undefined
  const tree: TreeReader = {
    ...parts.tree,
    snapshot: (request) => (requested(), parts.tree.snapshot(request)),
    steps: () => (requested(), parts.tree.steps()),
  }
  /** Resolves when `count` directories have been requested. */
  const untilRequested = (count: number) =>
    new Promise<void>((resolve) => {
      requested = () => {
        if (--count === 0) resolve()
      }
    })
  /** Starts the next indexer on the same catalogue. */
  const restart = async () => {
    const next = startTreeReader({ archive: parts.archive, linkedDirectories: [] })
    return (await startOn(t, { ...parts, tree: next })).indexer
  }
  return { ...(await startOn(t, parts, { tree })), untilRequested, restart }
}

/** The reconcile loop alone, without sources of dirty directories. */
async function openLoopOn(t: Test, watched = (tree: TreeReader) => tree) {
  const parts = await openParts(t)
  const nothing = () => undefined
  const reconcileLoop = new ReconcileLoop(
    { ...parts, tree: watched(parts.tree) },
    { update: nothing, rest: nothing },
    nothing,
  )
  t.teardown(() => reconcileLoop.close())
  return { ...parts, reconcileLoop }
}

/** Passes on one step of a walk at a time, so that other reads come between them. */
function oneByOne(tree: TreeReader): TreeReader {
  const left: WalkStep[] = []
  return {
    ...tree,
    async steps() {
      if (left.length === 0) left.push(...(await tree.steps()))
      return left.splice(0, 1)
    },
  }
}

t.test('a file that a client registers is read at once', async (t) => {
  const { indexer, put } = await start(t)
  await indexer.catchUp({ scan: true, patient: false })
  t.same(await indexer.register(`${day}/${graz}`), {
    outcome: 'refused',
    reason: 'not-in-the-tree',
  })
  const content = gzipSync('observations')
  put(`${day}/${graz}`, content.subarray(0, -1))
  t.match(await indexer.register(`${day}/${graz}`), { reason: 'still-being-written' })
  put(`${day}/${graz}`, content)
  const created = await indexer.register(`${day}/${graz}`)
  t.match(created, { outcome: 'created', id: 1 })
  t.same(await indexer.register(`${day}/${graz}`), { ...created, outcome: 'known' })
  t.match(await indexer.register(`${day}/notes.txt`), { outcome: 'refused', reason: 'not-gz' })
  t.match(await indexer.register(`../${graz}`), { outcome: 'refused', reason: 'not-in-area' })
})

t.test('the answer to a registration is true even if the file cannot be written', async (t) => {
  const { indexer, put, archive, sql } = await start(t)
  await indexer.catchUp({ scan: true, patient: false })
  const path = `${day}/${graz}`
  put(path)
  const unsure = { outcome: 'unsure' }
  for (const [fault, name] of [
    [engine.failing('INSERT ON file'), 'failing'],
    [engine.refusing(graz), 'refusing'],
  ] as const) {
    await sql(fault)
    t.same(await indexer.register(path), unsure, name)
    await sql(engine.repaired(name))
  }
  t.match(await indexer.register(path), { outcome: 'created' })
  await indexer.catchUp({ scan: true, patient: false })
  renameSync(join(archive, 'obs'), join(archive, 'aside'))
  t.same(await indexer.register(path), unsure, 'its disk is lost')
  renameSync(join(archive, 'aside'), join(archive, 'obs'))
  t.match(await indexer.register(path), { outcome: 'known' })
  put(path, gzipSync('another version').subarray(0, -1))
  t.match(await indexer.register(path), { reason: 'still-being-written' })
  rmSync(join(archive, path))
  t.match(await indexer.register(path), { reason: 'not-in-the-tree' })
})

t.test('what a walk will read is not read twice when its parent changes meanwhile', async (t) => {
  const read: string[] = []
  const parts = await openLoopOn(t, (tree) => {
    const { steps } = oneByOne(tree)
    return {
      ...tree,
      snapshot: (path) => (read.push(path), tree.snapshot(path)),
      async steps() {
        const some = await steps()
        if (some[0]?.snapshot.path === 'obs/2020') parts.dirty.add('obs/2020', 0)
        return some
      },
    }
  })
  const { reconcileLoop, put, sql } = parts
  const days = Array.from({ length: 20 }, (_, index) => String(index + 1).padStart(3, '0'))
  for (const ddd of days) put(`obs/2020/${ddd}/graz${ddd}0.20d.gz`)
  await reconcileLoop.scan(['obs'])
  await reconcileLoop.caughtUp()
  t.same(read, ['obs/2020'])
  t.same(await sql('SELECT count(*) AS files FROM file'), [{ files: 20 }])
})

t.test('a walk reads few directories ahead', async (t) => {
  let [requested, most] = [0, 0]
  const { reconcileLoop, put, sql } = await openLoopOn(t, (tree) => ({
    ...tree,
    async steps() {
      most = Math.max(most, ++requested)
      return tree.steps().finally(() => requested--)
    },
  }))
  for (let number = 1; number <= 60; number++) {
    const directory = `obs/2026/${String(number).padStart(3, '0')}`
    put(`${directory}/graz${directory.slice(-3)}0.26d.gz`)
  }
  await reconcileLoop.scan(['obs'])
  t.same(await sql('SELECT count(*) AS files FROM file'), [{ files: 60 }])
  t.ok(most > 1 && most <= 8, `${most} at most`)
})

t.test('a registered file is read before queued directories and during a scan', async (t) => {
  const { reconcileLoop, dirty, put, writer } = await openLoopOn(t, oneByOne)
  const days = Array.from({ length: 300 }, (_, n) => `obs/2020/${String(n + 1).padStart(3, '0')}`)
  for (const path of days) put(`${path}/graz${path.slice(-3)}0.20d.gz`)
  const last = days.at(-1) ?? ''
  for (const path of days) dirty.add(path, 0)
  const read = await reconcileLoop.readNow(last)
  t.match(read, { snapshot: { path: last, outcome: 'read' }, written: true })
  t.ok(dirty.size > 0, 'before directories that were dirty earlier')
  t.equal((await writer.directory(last))?.files.size, 1)
  await reconcileLoop.caughtUp()

  const scanned = reconcileLoop.scan(['obs'])
  await until('a scan runs', () => (reconcileLoop.scanning?.progress().directoriesDone ?? 0) > 0)
  await Promise.all([reconcileLoop.readNow(last), reconcileLoop.readNow(last)])
  t.not(reconcileLoop.scanning, undefined, 'and before a scan has ended')
  t.match(await scanned, { written: true })
})

t.test(
  'a scan that cannot be written does not end the indexer, and its summary is not stored',
  async (t) => {
    const { indexer, put, sql, writer, lines, restart } = await start(t)
    put(`${day}/${graz}`)
    await sql(engine.failing('INSERT ON file'))
    await t.rejects(indexer.catchUp({ scan: true, patient: false }), { code: 'INCOMPLETE_SCAN' })
    t.match(indexer.status(), { state: 'degraded' })
    t.ok(indexer.status().problems.some(({ text }) => text.includes('malformed JSON')))
    t.equal((await writer.summary()).lastScan, undefined)
    await sql(engine.repaired('failing'))

    await sql(engine.failing('UPDATE OF last_scan ON catalogue'))
    await indexer.catchUp({ scan: true, patient: false })
    t.ok(lines.some(({ msg }) => msg === 'the summary of the scan cannot be stored'))
    t.equal((await writer.summary()).lastScan, undefined)
    await sql(engine.repaired('failing'))
    const next = await restart()
    t.match(await next.catchUp({ scan: false, patient: false }), { now: true, scan: { files: 1 } })
    t.not((await writer.summary()).lastScan, undefined)
  },
)

t.test('a scan is complete and stored although one directory is refused', async (t) => {
  const { indexer, put, sql, writer } = await start(t)
  put(`${day}/${graz}`)
  put('obs/2026/002/zimm0020.26d.gz')
  await sql(engine.refusing(graz))
  await indexer.catchUp({ scan: true, patient: false })
  t.match(indexer.status(), {
    state: 'degraded',
    problems: exact([{ text: /^obs\/2026\/001\/ .*odd row$/ }]),
  })
  t.equal(await writer.count('obs'), 1)
  t.match((await writer.summary()).lastScan, { files: 2, added: 1 })
})

t.test('removals just before a restart are counted after the restart', async (t) => {
  const { indexer, archive, writer, apply, close, restart } = await start(t)
  for (const path of ['obs/2020/001', 'obs/2020/002']) {
    mkdirSync(join(archive, path), { recursive: true })
    const names = manyNames(600, `${path.slice(-3)}0.20d.gz`)
    await apply({ added: names.map((name) => newFile(name)) }, path)
  }
  indexer.rescan({ path: 'obs/2020/001', acceptRemovals: false })
  await until('one half is gone', async () => (await writer.count('obs')) === 600)
  await close()
  const next = await restart()
  await next.catchUp({ scan: true, patient: false })
  t.equal(await writer.count('obs'), 600, 'the other half stays')
  t.match(next.status(), { state: 'degraded', withheldRemovals: 600 })
})

t.test('withheld removals are released after six hours, across restarts', async (t) => {
  const { indexer, archive, writer, add, nowUs, sql, close, restart } = await start(t)
  mkdirSync(join(archive, day), { recursive: true })
  await add(...manyNames(1001))
  await indexer.catchUp({ scan: true, patient: false })
  t.match(indexer.status(), { withheldRemovals: 1001 })
  await close()
  // The time passes while no indexer runs.
  for (const { hours, passed, left } of [
    { hours: 3, passed: 3, left: 1001 },
    { hours: 2.9, passed: 5.9, left: 1001 },
    { hours: 0.2, passed: null, left: 0 },
  ]) {
    await sql(`UPDATE directory SET withheld_since_us = withheld_since_us - ${hours * 3600e6}`)
    const next = await restart()
    await next.catchUp({ scan: true, patient: false })
    await next.close()
    t.equal(await writer.count('obs'), left, `${passed} hours have passed`)
    const [{ since }] = (await sql(`SELECT max(withheld_since_us) AS since FROM directory`)) as [
      { since: number | null },
    ]
    const stored = since && Math.round((nowUs() - since) / 360e6) / 10
    t.equal(stored, passed, 'the time counts on')
  }
})

t.test('what cannot be read is not removed, by a scan or otherwise', async (t) => {
  let isReadable = true
  const lose = (snapshot: DirectorySnapshot): DirectorySnapshot =>
    isReadable || snapshot.path !== day ? snapshot : unreadableSnapshotOf(day)
  const { reconcileLoop, dirty, put, writer } = await openLoopOn(t, (tree) => ({
    ...tree,
    snapshot: async (request) => lose(await tree.snapshot(request)),
    async steps() {
      return (await tree.steps()).map((step) => ({ ...step, snapshot: lose(step.snapshot) }))
    },
  }))
  put(`${day}/${graz}`)
  await reconcileLoop.scan(['obs'])
  const before = await writer.directory(day)
  t.equal(before?.files.size, 1)
  isReadable = false
  for (const read of [
    () => reconcileLoop.readNow(day),
    () => reconcileLoop.scan(['obs']),
    async () => dirty.add(day, 0),
  ]) {
    await read()
    await reconcileLoop.caughtUp()
    t.strictSame((await writer.directory(day))?.files, before?.files)
  }
  t.equal((await writer.directory(day))?.unreadable, true)
})

t.test('caughtUp also waits for subdirectories that are found meanwhile', async (t) => {
  const { reconcileLoop, dirty, put, writer } = await openLoopOn(t)
  put('obs/2020/001/a/b/c/graz0010.20d.gz')
  put('obs/2020/002/graz0020.20d.gz')
  dirty.add('obs', performance.now())
  await reconcileLoop.caughtUp()
  t.equal(await writer.count('obs'), 2)
})

t.test(
  'rescans are merged, and the summary of a rescan of the whole archive is stored',
  async (t) => {
    const { indexer, put, writer } = await start(t)
    put(`${day}/${graz}`)
    await indexer.catchUp({ scan: true, patient: false })
    const first = (await writer.summary()).lastScan?.startedUs ?? 0
    const plain = { path: undefined, acceptRemovals: false }
    t.match(await indexer.rescan({ ...plain, path: day }), { number: 1, place: 'running' })
    t.match(await indexer.rescan({ ...plain, path: 'nrt' }), { number: 2, place: 'waiting' })
    t.match(await indexer.rescan(plain), { number: 2, place: 'merged' })
    await until('both are done', () => indexer.status().rescans.done === 2)
    t.ok(((await writer.summary()).lastScan?.startedUs ?? 0) > first)
    t.match(indexer.status(), { state: 'watching', scan: undefined, lastScan: { files: 1 } })
  },
)

t.test('a rescan of a directory that is neither on disk nor known is refused', async (t) => {
  const { indexer, archive, put, writer } = await start(t)
  put(`${day}/${graz}`)
  await indexer.catchUp({ scan: true, patient: false })
  const order = (path: string) => indexer.rescan({ path, acceptRemovals: false })
  t.strictSame(await order('obs/2027'), { place: 'missing' })
  t.strictSame(await order(`${day}/${graz.replace('.gz', '')}`), { place: 'missing' })
  t.strictSame(indexer.status().rescans.waiting, undefined)
  mkdirSync(join(archive, 'obs/2027'))
  t.match(await order('obs/2027'), { number: 1 }, 'a new directory is found')
  rmSync(join(archive, 'obs/2026'), { recursive: true })
  for (const path of [day, 'obs/2026']) t.match(await order(path), { number: /\d/ }, path)
  await until('what is gone is removed', async () => (await writer.count('obs')) === 0)
  await until('and not known any more', async () => {
    const { place } = await order('obs/2026')
    return place === 'missing'
  })
})

t.test('an area that never existed is missing', async (t) => {
  const { indexer, archive, put } = await start(t)
  rmSync(join(archive, 'nrt'), { recursive: true })
  put(`${day}/${graz}`)
  await indexer.catchUp({ scan: true, patient: false })
  const order = (path: string) => indexer.rescan({ path, acceptRemovals: false })
  for (const path of ['nrt', 'nrt/2026']) t.strictSame(await order(path), { place: 'missing' })
  rmSync(join(archive, 'obs'), { recursive: true })
  for (const path of ['obs', 'obs/2027'])
    t.match(await order(path), { number: /\d/ }, `${path}: a lost area may hold it`)
})

t.test('the indexer can be closed at any moment', async (t) => {
  const errors: unknown[] = []
  const note = (error: unknown) => errors.push(error)
  process.on('unhandledRejection', note)
  t.teardown(() => process.off('unhandledRejection', note))
  for (const moment of ['a scan', 'a sweep', 'its first watches'])
    t.test(`the indexer can be closed during ${moment}`, async (t) => {
      const { indexer, put, close, sql, archive, untilRequested } = await start(t)
      for (let number = 1; number <= 300; number++)
        put(
          `obs/2020/${String(number).padStart(3, '0')}/graz${String(number).padStart(3, '0')}0.20d.gz`,
        )
      put(`${day}/${graz}`)
      if (moment !== 'a scan') await indexer.catchUp({ scan: true, patient: false })
      if (moment === 'its first watches') indexer.watch()
      else {
        for (const each of readdirSync(join(archive, 'obs/2020')))
          writeFileSync(join(archive, 'obs/2020', each, 'zimm0010.20d.gz'), '')
        const amidst = untilRequested(100)
        indexer.catchUp({ scan: moment === 'a scan', patient: false }).catch(note)
        await amidst
      }
      await close()
      await new Promise((resolve) => setImmediate(resolve))
      if (engine === sqlite) t.same(await sql('PRAGMA quick_check'), [{ quick_check: 'ok' }])
      rmSync(archive, { recursive: true })
    })
  t.test('no error remains after the indexer was closed', async (t) => t.same(errors, []))
})
