import type { Database } from 'better-sqlite3'
import type { OrderKey } from '../../filter.ts'
import { openBuckets } from './buckets.ts'
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
  const isBefore1970 = (ids: readonly number[]): readonly number[] =>
    readKeys('data_date', ids)
      .filter(({ key }) => (key as number) < 0)
      .map(({ id }) => id)
  const buckets = openBuckets({ vocabulary, isBefore1970 })
  return (
    segments: readonly Segment[],
    matches: Matches,
    stretch: Stretch & { readonly key: SortKey },
  ): number[] => {
    const { key, offset, limit, descending } = stretch
    const { counts, mayHold, bucketOf } = buckets.of(segments, matches, key)
    const { first, end, before } = bucketsAt(counts, stretch)
    if (first > end) return []
    const ids: number[] = []
    for (const segment of segments) {
      if (!mayHold(segment, first, end)) continue
      for (const at of matches.positions(segment)) {
        const bucket = bucketOf(segment, at)
        if (bucket >= first && bucket <= end) ids.push(segment.firstId + at)
      }
    }
    const sorted = readKeys(key, ids).sort(byKey)
    if (descending) sorted.reverse()
    return sorted.slice(offset - before, offset - before + limit).map(({ id }) => id)
  }
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
