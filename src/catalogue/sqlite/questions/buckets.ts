import type { OrderKey } from '../../filter.ts'
import { beyond } from '../block-layout.ts'
import type { Segment } from './columns.ts'
import type { Matches } from './places.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Sorted lists whose counts are kept, those that were asked for latest. */
const keptLists = 4
/** Days take most: those of a place, and one bucket for all before them. */
const mostBuckets = beyond + 2

/** Matches in buckets: those of one come before all those of the next, however they are sorted in it. */
export interface Buckets {
  /** How many are in each, by its number. */
  readonly counts: Uint32Array
  /** Whether a segment may have any in these; both are included. */
  readonly mayHold: (segment: Segment, first: number, end: number) => boolean
  readonly bucketOf: (segment: Segment, at: number) => number
}

interface BucketDeps {
  readonly vocabulary: Vocabulary
  /** Those of some records whose data begin before 1970, of which no place tells the day. */
  readonly isBefore1970: (ids: readonly number[]) => readonly number[]
}

export function openBuckets({ vocabulary, isBefore1970 }: BucketDeps) {
  const countsOf = openCounts()
  return {
    of(segments: readonly Segment[], matches: Matches, key: Exclude<OrderKey, 'id'>): Buckets {
      switch (key) {
        case 'created':
          return bucketsBySegment(segments, matches, ({ blocks }) => blocks.createdToUs)
        case 'modified':
          return bucketsBySegment(segments, matches, ({ blocks }) => blocks.modifiedToUs)
        case 'filename': {
          const counts = countsOf(segments, matches, 'stations')
          return bucketsByValue(counts, 'stations', ranksOf(vocabulary))
        }
        case 'data_date': {
          const counts = countsOf(segments, matches, 'days')
          const buckets = bucketsByValue(counts, 'days', (day) => day + 1)
          const unknown = idsOfUnknownDays(counts, matches)
          return unknown.length === 0 ? buckets : withEarlyFirst(buckets, isBefore1970(unknown))
        }
      }
    },
  }
}

/** The columns that are counted by their values. */
type Column = 'stations' | 'days'

/** How many matches of a segment have each value, of those that any has. */
interface ValueCounts {
  readonly seq: number
  readonly values: Uint16Array
  readonly counts: Uint32Array
}

interface CountedList {
  readonly matches: Matches
  readonly column: Column
  readonly bySegment: Map<Segment, ValueCounts>
}

/** Counts by segment, counted again only where the segment has changed. */
function openCounts() {
  let lists: readonly CountedList[] = []
  const countValues = openValueCounting()
  return (
    segments: readonly Segment[],
    matches: Matches,
    column: Column,
  ): ReadonlyMap<Segment, ValueCounts> => {
    const isAsked = (list: CountedList) => list.matches === matches && list.column === column
    const list: CountedList = lists.find(isAsked) ?? { matches, column, bySegment: new Map() }
    lists = [list, ...lists.filter((each) => each !== list)].slice(0, keptLists)
    for (const segment of segments)
      if (list.bySegment.get(segment)?.seq !== segment.seq)
        list.bySegment.set(segment, countValues(segment, matches.positions(segment), column))
    return list.bySegment
  }
}

/** Counts in room that is used again and again. */
function openValueCounting() {
  const sums = new Uint32Array(beyond + 1)
  return (segment: Segment, positions: Uint16Array, column: Column): ValueCounts => {
    const places = segment[column]
    const values: number[] = []
    for (const at of positions) {
      const value = places[at] as number
      const sum = sums[value] as number
      if (sum === 0) values.push(value)
      sums[value] = sum + 1
    }
    const counts = Uint32Array.from(values, (value) => sums[value] as number)
    for (const value of values) sums[value] = 0
    return { seq: segment.seq, values: Uint16Array.from(values), counts }
  }
}

function bucketsByValue(
  counted: ReadonlyMap<Segment, ValueCounts>,
  column: Column,
  rankOf: (value: number) => number,
): Buckets {
  const sums = new Uint32Array(mostBuckets)
  for (const { values, counts } of counted.values())
    values.forEach((value, index) => {
      const rank = rankOf(value)
      sums[rank] = (sums[rank] as number) + (counts[index] as number)
    })
  return {
    counts: sums,
    mayHold: (segment, first, end) =>
      counted.get(segment)?.values.some((value) => {
        const rank = rankOf(value)
        return rank >= first && rank <= end
      }) === true,
    bucketOf: (segment, at) => rankOf(segment[column][at] as number),
  }
}

/** Names begin with the code of their station, of which names of both forms have the first four characters. */
function ranksOf({ stations }: Vocabulary): (station: number) => number {
  if (stations.length > beyond) return () => 0
  const sites = stations.map((code) => code?.slice(0, 4).toLowerCase() ?? '')
  const ranks = new Map([...new Set(sites)].sort().map((site, rank) => [site, rank]))
  const byStation = sites.map((site) => ranks.get(site) ?? 0)
  return (station) => byStation[station] as number
}

/** Ids of the few whose day is not in the columns. */
function idsOfUnknownDays(
  counted: ReadonlyMap<Segment, ValueCounts>,
  matches: Matches,
): readonly number[] {
  const ids: number[] = []
  for (const [segment, { values }] of counted) {
    if (!values.includes(beyond)) continue
    for (const at of matches.positions(segment))
      if (segment.days[at] === beyond) ids.push(segment.firstId + at)
  }
  return ids
}

/** Of the days that are not in the columns, some come before all others, and the rest after them. */
function withEarlyFirst(buckets: Buckets, earlyIds: readonly number[]): Buckets {
  const late = beyond + 1
  const early = new Set(earlyIds)
  const counts = buckets.counts.slice()
  counts[0] = early.size
  counts[late] = (counts[late] as number) - early.size
  return {
    counts,
    mayHold: (segment, first, end) =>
      buckets.mayHold(segment, first, end) || (first === 0 && buckets.mayHold(segment, late, late)),
    bucketOf: (segment, at) =>
      early.has(segment.firstId + at) ? 0 : buckets.bucketOf(segment, at),
  }
}

/** Ids follow time, mostly: segments whose times overlap are one bucket. */
function bucketsBySegment(
  segments: readonly Segment[],
  matches: Matches,
  latestOf: (segment: Segment) => Float64Array,
): Buckets {
  const spans = segments.map((segment) => ({ segment, ...timesOf(segment, latestOf(segment)) }))
  spans.sort((a, b) => a.from - b.from || a.segment.firstId - b.segment.firstId)
  const counts = new Uint32Array(segments.length)
  const buckets = new Map<Segment, number>()
  let bucket = -1
  let [latest, highestId] = [-Infinity, -1]
  for (const { segment, from, to } of spans) {
    const isApart = from > latest || (from === latest && segment.firstId > highestId)
    if (isApart || bucket === -1) bucket++
    buckets.set(segment, bucket)
    counts[bucket] = (counts[bucket] as number) + matches.count(segment)
    latest = Math.max(latest, to)
    highestId = Math.max(highestId, segment.firstId)
  }
  const bucketOf = (segment: Segment): number => buckets.get(segment) ?? 0
  return {
    counts,
    mayHold: (segment, first, end) => bucketOf(segment) >= first && bucketOf(segment) <= end,
    bucketOf,
  }
}

function timesOf({ blocks }: Segment, latest: Float64Array): { from: number; to: number } {
  let [from, to] = [Infinity, -Infinity]
  for (const [index, live] of blocks.live.entries()) {
    if (live === 0) continue
    from = Math.min(from, blocks.createdFromUs[index] as number)
    to = Math.max(to, latest[index] as number)
  }
  return { from, to }
}
