import { linkHeader, linksBelow, pageLinks } from '../../../src/api/http/links.ts'
import t from '../../tap.ts'

t.test('links to neighbouring pages have the right offsets and sorted parameters', async (t) => {
  const links = linksBelow('https://archive.example', 'rinex')
  const url = (limit: number, offset: number) =>
    `https://archive.example/rinex/api/rinex-file/?format=api&limit=${limit}&offset=${offset}`
  const list = (count: number) => ({ name: 'rinex-file' as const, kept: [], count })
  const cases: [string, number, number, number, (number | null)[]][] = [
    // name, limit, offset, count, [first, previous, next, last]
    ['first page', 20, 0, 45, [0, null, 20, 40]],
    ['middle page', 20, 20, 45, [0, 0, 40, 40]],
    ['last page', 20, 40, 45, [0, 20, null, 40]],
    ['a page that ends with the list', 20, 20, 40, [0, 0, null, 20]],
    ['an offset below the limit', 20, 5, 45, [0, 0, 25, 40]],
    ['past the end', 20, 100, 45, [0, 80, null, 40]],
    ['nearly the largest exact offset', 20, 2 ** 53 - 2, 45, [0, 2 ** 53 - 22, null, 40]],
    ['that or any larger one', 20, 2 ** 53 - 1, 45, [0, 40, null, 40]],
    ['an empty list, far past its end', 20, 2 ** 53 - 1, 0, [0, 0, null, 0]],
    ['an empty list', 20, 0, 0, [0, null, null, 0]],
    ['one record', 1, 0, 1, [0, null, null, 0]],
  ]
  for (const [name, limit, offset, count, offsets] of cases) {
    const [first, previous, next, last] = offsets.map((each) =>
      each === null ? null : url(limit, each),
    )
    t.same(pageLinks(links, { limit, offset }, list(count)), { first, previous, next, last }, name)
  }
  const { link } = linkHeader(pageLinks(links, { limit: 20, offset: 20 }, list(45)))
  t.equal(
    link,
    `<${url(20, 0)}>; rel="first", <${url(20, 0)}>; rel="prev", ` +
      `<${url(20, 40)}>; rel="next", <${url(20, 40)}>; rel="last"`,
  )
  const kept = [['station', 'graz,'.repeat(200)]] as const
  const long = pageLinks(links, { limit: 20, offset: 0 }, { ...list(45), kept })
  t.same(linkHeader(long), {}, 'no Link header that is too long for proxies')
})
