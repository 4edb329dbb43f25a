/** A box of longitudes and latitudes, as maps and other services take it. Pure. */
import type { Box } from '../../series/station-places.ts'
import type { Parameter } from './parameter.ts'

const numberPattern = /^[+-]?\d+(?:\.\d*)?$/

/** @param of what lies in the box: `Only stations` */
export function boxParameter(of: string): Parameter<Box | undefined> {
  return {
    schema: {
      type: 'string',
      description: `${of} in a box, as \`west,south,east,north\` in degrees; with a west greater than its east it crosses the date line. What has no known position is in no box.`,
      examples: ['9.5,46.3,17.2,49.1'],
    },
    takes: 'last',
    read: ([text]) => {
      if (text === undefined) return { value: undefined }
      const box = boxOf(text)
      return box === undefined
        ? { fault: 'Enter west, south, east and north in degrees, such as 9.5,46.3,17.2,49.1.' }
        : { value: box }
    },
  }
}

function boxOf(text: string): Box | undefined {
  const words = text.split(',').map((word) => word.trim())
  if (words.length !== 4 || !words.every((word) => numberPattern.test(word))) return undefined
  const [west = NaN, south = NaN, east = NaN, north = NaN] = words.map(Number)
  const isValid = Math.abs(west) <= 180 && Math.abs(east) <= 180 && south <= north
  return isValid && south >= -90 && north <= 90 ? { west, south, east, north } : undefined
}
