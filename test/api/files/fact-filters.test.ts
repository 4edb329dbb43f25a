/** Filters by what is inside the files: lists, facets, ETags; the feed has none of them. */
import type { Test } from 'tap'
import type { Facts } from '../../../src/rinex/facts.ts'
import { checksumOf } from '../../catalogue/catalogue.ts'
import { allFacts, flagged } from '../../catalogue/some-facts.ts'
import t from '../../tap.ts'
import { day, openService } from '../service.ts'

const list = '/rinex/api/rinex-file/'
const names = ['graz0220.26d.gz', 'zimm0220.26d.gz', 'wtzr0220.26d.gz']

/** Three files, of which the first two are read. */
async function openWithFacts(t: Test) {
  const service = await openService(t)
  const { app, writer } = service
  await service.addNames(day, names)
  const files = (await writer.directory(day))?.files ?? new Map<string, never>()
  const keep = async (name: string, facts: Facts) => {
    const { id = 0, size = 0, mtimeUs = 0 } = files.get(name) ?? {}
    await writer.keepChecksums([checksumOf(id, { size, mtimeUs, facts })], 0)
  }
  await keep('graz0220.26d.gz', allFacts)
  await keep('zimm0220.26d.gz', flagged('no-header'))
  const get = async (query: string, headers: Record<string, string> = {}) =>
    await app.inject({ url: `${list}?${query}`, headers })
  const found = async (query: string) => {
    const { results, count } = (await get(query)).json<{
      results: readonly { filename: string }[]
      count: number
    }>()
    t.equal(count, results.length, query)
    return results.map(({ filename }) => filename.slice(0, 4)).sort()
  }
  return { app, keep, get, found }
}

t.test('files are found by what is inside them', async (t) => {
  const { found } = await openWithFacts(t)
  const [graz, both] = [['graz'], ['graz', 'zimm']]
  const cases: Readonly<Record<string, readonly string[]>> = {
    'flag=short': graz,
    'flag=no-header,cut': both,
    'flag=torn': [],
    'share__lt=0.75': [],
    'share__lt=0.750001': graz,
    'rinex_version=3.04': graz,
    'rinex_version=3.05': [],
    'receiver=sept%20PolaRx5': graz,
    'receiver=SEPT': [],
    'receiver=nobody&receiver=SEPT%20POLARX5': graz,
    'receiver__startswith=sept': graz,
    'antenna=LEIAR25.R4&radome=LEIT&firmware=5.4.0': graz,
    'antenna__startswith=ASH': [],
    'system=g': graz,
    'system=C': [],
    'signal=C1X': graz,
    'signal=L2': [],
    'bbox=15,47,16,48': graz,
    'bbox=170,-90,-170,90': [],
    'flag=short&station=zimm': [],
    'flag=short&share__lt=0.9&station=graz': graz,
  }
  for (const [query, expected] of Object.entries(cases)) t.same(await found(query), expected, query)
})

t.test('a list by what is inside the files changes when that becomes known', async (t) => {
  const { get, keep } = await openWithFacts(t)
  for (const query of ['flag=short', 'receiver__startswith=SEPT', 'bbox=15,47,16,48']) {
    const etag = String((await get(query)).headers['etag'])
    t.equal((await get(query, { 'if-none-match': etag })).statusCode, 304, query)
    await keep('wtzr0220.26d.gz', allFacts)
    const after = await get(query, { 'if-none-match': etag })
    t.equal(after.statusCode, 200, query)
    t.match(after.json(), { count: 2 })
    await keep('wtzr0220.26d.gz', { flags: [] })
  }
})

t.test('the facet of flags counts files under all other filters', async (t) => {
  const { get } = await openWithFacts(t)
  const flags = async (query: string) =>
    (await get(`${query}&facets=1`)).json<{ facets: { flag: unknown } }>().facets.flag
  const all = ['no-header', 'cut', 'short'].map((value) => ({ value, count: 1 }))
  t.same(await flags(''), all)
  t.same(await flags('flag=torn'), all)
  t.same(await flags('station=graz'), all.slice(1))
  t.same(await flags('receiver__startswith=SEPT'), all.slice(1))
  t.same(await flags('share__lt=0.5'), [])
})

t.test('the change feed refuses these filters', async (t) => {
  const { app } = await openWithFacts(t)
  for (const filter of ['flag=short', 'share__lt=1', 'receiver=x', 'system=G', 'bbox=0,0,1,1']) {
    const answer = await app.inject(`/rinex/api/changes/?since=0&${filter}`)
    t.equal(answer.statusCode, 400, filter)
    t.same(Object.keys(answer.json<object>()), [filter.split('=')[0]])
  }
})
