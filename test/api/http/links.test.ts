import t from '../../tap.ts'
import { linkHeader, linksBelow, pageLinks } from '../../../src/api/http/links.ts'
import { catalogueOffset, parsePageRange } from '../../../src/api/http/links.ts'

t.test('limit and offset are parsed like in DRF, and invalid values are ignored', async (t) => {
  const huge = 2n ** 63n
  const cases: [string, Record<string, string | string[]>, number, bigint][] = [
    ['nothing', {}, 20, 0n],
    ['both', { limit: '5', offset: '40' }, 5, 40n],
    ['the cap', { limit: '1000' }, 1000, 0n],
    ['above the cap', { limit: '1001' }, 1000, 0n],
    ['2^63', { limit: String(huge), offset: String(huge) }, 1000, huge],
    ['zeros in front', { limit: '007', offset: '010' }, 7, 10n],
    ['a plus sign, sent as a blank', { limit: ' 7', offset: '+3 ' }, 7, 3n],
    ['zero', { limit: '0', offset: '0' }, 20, 0n],
    ['negative', { limit: '-1', offset: '-20' }, 20, 0n],
    ['negative zero', { limit: '-0', offset: '-0' }, 20, 0n],
    ['empty', { limit: '', offset: '' }, 20, 0n],
    ['a fraction', { limit: '5.0', offset: '1.5' }, 20, 0n],
    ['an exponent', { limit: '1e2', offset: '1e300' }, 20, 0n],
    ['hexadecimal', { limit: '0x10', offset: '0x10' }, 20, 0n],
    ['words', { limit: 'all', offset: 'NaN' }, 20, 0n],
    ['other digits', { limit: '\u0665', offset: '\uff11' }, 20, 0n],
    ['repeated: the last counts', { limit: ['5', '6'], offset: ['x', '8'] }, 6, 8n],
    ['repeated, the last is none', { limit: ['5', ''], offset: ['8', 'x'] }, 20, 0n],
  ]
  for (const [name, query, limit, offset] of cases) {
    t.same(parsePageRange(query, 1000), { limit, offset }, name)
  }
  t.same(parsePageRange({}, 10), { limit: 10, offset: 0n }, 'a maximum below the default')
})

t.test('a huge offset is clamped to the largest safe integer', async (t) => {
  t.equal(catalogueOffset(7n), 7)
  t.equal(catalogueOffset(2n ** 80n), Number.MAX_SAFE_INTEGER)
})

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
