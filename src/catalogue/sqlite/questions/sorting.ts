import type { Database } from 'better-sqlite3'
import type { OrderKey } from '../../filter.ts'
import { beyond } from '../block-layout.ts'
import type { Segment } from './columns.ts'
import type { Matches, Stretch } from './places.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Ids of one statement. */
const idsPerStatement = 10_000

type SortKey = Exclude<OrderKey, 'id'>

/** What each key is in SQL, on `file` as `f`. */
const expressions: Readonly<Record<SortKey, string>> = {
  data_date: 'f.data_date',
  created: 'f.created_us',
  modified: 'coalesce(f.modified_us, f.created_us)',
  filename: 'lower(f.name)',
}

/**
 * Finds a stretch of a sorted list without sorting it: records are counted in buckets whose order is known, and only
 * those of the buckets that the stretch touches are read and sorted. To be used within a read transaction.
 */
export function openSorting(db: Database, vocabulary: Vocabulary) {
  const readKeys = prepareKeys(db)
  return (
    segments: readonly Segment[],
    matches: Matches,
    stretch: Stretch & { readonly key: SortKey },
  ): number[] => {
    const bucketOf =
      stretch.key === 'data_date'
        ? bucketsByDay(segments, matches, readKeys)
        : bucketing(stretch.key, segments, vocabulary)
    const counts = countBuckets(segments, matches, bucketOf)
    const { first, end, before } = bucketsAt(counts, stretch)
    if (first > end) return []
    const ids: number[] = []
    forMatches(segments, matches, (segment, at) => {
      const bucket = bucketOf(segment, at)
      if (bucket >= first && bucket <= end) ids.push(segment.firstId + at)
    })
    const sorted = readKeys(stretch.key, ids).sort(byKey)
    if (stretch.descending) sorted.reverse()
    const from = stretch.offset - before
    return sorted.slice(from, from + stretch.limit).map(({ id }) => id)
  }
}

/** Days take most: those of a place, and one bucket for all before them. */
const mostBuckets = beyond + 2

type BucketOf = (segment: Segment, at: number) => number

function forMatches(
  segments: readonly Segment[],
  matches: Matches,
  take: (segment: Segment, at: number) => void,
): void {
  for (const segment of segments) for (const at of matches.positions(segment)) take(segment, at)
}

function bucketing(
  key: Exclude<SortKey, 'data_date'>,
  segments: readonly Segment[],
  vocabulary: Vocabulary,
): BucketOf {
  switch (key) {
    case 'filename':
      return bucketsByStation(vocabulary)
    case 'created':
      return bucketsBySegment(segments, ({ blocks }) => blocks.createdToUs)
    case 'modified':
      return bucketsBySegment(segments, ({ blocks }) => blocks.modifiedToUs)
  }
}

/** Of the few days that are not in the columns, the records tell whether they come before or after all others. */
function bucketsByDay(
  segments: readonly Segment[],
  matches: Matches,
  readKeys: ReturnType<typeof prepareKeys>,
): BucketOf {
  const unknown: number[] = []
  forMatches(
    segments.filter(({ blocks }) => blocks.dayTo.includes(beyond)),
    matches,
    ({ firstId, days }, at) => {
      if (days[at] === beyond) unknown.push(firstId + at)
    },
  )
  const early = readKeys('data_date', unknown).filter(({ key }) => (key as number) < 0)
  const earlyIds = new Set(early.map(({ id }) => id))
  return ({ firstId, days }, at) => (earlyIds.has(firstId + at) ? 0 : (days[at] as number) + 1)
}

/** Names begin with the code of their station, of which names of both forms have the first four characters. */
function bucketsByStation({ stations }: Vocabulary): BucketOf {
  if (stations.length > beyond) return () => 0
  const sites = stations.map((code) => code?.slice(0, 4).toLowerCase() ?? '')
  const ranks = new Map([...new Set(sites)].sort().map((site, rank) => [site, rank]))
  const byStation = sites.map((site) => ranks.get(site) ?? 0)
  return (segment, at) => byStation[segment.stations[at] as number] as number
}

/** Ids follow time, mostly: segments whose times overlap are one bucket. */
function bucketsBySegment(
  segments: readonly Segment[],
  latestOf: (segment: Segment) => Float64Array,
): BucketOf {
  const spans = segments.map((segment) => ({ segment, ...timesOf(segment, latestOf(segment)) }))
  spans.sort((a, b) => a.from - b.from || a.segment.firstId - b.segment.firstId)
  const buckets = new Map<Segment, number>()
  let bucket = -1
  let [latest, highestId] = [-Infinity, -1]
  for (const { segment, from, to } of spans) {
    const isApart = from > latest || (from === latest && segment.firstId > highestId)
    if (isApart) bucket++
    buckets.set(segment, bucket)
    latest = Math.max(latest, to)
    highestId = Math.max(highestId, segment.firstId)
  }
  return (segment) => buckets.get(segment) ?? 0
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

/** How many matches are in each bucket, by its number. */
function countBuckets(
  segments: readonly Segment[],
  matches: Matches,
  bucketOf: BucketOf,
): Uint32Array {
  const counts = new Uint32Array(mostBuckets)
  forMatches(segments, matches, (segment, at) => {
    const bucket = bucketOf(segment, at)
    counts[bucket] = (counts[bucket] as number) + 1
  })
  return counts
}

/** The first and last bucket that a stretch touches, and how many matches come before them. */
function bucketsAt(counts: Uint32Array, { offset, limit, descending }: Stretch) {
  let [before, passed] = [0, 0]
  let [first, end] = [counts.length, -1]
  for (let step = 0; step < counts.length && passed < offset + limit; step++) {
    const bucket = descending ? counts.length - 1 - step : step
    const count = counts[bucket] as number
    if (passed + count <= offset) before += count
    else if (count > 0) [first, end] = [Math.min(first, bucket), Math.max(end, bucket)]
    passed += count
  }
  return { first, end, before }
}

interface Keyed {
  readonly id: number
  readonly key: number | string
}

function byKey(a: Keyed, b: Keyed): number {
  if (a.key === b.key) return a.id - b.id
  return a.key < b.key ? -1 : 1
}

function prepareKeys(db: Database) {
  return (key: SortKey, ids: readonly number[]): Keyed[] => {
    const select = db.prepare(
      `SELECT f.id, ${expressions[key]} AS key
       FROM json_each(?) wanted CROSS JOIN file f ON f.id = wanted.value`,
    )
    const keyed: Keyed[] = []
    for (let start = 0; start < ids.length; start += idsPerStatement)
      for (const row of select.all(JSON.stringify(ids.slice(start, start + idsPerStatement))))
        keyed.push(row as Keyed)
    return keyed
  }
}
