import t from 'tap'
import { partsAt, ranksIn } from '../../../src/catalogue/sqlite/questions/parts.ts'
import { fc } from '../../random.ts'

/** Keys of records by part, of which the bounds may be wider than the keys need. */
const lists = fc.array(
  fc.record({
    keys: fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 6 }),
    below: fc.nat(3),
    above: fc.nat(3),
  }),
  { maxLength: 12 },
)

t.test('what is left of a list holds the stretch, at its ranks less those before', (t) => {
  const stretch = fc.record({
    offset: fc.nat(50),
    limit: fc.integer({ min: 1, max: 20 }),
    descending: fc.boolean(),
  })
  fc.assert(
    fc.property(lists, stretch, (list, { offset, limit, descending }) => {
      let id = 0
      const parts = list.map(({ keys, below, above }) => ({
        records: keys.map((key) => ({ key, id: id++ })),
        count: keys.length,
        from: Math.min(...keys) - below,
        to: Math.max(...keys) + above,
      }))
      const rising = (some: typeof parts) =>
        some.flatMap(({ records }) => records).sort((a, b) => a.key - b.key || a.id - b.id)
      const all = rising(parts)
      const ordered = descending ? all.toReversed() : all
      const wanted = ordered.slice(offset, offset + limit)
      const ranks = ranksIn(all.length, { offset, limit, descending })
      const { parts: kept, before } = partsAt(parts, ranks)
      const found = rising(kept).slice(ranks.first - before, Math.max(0, ranks.end - before))
      if (descending) found.reverse()
      if (offset >= all.length) return true
      return JSON.stringify(found) === JSON.stringify(wanted)
    }),
    { numRuns: 5000 },
  )
  t.pass('5,000 lists')
  t.end()
})

t.test('parts apart from the stretch are left out, whatever their order', (t) => {
  const parts = [30, 0, 10, 20].map((from) => ({ from, to: from + 5, count: 10 }))
  const { parts: kept, before } = partsAt(parts, { first: 12, end: 18 })
  t.same([kept.map(({ from }) => from), before], [[10], 10])
  t.same(partsAt([...parts, { from: -Infinity, to: Infinity, count: 1 }], { first: 12, end: 18 }), {
    parts: [
      { from: 10, to: 15, count: 10 },
      { from: -Infinity, to: Infinity, count: 1 },
    ],
    before: 10,
  })
  t.end()
})
