import { fitsAt, maskOf } from './characters.ts'
import { hasLongLength } from './long-name.ts'
import { stationMask } from './long-name-parts.ts'
import { hasShortLength } from './short-name.ts'

const shortStation = maskOf('XXXX')

/**
 * What follows the station in a name; `undefined` where the name has the length of neither form, or does not begin with a
 * station of its form. Names with the same ending tell the same of all but station and country, or none of them is a name of ours.
 */
export function suffixOf(name: string): string | undefined {
  const isLong = hasLongLength(name)
  if (!isLong && !hasShortLength(name)) return undefined
  const station = isLong ? stationMask : shortStation
  return fitsAt(name, 0, station) ? name.slice(station.length) : undefined
}
