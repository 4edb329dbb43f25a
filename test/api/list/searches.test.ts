/** Questions that go through the names of all records: so many at a time, of so many conditions. */
import t from 'tap'
import type { CatalogueReader, PageQuery } from '../../../src/catalogue/catalogue.ts'
import { day, dayFile, openService } from '../service.ts'
import { until } from '../wire.ts'

const list = '/rinex/api/rinex-file/'
const mostAtATime = 16

/** A reader whose searches for names take until they are told to end. */
function searchingIn(reader: CatalogueReader) {
  const waiting: (() => void)[] = []
  const page = async (query: PageQuery) => {
    if (query.filter?.names !== undefined)
      await new Promise<void>((resolve) => waiting.push(resolve))
    return reader.page(query)
  }
  return { reader: { ...reader, page } satisfies CatalogueReader, waiting }
}

t.test('so many are under way, one more is asked to come again', async (t) => {
  let waiting: (() => void)[] = []
  const service = await openService(t, {
    deps: ({ reader }) => {
      const searching = searchingIn(reader)
      waiting = searching.waiting
      return { reader: searching.reader }
    },
  })
  const { app } = service
  await service.addNames(day, [dayFile])
  const search = (n: number) => app.inject(`${list}?filename__contains=a&limit=${n}`)
  const underWay = Array.from({ length: mostAtATime }, (_, n) => search(n + 1))
  await until(() => waiting.length === mostAtATime, 'all have begun')
  const oneMore = await search(100)
  t.equal(oneMore.statusCode, 429)
  t.match(oneMore.headers, { 'retry-after': /^\d+$/ })
  t.equal(
    (await app.inject(`${list}?station=graz`)).statusCode,
    200,
    'other questions are answered',
  )
  waiting[0]?.()
  await Promise.any(underWay)
  const after = search(100)
  await until(() => waiting.length > mostAtATime, 'there is a place again')
  for (const end of waiting) end()
  t.equal((await after).statusCode, 200)
  for (const { statusCode } of await Promise.all(underWay)) t.equal(statusCode, 200)
})

t.test('a question has so many conditions on names', async (t) => {
  const { app } = await openService(t)
  const ask = (count: number) =>
    app.inject(
      `${list}?${Array.from({ length: count }, (_, n) => `filename__contains=${n}`).join('&')}`,
    )
  t.equal((await ask(8)).statusCode, 200)
  const more = await ask(9)
  t.match(more, {
    statusCode: 400,
    body: '{"filename__contains":["At most 8 conditions on names at a time."]}',
  })
})
