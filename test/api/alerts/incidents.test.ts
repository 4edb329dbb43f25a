/** Incidents as JSON, CSV, page and feed, of a country whose stations stop, and come back. */
import t, { exact } from '../../tap.ts'
import type { Test } from 'tap'
import { hour, midnight, openNetwork } from './stopping-network.ts'

const api = '/rinex/api/incidents/'
const codes = ['BODO', 'HONS', 'OSLS', 'STAS', 'TRDS', 'TROM', 'VARD', 'ANDO'].map(
  (code) => `${code}00NOR`,
)
const norway = (stop: number | readonly [number, number]) =>
  Object.fromEntries(codes.map((code) => [code, stop]))
const since = '2026-01-22T10:00:00Z'

interface Page {
  readonly count: number
  readonly as_of: string
  readonly results: readonly Readonly<Record<string, unknown>>[]
}

async function openIncidents(t: Test, stops: Parameters<typeof openNetwork>[1], until: number) {
  const service = await openNetwork(t, stops, until)
  const get = async (query = ''): Promise<Page> =>
    (await service.app.inject(api + query)).json<Page>()
  const page = async (path: string): Promise<string> =>
    (await service.app.inject({ url: path, headers: { accept: 'text/html' } })).body
  const entries = async (path: string): Promise<string[]> => {
    const { body } = await service.app.inject(path)
    return Array.from(body.matchAll(/<entry>\n<id>.*#(.*)<\/id>\n<title>(.*)<\/title>/g), (match) =>
      match.slice(1).join(' '),
    )
  }
  return { ...service, get, page, entries }
}

t.test('eight stations of a country are one open incident, and one closed', async (t) => {
  const stops = { ...norway([10, 16]), GRAZ00AUT: 30, WTZR00DEU: [3, 6] as const, ZIMM: 9 }
  const { app, get, page, entries, setNow, deliver } = await openIncidents(t, stops, 15)
  await setNow(midnight + 15 * hour + 40 * 60)
  const id = `loss-NOR-01H-${since}`
  const { results } = await get('?state=open')
  t.match(results, exact([{ station: 'ZIMM', country: null }, { id }]))
  const [, incident] = results
  t.match(incident, {
    kind: 'late',
    period: '01H',
    station: null,
    country: 'NOR',
    stations: exact(codes.toSorted()),
    expected_stations: 8,
    since,
    as_of: '2026-01-22T15:40:00Z',
    ended: null,
    duration_s: 5 * hour + 40 * 60,
    series: { length: 8 },
  })
  const words = 'Norway: 8 of 8 stations, nothing since 10:00, for 5 h 40'
  t.match(await page(api), words)
  t.match(await page('/rinex/api/alerts/'), words)
  const feed = '/rinex/api/alerts/?format=atom&country=NOR'
  const news = `${id} Norway: 8 of 8 stations late, nothing since 2026-01-22 10:00 UTC`
  t.same(await entries(feed), [news])
  t.match(
    await get('?state=closed'),
    { count: 1, results: exact([{ station: 'WTZR00DEU', ended: '2026-01-22T06:00:00Z' }]) },
    'the stations of Norway are not back',
  )
  for (const end of [16, 17, 18]) await deliver(midnight + end * hour)
  t.same((await get('?state=open&country=NOR')).results, [])
  const closed = {
    id,
    ended: '2026-01-22T16:00:00Z',
    duration_s: 6 * hour,
    stations: { length: 8 },
  }
  t.match(await get('?state=closed&country=NOR'), { results: exact([closed]) })
  const over = 'Norway: 8 of 8 stations, nothing from 2026-01-22 10:00 to 16:00, for 6 h'
  t.same(await entries(feed), [`${id}-end Over: ${over}`])
  t.same(await entries(`${api}?format=atom&country=NOR`), [`${id}-end Over: ${over}`])
  t.match(await page('/rinex/api/alerts/'), over)
  t.match(
    await page('/rinex/api/alerts/'),
    '../missing/?country=NOR&amp;format=api&amp;from=2026-01-22&amp;period=01H&amp;to=2026-01-22',
  )
  const csv = (await app.inject(`${api}?format=csv&country=NOR`)).body.split('\r\n')
  t.match(csv[0], /^id,kind,period,station,country,expected_stations,since,as_of,ended,duration_s,/)
  t.match(csv[1], `${id},late,01H,,NOR,8,${since},`)
  t.match(csv[1], /,21600,ANDO00NOR BODO00NOR .* VARD00NOR,8$/)
})

t.test('incidents are filtered, paged, and have the tag of the clock', async (t) => {
  const stops = { GRAZ00AUT: 5, WTZR00DEU: [3, 6] as const, ZIMM00CHE: 30 }
  const { app, get, setNow } = await openIncidents(t, stops, 12)
  await setNow(midnight + 12 * hour + 600)
  const placesOf = async (query: string) =>
    (await get(query)).results.map(({ station, ended }) => [station, ended !== null])
  const both = [
    ['GRAZ00AUT', false],
    ['WTZR00DEU', true],
  ]
  t.same(await placesOf(''), both, 'the open ones first')
  t.same(await placesOf('?state=open,closed'), both)
  t.same(await placesOf('?state=closed'), [both[1]])
  t.same(await placesOf('?state=open&country=AUT'), [both[0]])
  t.same(await placesOf('?station=wtzr'), [both[1]])
  t.same(await placesOf('?file_type=n'), [])
  t.same(await placesOf('?period=01D'), [])
  t.match(await get('?limit=1'), { count: 2, next: /incidents\/\?format=api&limit=1&offset=1/ })
  for (const query of [
    'state=half',
    'period=02H',
    'country=nowhere',
    'file_type=x',
    'strict=1&a=b',
  ])
    t.equal((await app.inject(`${api}?${query}`)).statusCode, 400, query)
  const { headers } = await app.inject(api)
  t.equal(headers['as-of'], '2026-01-22T12:10:00Z')
  const again = { 'if-none-match': String(headers.etag) }
  t.equal((await app.inject({ url: api, headers: again })).statusCode, 304)
  await setNow(midnight + 12 * hour + 660)
  t.equal((await app.inject({ url: api, headers: again })).statusCode, 200, 'a minute later')
})

t.test('the page has incidents that are no alerts yet, a feed and a filter for it', async (t) => {
  const stops = { GRAZ00AUT: 5, WTZR00DEU: 11, ZIMM00CHE: 30 }
  const { page, setNow } = await openIncidents(t, stops, 12)
  await setNow(midnight + 12 * hour + 660)
  const html = await page('/rinex/api/alerts/?country=AUT,DEU')
  t.match(
    html,
    /1 more incident is too young for an alert: <a href="\.\.\/incidents\/\?[^"]*state=open/,
  )
  const feed = 'alerts/?country=AUT,DEU&amp;format=atom'
  t.match(html, `<code>https://archive.example/rinex/api/${feed}</code>`)
  const link =
    '<link rel="alternate" type="application/atom+xml" title="Alerts" href="?country=AUT,DEU&amp;format=atom">'
  t.match(html, link)
  t.match(html, '<summary>1 series</summary><code>GRAZ00AUT observation files: nothing since')
})
