import { blockSize } from '../block-layout.ts'
import type { Positions } from './asking.ts'
import { openBySegment } from './by-segment.ts'
import type { Segment } from './columns.ts'
import type { Modified } from './modified.ts'
import type { Candidates, Order } from './order.ts'
import { partsAt } from './parts.ts'
import type { Part, Ranks } from './parts.ts'
import type { Listed } from './places.ts'

/** Lists of which it is kept which of the modified are matches. */
const keptLists = 2
/** Into so many runs, at most, one is cut at a time. */
const cuts = 16

/** Matches of a segment. */
interface TimePart extends Part<number> {
  readonly segment: Segment
  /** Where they are; without it they are all of those that keep the order in which they were created. */
  readonly positions?: Positions
  /** When each of them was modified, which they are in the order of. */
  readonly us?: Float64Array
}

/** Of each block the columns hold between which times its records were created. */
export const orderByCreation: Order = (listed, ranks) => {
  const { segments, matches } = listed
  const wholes = segments.map((segment) => wholeOf(segment, matches.count(segment)))
  return candidatesOf(listed, ranks, wholes, (segment) => matches.positions(segment))
}

/** The same, but for those that were modified: of these it is known when that was. */
export function orderByModification(modifiedOf: (segment: Segment) => Modified): Order {
  const bySegment = openBySegment<Modified>(keptLists)
  return (listed, ranks) => {
    const { segments, matches } = listed
    const modified = bySegment(listed, '', (segment) => {
      if (matches.count(segment) === 0) return noneModified
      const all = modifiedOf(segment)
      return someOf(all, matches.those(all.inTime.toSorted(), segment))
    })
    if (modified === undefined) return undefined
    const parts = segments.flatMap((segment): TimePart[] => {
      const { inTime, us } = modified.get(segment)?.found ?? noneModified
      const whole = wholeOf(segment, matches.count(segment) - inTime.length)
      return inTime.length === 0 ? [whole] : [whole, runOf(segment, inTime, us)]
    })
    return candidatesOf(listed, ranks, parts, (segment) =>
      difference(matches.positions(segment), modified.get(segment)?.found.inTime.toSorted()),
    )
  }
}

const noneModified: Modified = { inTime: new Uint16Array(), us: new Float64Array() }

/**
 * Cuts what may hold some of the ranks into narrower parts, of which more can be left out, until nothing is to be cut.
 * @param createdOf the matches of a segment that keep the order in which they were created
 */
function candidatesOf(
  { turn }: Listed,
  ranks: Ranks,
  all: readonly TimePart[],
  createdOf: (segment: Segment) => Positions,
): Candidates | undefined {
  let { parts, before } = partsAt(
    all.filter(({ count }) => count > 0),
    ranks,
  )
  while (parts.some(isToBeCut)) {
    const narrower: TimePart[] = []
    for (const part of parts) {
      const { segment, positions, us } = part
      if (!isToBeCut(part)) narrower.push(part)
      else if (positions !== undefined && us !== undefined)
        narrower.push(...runsOf(segment, positions, us))
      else if (turn.isTimeUp()) return undefined
      else narrower.push(...blocksOf(segment, createdOf(segment)))
    }
    const left = partsAt(narrower, { first: ranks.first - before, end: ranks.end - before })
    parts = left.parts
    before += left.before
  }
  const ids: number[] = []
  for (const { segment, positions = [] } of parts)
    for (const at of positions) ids.push(segment.firstId + at)
  return { ids, before }
}

function isToBeCut({ positions, us, from, to }: TimePart): boolean {
  return positions === undefined || (us !== undefined && from < to)
}

function wholeOf(segment: Segment, count: number): TimePart {
  const { live, createdFromUs, createdToUs } = segment.blocks
  let [from, to] = [Infinity, -Infinity]
  for (const [index, records] of live.entries()) {
    if (records === 0) continue
    from = Math.min(from, createdFromUs[index] as number)
    to = Math.max(to, createdToUs[index] as number)
  }
  return { segment, count, from, to }
}

/** @param positions in rising order */
function blocksOf(segment: Segment, positions: Positions): TimePart[] {
  const { createdFromUs, createdToUs } = segment.blocks
  const parts: TimePart[] = []
  for (let start = 0; start < positions.length;) {
    const index = Math.floor((positions[start] as number) / blockSize)
    const next = (index + 1) * blockSize
    let end = start + 1
    while (end < positions.length && (positions[end] as number) < next) end++
    parts.push({
      segment,
      positions: positions.subarray(start, end),
      count: end - start,
      from: createdFromUs[index] as number,
      to: createdToUs[index] as number,
    })
    start = end
  }
  return parts
}

/** @param us when each of them was modified, in rising order */
function runOf(segment: Segment, positions: Positions, us: Float64Array): TimePart {
  const [from, to] = [us[0] as number, us.at(-1) as number]
  return { segment, positions, us, count: us.length, from, to }
}

function runsOf(segment: Segment, positions: Positions, us: Float64Array): TimePart[] {
  const length = Math.ceil(us.length / cuts)
  const parts: TimePart[] = []
  for (let start = 0; start < us.length; start += length) {
    const end = start + length
    parts.push(runOf(segment, positions.subarray(start, end), us.subarray(start, end)))
  }
  return parts
}

/** Both are in rising order. */
function difference(all: Positions, without: Positions = new Uint16Array()): Positions {
  let next = 0
  return all.filter((at) => {
    if (without[next] !== at) return true
    next++
    return false
  })
}

/** @param positions some of all, in rising order */
function someOf(all: Modified, positions: Positions): Modified {
  if (positions.length === all.inTime.length) return all
  const isOne = new Set(positions)
  const isTaken = (index: number) => isOne.has(all.inTime[index] as number)
  return {
    inTime: all.inTime.filter((_at, index) => isTaken(index)),
    us: all.us.filter((_us, index) => isTaken(index)),
  }
}
