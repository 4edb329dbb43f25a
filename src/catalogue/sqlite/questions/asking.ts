import type { Database, Statement } from 'better-sqlite3'
import { parseFilename } from '../../../parse/filename.ts'
import type { FileFilter } from '../../filter.ts'
import { beyond } from '../block-layout.ts'
import { segmentSize } from './columns.ts'
import type { Segment } from './columns.ts'
import { prepareNameSearch } from './name-search.ts'
import { predicateOf } from './predicate.ts'

/** From so many on, all records in their range are read instead of each by its id. */
const manyRecords = 4096
/** Statements kept; texts differ by the conditions that are asked for, not by their values. */
const keptStatements = 100

/** Positions of a segment in rising order: ids less the segment's first. */
export type Positions = Uint16Array

/** The name is left out where the start alone tells. */
type AskedRow = readonly [id: number, name: string | null, startSeconds: number]

/** How many records agree, and which, where these are not too many to be told. */
export interface Agreed {
  readonly count: number
  readonly positions: Positions | undefined
}

/** Asks records whether they meet a filter, where their places cannot tell. To be used within a read transaction. */
export interface Asking {
  /** Those of the positions whose records agree, in rising order. */
  which(segment: Segment, filter: FileFilter, asked: Positions): Positions
  /** How many of all live records between two places agree, themselves included; which, if no more than `most` do. */
  howMany(segment: Segment, filter: FileFilter, range: PlaceRange, most: number): Agreed
}

export interface PlaceRange {
  readonly from: number
  readonly to: number
}

export function prepareAsking(db: Database): Asking {
  const search = prepareNameSearch(db)
  const statements = new Map<string, Statement>()
  const prepare = (sql: string): Statement => {
    let statement = statements.get(sql)
    if (statement === undefined) {
      if (statements.size >= keptStatements) statements.clear()
      statements.set(sql, (statement = db.prepare(sql)))
    }
    return statement
  }
  const idsOf = (sql: string, values: object): readonly number[] =>
    prepare(sql).pluck().all(values) as number[]
  const agreeing = (from: string, values: object, filter: FileFilter): readonly number[] => {
    const fromUs = filter.overlaps?.fromUs
    if (fromUs === undefined) return idsOf(`SELECT f.id ${from}`, values)
    // Where the start alone tells, no name crosses over.
    const name = 'iif(f.data_date * 1000000 >= @touchedFrom, NULL, f.name)'
    const rows = prepare(`SELECT f.id, ${name}, f.data_date ${from}`).raw()
    const all = rows.all({ ...values, touchedFrom: fromUs }) as AskedRow[]
    return all.filter((row) => reachesInto(row, fromUs)).map(([id]) => id)
  }
  const among = (segment: Segment, filter: FileFilter, asked: Positions): readonly number[] => {
    const { sql, values, joined } = conditionsOf(segment, filter, asked)
    const { firstId } = segment
    const from = `json_each(@positions) p CROSS JOIN file f ON f.id = p.value + @firstId ${joined}`
    const bound = { ...values, firstId, positions: JSON.stringify([...asked]) }
    return agreeing(`FROM ${from} WHERE ${sql}`, bound, filter)
  }
  const within = (segment: Segment, filter: FileFilter, asked: Positions): readonly number[] => {
    const { sql, values, joined } = conditionsOf(segment, filter, asked)
    const { firstId } = segment
    const range = { from: firstId + (asked[0] ?? 0), to: firstId + (asked.at(-1) ?? 0) }
    const where = `FROM file f ${joined} WHERE f.id BETWEEN @from AND @to AND ${sql}`
    const bound = { ...values, ...range }
    const isAsked = new Uint8Array(segmentSize)
    for (const at of asked) isAsked[at] = 1
    return agreeing(where, bound, filter).filter((id) => isAsked[id - firstId] === 1)
  }
  return {
    which(segment, filter, asked) {
      const ids = (asked.length < manyRecords ? among : within)(segment, filter, asked)
      return Uint16Array.from(ids, (id) => id - segment.firstId).sort()
    },
    howMany(segment, filter, { from, to }, most) {
      const { firstId } = segment
      if (isOfNamesAlone(filter)) {
        const range = { fromId: firstId + from, toId: firstId + to }
        const { count, ids } = search({ names: filter.names ?? [], ...range, most })
        return { count, positions: ids && Uint16Array.from(ids, (id) => id - firstId) }
      }
      const { sql, values } = predicateOf(filter, false)
      const where = `FROM file f WHERE f.id BETWEEN @from AND @to AND ${sql}`
      const bound = { ...values, from: firstId + from, to: firstId + to }
      const ids = idsOf(`SELECT f.id ${where} ORDER BY f.id LIMIT ${most + 1}`, bound)
      const last = ids.at(-1)
      if (ids.length <= most || last === undefined)
        return { count: ids.length, positions: Uint16Array.from(ids, (id) => id - firstId) }
      const rest = prepare(`SELECT count(*) ${where}`).pluck()
      const more = rest.get({ ...bound, from: last + 1 }) as number
      return { count: ids.length + more, positions: undefined }
    },
  }
}

/** Whether of all that the places cannot tell it asks for names only. */
function isOfNamesAlone({ names, dataDate, created, modified, overlaps }: FileFilter): boolean {
  return (
    names !== undefined &&
    [dataDate, created, modified, overlaps].every((each) => each === undefined)
  )
}

/** What stations and kinds stand for is asked for only where the columns could not hold their numbers. */
function conditionsOf(segment: Segment, filter: FileFilter, asked: Positions) {
  const { stations, kinds, days } = segment
  const isBeyond = (at: number): boolean =>
    stations[at] === beyond || kinds[at] === beyond || days[at] === beyond
  const words = asked.some(isBeyond)
  const joined = words ? 'JOIN station s ON s.id = f.station JOIN kind k ON k.id = f.kind' : ''
  return { ...predicateOf(filter, words), joined }
}

/** The span of the data is half-open; data of unknown length are their start alone. */
function reachesInto([, name, startSeconds]: AskedRow, fromUs: number): boolean {
  if (name === null) return true
  const parsed = parseFilename(name)
  const span = parsed.kind === 'parsed' ? (parsed.spanSeconds ?? 0) : 0
  return (startSeconds + span) * 1e6 > fromUs
}
