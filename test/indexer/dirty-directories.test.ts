import t from '../tap.ts'
import { DirtyDirectories } from '../../src/indexer/state/dirty-directories.ts'
import { fc } from '../random.ts'

t.test('directories are taken when they are due, the earliest first', async (t) => {
  const dirty = new DirtyDirectories()
  dirty.add({ path: 'obs/b', depth: 'names' }, 20)
  dirty.add({ path: 'obs/a', depth: 'names' }, 10)
  t.equal(dirty.nextDueMs(), 10)
  t.equal(dirty.take(5), undefined)
  t.match(dirty.take(30), { path: 'obs/a' })
  t.match(dirty.take(30), { path: 'obs/b' })
  t.equal(dirty.take(30), undefined)
  t.equal(dirty.nextDueMs(), undefined)
})

t.test(
  'a directory that is added often is in the queue once, with the earliest time and the greatest depth',
  async (t) => {
    const dirty = new DirtyDirectories()
    for (const dueMs of [30, 10, 20])
      dirty.add({ path: 'obs/a', depth: dueMs === 20 ? 'facts' : 'auto' }, dueMs)
    t.equal(dirty.size, 1)
    t.equal(dirty.take(9), undefined)
    t.same(dirty.take(10), { path: 'obs/a', depth: 'facts' })
    t.equal(dirty.size, 0)
    t.equal(dirty.take(100), undefined)
  },
)

t.test('a directory that was taken can be added again', async (t) => {
  const dirty = new DirtyDirectories()
  dirty.add({ path: 'obs/a', depth: 'auto' }, 10)
  dirty.take(10)
  dirty.add({ path: 'obs/a', depth: 'auto' }, 50)
  t.equal(dirty.take(20), undefined)
  t.match(dirty.take(50), { path: 'obs/a' })
})

t.test('no directory is lost, taken twice or taken early', async () => {
  const note = fc.record({
    path: fc.constantFrom('obs/a', 'obs/b', 'obs/c', 'obs/d'),
    depth: fc.constantFrom('names' as const, 'auto' as const, 'facts' as const),
    delayMs: fc.nat(50),
    passedMs: fc.nat(30),
    takes: fc.nat(3),
  })
  const closeness = ['names', 'auto', 'facts']
  fc.assert(
    fc.property(fc.array(note), (notes) => {
      const dirty = new DirtyDirectories()
      const expected = new Map<string, { dueMs: number; depth: number }>()
      let nowMs = 0
      const take = (): boolean => {
        const taken = dirty.take(nowMs)
        const due = [...expected].filter(([, { dueMs }]) => dueMs <= nowMs)
        if (taken === undefined) return due.length === 0
        const wanted = expected.get(taken.path)
        expected.delete(taken.path)
        return (
          wanted !== undefined &&
          wanted.dueMs === Math.min(...due.map(([, { dueMs }]) => dueMs)) &&
          closeness[wanted.depth] === taken.depth
        )
      }
      for (const { path, depth, delayMs, passedMs, takes } of notes) {
        dirty.add({ path, depth }, nowMs + delayMs)
        const before = expected.get(path)
        expected.set(path, {
          dueMs: Math.min(nowMs + delayMs, before?.dueMs ?? Infinity),
          depth: Math.max(closeness.indexOf(depth), before?.depth ?? 0),
        })
        nowMs += passedMs
        for (let count = 0; count < takes; count++) if (!take()) return false
        if (dirty.size !== expected.size) return false
      }
      nowMs = Infinity
      while (expected.size > 0) if (!take()) return false
      return dirty.take(Infinity) === undefined && dirty.nextDueMs() === undefined
    }),
  )
})
