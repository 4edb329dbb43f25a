/** The stations whose places are known, as GeoJSON and on the map of the list. */
import type { Test } from 'tap'
import { StationPlaces } from '../../../src/series/station-places.ts'
import { checksumOf } from '../../catalogue/catalogue.ts'
import { allFacts } from '../../catalogue/some-facts.ts'
import t, { exact } from '../../tap.ts'
import type { Service } from '../service.ts'
import { openService, startUs } from '../service.ts'

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
  const service = await openService(t, { settings: { places }, nowUs: startUs })
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

t.test('a box may cross the date line', async (t) => {
  const service = await open(t)
  const codes = async (box: string) =>
    (await featuresOf(service, `&bbox=${box}`)).map(({ id }) => id)
  t.strictSame(await codes('10,45,16,50'), ['GRAZ00AUT', 'WTZR00DEU'])
  t.strictSame(await codes('15.493,47.067,15.493,47.067'), ['GRAZ00AUT'], 'its edge is in it')
  t.strictSame(await codes('15.494,47,16,48'), [])
  t.strictSame(await codes('170,-50,-140,0'), ['FAA100PYF'])
  t.strictSame(await codes('-140,-50,170,60'), ['GRAZ00AUT', 'WTZR00DEU'])
  const found = (query: string) => service.app.inject(`/rinex/api/station/?${query}`)
  const json = await found('format=json&limit=1&bbox=10,45,16,50')
  t.match(json.json(), { count: 2, results: exact([{ code: 'GRAZ00AUT' }]) })
  const csv = await found('format=csv&bbox=10,45,16,50')
  t.equal(csv.body.trim().split('\r\n').length, 3)
  const page = await service.page('station/?bbox=170,-50,-140,0')
  t.strictSame(page.all('svg', { class: 'stations' }).flatMap((map) => map.links()).length, 1)
  t.match(page.text, 'FAA100PYF')
  t.notMatch(page.text, 'GRAZ00AUT')
  for (const bad of ['1,2,3', '1,2,3,x', '181,0,0,1', '0,2,1,1', '0,-91,1,1', '0,0,1,91', ',,,']) {
    const { statusCode, body } = await found(`format=json&bbox=${bad}`)
    t.equal(statusCode, 400, bad)
    t.match(body, 'west, south, east and north')
  }
})

t.test('a header tells a place better than the file of places', async (t) => {
  const service = await open(t)
  const place = async () =>
    (await featuresOf(service)).find(({ id }) => id === 'GRAZ00AUT')?.geometry.coordinates
  t.strictSame(await place(), [15.493, 47.067])
  const { etag } = (await service.app.inject('/rinex/api/station/?format=geojson')).headers
  const facts = { position: allFacts.position, flags: [] }
  const id = await service.idOf('obs/2026/001/GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz')
  await service.writer.keepChecksums([checksumOf(id, { facts })], id)
  // States may be a second old.
  service.clock.us += 2e6
  const again = await service.app.inject({
    url: '/rinex/api/station/?format=geojson',
    headers: { 'if-none-match': etag },
  })
  t.equal(again.statusCode, 200, 'facts are no change of a record, but of this answer')
  const [longitude = NaN, latitude = NaN] = (await place()) ?? []
  t.match([longitude.toFixed(3), latitude.toFixed(3)], exact(['15.493', '47.067']))
  t.not(longitude, 15.493)
  const graz = (await featuresOf(service)).find(({ id: each }) => each === 'GRAZ00AUT')
  t.equal(graz?.properties['name'], name, 'its name is still that of the file')
  const words = [latitude, longitude].map((degrees) => degrees.toFixed(4)).join(', ')
  t.equal((await service.page('station/graz/')).facts['Position'], words)
  t.equal((await service.page('station/faa1/')).facts['Position'], '−17.5550, −149.6140')
  t.equal((await service.page('station/zimm/')).facts['Position'], undefined)
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
