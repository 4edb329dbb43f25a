import type { Database, Statement } from 'better-sqlite3'
import { parseFilename } from '../../../parse/filename.ts'
import type { FileFilter, TimeRange } from '../../filter.ts'
import { beyond } from '../block-layout.ts'
import { segmentSize } from './columns.ts'
import type { Segment } from './columns.ts'
import { predicateOf } from './predicate.ts'

/** From so many on, all records in their range are read instead of each by its id. */
const manyRecords = 4096
/** Statements kept; texts differ by the conditions that are asked for, not by their values. */
const keptStatements = 100

/** Positions of a segment in rising order: ids less the segment's first. */
export type Positions = Uint16Array

/** Name and start are asked for only where they matter. */
type AskedRow = readonly [id: number, name: string, startSeconds: number]

/** Asks records whether they meet a filter, where their places cannot tell. To be used within a read transaction. */
export function prepareAsking(db: Database) {
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
