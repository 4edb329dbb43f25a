import { fitsAt, pictureOf } from './characters.ts'
import { hasLongLength } from './long-name.ts'
import { stationPicture } from './long-name-parts.ts'
import { hasShortLength } from './short-name.ts'

const shortStation = pictureOf('XXXX')

/**
 * What follows the station in a name that is as long as those of the short or the long form and begins with a station of that
 * form. Names with the same ending tell the same of all but the station, or are all no names of ours.
 */
export function endingOf(name: string): string | undefined {
  const isLong = hasLongLength(name)
  if (!isLong && !hasShortLength(name)) return undefined
  const station = isLong ? stationPicture : shortStation
  return fitsAt(name, 0, station) ? name.slice(station.length) : undefined
}
