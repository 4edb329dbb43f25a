/** Known directories, health, scan progress and batches. */
import type { DirectoryChange } from '../../src/catalogue/updates/change.ts'
import { Scan } from '../../src/indexer/mark/scan-progress.ts'
import type { WalkStep } from '../../src/indexer/read/walk.ts'
import { Health } from '../../src/indexer/state/health.ts'
import { KnownDirectories } from '../../src/indexer/state/known-directories.ts'
import { Batch } from '../../src/indexer/write/batch.ts'
import { defaultLayout, isWithin } from '../../src/parse/layout.ts'
import { manyNames } from '../catalogue/catalogue.ts'
import { change, newFile } from '../catalogue/change.ts'
import { engine } from '../catalogue/engines.ts'
import { fc } from '../random.ts'
import t, { exact } from '../tap.ts'
import { emptySnapshotOf, memoryLogger, moment, noProblems, openParts, pathsOf } from './parts.ts'

t.test('known directories are listed as children of their parents, after any changes', async () => {
  const path = fc.constantFrom('obs', 'obs/2026', 'obs/2025', 'obs/2026/001', 'obs/2026/002', 'nrt')
  const step = fc.record({ path, add: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const known = new KnownDirectories(['nrt'])
      const expected = new Set(['nrt'])
      for (const each of steps) {
        if (each.add) known.add(each.path)
        else known.delete(each.path)
        if (each.add) expected.add(each.path)
        else expected.delete(each.path)
      }
      const below = (parent: string) =>
        [...expected].filter((each) => each.replace(/\/?[^/]*$/, '') === parent).sort()
      return (
        known.size === expected.size &&
        pathsOf(known).join() === [...expected].sort().join() &&
        ['', 'obs', 'obs/2026'].every(
          (parent) =>
            known.has(parent) === expected.has(parent) &&
            known.hasWithin(parent) === [...expected].some((each) => isWithin(each, parent)) &&
            known.childrenOf(parent).sort().join() === below(parent).join(),
        )
      )
    }),
  )
})

t.test('the slots of many directories that are gone are given to others', async (t) => {
  const paths = Array.from({ length: 3000 }, (_, n) => `pub/s${n % 60}/2026/${n}`)
  const known = new KnownDirectories(['', ...paths])
  t.same(pathsOf(known), ['', ...paths].sort())
  t.ok(paths.every((path) => known.pathAt(known.slotOf(path) ?? -1) === path))
  t.same([known.has('pub'), known.has('pub/s0/2026/1')], [false, false])
  const { slots } = known
  for (const path of paths) known.delete(path)
  t.same([known.size, pathsOf(known), known.hasWithin('pub')], [1, [''], false])
  known.delete('')
  t.equal(known.hasWithin(''), false)
  for (const path of paths) known.add(path.replace('pub', 'other'))
  t.equal(known.slots, slots)
  t.equal(known.size, paths.length)
})

t.test('the health is the phase or degraded, with its reasons and its beginning', async (t) => {
  let nowUs = 1
  const { logger, lines } = memoryLogger()
  const health = new Health({ logger, nowUs: () => nowUs, version: '1', lastScan: undefined })
  const status = () => health.status(noProblems)
  const problem = (text: string) => ({ text, advice: `Think about ${text}.` })
  t.match(status(), { state: 'starting', sinceUs: 1, problems: exact([]) })
  nowUs = 2
  health.enter('scanning')
  t.match(status(), { state: 'scanning', sinceUs: 2 })
  nowUs = 3
  t.equal(health.report('checksums', problem('the disk is away')), false)
  nowUs = 4
  health.report('checksums', problem('the disk is still away'))
  health.report('watching', problem('something else'))
  health.enter('watching')
  t.match(status(), {
    state: 'degraded',
    sinceUs: 3,
    problems: exact([problem('the disk is still away'), problem('something else')]),
  })
  t.equal(health.report('checksums', undefined), true)
  t.equal(health.report('checksums', undefined), false)
  t.match(status(), { state: 'degraded', sinceUs: 3 })
  nowUs = 5
  health.report('watching', undefined)
  t.match(status(), { state: 'watching', sinceUs: 5, problems: exact([]) })
  t.same(
    lines.map(({ msg, problem }) => `${msg}: ${problem}`),
    [
      'degraded: the disk is away',
      'degraded: something else',
      'recovered: the disk is still away',
      'recovered: something else',
    ],
    'each is logged once',
  )
})

t.test('a scan counts regular files and reports its progress', async (t) => {
  const scan = new Scan(moment(5), defaultLayout.isRoot)
  const step = (path: string, parts: object, done: number): WalkStep => ({
    snapshot: { ...emptySnapshotOf(path), ...parts },
    pending: 3,
    done,
  })
  t.match(scan.progress(), { done: 0, files: 0, secondsLeft: undefined })
  const rejections = [
    { reason: 'not-gz', count: 2, names: [''] },
    { reason: 'symlink', count: 4, names: [''] },
  ]
  scan.step(step('obs', { names: ['a', 'b'], rejections }, 0.5))
  scan.applied({
    head: { epoch: '', seq: 1, detailsSeq: 0, asOf: undefined },
    added: 2,
    modified: 1,
    removed: 0,
    newest: new Map(),
    refused: [],
  })
  const progress = scan.progress()
  t.match(progress, { startedUs: 5, files: 4, directoriesDone: 1, directoriesFound: 4, done: 0.5 })
  t.ok((progress.secondsLeft ?? -1) >= 0 && progress.rate > 0)
  t.same(scan.result(9).summary, {
    startedUs: 5,
    endedUs: 9,
    directories: 1,
    files: 4,
    added: 2,
    modified: 1,
    removed: 0,
  })
})

t.test('a batch collects directories until it is large or old enough', async (t) => {
  const { writer, sql } = await openParts(t)
  const batch = new Batch(writer, () => 0)
  const files = (count: number) => manyNames(count).map((name) => newFile(name))
  t.match(await batch.flush(), { applied: undefined, error: undefined, changes: exact([]) })
  const day = (n: number, parts: Partial<DirectoryChange>) => change(`obs/2026/00${n}`, parts)
  batch.add(day(1, { added: files(1) }), false)
  t.ok(batch.has('obs/2026/001'))
  t.notOk(batch.has('obs/2026/002'))
  t.notOk(batch.full)
  batch.add(day(2, { added: files(9_999) }), false)
  t.ok(batch.full)
  t.match(await batch.flush(), { applied: { added: 10_000 }, error: undefined })
  t.notOk(batch.full)
  t.notOk(batch.has('obs/2026/001'))

  await sql(engine.failing('INSERT ON file'))
  batch.add(day(3, { added: files(1) }), false)
  batch.add(day(4, {}), false)
  t.match(await batch.flush(), {
    applied: undefined,
    error: { message: 'apply: malformed JSON' },
    changes: exact([{ path: 'obs/2026/003' }, { path: 'obs/2026/004' }]),
  })
  t.equal(await writer.directory('obs/2026/004'), undefined, 'all of it or nothing')
  t.match(await batch.flush(), { changes: exact([]) }, 'a failed batch is dropped')
})

t.test('a change from an event waits for a shorter time than a change from a walk', async (t) => {
  let now = 0
  const batch = new Batch((await openParts(t)).writer, () => now)
  const add = (name: string, isWalked: boolean) => {
    batch.add(change(`obs/2026/${name}`, {}), isWalked)
  }
  const waits = (ms: number) => {
    const from = now
    while (!batch.full && now - from <= 2000) now += 10
    t.equal(now - from, ms)
    return batch.flush()
  }
  add('001', true)
  await waits(510)
  add('001', false)
  await waits(110)
  add('001', true)
  now += 200
  add('002', false)
  add('003', true)
  await waits(110)
  add('001', true)
  now += 450
  add('002', false)
  await waits(60)
  t.notOk(batch.full, 'an empty one is never due')
})
