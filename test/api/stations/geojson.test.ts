/** The stations whose places are known, as GeoJSON and on the map of the list. */
import type { Test } from 'tap'
import { StationPlaces } from '../../../src/series/station-places.ts'
import t from '../../tap.ts'
import type { Service } from '../service.ts'
import { openService } from '../service.ts'

const name = '<b>"Graz"</b>\u202e'

const places = new StationPlaces([
  { code: 'GRAZ00AUT', latitude: 47.067, longitude: 15.493, name },
  { code: 'WTZR', latitude: 49.144, longitude: 12.879 },
  { code: 'FAA100PYF', latitude: -17.555, longitude: -149.614 },
  { code: 'NONE00DEU', latitude: 50, longitude: 10 },
])

interface Feature {
  readonly id: string
  readonly geometry: { readonly type: string; readonly coordinates: readonly number[] }
  readonly properties: Readonly<Record<string, unknown>>
}

async function open(t: Test) {
  const service = await openService(t, { settings: { places } })
  await service.addNames('obs/2026/001', [
    'GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz',
    'WTZR00DEU_R_20260010000_01D_30S_MO.crx.gz',
    'WTZR00DEU_R_20260010000_01D_MN.rnx.gz',
    'FAA100PYF_R_20260010000_01D_30S_MO.crx.gz',
    'ZIMM00CHE_R_20260010000_01D_30S_MO.crx.gz',
  ])
  return service
}

async function featuresOf({ app }: Service, query = ''): Promise<readonly Feature[]> {
  const answer = await app.inject(`/rinex/api/station/?format=geojson${query}`)
  t.equal(answer.statusCode, 200, answer.body)
  t.equal(answer.headers['content-type'], 'application/geo+json')
  const { type, features } = answer.json<{ type: string; features: readonly Feature[] }>()
  t.equal(type, 'FeatureCollection')
  return features
}

t.test('all stations with a place have it, and what their JSON says', async (t) => {
  const service = await open(t)
  const features = await featuresOf(service, '&limit=1')
  t.strictSame(
    features.map(({ id, geometry }) => [id, geometry.type, ...geometry.coordinates]),
    [
      ['FAA100PYF', 'Point', -149.614, -17.555],
      ['GRAZ00AUT', 'Point', 15.493, 47.067],
      ['WTZR00DEU', 'Point', 12.879, 49.144],
    ],
  )
  const { results } = (
    await service.app.inject('/rinex/api/station/?format=json&search=graz')
  ).json<{ results: readonly Readonly<Record<string, unknown>>[] }>()
  const graz = features.find(({ id }) => id === 'GRAZ00AUT')?.properties ?? {}
  const { name: itsName, state, ...others } = graz
  t.equal(itsName, name)
  t.type(state, 'string')
  t.match(results[0], others)
  t.strictSame(Object.keys(others), [
    ...['code', 'country', 'url', 'first_data_date', 'last_data_date', 'count'],
  ])
  t.equal(features.find(({ id }) => id === 'WTZR00DEU')?.properties['name'], null)
})

t.test('filters and order are those of the list', async (t) => {
  const service = await open(t)
  const codes = async (query: string) => (await featuresOf(service, query)).map(({ id }) => id)
  t.strictSame(await codes('&country=DEU'), ['WTZR00DEU'])
  t.strictSame(await codes('&search=ra'), ['GRAZ00AUT'])
  t.strictSame((await codes('&ordering=-count'))[0], 'WTZR00DEU')
  t.strictSame((await codes('&ordering=-code'))[0], 'WTZR00DEU')
  t.strictSame(await codes('&state=down&country=CHE'), [])
})

t.test('a client may ask by its media type; a page leads to it', async (t) => {
  const service = await open(t)
  const { headers } = await service.app.inject({
    url: '/rinex/api/station/',
    headers: { accept: 'application/geo+json' },
  })
  t.match(headers, { 'content-type': 'application/geo+json', vary: /Accept/ })
  const page = await service.page('station/?country=AUT')
  t.match(page.hrefOf('GeoJSON'), 'country=AUT&format=geojson')
  const empty = await openService(t)
  t.strictSame(await featuresOf(empty), [])
})

t.test('other places give another ETag', async (t) => {
  const tagOf = async ({ app }: Pick<Service, 'app'>) =>
    (await app.inject('/rinex/api/station/?format=geojson')).headers.etag
  const service = await open(t)
  t.ok(await tagOf(service))
  const other = await openService(t, { settings: { places: new StationPlaces([]) } })
  const digest = (tag: unknown) => String(tag).split('-').at(-1)
  t.not(digest(await tagOf(service)), digest(await tagOf(other)))
})

t.test('the page has a map of all that were found, also of those of other pages', async (t) => {
  const service = await open(t)
  // A page shows states, and the map with them, once they are read.
  await service.app.inject('/rinex/api/network/')
  const stationsOf = async (query: string) =>
    (await service.page(`station/?${query}`))
      .one('svg', { class: 'stations' })
      .links()
      .map(({ href }) => href)
      .sort()
  t.strictSame(await stationsOf('limit=1'), [
    '../station/FAA100PYF/',
    '../station/GRAZ00AUT/',
    '../station/WTZR00DEU/',
  ])
  t.strictSame(await stationsOf('country=AUT'), ['../station/GRAZ00AUT/'])
  t.notOk((await service.page('station/?country=CHE')).has('figure'))
})
