import { matchesAt, maskOf } from './characters.ts'
import { hasLongLength } from './long-name.ts'
import { stationMask } from './long-name-parts.ts'
import { hasShortLength } from './short-name.ts'

const shortStation = maskOf('XXXX')

/**
 * The part of a name after its station; `undefined` if the name has the length of neither form, or does not begin with a station of
 * its form. Names with the same suffix differ only in station and country; either all of them are RINEX names or none.
 */
export function suffixOf(name: string): string | undefined {
  const isLong = hasLongLength(name)
  if (!isLong && !hasShortLength(name)) return undefined
  const station = isLong ? stationMask : shortStation
  return matchesAt(name, 0, station) ? name.slice(station.length) : undefined
}
