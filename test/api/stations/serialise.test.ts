/**
 * The list of stations: sites with all their codes, search, ordering, filters, merged navigation.
 */
import type { Test } from 'tap'
import t, { exact } from '../../tap.ts'
import { openService } from '../service.ts'

const path = '/rinex/api/station/'

interface Row {
  readonly code: string
  readonly codes: readonly string[]
  readonly country: string | null
  readonly merged: boolean
  readonly count: number
  readonly files: string
}

/** Sites with short, long and both forms of names. */
async function openStations(t: Test) {
  const service = await openService(t)
  await service.addNames('obs/2026/001', [
    'GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz',
    'graz0010.26d.gz',
    'graz0010.26n.gz',
    'ONSA00SWE_R_20260010000_01D_30S_MO.crx.gz',
    'ONSA01SWE_R_20260010000_01D_30S_MO.crx.gz',
    'onsa0010.26d.gz',
    'zimm0010.26d.gz',
    'BRDC00IGS_R_20260010000_01D_MN.rnx.gz',
    'TEST00DLR_R_20260010000_01D_30S_MO.crx.gz',
  ])
  await service.addNames('obs/2026/002', ['ABPO00MDG_R_20260020000_01D_30S_MO.crx.gz'])
  await service.addNames('nrt/2026/003/05', ['hour0030.26n.gz', 'graz003f.26d.gz'])
  const list = async (query = '') => {
    const answer = await service.app.inject(`${path}?${query}`)
    t.equal(answer.statusCode, 200, query)
    return answer.json<{ count: number; results: Row[]; next: string | null }>()
  }
  const codes = async (query: string) => (await list(query)).results.map(({ code }) => code)
  return { service, list, codes }
}

t.test('a site is listed once, with all its codes', async (t) => {
  const { service, list } = await openStations(t)
  const { count, results } = await list()
  t.strictSame(
    results.map(({ code, codes, country, merged, count }) => [code, codes, country, merged, count]),
    [
      ['ABPO00MDG', ['ABPO00MDG'], 'MDG', false, 1],
      ['BRDC00IGS', ['BRDC00IGS'], null, true, 1],
      ['GRAZ00AUT', ['GRAZ', 'GRAZ00AUT'], 'AUT', false, 4],
      ['HOUR', ['HOUR'], null, true, 1],
      // Two long codes start with it, so it belongs to none.
      ['ONSA', ['ONSA'], null, false, 1],
      ['ONSA00SWE', ['ONSA00SWE'], 'SWE', false, 1],
      ['ONSA01SWE', ['ONSA01SWE'], 'SWE', false, 1],
      ['TEST00DLR', ['TEST00DLR'], null, false, 1],
      ['ZIMM', ['ZIMM'], null, false, 1],
    ],
  )
  t.equal(count, 9)
  for (const { files, count: own, code } of results) {
    const { pathname, search } = new URL(files)
    const listed = await service.app.inject(pathname + search)
    t.equal(listed.json<{ count: number }>().count, own, `the files of ${code}`)
  }
  const alone = (await service.app.inject(`${path}GRAZ00AUT/`)).json<Row>()
  t.match(alone, { count: 1, codes: exact(['GRAZ00AUT']) })
  const both = (await service.app.inject(`${path}graz/`)).json<Row>()
  t.match(both, { count: 4, code: 'GRAZ', codes: exact(['GRAZ', 'GRAZ00AUT']), country: 'AUT' })
})

t.test('a short name has the country of the only long code with its start', async (t) => {
  const { service } = await openStations(t)
  const count = async (resource: string) => {
    const answer = await service.app.inject(`/rinex/api/${resource}`)
    return answer.json<{ count?: number; results: unknown[] }>()
  }
  t.equal((await count('rinex-file/?country=AUT')).count, 4)
  t.equal((await count('rinex-file/?country=SWE')).count, 2)
  t.equal((await count('rinex-file/?country=CHE')).count, 0)
  await service.addNames('obs/2026/004', ['PRIS00XKX_R_20260040000_01D_30S_MO.crx.gz'])
  t.equal((await count('rinex-file/?country=xkx')).count, 1, 'Kosovo')
  for (const none of ['IGS', 'DLR', 'QQQ'])
    t.strictSame(Object.keys(await count(`rinex-file/?country=${none}`)), ['country'], none)
  const changes = await count('changes/?since=0&country=AUT')
  t.equal(changes.results.length, 4, 'the feed has the same files as the list')
})

t.test('stations are searched, sorted and filtered', async (t) => {
  const { codes, list, service } = await openStations(t)
  t.strictSame(await codes('search=gr'), ['GRAZ00AUT'])
  t.strictSame(await codes('search=00'), [
    ...['ABPO00MDG', 'BRDC00IGS', 'GRAZ00AUT', 'ONSA00SWE', 'TEST00DLR'],
  ])
  t.strictSame(await codes('search=nobody'), [])
  t.strictSame(await codes('search=%25'), [])
  t.strictSame(await codes('country=SWE'), ['ONSA00SWE', 'ONSA01SWE'])
  t.strictSame(await codes('area=nrt'), ['GRAZ00AUT', 'HOUR'])
  t.match(await list('area=nrt&search=graz'), {
    results: exact([{ codes: ['GRAZ'], country: 'AUT', count: 1 }]),
  })
  t.strictSame((await codes('ordering=-code'))[0], 'ZIMM')
  t.strictSame((await codes('ordering=-count')).slice(0, 2), ['GRAZ00AUT', 'ABPO00MDG'])
  const byCountry = ['GRAZ00AUT', 'ABPO00MDG', 'ONSA00SWE', 'ONSA01SWE']
  const without = ['BRDC00IGS', 'HOUR', 'ONSA', 'TEST00DLR', 'ZIMM']
  t.strictSame(await codes('ordering=country'), [...byCountry, ...without])
  t.strictSame(await codes('ordering=-country'), [
    ...['ONSA00SWE', 'ONSA01SWE', 'ABPO00MDG', 'GRAZ00AUT'],
    ...without,
  ])
  t.strictSame((await codes('ordering=-last_data_date')).slice(0, 3), [
    ...['GRAZ00AUT', 'HOUR', 'ABPO00MDG'],
  ])
  t.strictSame((await codes('ordering=-first_data_date')).slice(0, 2), ['HOUR', 'ABPO00MDG'])
  const first = await list('search=o&ordering=-count&limit=2')
  t.match(first.next, /limit=2&offset=2&ordering=-count&search=o$/)
  t.equal((await service.app.inject(`${path}?ordering=size`)).statusCode, 400)
  const stations = await service.page('station/')
  const rows = stations.table('Stations').rows.map(([code]) => code)
  t.ok(rows.includes('GRAZ00AUT GRAZ'), 'with its other code')
  t.match(stations.text, 'merged navigation')
})
