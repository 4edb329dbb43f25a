import type { Database, Statement } from 'better-sqlite3'
import { parseFilename } from '../../../parse/filename.ts'
import type { FileFilter, TimeRange } from '../../filter.ts'
import { beyond, blockSize } from '../block-layout.ts'
import type { Segment } from './columns.ts'
import { segmentSize } from './columns.ts'
import { ask, no, yes } from './matcher.ts'
import type { Matcher } from './matcher.ts'
import { predicateOf } from './predicate.ts'

/** From so many on, all records in their range are read instead of each by its id. */
const manyRecords = 4096
/** Statements kept; texts differ by the conditions that are asked for, not by their values. */
const keptStatements = 100

/** Positions of a segment in rising order: ids less the segment's first. */
export type Positions = Uint16Array

/** Which records of a segment a filter takes. To be used within a read transaction. */
export interface Matching {
  count(segment: Segment, wanted: Wanted): number
  positions(segment: Segment, wanted: Wanted): Positions
}

export interface Wanted {
  readonly filter: FileFilter
  readonly matcher: Matcher
}

export function openMatching(db: Database): Matching {
  const askRecords = prepareAsking(db)
  const positions = (segment: Segment, wanted: Wanted): Positions => {
    const found = collect(segment, wanted.matcher)
    if (found.asked.length === 0) return found.sure
    const agreed = askRecords(segment, wanted.filter, found.asked)
    return Uint16Array.from([...found.sure, ...agreed]).sort()
  }
  return {
    positions,
    count(segment, wanted) {
      const { sure, asked } = countVerdicts(segment, wanted.matcher)
      return asked === 0 ? sure : positions(segment, wanted).length
    },
  }
}

/** Calls with the blocks that may hold matches, the verdict on all of their records, and which of their places count. */
function forBlocks(
  segment: Segment,
  matcher: Matcher,
  take: (index: number, verdict: number, from: number, to: number) => void,
): void {
  const { blocks, firstId } = segment
  const first = Math.max(0, matcher.idFrom - firstId)
  const end = Math.min(segmentSize, matcher.idTo - firstId + 1)
  for (let index = Math.floor(first / blockSize); index * blockSize < end; index++) {
    if (blocks.live[index] === 0) continue
    if ((blocks.dayTo[index] as number) < matcher.dayFrom) continue
    if ((blocks.dayFrom[index] as number) > matcher.dayTo) continue
    const verdict = matcher.block(blocks, index)
    const start = index * blockSize
    if (verdict !== no)
      take(index, verdict, Math.max(first, start), Math.min(end, start + blockSize))
  }
}

function countVerdicts(segment: Segment, matcher: Matcher): { sure: number; asked: number } {
  let [sure, asked] = [0, 0]
  forBlocks(segment, matcher, (index, verdict, from, to) => {
    if (verdict === yes && matcher.takesAnyPlace && to - from === blockSize) {
      sure += segment.blocks.live[index] as number
      return
    }
    const counts = countPlaces(segment, matcher, from, to)
    if (verdict === yes) sure += counts.yes
    asked += verdict === yes ? counts.any - counts.yes : counts.any
  })
  return { sure, asked }
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

interface Found {
  readonly sure: Positions
  readonly asked: Positions
}

function collect(segment: Segment, matcher: Matcher): Found {
  const { stations, kinds, days } = segment
  const [sure, asked]: [number[], number[]] = [[], []]
  forBlocks(segment, matcher, (_index, blockVerdict, from, to) => {
    for (let at = from; at < to; at++) {
      const kind = kinds[at] as number
      const day = days[at] as number
      const verdict =
        blockVerdict &
        (matcher.stations[stations[at] as number] as number) &
        (matcher.kinds[kind] as number) &
        (matcher.days[day] as number)
      if (verdict === yes) sure.push(at)
      else if (verdict === ask && !matcher.endsBefore(kind, day)) asked.push(at)
    }
  })
  return { sure: Uint16Array.from(sure), asked: Uint16Array.from(asked) }
}

interface AskedRow {
  readonly id: number
  readonly name: string
  readonly startSeconds: number
}

function prepareAsking(db: Database) {
  const statements = new Map<string, Statement>()
  const prepare = (sql: string): Statement => {
    let statement = statements.get(sql)
    if (statement === undefined) {
      if (statements.size >= keptStatements) statements.clear()
      statements.set(sql, (statement = db.prepare(sql)))
    }
    return statement
  }
  /** Those of the positions whose records agree. */
  return (segment: Segment, filter: FileFilter, asked: Positions): readonly number[] => {
    const words = asked.some(
      (at) =>
        segment.stations[at] === beyond ||
        segment.kinds[at] === beyond ||
        segment.days[at] === beyond,
    )
    const { sql, values } = predicateOf(filter, words)
    const what =
      filter.overlaps === undefined ? 'f.id' : 'f.id, f.name, f.data_date AS startSeconds'
    const joined = words ? 'JOIN station s ON s.id = f.station JOIN kind k ON k.id = f.kind' : ''
    const { firstId } = segment
    if (asked.length < manyRecords) {
      const from = `json_each(@positions) p CROSS JOIN file f ON f.id = p.value + @firstId ${joined}`
      const rows = prepare(`SELECT ${what} FROM ${from} WHERE ${sql}`)
      const found = rows.all({ ...values, firstId, positions: JSON.stringify([...asked]) })
      return positionsOf(found as AskedRow[], firstId, filter.overlaps)
    }
    const rows = prepare(
      `SELECT ${what} FROM file f ${joined} WHERE f.id BETWEEN @from AND @to AND ${sql}`,
    )
    const from = firstId + (asked[0] ?? 0)
    const to = firstId + (asked.at(-1) ?? 0)
    const isAsked = new Uint8Array(segmentSize)
    for (const at of asked) isAsked[at] = 1
    const found = rows.all({ ...values, from, to }) as AskedRow[]
    return positionsOf(found, firstId, filter.overlaps).filter((at) => isAsked[at] === 1)
  }
}

function positionsOf(
  rows: readonly AskedRow[],
  firstId: number,
  overlaps: readonly TimeRange[] | undefined,
): number[] {
  const taken =
    overlaps === undefined
      ? rows
      : rows.filter((row) => overlaps.every((range) => overlapsWith(row, range)))
  return taken.map(({ id }) => id - firstId)
}

/** The range is closed, the span of the data half-open; data of unknown length are their start alone. */
function overlapsWith({ name, startSeconds }: AskedRow, { fromUs, toUs }: TimeRange): boolean {
  const parsed = parseFilename(name)
  const span = parsed.kind === 'parsed' ? (parsed.spanSeconds ?? 0) : 0
  if (startSeconds * 1e6 > (toUs ?? Infinity)) return false
  if (fromUs === undefined || startSeconds * 1e6 >= fromUs) return true
  return (startSeconds + span) * 1e6 > fromUs
}
