import { DirtyDirectories } from '../../../src/indexer/state/dirty-directories.ts'
import { fc } from '../../random.ts'
import t from '../../tap.ts'

t.test('directories are taken when they are due, the earliest first', async (t) => {
  const dirty = new DirtyDirectories()
  dirty.add('obs/b', 20)
  dirty.add('obs/a', 10)
  t.equal(dirty.nextDueMs(), 10)
  t.equal(dirty.take(5), undefined)
  t.equal(dirty.take(30), 'obs/a')
  t.equal(dirty.take(30), 'obs/b')
  t.equal(dirty.take(30), undefined)
  t.equal(dirty.nextDueMs(), undefined)
})

t.test(
  'a directory that is added often is in the queue once, with the earliest time',
  async (t) => {
    const dirty = new DirtyDirectories()
    for (const dueMs of [30, 10, 20]) dirty.add('obs/a', dueMs)
    t.equal(dirty.size, 1)
    t.equal(dirty.take(9), undefined)
    t.equal(dirty.take(10), 'obs/a')
    t.equal(dirty.size, 0)
    t.equal(dirty.take(100), undefined)
  },
)

t.test('a directory that was taken can be added again', async (t) => {
  const dirty = new DirtyDirectories()
  dirty.add('obs/a', 10)
  dirty.take(10)
  dirty.add('obs/a', 50)
  t.equal(dirty.take(20), undefined)
  t.equal(dirty.take(50), 'obs/a')
})

t.test('no directory is lost, taken twice or taken early', async () => {
  const note = fc.record({
    path: fc.constantFrom('obs/a', 'obs/b', 'obs/c', 'obs/d'),
    delayMs: fc.nat(50),
    passedMs: fc.nat(30),
    takes: fc.nat(3),
  })
  fc.assert(
    fc.property(fc.array(note), (notes) => {
      const dirty = new DirtyDirectories()
      const expected = new Map<string, number>()
      let nowMs = 0
      const take = (): boolean => {
        const taken = dirty.take(nowMs)
        const due = [...expected.values()].filter((dueMs) => dueMs <= nowMs)
        if (taken === undefined) return due.length === 0
        const wanted = expected.get(taken)
        expected.delete(taken)
        return wanted === Math.min(...due)
      }
      for (const { path, delayMs, passedMs, takes } of notes) {
        dirty.add(path, nowMs + delayMs)
        expected.set(path, Math.min(nowMs + delayMs, expected.get(path) ?? Infinity))
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
