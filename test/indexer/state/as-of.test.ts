/** Up to which time the catalogue equals the tree, with a real writer, and with a real indexer. */
import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { CatalogueCorrupt } from '../../../src/catalogue/errors.ts'
import type { ScanResult } from '../../../src/indexer/mark/scan-progress.ts'
import { Scans } from '../../../src/indexer/scans.ts'
import { AsOfStore } from '../../../src/indexer/state/as-of.ts'
import { engine } from '../../catalogue/engines.ts'
import t from '../../tap.ts'
import { until } from '../../until.ts'
import { emptyScan, moment, noProblems, openParts, startOn } from '../parts.ts'

const name = 'graz0010.26d.gz'
const second = 1e6

/** Reaches times that the test sets; a sweep takes `tookSeconds`. */
async function openStore(t: Test, sweepIntervalMs = 60_000) {
  const parts = await openParts(t)
  await parts.add(name)
  let nowUs = parts.nowUs()
  let steadyMs = nowUs / 1000
  const clocks = { nowUs: () => nowUs, steadyMs: () => steadyMs }
  const restarted = (storedUs?: number) =>
    new AsOfStore({ ...parts, sweepIntervalMs, ...clocks }, storedUs)
  const real = restarted()
  return {
    ...parts,
    startUs: nowUs,
    real,
    restarted,
    /** A sweep that begins now, by a clock that is set to this time. */
    sweep: (startedUs: number, tookSeconds = 1) => {
      const started = { us: startedUs, steadyMs }
      nowUs = startedUs + tookSeconds * second
      steadyMs += tookSeconds * 1000
      return real.reach(started, tookSeconds)
    },
    setClock: (us: number) => (nowUs = us),
    /** Time passes on both clocks, or on one. */
    pass: (seconds: number, { wall = seconds } = {}) => {
      steadyMs += seconds * 1000
      nowUs += wall * second
    },
    reach: (startedUs: number, usualSeconds: number) => real.reach(moment(startedUs), usualSeconds),
    stored: async () => (await parts.reader.head()).asOf,
  }
}

t.test('what is stored is the start of the sweep, and changes neither epoch nor seq', async (t) => {
  const { reader, sweep, stored, startUs } = await openStore(t)
  const before = await reader.head()
  t.equal(before.asOf, undefined, 'none before the first')
  await sweep(startUs)
  t.strictSame(await stored(), { atUs: startUs, limitSeconds: 183 })
  await sweep(startUs + 60 * second)
  const asOf = { atUs: startUs + 60 * second, limitSeconds: 183 }
  t.strictSame(await reader.head(), { ...before, asOf })
})

t.test('the limit is three times the usual time, at least three minutes', async (t) => {
  for (const [intervalSeconds, tookSeconds, limitSeconds] of [
    [1, 0.5, 180],
    [60, 0, 180],
    [60, 0.1, 181],
    [60, 100, 480],
    [600, 0, 1800],
  ] as const) {
    const { sweep, stored, startUs } = await openStore(t, intervalSeconds * 1000)
    await sweep(startUs, tookSeconds)
    t.equal((await stored())?.limitSeconds, limitSeconds, `${intervalSeconds}, ${tookSeconds}`)
  }
})

t.test('there is none while the archive or the database is lost', async (t) => {
  const { sweep, stored, startUs, health } = await openStore(t)
  let atUs = startUs
  for (const [problem, stops] of [
    ['archive', true],
    ['area obs', true],
    ['area nrt', true],
    ['tree', true],
    ['database', true],
    ['directory obs/2026/001', false],
    ['entries obs/2026/001', false],
    ['removals obs', false],
    ['watching', false],
    ['checksums', false],
  ] as const) {
    await sweep((atUs += 60 * second))
    const last = atUs
    health.report(problem, { text: 'a problem', advice: 'Mend it.' })
    await sweep((atUs += 60 * second))
    t.equal((await stored())?.atUs, stops ? last : atUs, problem)
    t.equal(health.status(noProblems).notCurrent, stops ? 'a problem' : undefined, problem)
    health.report(problem, undefined)
    await sweep((atUs += 60 * second))
    t.equal((await stored())?.atUs, atUs, `${problem} has ended`)
  }
})

t.test('a time that cannot be written is a problem, until one is written', async (t) => {
  const { sweep, stored, startUs, health, sql } = await openStore(t)
  await sweep(startUs)
  await sql(engine.failing('UPDATE ON catalogue'))
  await sweep(startUs + 60 * second)
  t.equal((await stored())?.atUs, startUs)
  t.match(health.status(noProblems), {
    state: 'degraded',
    notCurrent: 'the catalogue cannot be written: setAsOf: malformed JSON',
  })
  await sweep(startUs + 120 * second)
  await sql(engine.repaired('failing'))
  await sweep(startUs + 180 * second)
  t.equal((await stored())?.atUs, startUs + 180 * second)
  t.match(health.status(noProblems), { notCurrent: undefined })
  t.strictSame(health.status(noProblems).problems, [])
})

t.test('the time stands while files wait that were not seen arriving', async (t) => {
  const { sweep, stored, startUs, unreadFiles } = await openStore(t)
  const file = { name: 'graz0020.26d.gz', size: 1, mtimeUs: 1 }
  unreadFiles.leave('obs/2026/002', [file], 5)
  await sweep(startUs)
  t.equal((await stored())?.atUs, startUs, 'those that were seen arriving hold up nothing')
  unreadFiles.leave('obs/2026/003', [file], undefined)
  await sweep(startUs + 60 * second)
  t.equal((await stored())?.atUs, startUs)
  unreadFiles.done('obs/2026/003')
  await sweep(startUs + 120 * second)
  t.equal((await stored())?.atUs, startUs + 120 * second)
})

t.test('a corrupt database is no problem of the indexer', async (t) => {
  const { health, unreadFiles, nowUs } = await openParts(t)
  const asOf = new AsOfStore({
    health,
    unreadFiles,
    nowUs,
    sweepIntervalMs: 20,
    writer: { setAsOf: () => Promise.reject(new CatalogueCorrupt('torn')) },
  })
  await t.rejects(asOf.reach(asOf.now(), 0), { code: 'CATALOGUE_CORRUPT' })
  t.strictSame(health.status(noProblems).problems, [])
})

t.test('sweeps that follow each other faster store a time each 30 seconds', async (t) => {
  const { sweep, stored, startUs } = await openStore(t)
  for (const [seconds, storedSeconds] of [
    [0, 0],
    [3, 0],
    [29.9, 0],
    [30, 30],
    [59, 30],
    [61, 61],
  ] as const) {
    await sweep(startUs + seconds * second)
    t.equal((await stored())?.atUs, startUs + storedSeconds * second, `after ${seconds} s`)
  }
})

t.test('the time goes back only with the clock', async (t) => {
  const { sweep, stored, startUs, setClock, reach } = await openStore(t)
  await sweep(startUs + 60 * second)
  // A rescan that began before the sweep ends after it.
  setClock(startUs + 120 * second)
  await reach(startUs, 0)
  t.strictSame(await stored(), { atUs: startUs + 60 * second, limitSeconds: 183 })
  const backUs = startUs - 3600 * second
  await sweep(backUs)
  t.equal((await stored())?.atUs, backUs)
})

t.test(
  'a file was not there at the last time that was reached, if that is at most ten minutes ago',
  async (t) => {
    const { real, restarted, sweep, pass, stored, health, startUs } = await openStore(t)
    t.equal(real.notThereSinceUs(), undefined, 'before the first')
    await sweep(startUs, 0)
    await sweep(startUs, 20)
    pass(10)
    const atUs = startUs
    t.equal(real.notThereSinceUs(), atUs)
    pass(570)
    t.equal(real.notThereSinceUs(), atUs, 'after ten minutes')
    const again = restarted((await stored())?.atUs)
    t.equal(again.notThereSinceUs(), atUs, 'in the next process too')
    pass(1)
    t.strictSame(
      [real, again].map((each) => each.notThereSinceUs()),
      [undefined, undefined],
    )

    await sweep(startUs + 3600 * second, 0)
    t.equal(real.notThereSinceUs(), startUs + 3600 * second)
    pass(20, { wall: 3600 })
    t.equal(real.notThereSinceUs(), undefined, 'the clock was set forward, or the machine slept')
    await sweep(startUs + 7200 * second, 0)
    pass(20, { wall: -3600 })
    const sinceUs = startUs + 3600 * second - 20 * second
    t.equal(real.notThereSinceUs(), sinceUs, 'set back: by the clock as it is now')
    t.equal(restarted(startUs + 7200 * second).notThereSinceUs(), undefined, 'it lies ahead')
    pass(590, { wall: 0 })
    t.equal(real.notThereSinceUs(), undefined, 'set back to less than ten minutes')

    await sweep(startUs + 9000 * second, 0)
    health.report('area obs', { text: 'lost', advice: 'Mount it.' })
    pass(60)
    await sweep(startUs + 9060 * second, 0)
    t.equal(real.notThereSinceUs(), startUs + 9000 * second, 'it stands')
  },
)

const summary = { ...emptyScan, startedUs: 5 * second }

t.test('only a complete scan of the whole archive reaches a time', async (t) => {
  const parts = await openParts(t)
  const reached: number[] = []
  const started = moment(5 * second)
  let result: ScanResult = { summary, started, archiveRead: true, written: true }
  parts.asOf.reach = async ({ us }) => {
    if (parts.health.notCurrent() === undefined) reached.push(us)
  }
  const scans = new Scans(parts, { scan: async () => result })
  await scans.scan(['obs'])
  t.strictSame(reached, [], 'one area')
  for (const incomplete of [{ archiveRead: false }, { written: false }]) {
    result = { summary, started, archiveRead: true, written: true, ...incomplete }
    await t.rejects(scans.scanAll(false), { code: 'INCOMPLETE_SCAN' })
  }
  t.strictSame(reached, [], 'incomplete')
  t.match(parts.health.status(noProblems), { state: 'degraded' })
  result = { summary, started, archiveRead: true, written: true }
  await scans.scanAll(false)
  t.strictSame(reached, [5 * second], 'the scan that ends the problem has one')
  t.strictSame(parts.health.status(noProblems).problems, [])
})

t.test(
  'an indexer stores a time from the end of the first scan on, while it can read',
  async (t) => {
    const { archive, indexer, put, nowUs, reader } = await startOn(t)
    put(`obs/2026/001/${name}`)
    mkdirSync(join(archive, 'nrt'))
    const storedUs = async () => (await reader.head()).asOf?.atUs
    t.equal(await storedUs(), undefined)
    const beforeUs = nowUs()
    const { scan } = await indexer.catchUp({ scan: false, patient: false })
    t.equal(await storedUs(), scan.startedUs, 'the start of the scan')
    t.ok(scan.startedUs >= beforeUs)
    const head = await reader.head()
    indexer.watch()
    const isAfter = (us: number) => async () => ((await storedUs()) ?? 0) > us
    await until('a sweep', isAfter(nowUs()))
    t.match(await reader.head(), { epoch: head.epoch, seq: head.seq, detailsSeq: head.detailsSeq })

    renameSync(join(archive, 'obs'), join(archive, 'away'))
    const isLost = () =>
      indexer.status().notCurrent?.startsWith('obs/ below the archive root') === true
    await until('the area is lost', isLost)
    const lostUs = nowUs()
    const sweptUs = indexer.status().lastSweepUs
    await until('a later sweep', () => (indexer.status().lastSweepUs ?? 0) > lostUs + 50_000)
    t.ok((sweptUs ?? 0) > 0)
    t.ok(((await storedUs()) ?? 0) <= lostUs, 'it stands')
    renameSync(join(archive, 'away'), join(archive, 'obs'))
    await until('it is written again', isAfter(nowUs()))
    t.equal(indexer.status().notCurrent, undefined)
  },
)
