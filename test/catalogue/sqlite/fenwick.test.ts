import t from 'tap'
import { openFenwick } from '../../../src/catalogue/sqlite/fenwick.ts'
import { fc } from '../../random.ts'

/** What a plain array says: the index whose count covers a place. */
function findPlainly(counts: readonly number[], place: number) {
  let rest = place
  for (const [index, count] of counts.entries()) {
    if (rest < count) return { index, rest }
    rest -= count
  }
  return undefined
}

t.test('counts are summed and found as in a plain array', (t) => {
  const index = fc.oneof(
    fc.nat(20),
    fc.nat(3000),
    fc.constantFrom(1023, 1024, 1025, 2047, 2048, 4096),
  )
  const count = fc.oneof(fc.nat(3), fc.nat(256), fc.constant(0))
  fc.assert(
    fc.property(fc.array(fc.tuple(index, count), { maxLength: 60 }), fc.nat(), (sets, seed) => {
      const tree = openFenwick()
      const counts: number[] = []
      for (const [at, value] of sets) {
        while (counts.length <= at) counts.push(0)
        counts[at] = value
        tree.set(at, value)
        const total = counts.reduce((sum, each) => sum + each, 0)
        if (tree.total !== total) return false
        for (const place of [0, total - 1, seed % (total || 1)])
          if (place >= 0 && total > 0)
            if (JSON.stringify(tree.find(place)) !== JSON.stringify(findPlainly(counts, place)))
              return false
      }
      return true
    }),
    { numRuns: 500 },
  )
  t.end()
})

t.test('every place of a row with gaps', (t) => {
  const tree = openFenwick()
  const counts = Array.from({ length: 2500 }, (_, index) => (index % 7 === 0 ? 0 : index % 5))
  for (const [index, count] of counts.entries()) tree.set(index, count)
  const wrong: number[] = []
  for (let place = 0; place < tree.total; place++) {
    const { index, rest } = tree.find(place)
    const plain = findPlainly(counts, place)
    if (plain?.index !== index || plain.rest !== rest) wrong.push(place)
  }
  t.same(wrong, [])
  for (const index of counts.keys()) tree.set(index, 0)
  t.equal(tree.total, 0)
  t.end()
})

t.test('it grows while it counts, and counts beyond 32 bits', (t) => {
  const tree = openFenwick()
  for (let index = 0; index < 40_000; index += 8) tree.set(index, 4_000_000)
  t.equal(tree.total, 5000 * 4_000_000)
  t.same(tree.find(tree.total - 1), { index: 39_992, rest: 3_999_999 })
  tree.set(100_000, 1)
  t.same(tree.find(tree.total - 1), { index: 100_000, rest: 0 })
  t.end()
})
