/** The alerts as JSON, page and feed, of a catalogue in which stations stop. */
import t, { exact } from '../../tap.ts'
import type { Test } from 'tap'
import type { Alert } from '../../../src/series/alerts.ts'
import { hour, midnight, openNetwork } from './stopping-network.ts'

const api = '/rinex/api/alerts/'

interface Page {
  readonly count: number
  readonly next: string | null
  readonly results: readonly Alert[]
}

async function openAlertNetwork(t: Test, stops: Readonly<Record<string, number>>) {
  const service = await openNetwork(t, stops)
  const get = async (query: string): Promise<Page> =>
    (await service.app.inject(api + query)).json<Page>()
  return { ...service, get }
}

t.test('the list of alerts is filtered by station and country, and is paged', async (t) => {
  const stops = { GRAZ00AUT: 5, WTZR00DEU: 7, ZIMM00CHE: 12 }
  const { app, get, setNow } = await openAlertNetwork(t, stops)
  await setNow(midnight + 12 * hour + 600)
  const all = await get('')
  t.same(
    all.results.map(({ id }) => id),
    ['loss-GRAZ00AUT-01H-2026-01-22T05:00:00Z', 'loss-WTZR00DEU-01H-2026-01-22T07:00:00Z'],
    'the longest loss first',
  )
  t.match(all, { count: 2, next: null })
  t.match(await get('?country=aut'), {
    count: 1,
    results: exact([{ since: '2026-01-22T05:00:00Z' }]),
  })
  t.match(await get('?station=wtzr&file_type=n'), { count: 0 })
  t.match((await get('?limit=1')).next, 'alerts/?format=api&limit=1&offset=1')
  const bad = await app.inject(`${api}?country=nowhere&strict=1&kind=late`)
  t.same([bad.statusCode, Object.keys(bad.json<object>())], [400, ['country', 'kind']])
  const { headers, statusCode } = await app.inject({ url: api, headers: { accept: 'text/html' } })
  t.equal(statusCode, 200)
  const again = { accept: 'text/html', 'if-none-match': String(headers.etag) }
  t.equal((await app.inject({ url: api, headers: again })).statusCode, 304)
  await setNow(midnight + 12 * hour + 660)
  t.equal((await app.inject({ url: api, headers: again })).statusCode, 200, 'a minute later')
})

t.test('the HTML page and the Atom feed show the open alerts', async (t) => {
  const stops = { GRAZ00AUT: 5, WTZR00DEU: 12, ZIMM00CHE: 12 }
  const { app, get, setNow } = await openAlertNetwork(t, stops)
  await setNow(midnight + 12 * hour + 600)
  const html = (await app.inject({ url: api, headers: { accept: 'text/html' } })).body
  t.match(
    html,
    /<a href="[^"]*GRAZ00AUT\/availability[^"]*">GRAZ00AUT: late since 05:00, for 7 h 10</,
  )
  t.match(html, 'href="?format=atom"')
  const feed = await app.inject(`${api}?format=atom&country=AUT`)
  t.equal(feed.headers['content-type'], 'application/atom+xml')
  t.match(
    feed.body,
    '<link rel="self" type="application/atom+xml" href="https://archive.example/rinex/api/alerts/?country=AUT&amp;format=atom"/>',
  )
  t.match(
    feed.body,
    '<title>GRAZ00AUT: late, nothing since 2026-01-22 05:00 UTC</title>\n<updated>2026-01-22T07:10:00Z</updated>',
  )
  t.match(
    feed.body,
    '<content type="text">GRAZ00AUT 01H observation: nothing since 2026-01-22 05:00 UTC</content>',
  )
  await setNow(midnight + 14 * hour + 600)
  const stalled = await get('')
  t.match(stalled, {
    count: 1,
    results: exact([{ kind: 'ingest-stalled', since: '2026-01-22T12:02:00Z' }]),
  })
  t.equal(stalled.results[0]?.series.length, 3)
  const entry = (await app.inject(`${api}?format=atom`)).body
  t.match(entry, 'No files arrive since 2026-01-22 12:02 UTC: 3 series of 3 stations')
  t.equal(entry.match(/<entry>/g)?.length, 1)
})
