import t from 'tap'
import type { Test } from 'tap'
import { openDirtyDirectories } from '../../src/indexer/dirty-directories.ts'
import { openKnownDirectories } from '../../src/indexer/known-directories.ts'
import { openRounds } from '../../src/indexer/rounds.ts'
import { change } from '../catalogue/change.ts'
import { noTroubles, openParts } from './parts.ts'
import { until } from './until.ts'

/** Rounds over these directories, with nobody who takes what they find. */
function openRoundsOn(
  t: Test,
  options: { directories: string[]; fullLookMs?: number; sweepIntervalMs?: number },
) {
  const parts = openParts(t)
  const dirty = openDirtyDirectories()
  const known = openKnownDirectories(options.directories)
  const work = {
    wake: () => undefined,
    caughtUp: () => Promise.resolve(),
    scan: () => Promise.reject(new Error('no scan here')),
    lookNow: () => Promise.reject(new Error('nobody asks here')),
    scanning: undefined,
    close: () => Promise.resolve(),
    broken: new Promise<never>(() => undefined),
  }
  const times = {
    sweepIntervalMs: options.sweepIntervalMs ?? 20,
    keepRemovalsMs: 86_400_000,
    backupIntervalMs: 0,
    fullLookMs: options.fullLookMs ?? 86_400_000,
  }
  const rounds = openRounds({ ...parts, ...times, dirty, known, work })
  t.teardown(() => {
    rounds.close()
  })
  const drain = () => {
    const all = []
    for (let next; (next = dirty.take(Infinity)) !== undefined;) all.push(next)
    return all
  }
  return { ...parts, rounds, drain }
}

t.test('a sweep finds what may have changed, and looks at it closely', async (t) => {
  const { put, rounds, drain, writer, condition } = openRoundsOn(t, { directories: [] })
  put('obs/2020/001/graz0010.20d.gz')
  const stamp = { mtimeUs: 1, ctimeUs: 2, inode: 3 }
  await writer.apply([change('obs/2020/001', { stamp })])
  t.equal(condition.status(noTroubles).lastSweepUs, undefined)
  t.equal(await rounds.sweepNow(), 3)
  t.same(
    drain()
      .map(({ path, detail }) => `${path} ${detail}`)
      .sort(),
    ['nrt facts', 'obs facts', 'obs/2020/001 facts'],
    'areas that are not known yet among them',
  )
  t.type(condition.status(noTroubles).lastSweepUs, 'number')
  t.equal(await rounds.sweepNow(), 0, 'what differed the last time too is no news')
})

t.test('sweeps come round until the end, which is no failure', async (t) => {
  const { rounds, condition, tree } = openRoundsOn(t, { directories: [] })
  rounds.start()
  for (let count = 0; count < 3; count++) {
    const last = condition.status(noTroubles).lastSweepUs
    await until(t, 'a sweep', () => condition.status(noTroubles).lastSweepUs !== last)
  }
  let broken: unknown
  rounds.broken.catch((error: unknown) => (broken = error))
  rounds.sweepSoon()
  rounds.close()
  await tree.close()
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(broken, undefined)
})

t.test('the rolling look comes by all directories in its time, newest date first', async (t) => {
  const directories = ['nrt/2026/002', 'obs/2020/001', 'obs/2026/001', 'obs']
  const { rounds, drain } = openRoundsOn(t, { directories, fullLookMs: 100 })
  rounds.start()
  const seen: string[] = []
  await until(
    t,
    'a round',
    () =>
      seen.push(
        ...drain()
          .filter(({ detail, path }) => detail === 'facts' && path.length > 3)
          .map(({ path }) => path),
      ) >= 3,
  )
  t.same([...new Set(seen)], ['nrt/2026/002', 'obs/2026/001', 'obs/2020/001'])
})

t.test('a disk that hangs is told within ten seconds, and areas are asked for', async (t) => {
  const timers: { work: () => void; everyMs: number }[] = []
  t.intercept(globalThis, 'setInterval', {
    value(work: () => void, everyMs: number) {
      timers.push({ work, everyMs })
      return { unref: () => undefined }
    },
  })
  const { rounds, drain, tree, condition } = openRoundsOn(t, {
    directories: ['obs'],
    sweepIntervalMs: 86_400_000,
  })
  rounds.start()
  let [nowMs, askedMs] = [0, Infinity]
  t.intercept(tree, 'waitingMs', { value: () => Math.max(0, nowMs - askedMs) })
  const state = () => condition.status(noTroubles).state
  const pass = (ms: number) => {
    for (const endMs = nowMs + ms; nowMs < endMs && state() !== 'degraded';) {
      nowMs += 100
      for (const { work, everyMs } of timers) if (nowMs % everyMs === 0) work()
      const asked = drain().some(({ path, detail }) => path === 'obs' && detail === 'fitting')
      if (asked) askedMs = Math.min(askedMs, nowMs)
    }
  }
  // Nobody has asked it for anything when it begins to hang.
  pass(10_000)
  t.match(condition.status(noTroubles), { state: 'degraded', reasons: [/has not answered/] })
  t.comment(`told after ${nowMs} ms`)
  askedMs = Infinity
  for (const { work } of timers) work()
  t.equal(state(), 'starting', 'it answers again')
})
