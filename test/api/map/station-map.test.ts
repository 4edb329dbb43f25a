/** What a map of stations shows and says. */
import { StationMap } from '../../../src/api/map/station-map.ts'
import { StationPlaces } from '../../../src/series/station-places.ts'
import type { StationDelivery } from '../../../src/series/station-states.ts'
import t from '../../tap.ts'
import { readFragment } from '../html.ts'

const name = { evil: '<script>alert(1)</script>"\'&', hebrew: '\u202eתחנה', long: 'Ω'.repeat(60) }

const places = new StationPlaces([
  { code: 'GRAZ00AUT', latitude: 47.067, longitude: 15.493, name: 'Graz, "Lustbühel"' },
  { code: 'MATE', latitude: 40.649, longitude: 16.704 },
  { code: 'EVIL00XXX', latitude: 50, longitude: 10, name: name.evil },
  { code: 'BIDI00XXX', latitude: 51, longitude: 11, name: name.hebrew },
  { code: 'LONG00XXX', latitude: 52, longitude: 12, name: name.long },
])

const map = new StationMap()

const drawn = (states: Readonly<Record<string, StationDelivery | undefined>>) => {
  const stations = Object.entries(states).map(([code, state]) => {
    return { code, state, place: places.of(code) }
  })
  return readFragment(String(map.of(stations, '../')))
}

t.test('stations lead to their pages, the worst above the others, with their words', async (t) => {
  const html = drawn({
    GRAZ00AUT: 'down',
    MATE00ITA: 'delivers',
    LONG00XXX: 'gaps',
    EVIL00XXX: 'late',
    BIDI00XXX: undefined,
    NONE00XXX: 'down',
  })
  const stations = html.one('svg', { class: 'stations' })
  t.equal(
    stations.attribute('aria-label'),
    'Map of 5 stations: 1 down, 1 late, 1 delivers, with gaps, 1 delivers',
  )
  t.strictSame(
    stations.links().map(({ href, text }) => [href, text]),
    [
      ['../station/BIDI00XXX/', `BIDI00XXX \u2068${name.hebrew}\u2069: not expected`],
      ['../station/MATE00ITA/', 'MATE00ITA: delivers'],
      ['../station/LONG00XXX/', `LONG00XXX \u2068${name.long}\u2069: delivers, with gaps`],
      ['../station/EVIL00XXX/', `EVIL00XXX ${name.evil}: late`],
      ['../station/GRAZ00AUT/', 'GRAZ00AUT Graz, "Lustbühel": down'],
    ],
  )
  t.strictSame(html.one('ul', { class: 'legend' }).texts('li'), [
    'down',
    'late',
    'delivers, with gaps',
    'delivers',
    'not expected',
  ])
  t.equal(html.all('script').length, 0)
  const stops = stations.all('a').filter((link) => link.attribute('tabindex') !== '-1')
  t.equal(stops.length, 3, 'what delivers is no stop of the keyboard')
})

t.test('the marks stand on the land by shares of its size', async (t) => {
  const html = drawn({ GRAZ00AUT: 'delivers', MATE00ITA: 'delivers' })
  const [land, stations] = html
    .all('svg')
    .filter((svg) => svg.attribute('viewBox') ?? svg.attribute('role'))
  t.match(land?.attribute('viewBox'), /^0 0 680 \d+$/)
  t.ok((land?.one('path', { class: 'land' }).attribute('d')?.length ?? 0) > 500)
  const points = stations?.all('svg').map((svg) => [svg.attribute('x'), svg.attribute('y')])
  for (const share of points?.flat() ?? []) t.match(share, /^\d+(\.\d)?%$/)
  t.equal(points?.length, 2)
  const down = points?.map(([, y = '']) => parseFloat(y)) ?? []
  t.ok(Number(down[0]) < Number(down[1]), 'Graz is north of Matera')
})

t.test('without a place there is no map', async (t) => {
  t.equal(map.of([{ code: 'NONE00XXX', state: 'down', place: undefined }], '../'), undefined)
  t.equal(map.of([], ''), undefined)
})
