import type { Database, Statement } from 'better-sqlite3'
import { parseFilename } from '../../../parse/filename.ts'
import type { FileFilter, TimeRange } from '../../filter.ts'
import { beyond, blockSize } from '../block-layout.ts'
import { combinationsOf, segmentSize } from './columns.ts'
import type { Combinations, Segment } from './columns.ts'
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
  /** How many; `undefined` when records must be asked, which only finding their positions does. */
  count(segment: Segment, wanted: Wanted): number | undefined
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
    const all = Uint16Array.from(agreed)
    if (found.sure.length === 0) return all.sort()
    return Uint16Array.from([...found.sure, ...all]).sort()
  }
  return {
    positions,
    count(segment, { matcher }) {
      const { any, yes: sure } = countVerdicts(segment, matcher)
      return any === sure ? sure : undefined
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

function countVerdicts(segment: Segment, matcher: Matcher): Verdicts {
  if (isJudgedAlike(segment, matcher)) return countCombinations(combinationsOf(segment), matcher)
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

interface Found {
  readonly sure: Positions
  readonly asked: Positions
}

function collect(segment: Segment, matcher: Matcher): Found {
  const { stations, kinds, days } = segment
  const [sure, asked] = [new Uint16Array(segmentSize), new Uint16Array(segmentSize)]
  let [sures, askeds] = [0, 0]
  forBlocks(segment, matcher, (_index, blockVerdict, from, to) => {
    for (let at = from; at < to; at++) {
      const kind = kinds[at] as number
      const day = days[at] as number
      const verdict =
        blockVerdict &
        (matcher.stations[stations[at] as number] as number) &
        (matcher.kinds[kind] as number) &
        (matcher.days[day] as number)
      if (verdict === yes) sure[sures++] = at
      else if (verdict === ask && !matcher.endsBefore(kind, day)) asked[askeds++] = at
    }
  })
  return { sure: sure.slice(0, sures), asked: asked.slice(0, askeds) }
}

/** Name and start are asked for only where they matter. */
type AskedRow = readonly [id: number, name: string, startSeconds: number]

function prepareAsking(db: Database) {
  const statements = new Map<string, Statement>()
  const prepare = (sql: string): Statement => {
    let statement = statements.get(sql)
    if (statement === undefined) {
      if (statements.size >= keptStatements) statements.clear()
      statements.set(sql, (statement = db.prepare(sql).raw()))
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
    const what = filter.overlaps === undefined ? 'f.id' : 'f.id, f.name, f.data_date'
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
  overlaps: TimeRange | undefined,
): number[] {
  const taken = overlaps === undefined ? rows : rows.filter((row) => overlapsWith(row, overlaps))
  return taken.map(([id]) => id - firstId)
}

/** The range is closed, the span of the data half-open; data of unknown length are their start alone. */
function overlapsWith([, name, startSeconds]: AskedRow, { fromUs, toUs }: TimeRange): boolean {
  const parsed = parseFilename(name)
  const span = parsed.kind === 'parsed' ? (parsed.spanSeconds ?? 0) : 0
  if (startSeconds * 1e6 > (toUs ?? Infinity)) return false
  if (fromUs === undefined || startSeconds * 1e6 >= fromUs) return true
  return (startSeconds + span) * 1e6 > fromUs
}
