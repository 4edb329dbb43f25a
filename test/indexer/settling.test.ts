import t from 'tap'
import { settleMs } from '../../src/catalogue/settling.ts'
import { openSettling } from '../../src/indexer/settling.ts'
import type { SettlingDecision } from '../../src/indexer/settling.ts'
import { fc } from '../random.ts'

const path = 'nrt/2026/001/05/graz001f.26d.gz'
const minute = 60_000
const wallMs = Date.UTC(2026, 0, 1, 6)
/** A file of that size which was written so many minutes ago. */
const file = (size: number, minutesAgo: number) => ({
  size,
  mtimeUs: (wallMs - minutesAgo * minute) * 1000,
})

const cases: {
  title: string
  before?: { snapshot: ReturnType<typeof file>; minutesAgo: number; unreadable?: true; once?: true }
  snapshot: ReturnType<typeof file>
  verdict: SettlingDecision
}[] = [
  { title: 'an old file that is new to us is taken', snapshot: file(9, 11), verdict: 'take' },
  { title: 'a young one has to show its end', snapshot: file(9, 1), verdict: 'inflate' },
  { title: 'one of the future too', snapshot: file(9, -600), verdict: 'inflate' },
  {
    title: 'one that has grown is inflated again',
    before: { snapshot: file(8, 1), minutesAgo: 1 },
    snapshot: file(9, 0),
    verdict: 'inflate',
  },
  {
    title: 'one that has not changed is waited for',
    before: { snapshot: file(9, 1), minutesAgo: 1 },
    snapshot: file(9, 1),
    verdict: 'wait',
  },
  {
    title: 'one that was read once may have been finished within the same tick of the clock',
    before: { snapshot: file(9, 1), minutesAgo: 1, once: true },
    snapshot: file(9, 1),
    verdict: 'inflate',
  },
  {
    title: 'and is not taken before it was read again',
    before: { snapshot: file(9, 11), minutesAgo: 11, once: true },
    snapshot: file(9, 11),
    verdict: 'inflate',
  },
  {
    title: 'one that has not changed for long is taken all the same',
    before: { snapshot: file(9, 11), minutesAgo: 5 },
    snapshot: file(9, 11),
    verdict: 'take-incomplete',
  },
  {
    title: 'one of the future that has not changed while we saw it is taken too',
    before: { snapshot: file(9, -600), minutesAgo: 10 },
    snapshot: file(9, -600),
    verdict: 'take-incomplete',
  },
  {
    title: 'one of the future that changed in this time is not',
    before: { snapshot: file(8, -600), minutesAgo: 10 },
    snapshot: file(9, -600),
    verdict: 'inflate',
  },
  {
    title: 'one that was given an old time when it was finished shows whether it is',
    before: { snapshot: file(8, 0), minutesAgo: 1 },
    snapshot: file(9, 60),
    verdict: 'inflate',
  },
  {
    title: 'one that could not be read is tried again, changed or not',
    before: { snapshot: file(9, 1), minutesAgo: 1, unreadable: true },
    snapshot: file(9, 1),
    verdict: 'inflate',
  },
  {
    title: 'and is taken like any other when it is old, since nobody knows that it lacks anything',
    before: { snapshot: file(9, 11), minutesAgo: 5, unreadable: true },
    snapshot: file(9, 11),
    verdict: 'take',
  },
]

t.test('whether a file is complete', async (t) => {
  for (const { title, before, snapshot, verdict } of cases) {
    const settling = openSettling()
    const steadyMs = 20 * minute
    if (before !== undefined) {
      const thenMs = steadyMs - before.minutesAgo * minute
      if (before.unreadable) settling.markUnreadable(path, before.snapshot, thenMs)
      else settling.markIncomplete(path, before.snapshot, thenMs)
      if (!before.once && !before.unreadable)
        settling.markIncomplete(path, before.snapshot, thenMs + 3000)
    }
    t.equal(settling.decide(path, snapshot, { steadyMs, wallMs }), verdict, title)
  }
})

t.test('a file that grows is looked at every second, one that rests ever less often', async (t) => {
  const settling = openSettling()
  t.equal(settling.markIncomplete(path, file(1, 0), 0), 1000)
  t.equal(settling.markIncomplete(path, file(2, 0), 1000), 1000)
  t.equal(settling.markIncomplete(path, file(2, 0), 2000), 1000, 'within a tick it may have grown')
  t.equal(settling.markIncomplete(path, file(2, 0), 4000), 2000)
  t.equal(settling.markIncomplete(path, file(2, 0), 6000), 4000)
  for (let snapshot = 0; snapshot < 10; snapshot++) settling.markIncomplete(path, file(2, 0), 7000)
  t.equal(settling.markIncomplete(path, file(2, 0), 8000), minute)
  t.equal(settling.readAtMs(path), 8000)
})

t.test('reading counts from when it began, however long it took', async (t) => {
  const settling = openSettling()
  const now = (steadyMs: number) => ({ steadyMs, wallMs })
  settling.markIncomplete(path, file(1, 0), 1000, 0)
  settling.markIncomplete(path, file(1, 0), 9000, 2500)
  t.equal(settling.decide(path, file(1, 0), now(10_000)), 'inflate')
  settling.markIncomplete(path, file(1, 0), 10_000, 3000)
  t.equal(settling.decide(path, file(1, 0), now(11_000)), 'wait')
})

t.test('what is waited for is told, longest unchanged first', async (t) => {
  const settling = openSettling()
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

t.test('what is forgotten leaves nothing behind', async (t) => {
  const settling = openSettling()
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

t.test('whatever its times say, a file that has stopped changing is taken in the end', async () => {
  const times = fc.record({
    size: fc.nat(),
    mtimeUs: fc.maxSafeInteger(),
    wallMs: fc.integer({ min: 0, max: 4e12 }),
  })
  fc.assert(
    fc.property(times, ({ size, mtimeUs, wallMs: startMs }) => {
      const settling = openSettling()
      for (let steadyMs = 0; steadyMs <= 2 * settleMs;) {
        const now = { steadyMs, wallMs: startMs + steadyMs }
        const verdict = settling.decide(path, { size, mtimeUs }, now)
        if (verdict === 'take' || verdict === 'take-incomplete') return true
        steadyMs += settling.markIncomplete(path, { size, mtimeUs }, steadyMs)
      }
      return false
    }),
  )
})
