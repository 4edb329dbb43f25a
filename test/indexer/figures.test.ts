import t from '../tap.ts'
import type { Test } from 'tap'
import type { AppliedChange } from '../../src/catalogue/writer.ts'
import { openFigures } from '../../src/indexer/figures.ts'
import { openKnownDirectories } from '../../src/indexer/known-directories.ts'
import { openMaintenance } from '../../src/indexer/maintenance.ts'
import { openSchedule } from '../../src/indexer/schedule.ts'
import { openDirtyDirectories } from '../../src/indexer/dirty-directories.ts'
import { change, newFile } from '../catalogue/change.ts'
import { openParts } from './parts.ts'
import { until } from './until.ts'

const day = 'obs/2020/001'
const hour = 'nrt/2020/001/05'
const nowUs = 1_577_836_800_000_000

function openFiguresOn(t: Test) {
  const figures = openFigures({ nowUs: () => nowUs })
  t.teardown(() => figures.close())
  return figures
}

/** A new file of this age in seconds. */
const aged = (seconds: number) =>
  newFile('graz0010.20d.gz', { size: 1, mtimeUs: nowUs - seconds * 1e6 })

t.test('the status counts changes, and has the latency of files that were seen arriving', (t) => {
  const figures = openFiguresOn(t)
  const applied = { added: 4, modified: 2, removed: 1 } as AppliedChange
  figures.applied(applied, [
    change(hour, { arrived: true, added: [aged(0.5), aged(-5), aged(90), aged(1e6)] }),
    change(hour, { arrived: true, added: [newFile('graz0010.20n.gz')] }),
    change(day, { arrived: false, added: [aged(3)] }),
  ])
  figures.applied({ added: 1, modified: 0, removed: 0 } as AppliedChange, [])
  const { changes, listingLatency } = figures.status()
  t.same(changes, { created: 5, modified: 2, removed: 1 })
  const { bounds, areas } = listingLatency
  t.equal(areas.nrt.sum, 0.5 + 90 + 1e6, 'a time in the future counts as 0')
  const countOf = (bound: number) => areas.nrt.counts[bounds.indexOf(bound)]
  t.equal(countOf(1), 2)
  t.equal(countOf(120), 1)
  t.equal(areas.nrt.counts.at(-1), 1)
  t.equal(areas.nrt.counts.length, bounds.length + 1)
  t.same(areas.obs, { counts: areas.obs.counts.map(() => 0), sum: 0 }, 'found by a scan')
  t.end()
})

t.test('the status has the figures of the process', async (t) => {
  const startMs = performance.now()
  const figures = openFiguresOn(t)
  const status = figures.status()
  t.ok(status.residentBytes > 1e6)
  t.ok(status.cpuSeconds > 0)
  t.ok(status.startedUs < nowUs)
  t.match(status, { lastFullReadUs: undefined, backup: undefined })
  const delay = () => figures.status().eventLoopDelay
  await until(t, 'a delay of 300 ms is measured', () => {
    for (const endMs = performance.now() + 300; performance.now() < endMs;);
    return delay().max > 0.2
  })
  await until(t, 'most delays are shorter', () => delay().p50 < delay().max)
  const seconds = (performance.now() - startMs) / 1000
  t.ok(delay().max < seconds && delay().p50 >= 0, `${delay().max} of ${seconds} seconds`)
})

t.test('the status has the time at which all directories had been read once', async (t) => {
  const parts = openParts(t)
  const times = { sweepIntervalMs: 60_000, keepRemovalsMs: 1e9, backupIntervalMs: 0 }
  const schedule = openSchedule({
    ...parts,
    ...times,
    fullReadMs: 1000,
    dirty: openDirtyDirectories(),
    known: openKnownDirectories([day, hour]),
    reconcileLoop: { caughtUp: () => Promise.resolve() },
    beat: () => Promise.resolve(),
  })
  t.teardown(() => schedule.close())
  schedule.start()
  await until(t, 'it is noted', () => parts.figures.status().lastFullReadUs !== undefined)
  t.ok(Math.abs((parts.figures.status().lastFullReadUs ?? 0) - parts.nowUs()) < 60e6)
})

t.test('the status has the result of the last backup', async (t) => {
  const parts = openParts(t)
  const outcomes = [
    () => Promise.resolve({ outcome: 'kept', path: 'x', bytes: 1 } as const),
    () => Promise.reject(new Error('no')),
  ]
  for (const [index, backup] of outcomes.entries()) {
    const maintenance = openMaintenance({
      ...parts,
      writer: { ...parts.writer, backup },
      keepRemovalsMs: 1e9,
      backupIntervalMs: 1e9,
      onFailure: (error) => t.fail(String(error)),
    })
    maintenance.start()
    const expected = index === 0 ? 'kept' : 'failed'
    await until(t, expected, () => parts.figures.status().backup?.outcome === expected)
    maintenance.close()
  }
})
