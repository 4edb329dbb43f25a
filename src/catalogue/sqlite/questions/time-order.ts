import { blockSize } from '../block-layout.ts'
import type { Positions } from './asking.ts'
import { segmentSize } from './columns.ts'
import type { Segment } from './columns.ts'
import type { Modified } from './modified.ts'
import { partsAt } from './parts.ts'
import type { Part, Ranks } from './parts.ts'
import type { Candidates, Order } from './order.ts'

/** Parts in which the modified are, at most, besides one of each segment: each of one record, while these are no more. */
const mostParts = 4000

/** Matches of a segment. */
interface TimePart extends Part<number> {
  readonly segment: Segment
  readonly positions: Positions
}

/** All of those of a segment that keep the order in which they were created. */
type WholePart = Omit<TimePart, 'positions'>

/** Of each block the columns hold between which times its records were created. */
export const orderByCreation: Order = (segments, matches, ranks) => {
  const wholes = segments.map((segment) => wholeOf(segment, matches.count(segment)))
  return candidatesOf(ranks, wholes, [], (segment) => matches.positions(segment))
}

/** The same, but for those that were modified: of these it is known when that was. */
export function orderByModification(modifiedOf: (segment: Segment) => Modified): Order {
  return (segments, matches, ranks) => {
    const filled = segments.filter((segment) => matches.count(segment) > 0)
    const modified = filled.map((segment) => {
      const all = modifiedOf(segment)
      return { segment, all, those: matches.those(all.positions, segment) }
    })
    const count = modified.reduce((sum, { those }) => sum + those.length, 0)
    const perPart = Math.ceil(count / mostParts)
    const parts = modified.flatMap(({ segment, all, those }) =>
      modifiedParts(segment, those, all, perPart),
    )
    const wholes = modified.map(({ segment, those }) =>
      wholeOf(segment, matches.count(segment) - those.length),
    )
    const without = new Map(modified.map(({ segment, those }) => [segment, those]))
    return candidatesOf(ranks, wholes, parts, (segment) =>
      difference(matches.positions(segment), without.get(segment)),
    )
  }
}

/** @param positionsOf the matches that a whole stands for */
function candidatesOf(
  ranks: Ranks,
  wholes: readonly WholePart[],
  parts: readonly TimePart[],
  positionsOf: (segment: Segment) => Positions,
): Candidates {
  const coarse = partsAt<number, WholePart | TimePart>([...wholes, ...parts], ranks)
  const blocks = coarse.parts.flatMap((part) =>
    'positions' in part ? [part] : blocksOf(part.segment, positionsOf(part.segment)),
  )
  const { before } = coarse
  const fine = partsAt(blocks, { first: ranks.first - before, end: ranks.end - before })
  const ids: number[] = []
  for (const { segment, positions } of fine.parts)
    for (const at of positions) ids.push(segment.firstId + at)
  return { ids, before: before + fine.before }
}

function wholeOf(segment: Segment, count: number): WholePart {
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

/** Both are in rising order. */
function difference(all: Positions, without: Positions = new Uint16Array()): Positions {
  let next = 0
  return all.filter((at) => {
    if (without[next] !== at) return true
    next++
    return false
  })
}

/** @param those some of all */
function modifiedParts(
  segment: Segment,
  those: Positions,
  { inTime, us }: Modified,
  perPart: number,
): TimePart[] {
  const isOne = new Uint8Array(segmentSize)
  for (const at of those) isOne[at] = 1
  const indexes = [...inTime.keys()].filter((index) => isOne[inTime[index] as number] === 1)
  const parts: TimePart[] = []
  for (let start = 0; start < indexes.length; start += perPart) {
    const some = indexes.slice(start, start + perPart)
    parts.push({
      segment,
      positions: Uint16Array.from(some, (index) => inTime[index] as number),
      count: some.length,
      from: us[some[0] as number] as number,
      to: us[some.at(-1) as number] as number,
    })
  }
  return parts
}
