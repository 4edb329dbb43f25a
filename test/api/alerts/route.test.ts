/** The losses as JSON, CSV and page, of a catalogue in which stations stop. */
import type { Test } from 'tap'
import t, { exact } from '../../tap.ts'
import { daySeconds, firstDay, nameOf, openNetwork as openSeries } from '../series/network.ts'
import { hour, midnight, openNetwork } from './stopping-network.ts'

const api = '/rinex/api/alerts/'
const codes = ['BODO', 'HONS', 'OSLS', 'STAS', 'TRDS', 'TROM', 'VARD', 'ANDO'].map(
  (code) => `${code}00NOR`,
)
const norway = (stop: number | readonly [number, number]) =>
  Object.fromEntries(codes.map((code) => [code, stop]))

interface Page {
  readonly count: number
  readonly as_of: string
  readonly next: string | null
  readonly results: readonly Readonly<Record<string, unknown>>[]
}

async function openLosses(
  t: Test,
  ...given: Parameters<typeof openNetwork> extends [unknown, ...infer Rest] ? Rest : never
) {
  const service = await openNetwork(t, ...given)
  const get = async (query = ''): Promise<Page> =>
    (await service.app.inject(api + query)).json<Page>()
  return { ...service, get, page: () => service.page('alerts/') }
}

t.test('eight stations of a country are one loss, which ends with their files', async (t) => {
  const stops = { ...norway([10, 16]), GRAZ00AUT: 30, WTZR00DEU: [3, 6] as const, ZIMM: 9 }
  const { app, get, page, setNow, deliver } = await openLosses(t, stops, 15)
  await setNow(midnight + 15 * hour + 40 * 60)
  const since = '2026-01-22T10:00:00Z'
  const id = `loss-NOR-${since}`
  const { results, as_of } = await get()
  t.equal(as_of, '2026-01-22T15:40:00Z')
  t.match(results, exact([{ id }, { station: 'ZIMM', country: null }]), 'the newest first')
  t.match(results[0], {
    kind: 'late',
    station: null,
    country: 'NOR',
    stations: exact(codes.toSorted()),
    expected_stations: 8,
    since,
    due: '2026-01-22T11:10:00Z',
    late_s: 4.5 * hour,
    alert: true,
    series: { length: 8 },
  })
  t.match((await page()).text, 'Norway, 8 of 8 stations no hour since 09–10')
  t.ok((await page()).has('a', { href: '../missing/?country=NOR&format=api' }))
  const csv = (await app.inject(`${api}?format=csv&country=NOR`)).body.split('\r\n')
  t.equal(
    csv[0],
    'id,kind,station,country,stations,expected_stations,series,since,due,late_s,alert',
  )
  t.match(csv[1], new RegExp(`^${id},late,,NOR,ANDO00NOR BODO00NOR .* VARD00NOR,8,8,${since},`))
  t.match(csv[1], /,2026-01-22T11:10:00Z,16200,true$/)
  await deliver(midnight + 16 * hour)
  t.match(await get(), { count: 2 }, 'the stations of Norway are not back')
  await deliver(midnight + 17 * hour)
  t.match(await get(), { results: exact([{ station: 'ZIMM' }]) })
})

t.test('losses are filtered and paged, and have the tag of the clock', async (t) => {
  const stops = { GRAZ00AUT: 5, WTZR00DEU: 11, ZIMM00CHE: 30 }
  const { app, get, setNow, page } = await openLosses(t, stops)
  await setNow(midnight + 12 * hour + 660)
  const of = async (query: string) =>
    (await get(query)).results.map(({ station, alert }) => `${String(station)} ${String(alert)}`)
  const both = ['WTZR00DEU false', 'GRAZ00AUT true']
  t.same(await of(''), both)
  t.same(await of('?alert=true,false'), both)
  t.same(await of('?alert=true'), [both[1]])
  t.same(await of('?alert=false'), [both[0]])
  t.same(await of('?country=aut'), [both[1]])
  t.same(await of('?station=wtzr'), [both[0]])
  t.same(await of('?station=wtzr&alert=true'), [])
  t.match((await get('?limit=1')).next, 'alerts/?format=api&limit=1&offset=1')
  t.match((await page()).text, 'WTZR00DEU no hour since 10–11 no alert yet')
  const bad = await app.inject(`${api}?country=nowhere&strict=1&kind=late&alert=maybe`)
  t.same([bad.statusCode, Object.keys(bad.json<object>())], [400, ['country', 'alert', 'kind']])
  const { headers } = await app.inject({ url: api, headers: { accept: 'text/html' } })
  const again = { accept: 'text/html', 'if-none-match': String(headers.etag) }
  t.equal((await app.inject({ url: api, headers: again })).statusCode, 304)
  await setNow(midnight + 12 * hour + 720)
  t.equal((await app.inject({ url: api, headers: again })).statusCode, 200, 'a minute later')
})

t.test('nothing arrives from any station: one loss', async (t) => {
  const stops = { GRAZ00AUT: 5, WTZR00DEU: 12, ZIMM00CHE: 12 }
  const { get, setNow, page } = await openLosses(t, stops)
  await setNow(midnight + 14 * hour + 600)
  t.match(await get(), {
    count: 1,
    results: exact([
      {
        kind: 'ingest-stalled',
        station: null,
        country: null,
        since: '2026-01-22T12:02:00Z',
        stations: Object.keys(stops),
        alert: true,
      },
    ]),
  })
  t.match((await page()).text, 'All stations nothing arrives since 12:02 UTC, 3 are lost')
})

t.test('a damaged file is a loss until a good copy comes', async (t) => {
  const noon = (firstDay + 0.5) * daySeconds
  const service = await openSeries(t, { startUs: noon * 1e6 })
  const losses = async () => JSON.parse(await service.text('alerts/')) as Page
  const slot = firstDay * 24 + 10
  await service.arrive(slot - 1, 'GRAZ00AUT', '01H')
  await service.put(nameOf(slot, 'GRAZ00AUT', '01H'), { isDamaged: true })
  await service.setNow(noon + 1800)
  const since = new Date(noon * 1000).toISOString().replace('.000', '')
  t.match(await losses(), {
    results: exact([
      { kind: 'damaged', station: 'GRAZ00AUT', since, late_s: 1800, alert: false, country: null },
    ]),
  })
  await service.setNow(noon + 3600)
  t.match(await losses(), { results: exact([{ alert: true, late_s: 3600 }]) })
  const network = await service.page('network/')
  t.match(network.text, 'GRAZ00AUT hour 10–11 is damaged: 100 bytes, its neighbours 10 bytes')
  t.ok(network.has('a', { href: '../missing/?format=api&state=damaged&station=GRAZ00AUT' }))
  await service.put(nameOf(slot, 'GRAZ00AUT', '01H'))
  await service.setNow(noon + 3660)
  t.match(await losses(), { count: 0 })
})
