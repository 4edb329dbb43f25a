/** The part of the world that a map shows, and its projection: chosen for its stations. Pure. */
import type { GeoProjection } from 'd3-geo'
import { geoAzimuthalEqualArea, geoNaturalEarth1 } from 'd3-geo'
import type { Position } from 'geojson'
import type { Cap } from './cap.ts'
import { nearest, positionOf, smallestCap, vectorOf } from './cap.ts'
import type { Scale } from './coastline.ts'

/** What a map shows. Equal keys are equal maps. */
export interface View {
  readonly key: string
  readonly projection: GeoProjection
  readonly width: number
  readonly height: number
  /** Everything that the map shows lies in it. */
  readonly cap: Cap
  readonly scale: Scale
}

/** Width of a map in its own units, which are pixels on a wide screen. */
const width = 680

/** Free space around the stations. */
const margin = 28

/** Height in widths. */
const [flattest, tallest] = [0.5, 0.8]

/** A map is at least so wide (degrees): a station alone is in its country. */
const leastDegrees = 6

/** From this radius on (degrees) it is a map of the world. */
const worldRadius = 75

/** Up to this radius (degrees), a map shows each bay. */
const fineRadius = 25

/** Above this latitude, a map with the pole in it is that of the pole. */
const polarLatitude = 70

const degree = Math.PI / 180

/** Of a hundred stations, so many may be left out if the map of the others is twice as large. */
const leftOutPercent = 5

/**
 * The view of stations. A few that are far away from all others are not in it.
 * @param all longitude and latitude of at least one station
 */
export function viewOf(all: readonly Position[]): View {
  const points = withoutFew(all)
  const { center, radius } = smallestCap(points)
  if (radius > worldRadius) return worldView()
  const [longitude, latitude] = middle(positionOf(center), radius)
  // Of equal area, and true in all directions from its center, wherever that is.
  const projection = geoAzimuthalEqualArea().rotate([-longitude, -latitude]).scale(1)
  const [left, top, right, bottom] = boxOf(points, projection.translate([0, 0]))
  const [wide, high] = [Math.max(right - left, leastDegrees * degree), bottom - top]
  const height = Math.round(width * Math.min(Math.max(high / wide, flattest), tallest))
  // Rounded, so that a station more in the midst of the others is on the same map.
  const zoom = roundDown(Math.min((width - 2 * margin) / wide, (height - 2 * margin) / high))
  const across = Math.round(width / 2 - (zoom * (left + right)) / 2)
  const down = Math.round(height / 2 - (zoom * (top + bottom)) / 2)
  const shown = shownRadius([across, down], height, zoom)
  projection
    .scale(zoom)
    .translate([across, down])
    .clipAngle(Math.min(shown + 1, 170))
    .clipExtent(frameOf(height))
    // Coasts have more points than a map has pixels: none are needed between them.
    .precision(radius > fineRadius ? 0.7 : 0)
  return {
    key: [longitude, latitude, zoom, across, down, height].join(),
    projection,
    width,
    height,
    cap: { center: vectorOf([longitude, latitude]), radius: shown },
    scale: radius > fineRadius ? '110m' : '50m',
  }
}

/** True if a station is on the map. */
export function isInView(
  [longitude = 0, latitude = 0]: Position,
  { projection, width, height }: View,
): boolean {
  const [x, y] = projection([longitude, latitude]) ?? [-1, -1]
  return x >= 0 && x <= width && y >= 0 && y <= height
}

/** Without the few points whose distance makes the map of the others less than half as large. */
function withoutFew(points: readonly Position[]): readonly Position[] {
  const kept = nearest(points, Math.ceil((points.length * (100 - leftOutPercent)) / 100))
  const [all, most] = [points, kept].map((each) => smallestCap(each).radius) as [number, number]
  return all > 2 * Math.max(most, leastDegrees) ? kept : points
}

/** The world is cut in the Bering Strait, where there is no land. */
function worldView(): View {
  const height = width * flattest
  const projection = geoNaturalEarth1()
    .rotate([-11, 0])
    .fitExtent(frameOf(height), { type: 'Sphere' })
  const cap = { center: vectorOf([0, 0]), radius: 180 }
  return { key: 'world', projection, width, height, cap, scale: '110m' }
}

/** The center of the projection, in whole degrees; the pole if it is about in the middle. */
function middle(
  [longitude, north]: readonly [longitude: number, latitude: number],
  radius: number,
): readonly [longitude: number, latitude: number] {
  const isPolar = Math.abs(north) > polarLatitude && radius > 90 - Math.abs(north)
  return isPolar ? [0, 90 * Math.sign(north)] : [Math.round(longitude), Math.round(north)]
}

function boxOf(points: readonly Position[], projection: GeoProjection) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const [longitude = 0, latitude = 0] of points) {
    const [x, y] = projection([longitude, latitude]) ?? [0, 0]
    ;[left, right] = [Math.min(left, x), Math.max(right, x)]
    ;[top, bottom] = [Math.min(top, y), Math.max(bottom, y)]
  }
  return [left, top, right, bottom] as const
}

/** Two digits. */
function roundDown(zoom: number): number {
  const unit = 10 ** (Math.floor(Math.log10(zoom)) - 1)
  return Math.floor(zoom / unit) * unit
}

function frameOf(height: number): [[number, number], [number, number]] {
  return [
    [0, 0],
    [width, height],
  ]
}

/** The angle from the center of the projection to the farthest corner (degrees). */
function shownRadius([x, y]: readonly [number, number], height: number, zoom: number): number {
  const corner = Math.hypot(Math.max(x, width - x), Math.max(y, height - y))
  return (2 * Math.asin(Math.min(1, corner / zoom / 2))) / degree
}
