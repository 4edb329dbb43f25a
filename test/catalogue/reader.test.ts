import t from '../tap.ts'
import { manyNames, openCatalogue } from './catalogue.ts'

t.test('a page has its records in descending order of ids, and the count', async (t) => {
  const { reader, add } = await openCatalogue(t)
  await add(...manyNames(50))
  const cases = [
    { limit: 3, offset: 0, ids: [50, 49, 48] },
    { limit: 3, offset: 47, ids: [3, 2, 1] },
    { limit: 3, offset: 49, ids: [1] },
    { limit: 3, offset: 50, ids: [] },
    { limit: 3, offset: Number.MAX_SAFE_INTEGER, ids: [] },
  ]
  for (const { ids, ...range } of cases) {
    const page = await reader.page(range)
    t.same(
      page.records.map(({ id }) => id),
      ids,
      `limit ${range.limit} offset ${range.offset}`,
    )
    t.equal(page.count, 50)
  }
})
