/**
 * Caps of the globe: a place and an angle around it. They know neither poles nor the date line, so
 * what is near each other stays together. Pure.
 */
import type { Position } from 'geojson'

/** A point on the globe as a vector of length 1. */
type Vector = readonly [x: number, y: number, z: number]

export interface Cap {
  readonly center: Vector
  /** In degrees, at most 180. */
  readonly radius: number
}

const degree = Math.PI / 180

/** Steps of the search: more change the center by less than the margin of a map. */
const steps = 100

/** About the smallest cap with all points, each of longitude and latitude (Bădoiu and Clarkson). */
export function smallestCap(points: readonly Position[]): Cap {
  const vectors = points.map(vectorOf)
  // Only points at the edge are asked, so a point in the midst of the others changes nothing.
  let center = vectors.reduce((north, each) => (each[2] > north[2] ? each : north), [0, 0, -1])
  for (let step = 2; step <= steps; step++) {
    const far = farthest(vectors, center)
    center = unit([0, 1, 2].map((i) => at(center, i) + (at(far, i) - at(center, i)) / step))
  }
  return { center, radius: angle(center, farthest(vectors, center)) }
}

/** A cap with all points: quickly found, not the smallest one. */
export function roughCap(points: readonly Position[]): Cap {
  const vectors = points.map(vectorOf)
  const center = meanOf(vectors)
  return { center, radius: angle(center, farthest(vectors, center)) }
}

/** So many of the points, those nearest to the middle of all. */
export function nearest(points: readonly Position[], count: number): readonly Position[] {
  const center = meanOf(points.map(vectorOf))
  const near = points.map((point) => ({ point, cosine: dot(vectorOf(point), center) }))
  return near
    .sort((a, b) => b.cosine - a.cosine)
    .slice(0, count)
    .map(({ point }) => point)
}

/** True if two caps have a point in common. */
export function areNear(a: Cap, b: Cap): boolean {
  return angle(a.center, b.center) <= a.radius + b.radius
}

/** Longitude and latitude, in degrees. */
export function positionOf([x, y, z]: Vector): readonly [longitude: number, latitude: number] {
  return [Math.atan2(y, x) / degree, Math.asin(Math.max(-1, Math.min(1, z))) / degree]
}

export function vectorOf([longitude = 0, latitude = 0]: Position): Vector {
  const [east, north] = [longitude * degree, latitude * degree]
  const across = Math.cos(north)
  return [across * Math.cos(east), across * Math.sin(east), Math.sin(north)]
}

function meanOf(vectors: readonly Vector[]): Vector {
  let [x, y, z] = [0, 0, 0]
  for (const each of vectors) {
    x += each[0]
    y += each[1]
    z += each[2]
  }
  return unit([x, y, z])
}

/** Points that cancel each other out have any center. */
function unit([x = 0, y = 0, z = 0]: readonly number[]): Vector {
  const length = Math.hypot(x, y, z)
  return length < 1e-9 ? [1, 0, 0] : [x / length, y / length, z / length]
}

function farthest(vectors: readonly Vector[], center: Vector): Vector {
  let [found, least] = [center, 2]
  for (const each of vectors) {
    const cosine = dot(each, center)
    if (cosine < least) [found, least] = [each, cosine]
  }
  return found
}

function angle(a: Vector, b: Vector): number {
  return Math.acos(Math.max(-1, Math.min(1, dot(a, b)))) / degree
}

function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

const at = (vector: Vector, index: number): number => vector[index] ?? 0
