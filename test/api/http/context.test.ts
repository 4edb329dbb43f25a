import t from '../../tap.ts'
import { linkHeader, linksBelow, pageLinks } from '../../../src/api/http/context.ts'

t.test('links to neighbouring pages have the right offsets and sorted parameters', async (t) => {
  const links = linksBelow('https://archive.example', 'rinex')
  const url = (limit: number, offset: bigint | number) =>
    `https://archive.example/rinex/api/rinex-file/?format=api&limit=${limit}&offset=${offset}`
  const list = (count: number) => ({ name: 'rinex-file' as const, kept: [], count })
  const cases: [string, number, bigint, number, (bigint | null)[]][] = [
    // name, limit, offset, count, [first, previous, next, last]
    ['first page', 20, 0n, 45, [0n, null, 20n, 40n]],
    ['middle page', 20, 20n, 45, [0n, 0n, 40n, 40n]],
    ['last page', 20, 40n, 45, [0n, 20n, null, 40n]],
    ['a page that ends with the list', 20, 20n, 40, [0n, 0n, null, 20n]],
    ['an offset below the limit', 20, 5n, 45, [0n, 0n, 25n, 40n]],
    ['past the end', 20, 100n, 45, [0n, 80n, null, 40n]],
    ['far past the end', 20, 2n ** 63n, 45, [0n, 2n ** 63n - 20n, null, 40n]],
    ['an empty list', 20, 0n, 0, [0n, null, null, 0n]],
    ['one record', 1, 0n, 1, [0n, null, null, 0n]],
  ]
  for (const [name, limit, offset, count, offsets] of cases) {
    const [first, previous, next, last] = offsets.map((each) =>
      each === null ? null : url(limit, each),
    )
    t.same(pageLinks(links, { limit, offset }, list(count)), { first, previous, next, last }, name)
  }
  const { link } = linkHeader(pageLinks(links, { limit: 20, offset: 20n }, list(45)))
  t.equal(
    link,
    `<${url(20, 0)}>; rel="first", <${url(20, 0)}>; rel="prev", ` +
      `<${url(20, 40)}>; rel="next", <${url(20, 40)}>; rel="last"`,
  )
  const kept = [['station', 'graz,'.repeat(200)]] as const
  const long = pageLinks(links, { limit: 20, offset: 0n }, { ...list(45), kept })
  t.same(linkHeader(long), {}, 'no Link header that is too long for proxies')
})
