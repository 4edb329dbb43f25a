/** The extent and the projection of a map, and how many bytes it takes. */
import { brotliCompressSync } from 'node:zlib'
import { StationMap } from '../../../src/api/map/station-map.ts'
import { viewOf } from '../../../src/api/map/view.ts'
import t from '../../tap.ts'

/** Longitude and latitude. */
type Place = [longitude: number, latitude: number]

interface Expected {
  readonly scale: '50m' | '110m'
  /** About the middle of the map. */
  readonly center?: Place
}

const graz: Place = [15.49, 47.07]
const [fiji, wellington, samoa, tonga]: Place[] = [
  [177.45, -17.8],
  [174.78, -41.3],
  [-171.74, -13.85],
  [-175.18, -21.14],
]

const tables: readonly (readonly [name: string, places: readonly Place[], expected: Expected])[] = [
  ['one station', [graz], { scale: '50m', center: graz }],
  ['twice the same place', [graz, graz], { scale: '50m', center: graz }],
  [
    'a country',
    [graz, [16.4, 48.2], [11.4, 47.3], [14.3, 46.6]],
    { scale: '50m', center: [14, 47.5] },
  ],
  [
    'Europe',
    [graz, [24.4, 60.2], [-6.2, 36.4], [-21.9, 64.1], [33.4, 35.1]],
    { scale: '50m', center: [8, 51] },
  ],
  [
    'both sides of the date line',
    [fiji, wellington, samoa, tonga].filter((place) => place !== undefined),
    { scale: '50m', center: [180, -27] },
  ],
  [
    'the Aleutians',
    [
      [-170, 53],
      [173, 53],
      [179.99, 51.5],
      [-179.99, 51.5],
    ],
    { scale: '50m', center: [-178, 52.5] },
  ],
  [
    'around the South Pole',
    [
      [166.7, -77.8],
      [39.6, -69],
      [110.5, -66.3],
      [-26, -75],
      [-64, -64.8],
    ],
    { scale: '50m', center: [0, -90] },
  ],
  ['at the North Pole', [[20, 90]], { scale: '50m', center: [20, 90] }],
  ['at the South Pole', [[0, -90]], { scale: '50m', center: [0, -90] }],
  ['north up on Svalbard', [[11.9, 78.9]], { scale: '50m', center: [11.9, 78.9] }],
  [
    'the Americas',
    [
      [-147, 64],
      [-68, -54],
      [-118, 35],
      [-47, -15],
    ],
    { scale: '110m', center: [-95, 8] },
  ],
  [
    'the world',
    [graz, [151, -33], [-118, 35], [-47, -15], [166, -77], [140, 36]],
    { scale: '110m' },
  ],
  [
    'opposite places',
    [
      [0, 0],
      [180, 0],
    ],
    { scale: '110m' },
  ],
]

t.test('every station is on the map, away from its edges, and takes much of it', async (t) => {
  for (const [name, places, { scale, center }] of tables) {
    const view = viewOf(places)
    const { width, height, projection } = view
    t.equal(view.scale, scale, `${name}: scale`)
    t.ok(height >= 0.5 * width && height <= 0.8 * width, `${name}: form`)
    const points = places.map((place) => projection(place) ?? [NaN, NaN])
    for (const [x = NaN, y = NaN] of points)
      t.ok(x > 10 && x < width - 10 && y > 6 && y < height - 6, `${name}: ${x} ${y}`)
    if (center === undefined) continue
    const [x = NaN, y = NaN] = projection(center) ?? []
    t.ok(Math.abs(x - width / 2) < 60 && Math.abs(y - height / 2) < 60, `${name}: ${x} ${y}`)
    if (places.length < 3) continue
    const spread = (axis: 0 | 1): number => {
      const values = points.map((point) => point[axis] ?? NaN)
      return (Math.max(...values) - Math.min(...values)) / (axis === 0 ? width : height)
    }
    t.ok(Math.max(spread(0), spread(1)) > 0.5, `${name}: its stations take most of a side`)
  }
})

t.test('north is up, but around a pole', async (t) => {
  for (const [name, places] of tables.filter(([name]) => !/Pole/.test(name))) {
    const { projection } = viewOf(places)
    const [longitude, latitude] = places[0] ?? graz
    const [, y = NaN] = projection([longitude, latitude]) ?? []
    const [, above = NaN] = projection([longitude, latitude + 1]) ?? []
    t.ok(above < y, name)
  }
})

t.test('a station in the midst of the others changes no map', async (t) => {
  const [, , , [, europe] = ['', []]] = tables
  t.equal(viewOf([...europe, [10.1, 50.2]]).key, viewOf(europe).key)
  t.not(viewOf([...europe, [100, 50]]).key, viewOf(europe).key)
})

t.test('a map is a few kilobytes, also with 400 stations', async (t) => {
  const map = new StationMap()
  const bytes = (places: readonly Place[]) => {
    const stations = places.map(([longitude, latitude], index) => ({
      code: `${(index * 7919 + 466_560).toString(36).toUpperCase()}00XXX`,
      latitude,
      longitude,
      state: 'delivers' as const,
    }))
    return brotliCompressSync(String(map.draw(stations, '../'))).length
  }
  for (const [name, places] of tables) t.ok(bytes(places) < 6500, `${name}: ${bytes(places)}`)
  // They are everywhere in Europe, in no order.
  const many = Array.from({ length: 400 }, (_, index): Place => [
    ((index * 0.618) % 1) * 45 - 10,
    36 + ((index * 0.7549) % 1) * 30,
  ])
  t.ok(bytes(many) < 12_000, `400 stations: ${bytes(many)}`)
})
