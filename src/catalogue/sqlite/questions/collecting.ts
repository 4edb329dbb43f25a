/** The places of a segment that a matcher takes, and those of which their records must be asked. Pure. */
import { beyond, blockSize } from '../block-layout.ts'
import type { Positions } from './asking.ts'
import { segmentSize } from './columns.ts'
import type { Segment } from './columns.ts'
import { ask, no, yes } from './matcher.ts'
import type { Matcher } from './matcher.ts'

export interface Found {
  readonly sure: Positions
  readonly asked: Positions
}

/** Finds positions in room that is used again and again: as much would come and go with each segment otherwise. */
export function openCollecting(): (segment: Segment, matcher: Matcher) => Found {
  const [sure, asked] = [new Uint16Array(segmentSize), new Uint16Array(segmentSize)]
  return (segment, matcher) => {
    const { stations, kinds, days } = segment
    const { stations: byStation, kinds: byKind, days: byDay } = matcher
    const ofStationAt = (at: number) => byStation[stations[at] as number] as number
    let [sures, askeds] = [0, 0]
    forBlocks(segment, matcher, (_index, blockVerdict, from, to) => {
      for (let at = from; at < to; at++) {
        // Where one of many stations is wanted, four places at a time take half the time of one after the other.
        const isFirstOfFour = (at & 3) === 0
        if (
          isFirstOfFour &&
          (ofStationAt(at) | ofStationAt(at + 1) | ofStationAt(at + 2) | ofStationAt(at + 3)) === no
        ) {
          at += 3
          continue
        }
        const ofStation = ofStationAt(at)
        const kind = kinds[at] as number
        const day = days[at] as number
        const verdict = blockVerdict & ofStation & (byKind[kind] as number) & (byDay[day] as number)
        if (verdict === yes) sure[sures++] = at
        else if (verdict === ask && !matcher.endsBefore(kind, day)) asked[askeds++] = at
      }
    })
    return { sure: sure.slice(0, sures), asked: asked.slice(0, askeds) }
  }
}

/** Calls with the blocks that may hold matches, the verdict on all of their records, and which of their places count. */
export function forBlocks(
  segment: Segment,
  matcher: Matcher,
  take: (index: number, verdict: number, from: number, to: number) => void,
): void {
  const { blocks, firstId } = segment
  if (isOnOtherDays(segment.dayFrom, segment.dayTo, matcher)) return
  const first = Math.max(0, matcher.idFrom - firstId)
  const end = Math.min(segmentSize, matcher.idTo - firstId + 1)
  for (let index = Math.floor(first / blockSize); index * blockSize < end; index++) {
    if (blocks.live[index] === 0) continue
    const [dayFrom, dayTo] = [blocks.dayFrom[index] as number, blocks.dayTo[index] as number]
    if (isOnOtherDays(dayFrom, dayTo, matcher)) continue
    const verdict = matcher.block(blocks, index)
    const start = index * blockSize
    if (verdict !== no)
      take(index, verdict, Math.max(first, start), Math.min(end, start + blockSize))
  }
}

/** What ends with a day that the columns do not tell may hold any. */
function isOnOtherDays(from: number, to: number, { dayFrom, dayTo }: Matcher): boolean {
  return to !== beyond && (to < dayFrom || from > dayTo)
}

/** The same for a few places, in rising order. */
export function collectOf(few: Positions, segment: Segment, matcher: Matcher): Found {
  const { stations, kinds, days, blocks, firstId } = segment
  const verdictAt = (at: number): number => {
    const [id, kind, day] = [firstId + at, kinds[at] as number, days[at] as number]
    if (id < matcher.idFrom || id > matcher.idTo) return no
    const verdict =
      matcher.block(blocks, Math.floor(at / blockSize)) &
      (matcher.stations[stations[at] as number] as number) &
      (matcher.kinds[kind] as number) &
      (matcher.days[day] as number)
    return verdict === ask && matcher.endsBefore(kind, day) ? no : verdict
  }
  return {
    sure: few.filter((at) => verdictAt(at) === yes),
    asked: few.filter((at) => verdictAt(at) === ask),
  }
}
