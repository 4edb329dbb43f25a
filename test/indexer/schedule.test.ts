import t from 'tap'
import type { Test } from 'tap'
import { openDirtyDirectories } from '../../src/indexer/dirty-directories.ts'
import { openKnownDirectories } from '../../src/indexer/known-directories.ts'
import { openSchedule } from '../../src/indexer/schedule.ts'
import { openWakeSignal } from '../../src/indexer/wake-signal.ts'
import { change } from '../catalogue/change.ts'
import { noTroubles, openParts } from './parts.ts'
import { until } from './until.ts'

/** Rounds over these directories, with nobody who takes what they find. */
function openRoundsOn(
  t: Test,
  options: { directories: string[]; fullReadMs?: number; sweepIntervalMs?: number },
) {
  const parts = openParts(t)
  const dirty = openDirtyDirectories()
  const known = openKnownDirectories(options.directories)
  const reconcileLoop = { caughtUp: () => Promise.resolve() }
  const wakeSignal = openWakeSignal()
  const times = {
    sweepIntervalMs: options.sweepIntervalMs ?? 20,
    keepRemovalsMs: 86_400_000,
    backupIntervalMs: 0,
    fullReadMs: options.fullReadMs ?? 86_400_000,
  }
  const schedule = openSchedule({ ...parts, ...times, dirty, known, reconcileLoop, wakeSignal })
  t.teardown(() => {
    schedule.close()
  })
  const drain = () => {
    const all = []
    for (let next; (next = dirty.take(Infinity)) !== undefined;) all.push(next)
    return all
  }
  return { ...parts, schedule, drain }
}

t.test('a sweep finds what may have changed, and looks at it closely', async (t) => {
  const { put, schedule, drain, writer, health } = openRoundsOn(t, { directories: [] })
  put('obs/2020/001/graz0010.20d.gz')
  const stamp = { mtimeUs: 1, ctimeUs: 2, inode: 3 }
  await writer.apply([change('obs/2020/001', { stamp })])
  t.equal(health.status(noTroubles).lastSweepUs, undefined)
  t.equal(await schedule.sweepNow(), 3)
  t.same(
    drain()
      .map(({ path, depth }) => `${path} ${depth}`)
      .sort(),
    ['nrt facts', 'obs facts', 'obs/2020/001 facts'],
    'areas that are not known yet among them',
  )
  t.type(health.status(noTroubles).lastSweepUs, 'number')
  t.equal(await schedule.sweepNow(), 0, 'what differed the last time too is no news')
})

t.test('sweeps come round until the end, which is no failure', async (t) => {
  const { schedule, health, tree } = openRoundsOn(t, { directories: [] })
  schedule.start()
  for (let count = 0; count < 3; count++) {
    const last = health.status(noTroubles).lastSweepUs
    await until(t, 'a sweep', () => health.status(noTroubles).lastSweepUs !== last)
  }
  let broken: unknown
  schedule.broken.catch((error: unknown) => (broken = error))
  schedule.sweepSoon()
  schedule.close()
  await tree.close()
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(broken, undefined)
})

t.test('the rolling look comes by all directories in its time, newest date first', async (t) => {
  const directories = ['nrt/2026/002', 'obs/2020/001', 'obs/2026/001', 'obs']
  const { schedule, drain } = openRoundsOn(t, { directories, fullReadMs: 100 })
  schedule.start()
  const seen: string[] = []
  await until(
    t,
    'a round',
    () =>
      seen.push(
        ...drain()
          .filter(({ depth, path }) => depth === 'facts' && path.length > 3)
          .map(({ path }) => path),
      ) >= 3,
  )
  t.same([...new Set(seen)], ['nrt/2026/002', 'obs/2026/001', 'obs/2020/001'])
})

t.test('a disk that hangs is told within ten seconds, and areas are asked for', async (t) => {
  const timers: { reconcileLoop: () => void; everyMs: number }[] = []
  t.intercept(globalThis, 'setInterval', {
    value(reconcileLoop: () => void, everyMs: number) {
      timers.push({ reconcileLoop, everyMs })
      return { unref: () => undefined }
    },
  })
  const { schedule, drain, tree, health } = openRoundsOn(t, {
    directories: ['obs'],
    sweepIntervalMs: 86_400_000,
  })
  schedule.start()
  let [nowMs, askedMs] = [0, Infinity]
  t.intercept(tree, 'waitingMs', { value: () => Math.max(0, nowMs - askedMs) })
  const state = () => health.status(noTroubles).state
  const pass = (ms: number) => {
    for (const endMs = nowMs + ms; nowMs < endMs && state() !== 'degraded';) {
      nowMs += 100
      for (const { reconcileLoop, everyMs } of timers) if (nowMs % everyMs === 0) reconcileLoop()
      const requested = drain().some(({ path, depth }) => path === 'obs' && depth === 'auto')
      if (requested) askedMs = Math.min(askedMs, nowMs)
    }
  }
  // Nobody has asked it for anything when it begins to hang.
  pass(10_000)
  t.match(health.status(noTroubles), { state: 'degraded', reasons: [/has not answered/] })
  t.comment(`told after ${nowMs} ms`)
  askedMs = Infinity
  for (const { reconcileLoop } of timers) reconcileLoop()
  t.equal(state(), 'starting', 'it answers again')
})
