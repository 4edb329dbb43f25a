import { youngFileMs } from '../../../src/catalogue/identity.ts'
import type { SettlingDecision } from '../../../src/indexer/state/settling.ts'
import { Settling } from '../../../src/indexer/state/settling.ts'
import { fc } from '../../random.ts'
import t from '../../tap.ts'

const path = 'nrt/2026/001/05/graz001f.26d.gz'
const minute = 60_000
const wallMs = Date.UTC(2026, 0, 1, 6)
/** A file of this size and age. */
const file = (size: number, minutesAgo: number) => ({
  size,
  mtimeUs: (wallMs - minutesAgo * minute) * 1000,
})

interface Before {
  readonly state: ReturnType<typeof file>
  readonly minutesAgo: number
  readonly unreadable?: true
  readonly once?: true
}
/** A file of eight bytes with an mtime, and how long ago it was read. */
const smaller = (mtimeAgo: number, minutesAgo: number): Before => ({
  state: file(8, mtimeAgo),
  minutesAgo,
})
const same = (mtimeAgo: number, minutesAgo: number): Before => ({
  state: file(9, mtimeAgo),
  minutesAgo,
})

/** A file of nine bytes with an mtime, and how it was before. */
const cases: [title: string, mtimeAgo: number, before: Before | undefined, SettlingDecision][] = [
  ['a file that appears is inflated', 1, undefined, 'inflate'],
  ['also if its mtime is old: the clock of its server may be wrong', 5000, undefined, 'inflate'],
  ['a file with an mtime in the future is inflated', -600, undefined, 'inflate'],
  ['a file that has grown is inflated again', 0, smaller(1, 1), 'inflate'],
  ['an unchanged file waits', 1, same(1, 1), 'wait'],
  [
    'a file that was read once may have been finished within the same tick',
    1,
    { ...same(1, 1), once: true },
    'inflate',
  ],
  ['and is not taken before the second read', 11, { ...same(11, 11), once: true }, 'inflate'],
  ['a file unchanged for ten minutes is taken as incomplete', 11, same(11, 10), 'take-incomplete'],
  ['not if only its mtime says so', 11, same(11, 5), 'wait'],
  [
    'one with an mtime in the future, seen unchanged for long',
    -600,
    same(-600, 10),
    'take-incomplete',
  ],
  ['one with an mtime in the future that has changed', -600, smaller(-600, 10), 'inflate'],
  ['a changed file with an old mtime is inflated', 60, smaller(0, 1), 'inflate'],
  ['an unreadable file is tried again', 1, { ...same(1, 1), unreadable: true }, 'inflate'],
  [
    'and is taken after ten minutes: it may be complete',
    1,
    { ...same(1, 10), unreadable: true },
    'take',
  ],
]

t.test('a file is accepted when it is complete or has not changed for ten minutes', async (t) => {
  for (const [title, mtimeAgo, before, decision] of cases) {
    const settling = new Settling()
    const steadyMs = 20 * minute
    if (before !== undefined) {
      const thenMs = steadyMs - before.minutesAgo * minute
      if (before.unreadable) settling.markUnreadable(path, before.state, { steadyMs: thenMs })
      else settling.markIncomplete(path, before.state, { steadyMs: thenMs })
      if (!before.once && !before.unreadable)
        settling.markIncomplete(path, before.state, { steadyMs: thenMs + 3000 })
    }
    t.equal(settling.decide(path, file(9, mtimeAgo), { steadyMs, wallMs }, false), decision, title)
  }
})

t.test('a first scan takes files unread whose mtime is more than a day ago', async (t) => {
  const day = 24 * 60
  for (const [minutesAgo, decision] of [
    [day + 1, 'take'],
    [day, 'inflate'],
    [11, 'inflate'],
    [-day * 400, 'inflate'],
  ] as const) {
    const now = { steadyMs: 0, wallMs }
    t.equal(new Settling().decide(path, file(1, minutesAgo), now, true), decision, `${minutesAgo}`)
  }
})

t.test('a file whose content does not say whether it is complete must stand still', async (t) => {
  const settling = new Settling()
  settling.observe()
  const stand = (size: number, seconds: number, minutesAgo = 1) =>
    settling.stand(path, file(size, minutesAgo), { steadyMs: seconds * 1000, wallMs })
  t.equal(stand(1, 0), 60_000)
  t.equal(stand(1, 20), 40_000)
  t.equal(stand(2, 40), 60_000, 'it grows')
  t.equal(stand(2, 99), 1000)
  t.equal(stand(2, 99, 0), 60_000, 'it has another mtime')
  t.equal(stand(2, 159, 0), undefined)
  settling.delete(path)
  t.equal(stand(2, 0, -600), 60_000, 'a clock is wrong')
  t.equal(stand(2, 60, -600), undefined)
  settling.delete(path)
  t.equal(stand(2, 0, 24 * 60), 60_000)
  settling.delete(path)
  t.equal(stand(2, 0, 24 * 60 + 1), undefined, 'it is there since yesterday')
  const once = new Settling()
  const now = { steadyMs: 0, wallMs }
  t.equal(once.stand(path, file(1, 11), now), undefined, 'nobody will look again')
  t.equal(once.stand(path, file(1, 9), now), 60_000)
})

t.test('nor before its period has ended', async (t) => {
  const settling = new Settling()
  settling.observe()
  const stand = (seconds: number, heldMs: number, minutesAgo = 1) =>
    settling.stand(path, file(1, minutesAgo), { steadyMs: seconds * 1000, wallMs }, heldMs)
  t.equal(stand(0, 90_000), 90_000)
  t.equal(stand(40, 50_000), 50_000)
  t.equal(stand(50, -1), 10_000)
  t.equal(stand(90, 1), 1)
  t.equal(stand(90, 0), undefined)
  settling.delete(path)
  t.equal(stand(0, 400 * 86_400_000, 5000), 3_600_000, 'the clock may be set')
})

t.test('a file that stands still is opened at its first look and at its last', async (t) => {
  const settling = new Settling()
  settling.observe()
  const plain = 'nrt/2026/001/05/graz001f.26o'
  const decide = (seconds: number, state: ReturnType<typeof file>, isFirstScan = false) =>
    settling.decide(plain, state, { steadyMs: seconds * 1000, wallMs }, isFirstScan)
  t.equal(decide(0, file(1, 0)), 'inflate')
  t.equal(decide(0, file(1, 24 * 60 + 1)), 'take', 'it is there since yesterday')
  settling.stand(plain, file(1, 0), { steadyMs: 0, wallMs })
  t.ok(settling.stands(plain))
  t.equal(decide(59, file(1, 0)), 'stand')
  t.equal(decide(59, file(2, 0)), 'inflate', 'it may have become another file')
  t.equal(decide(60, file(1, 0)), 'inflate')
  settling.markIncomplete(plain, file(2, 0), { steadyMs: 60_000 })
  t.notOk(settling.stands(plain), 'a gzip stream, whatever its name says')
})

t.test('a process that will not look again goes by the mtime', async (t) => {
  const settling = new Settling()
  const now = { steadyMs: 0, wallMs }
  const isFinal = (minutesAgo: number) => settling.isFinal(file(1, minutesAgo), now)
  t.strictSame([11, 9, -11].map(isFinal), [true, false, false])
  settling.observe()
  t.strictSame([11, 9, -11].map(isFinal), [false, false, false])
})

t.test('a file that settles was not there before its first find', async (t) => {
  const settling = new Settling()
  settling.markIncomplete(path, file(1, 0), { steadyMs: 0, notThereUs: 5 })
  settling.markIncomplete(path, file(2, 0), { steadyMs: 1, notThereUs: 9 })
  t.equal(settling.notThereUs(path), 5)
  settling.delete(path)
  t.notOk(settling.has(path))
  t.equal(settling.notThereUs(path), undefined)
})

t.test('a growing file is read every second, an unchanged file less and less often', async (t) => {
  const settling = new Settling()
  t.equal(settling.markIncomplete(path, file(1, 0), { steadyMs: 0 }), 1000)
  t.equal(settling.markIncomplete(path, file(2, 0), { steadyMs: 1000 }), 1000)
  t.equal(
    settling.markIncomplete(path, file(2, 0), { steadyMs: 2000 }),
    1000,
    'within a tick it may have grown',
  )
  t.equal(settling.markIncomplete(path, file(2, 0), { steadyMs: 4000 }), 2000)
  t.equal(settling.markIncomplete(path, file(2, 0), { steadyMs: 6000 }), 4000)
  for (let state = 0; state < 10; state++)
    settling.markIncomplete(path, file(2, 0), { steadyMs: 7000 })
  t.equal(settling.markIncomplete(path, file(2, 0), { steadyMs: 8000 }), minute)
  t.equal(settling.readAtMs(path), 8000)
})

t.test('the state of a file dates from the beginning of its read, not from its end', async (t) => {
  const settling = new Settling()
  const now = (steadyMs: number) => ({ steadyMs, wallMs })
  settling.markIncomplete(path, file(1, 0), { steadyMs: 1000, readMs: 0 })
  settling.markIncomplete(path, file(1, 0), { steadyMs: 9000, readMs: 2500 })
  t.equal(settling.decide(path, file(1, 0), now(10_000), false), 'inflate')
  settling.markIncomplete(path, file(1, 0), { steadyMs: 10_000, readMs: 3000 })
  t.equal(settling.decide(path, file(1, 0), now(11_000), false), 'wait')
})

t.test('settling files are listed, the longest unchanged file first', async (t) => {
  const settling = new Settling()
  const other = 'nrt/2026/001/05/zimm001f.26d.gz'
  settling.markIncomplete(path, file(1, 0), { steadyMs: 0 })
  settling.markUnreadable(other, file(1, 0), { steadyMs: 1 })
  settling.markIncomplete(path, file(2, 0), { steadyMs: 2 })
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
  settling.markIncomplete(path, file(1, 0), { steadyMs: 0 })
  settling.markIncomplete(path, file(2, 0), { steadyMs: 1 })
  settling.markIncomplete(other, file(1, 0), { steadyMs: 2 })
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
        const decision = settling.decide(path, { size, mtimeUs }, now, false)
        if (decision === 'take' || decision === 'take-incomplete') return true
        steadyMs += settling.markIncomplete(path, { size, mtimeUs }, { steadyMs })
      }
      return false
    }),
  )
})
