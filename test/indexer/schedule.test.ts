import type { Test } from 'tap'
import { Schedule } from '../../src/indexer/schedule.ts'
import { KnownDirectories } from '../../src/indexer/state/known-directories.ts'
import { Looks } from '../../src/indexer/state/looks.ts'
import { stamp } from '../catalogue/catalogue.ts'
import t, { exact } from '../tap.ts'
import { until } from '../until.ts'
import { noProblems, openParts } from './parts.ts'

/** A schedule over these directories, without a loop that takes the dirty ones. */
async function openScheduleOn(
  t: Test,
  options: { directories: string[]; fullReadMs?: number; sweepIntervalMs?: number },
) {
  const parts = await openParts(t)
  const { dirty } = parts
  const failures: unknown[] = []
  const known = new KnownDirectories(options.directories)
  const beatsUs: number[] = []
  parts.asOf.reach = async ({ us }) => void beatsUs.push(us)
  const context = {
    ...parts,
    sweepIntervalMs: options.sweepIntervalMs ?? 20,
    fullReadMs: options.fullReadMs ?? 86_400_000,
    known,
    looks: new Looks(known),
    onFailure: (error: unknown) => failures.push(error),
  }
  const schedule = new Schedule(context, { caughtUp: () => Promise.resolve() })
  t.teardown(() => schedule.close())
  const drain = () => {
    const all = []
    for (let next; (next = dirty.take(Infinity)) !== undefined;) all.push(next)
    return all
  }
  return { ...parts, known, schedule, drain, failures, beatsUs }
}

t.test('a sweep queues the directories that may have changed, to read their facts', async (t) => {
  const { known, put, schedule, drain, health, beatsUs, nowUs } = await openScheduleOn(t, {
    directories: ['obs/2020/001'],
  })
  put('obs/2020/001/graz0010.20d.gz')
  known.setStamp('obs/2020/001', stamp)
  t.equal(health.status(noProblems).lastSweepUs, undefined)
  const beforeUs = nowUs()
  t.match(await schedule.sweepNow(), { fresh: 3 })
  const [beatUs = NaN] = beatsUs
  t.ok(beatUs >= beforeUs && beatUs < (health.status(noProblems).lastSweepUs ?? NaN))
  t.same(drain().sort(), ['nrt', 'obs', 'obs/2020/001'], 'areas that are not known yet among them')
  t.type(health.status(noProblems).lastSweepUs, 'number')
  t.match(
    await schedule.sweepNow(),
    { fresh: 0 },
    'directories that differed before do not count as new',
  )
})

t.test('sweeps repeat until the schedule is closed, and closing is no failure', async (t) => {
  const { schedule, health, tree, failures } = await openScheduleOn(t, { directories: [] })
  schedule.start()
  for (let count = 0; count < 3; count++) {
    const last = health.status(noProblems).lastSweepUs
    await until('a sweep', () => health.status(noProblems).lastSweepUs !== last)
  }
  schedule.sweepSoon()
  schedule.close()
  await tree.close()
  await new Promise((resolve) => setImmediate(resolve))
  t.strictSame(failures, [])
})

t.test('the rolling rescan reads all directories in its period, newest date first', async (t) => {
  const directories = ['nrt/2026/002', 'obs/2020/001', 'obs/2026/001', 'obs']
  const { schedule, drain } = await openScheduleOn(t, { directories, fullReadMs: 100 })
  schedule.start()
  const seen: string[] = []
  await until('a round', () => seen.push(...drain().filter((path) => path.length > 3)) >= 3)
  t.same([...new Set(seen)], ['nrt/2026/002', 'obs/2026/001', 'obs/2020/001'])
})

t.test(
  'a hanging disk is reported within ten seconds, because areas are read regularly',
  async (t) => {
    const timers: { run: () => void; everyMs: number }[] = []
    t.intercept(globalThis, 'setInterval', {
      value(run: () => void, everyMs: number) {
        timers.push({ run, everyMs })
        return { unref: () => undefined }
      },
    })
    const { schedule, drain, tree, health } = await openScheduleOn(t, {
      directories: ['obs'],
      sweepIntervalMs: 86_400_000,
    })
    schedule.start()
    let [nowMs, askedMs] = [0, Infinity]
    t.intercept(tree, 'waitingMs', { value: () => Math.max(0, nowMs - askedMs) })
    const state = () => health.status(noProblems).state
    const pass = (ms: number) => {
      for (const endMs = nowMs + ms; nowMs < endMs && state() !== 'degraded';) {
        nowMs += 100
        for (const { run, everyMs } of timers) if (nowMs % everyMs === 0) run()
        const requested = drain().includes('obs')
        if (requested) askedMs = Math.min(askedMs, nowMs)
      }
    }
    // No request is pending when it begins to hang.
    pass(10_000)
    t.match(health.status(noProblems), {
      state: 'degraded',
      problems: exact([{ text: /has not answered/ }]),
    })
    t.comment(`reported after ${nowMs} ms`)
    askedMs = Infinity
    for (const { run } of timers) run()
    t.equal(state(), 'starting', 'it answers again')
  },
)
