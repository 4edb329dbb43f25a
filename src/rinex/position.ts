/** Earth-fixed positions as degrees and height. */
import type { Position } from './facts.ts'

/** WGS 84 (NIMA TR8350.2): semi-major axis in metres, and flattening. */
const semiMajor = 6_378_137
const flattening = 1 / 298.257223563
const semiMinor = semiMajor * (1 - flattening)
const eccentricity2 = flattening * (2 - flattening)
const secondEccentricity2 = eccentricity2 / (1 - eccentricity2)

/** Distances from the centre of the Earth (m) between which a station can be. */
const leastDistance = 6_300_000
const mostDistance = 6_420_000

/** The position of a station; `undefined` for one that is not near the surface of the Earth. */
export function positionOf(x: number, y: number, z: number): Position | undefined {
  const distance = Math.hypot(x, y, z)
  if (!(distance >= leastDistance && distance <= mostDistance)) return undefined
  return { x, y, z, ...geodetic(x, y, z) }
}

/**
 * Latitude, longitude and height by the formula of Bowring (1976), which is exact to less than a
 * millimetre near the surface. Degrees have seven digits, which is a centimetre, metres four.
 */
function geodetic(x: number, y: number, z: number) {
  const p = Math.hypot(x, y)
  const reduced = Math.atan2(z * semiMajor, p * semiMinor)
  const latitude = Math.atan2(
    z + secondEccentricity2 * semiMinor * Math.sin(reduced) ** 3,
    p - eccentricity2 * semiMajor * Math.cos(reduced) ** 3,
  )
  const sine = Math.sin(latitude)
  const height =
    p * Math.cos(latitude) + z * sine - semiMajor * Math.sqrt(1 - eccentricity2 * sine * sine)
  return {
    latitude: rounded(degrees(latitude), 7),
    longitude: rounded(degrees(Math.atan2(y, x)), 7),
    height: rounded(height, 4),
  }
}

function degrees(radians: number): number {
  return (radians * 180) / Math.PI
}

function rounded(value: number, digits: number): number {
  // No zero is negative.
  return Number(value.toFixed(digits)) + 0
}
