import t from '../tap.ts'
import { youngFileMs } from '../../src/catalogue/records.ts'
import { Settling } from '../../src/indexer/state/settling.ts'
import type { SettlingDecision } from '../../src/indexer/state/settling.ts'
import { fc } from '../random.ts'

const path = 'nrt/2026/001/05/graz001f.26d.gz'
const minute = 60_000
const wallMs = Date.UTC(2026, 0, 1, 6)
/** A file of this size and age. */
const file = (size: number, minutesAgo: number) => ({
  size,
  mtimeUs: (wallMs - minutesAgo * minute) * 1000,
})

const cases: {
  title: string
  before?: { state: ReturnType<typeof file>; minutesAgo: number; unreadable?: true; once?: true }
  state: ReturnType<typeof file>
  decision: SettlingDecision
}[] = [
  { title: 'an old file is taken', state: file(9, 11), decision: 'take' },
  { title: 'a young file is inflated', state: file(9, 1), decision: 'inflate' },
  {
    title: 'a file with an mtime in the future is inflated',
    state: file(9, -600),
    decision: 'inflate',
  },
  {
    title: 'a file that has grown is inflated again',
    before: { state: file(8, 1), minutesAgo: 1 },
    state: file(9, 0),
    decision: 'inflate',
  },
  {
    title: 'an unchanged file waits',
    before: { state: file(9, 1), minutesAgo: 1 },
    state: file(9, 1),
    decision: 'wait',
  },
  {
    title: 'a file that was read once may have been finished within the same tick',
    before: { state: file(9, 1), minutesAgo: 1, once: true },
    state: file(9, 1),
    decision: 'inflate',
  },
  {
    title: 'and is not taken before the second read',
    before: { state: file(9, 11), minutesAgo: 11, once: true },
    state: file(9, 11),
    decision: 'inflate',
  },
  {
    title: 'a file unchanged for long is taken as incomplete',
    before: { state: file(9, 11), minutesAgo: 5 },
    state: file(9, 11),
    decision: 'take-incomplete',
  },
  {
    title: 'a file with an mtime in the future that was seen unchanged for long is taken too',
    before: { state: file(9, -600), minutesAgo: 10 },
    state: file(9, -600),
    decision: 'take-incomplete',
  },
  {
    title: 'a file with an mtime in the future that has changed is inflated',
    before: { state: file(8, -600), minutesAgo: 10 },
    state: file(9, -600),
    decision: 'inflate',
  },
  {
    title: 'a changed file with an old mtime is inflated',
    before: { state: file(8, 0), minutesAgo: 1 },
    state: file(9, 60),
    decision: 'inflate',
  },
  {
    title: 'an unreadable file is tried again, changed or not',
    before: { state: file(9, 1), minutesAgo: 1, unreadable: true },
    state: file(9, 1),
    decision: 'inflate',
  },
  {
    title: 'and is taken when it is old, since it may be complete',
    before: { state: file(9, 11), minutesAgo: 5, unreadable: true },
    state: file(9, 11),
    decision: 'take',
  },
]

t.test('a file is accepted when it is complete or has not changed for ten minutes', async (t) => {
  for (const { title, before, state, decision } of cases) {
    const settling = new Settling()
    const steadyMs = 20 * minute
    if (before !== undefined) {
      const thenMs = steadyMs - before.minutesAgo * minute
      if (before.unreadable) settling.markUnreadable(path, before.state, thenMs)
      else settling.markIncomplete(path, before.state, thenMs)
      if (!before.once && !before.unreadable)
        settling.markIncomplete(path, before.state, thenMs + 3000)
    }
    t.equal(settling.decide(path, state, { steadyMs, wallMs }), decision, title)
  }
})

t.test('a growing file is read every second, an unchanged file less and less often', async (t) => {
  const settling = new Settling()
  t.equal(settling.markIncomplete(path, file(1, 0), 0), 1000)
  t.equal(settling.markIncomplete(path, file(2, 0), 1000), 1000)
  t.equal(settling.markIncomplete(path, file(2, 0), 2000), 1000, 'within a tick it may have grown')
  t.equal(settling.markIncomplete(path, file(2, 0), 4000), 2000)
  t.equal(settling.markIncomplete(path, file(2, 0), 6000), 4000)
  for (let state = 0; state < 10; state++) settling.markIncomplete(path, file(2, 0), 7000)
  t.equal(settling.markIncomplete(path, file(2, 0), 8000), minute)
  t.equal(settling.readAtMs(path), 8000)
})

t.test('the state of a file dates from the beginning of its read, not from its end', async (t) => {
  const settling = new Settling()
  const now = (steadyMs: number) => ({ steadyMs, wallMs })
  settling.markIncomplete(path, file(1, 0), 1000, 0)
  settling.markIncomplete(path, file(1, 0), 9000, 2500)
  t.equal(settling.decide(path, file(1, 0), now(10_000)), 'inflate')
  settling.markIncomplete(path, file(1, 0), 10_000, 3000)
  t.equal(settling.decide(path, file(1, 0), now(11_000)), 'wait')
})

t.test('settling files are listed, the longest unchanged file first', async (t) => {
  const settling = new Settling()
  const other = 'nrt/2026/001/05/zimm001f.26d.gz'
  settling.markIncomplete(path, file(1, 0), 0)
  settling.markUnreadable(other, file(1, 0), 1)
  settling.markIncomplete(path, file(2, 0), 2)
  const [first, second] = [
    { path: other, sinceMs: 1, readable: false },
    { path, sinceMs: 2, readable: true },
  ]
  t.same(settling.list(5), [first, second])
  t.same(settling.list(1), [first])
})

t.test('a deleted file leaves no entry behind', async (t) => {
  const settling = new Settling()
  const other = 'nrt/2026/001/05/zimm001f.26d.gz'
  settling.markIncomplete(path, file(1, 0), 0)
  settling.markIncomplete(path, file(2, 0), 1)
  settling.markIncomplete(other, file(1, 0), 2)
  t.equal(settling.size, 2)
  t.same(settling.namesIn('nrt/2026/001/05'), ['graz001f.26d.gz', 'zimm001f.26d.gz'])
  settling.delete(path)
  settling.delete(path)
  settling.delete(other)
  t.equal(settling.size, 0)
  t.same(settling.namesIn('nrt/2026/001/05'), [])
  t.equal(settling.readAtMs(path), undefined)
})

t.test('a file that has stopped changing is accepted in the end, whatever its times', async () => {
  const times = fc.record({
    size: fc.nat(),
    mtimeUs: fc.maxSafeInteger(),
    wallMs: fc.integer({ min: 0, max: 4e12 }),
  })
  fc.assert(
    fc.property(times, ({ size, mtimeUs, wallMs: startMs }) => {
      const settling = new Settling()
      for (let steadyMs = 0; steadyMs <= 2 * youngFileMs;) {
        const now = { steadyMs, wallMs: startMs + steadyMs }
        const decision = settling.decide(path, { size, mtimeUs }, now)
        if (decision === 'take' || decision === 'take-incomplete') return true
        steadyMs += settling.markIncomplete(path, { size, mtimeUs }, steadyMs)
      }
      return false
    }),
  )
})
