import type { Database } from 'better-sqlite3'
import type { FileFilter } from '../../filter.ts'
import { beyond } from '../block-layout.ts'
import { prepareAsking } from './asking.ts'
import type { Agreed, PlaceRange, Positions } from './asking.ts'
import { collectOf, forBlocks, openCollecting } from './collecting.ts'
import type { Found } from './collecting.ts'
import { segmentSize } from './columns.ts'
import type { Segment } from './columns.ts'
import { openCombinations } from './combinations.ts'
import type { Combinations } from './combinations.ts'
import { no, yes } from './matcher.ts'
import type { Matcher } from './matcher.ts'

/** Which records of a segment a filter takes. To be used within a read transaction. */
export interface Matching {
  /** How many; their positions too where these had to be found, and are no more than `most`. */
  count(segment: Segment, wanted: Wanted, most: number): Agreed
  positions(segment: Segment, wanted: Wanted): Positions
  /** Those of a few, in rising order. */
  those(few: Positions, segment: Segment, wanted: Wanted): Positions
}

export interface Wanted {
  readonly filter: FileFilter
  readonly matcher: Matcher
}

export function openMatching(db: Database): Matching {
  const asking = prepareAsking(db)
  const combinationsOf = openCombinations()
  const collect = openCollecting()
  const together = (segment: Segment, filter: FileFilter, { sure, asked }: Found): Positions => {
    if (asked.length === 0) return sure
    const agreed = asking.which(segment, filter, asked)
    if (sure.length === 0) return agreed
    return Uint16Array.from([...sure, ...agreed]).sort()
  }
  return {
    positions: (segment, { filter, matcher }) =>
      together(segment, filter, collect(segment, matcher)),
    those: (few, segment, { filter, matcher }) =>
      together(segment, filter, collectOf(few, segment, matcher)),
    count(segment, { filter, matcher }, most) {
      const { any, yes: sure } = countVerdicts(segment, matcher, combinationsOf)
      if (any === sure) return { count: sure, positions: undefined }
      const found = collect(segment, matcher)
      const range = filter.overlaps === undefined ? wholeRange(segment, found) : undefined
      if (range !== undefined) return asking.howMany(segment, filter, range, most)
      const positions = together(segment, filter, found)
      const { length } = positions
      return { count: length, positions: length <= most ? positions : undefined }
    },
  }
}

/** Where all live records of a range are to be asked, and nothing but what the records themselves hold. */
function wholeRange(
  { stations, kinds, days }: Segment,
  { sure, asked }: Found,
): PlaceRange | undefined {
  const [from, to] = [asked[0], asked.at(-1)]
  if (sure.length > 0 || from === undefined || to === undefined) return undefined
  let live = 0
  for (let at = from; at <= to; at++) {
    if (stations[at] === 0) continue
    if (stations[at] === beyond || kinds[at] === beyond || days[at] === beyond) return undefined
    live++
  }
  return live === asked.length ? { from, to } : undefined
}

function countVerdicts(
  segment: Segment,
  matcher: Matcher,
  combinationsOf: (segment: Segment) => Combinations | undefined,
): Verdicts {
  const combinations = isJudgedAlike(segment, matcher) ? combinationsOf(segment) : undefined
  if (combinations !== undefined) return countCombinations(combinations, matcher)
  const verdicts = { any: 0, yes: 0 }
  forBlocks(segment, matcher, (_index, verdict, from, to) => {
    const counts = countPlaces(segment, matcher, from, to)
    verdicts.any += counts.any
    if (verdict === yes) verdicts.yes += counts.yes
  })
  return verdicts
}

/** Of how many records the verdict is `yes`, and of how many it is not `no`. */
interface Verdicts {
  readonly any: number
  readonly yes: number
}

/** Whether days, times and ids take all of a segment, so that stations and kinds decide alone. */
function isJudgedAlike(segment: Segment, matcher: Matcher): boolean {
  const { blocks, firstId, dayFrom, dayTo } = segment
  if (matcher.idFrom > firstId || matcher.idTo < firstId + segmentSize - 1) return false
  if (dayFrom < matcher.surelyFrom || dayTo > matcher.surelyTo) return false
  return (
    matcher.takesAnyBlock ||
    blocks.live.every((live, index) => live === 0 || matcher.block(blocks, index) === yes)
  )
}

function countCombinations({ stations, kinds, counts }: Combinations, matcher: Matcher): Verdicts {
  let [any, sure] = [0, 0]
  for (let at = 0; at < counts.length; at++) {
    const verdict =
      (matcher.stations[stations[at] as number] as number) &
      (matcher.kinds[kinds[at] as number] as number)
    const count = counts[at] as number
    if (verdict !== no) any += count
    if (verdict === yes) sure += count
  }
  return { any, yes: sure }
}

/** The loop that goes through millions of places: nothing in it depends on what it reads but two sums. */
function countPlaces(
  { stations, kinds, days }: Segment,
  matcher: Matcher,
  from: number,
  to: number,
) {
  const { stations: ofStation, kinds: ofKind, days: ofDay } = matcher
  let [any, sure] = [0, 0]
  for (let at = from; at < to; at++) {
    const verdict =
      (ofStation[stations[at] as number] as number) &
      (ofKind[kinds[at] as number] as number) &
      (ofDay[days[at] as number] as number)
    any += verdict & 1
    sure += verdict >> 1
  }
  return { any, yes: sure }
}
