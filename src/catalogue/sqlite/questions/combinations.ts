import { beyond } from '../block-layout.ts'
import { segmentSize } from './columns.ts'
import type { Segment } from './columns.ts'

/** A segment that changes will change again: its combinations are counted once they were asked for so often. */
const askedOften = 16
/** Entries of the table in which they are counted. Where there might be more, the records are gone through instead. */
const largestTable = 1 << 19

/** How many live records each station has of each kind, of those it has any of. */
export interface Combinations {
  readonly stations: Uint16Array
  readonly kinds: Uint16Array
  readonly counts: Uint32Array
}

/**
 * Most records of a segment are of few kinds and stations: there are many times fewer combinations than records.
 * `undefined` while counting them would take longer than going through the records.
 */
export function openCombinations(): (segment: Segment) => Combinations | undefined {
  const known = new WeakMap<Segment, { changes: number; asked: number; found?: Combinations }>()
  const count = openCounting()
  return (segment) => {
    const { changes } = segment
    let entry = known.get(segment)
    if (entry?.changes !== changes) known.set(segment, (entry = { changes, asked: 0 }))
    if (changes > 0 && entry.asked++ < askedOften) return undefined
    const found = entry.found ?? count(segment)
    if (found !== undefined) entry.found = found
    return found
  }
}

/** Counts in a table that is used again and again: many as large would come and go otherwise. */
function openCounting(): (segment: Segment) => Combinations | undefined {
  const table = new Uint32Array(largestTable)
  const ranks = new Uint16Array(beyond + 1)
  return ({ stations, kinds }) => {
    // Kinds in the order of their first record, since a segment has few of them.
    const found: number[] = []
    let lastStation = 0
    ranks.fill(0)
    for (let at = 0; at < segmentSize; at++) {
      const [station, kind] = [stations[at] as number, kinds[at] as number]
      if (station > lastStation) lastStation = station
      if (station !== 0 && ranks[kind] === 0) ranks[kind] = found.push(kind)
    }
    const row = found.length
    if ((lastStation + 1) * row > largestTable) return undefined
    const keys: number[] = []
    for (let at = 0; at < segmentSize; at++) {
      const station = stations[at] as number
      if (station === 0) continue
      const key = station * row + (ranks[kinds[at] as number] as number) - 1
      const sum = table[key] as number
      if (sum === 0) keys.push(key)
      table[key] = sum + 1
    }
    const counts = Uint32Array.from(keys, (key) => table[key] as number)
    for (const key of keys) table[key] = 0
    return {
      stations: Uint16Array.from(keys, (key) => Math.floor(key / row)),
      kinds: Uint16Array.from(keys, (key) => found[key % row] as number),
      counts,
    }
  }
}
