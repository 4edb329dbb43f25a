/** The coasts and borders of the world, as they are packaged in `world-atlas` (Natural Earth). */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { MultiLineString, MultiPolygon, Position } from 'geojson'
import { feature, mesh } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'
import type { Cap } from './cap.ts'
import { areNear, roughCap } from './cap.ts'

/** Two scales: `50m` for countries, `110m` for continents and the world. */
export type Scale = '50m' | '110m'

type World = Topology<{ readonly countries: GeometryCollection; readonly land: GeometryCollection }>

/** A polygon or line with the cap in which it lies. */
interface Part<Coordinates> {
  readonly cap: Cap
  readonly coordinates: Coordinates
}

/** The world in one scale, in parts that are searched by their place. */
export class Coastline {
  readonly #land: readonly Part<Position[][]>[]
  readonly #borders: readonly Part<Position[]>[]

  constructor(scale: Scale) {
    const path = fileURLToPath(import.meta.resolve(`world-atlas/countries-${scale}.json`))
    const world = JSON.parse(readFileSync(path, 'utf8')) as World
    const { land, countries } = world.objects
    this.#land = feature(world, land)
      .features.flatMap(({ geometry }) => {
        if (geometry.type === 'MultiPolygon') return geometry.coordinates
        return geometry.type === 'Polygon' ? [geometry.coordinates] : []
      })
      .map((coordinates) => ({ cap: roughCap(coordinates[0] ?? []), coordinates }))
    this.#borders = mesh(world, countries, (a, b) => a !== b).coordinates.map((coordinates) => ({
      cap: roughCap(coordinates),
      coordinates,
    }))
  }

  /** The land that may be seen in a cap. */
  land(cap: Cap): MultiPolygon {
    return { type: 'MultiPolygon', coordinates: nearest(this.#land, cap) }
  }

  /** The borders of countries that may be seen in a cap, without coasts. */
  borders(cap: Cap): MultiLineString {
    return { type: 'MultiLineString', coordinates: nearest(this.#borders, cap) }
  }
}

/** Most of the world is not in a map: it need not be projected. */
function nearest<Coordinates>(parts: readonly Part<Coordinates>[], cap: Cap): Coordinates[] {
  return parts.filter((part) => areNear(part.cap, cap)).map(({ coordinates }) => coordinates)
}
