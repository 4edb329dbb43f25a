import t, { exact } from './tap.ts'

t.test('exact compares whole arrays, at every depth', async (t) => {
  const found = { files: 2, names: ['a', 'b'], rows: [{ id: 1, tags: ['x'] }] }
  const matching: unknown[] = [
    { names: ['a', 'b'] },
    { names: [/a/, String], rows: [{ tags: ['x'] }] },
    { rows: [{ id: Number }] },
    { files: 2, missing: undefined },
  ]
  for (const pattern of matching) t.match(found, exact(pattern))
  const others: unknown[] = [
    { names: [] },
    { names: ['a'] },
    { names: ['b', 'a'] },
    { names: ['a', 'b', undefined] },
    { rows: [] },
    { rows: [{ tags: [] }] },
    { rows: [{ tags: ['y'] }] },
    { files: [] },
    { missing: [] },
  ]
  for (const pattern of others) t.notMatch(found, exact(pattern))
  t.match([], exact([]))
  t.notMatch([1], exact([]))
  t.notMatch([[1]], exact([[]]))
  t.notMatch([], exact([undefined]))
  t.match(Float64Array.of(1, 2), exact([1, 2]))
  t.match(found, { names: exact(['a', 'b']) }, 'a part of a pattern')
  t.notMatch(found, { names: exact(['a']) })
})
