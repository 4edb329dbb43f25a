import type { Database } from 'better-sqlite3'
import type { StationSummary, StationsQuery } from '../../catalogue.ts'
import { beyond, dayOf } from '../block-layout.ts'
import type { Columns, Segment } from './columns.ts'
import type { Kind, Vocabulary } from './vocabulary.ts'

/** Sums up stations from the places of all records. To be used within a read transaction. */
export interface Stations {
  page(query: StationsQuery): { count: number; stations: StationSummary[] }
  one(code: string): StationSummary | undefined
}

export function openStations(db: Database, columns: Columns, vocabulary: Vocabulary): Stations {
  const readBeyond = prepareBeyond(db)
  // One pass over the places answers for all stations, until something changes.
  let counted: { seq: number; counts: Counts } | undefined
  const current = (): Counts => {
    const seq = columns.segments.reduce((latest, segment) => Math.max(latest, segment.seq), 0)
    if (counted?.seq !== seq) {
      const counts = openCounts(vocabulary)
      for (const segment of columns.segments) countPlaces(segment, counts, readBeyond)
      counted = { seq, counts }
    }
    return counted.counts
  }
  return {
    page({ limit, offset, countries, areas }) {
      const counts = current()
      const summaries: StationSummary[] = []
      for (const [id, code] of vocabulary.stations.entries()) {
        if (code === undefined) continue
        if (countries !== undefined && !countries.includes(code.slice(6))) continue
        const cells = counts.of(id).filter(({ kind }) => areas?.includes(kind.area) ?? true)
        if (cells.length > 0) summaries.push(summarise(code, cells))
      }
      summaries.sort((a, b) => (a.code < b.code ? -1 : 1))
      return { count: summaries.length, stations: summaries.slice(offset, offset + limit) }
    },
    one(code) {
      const counts = current()
      const cells = [...vocabulary.stations.entries()]
        .filter(([, known]) => known === code || known?.slice(0, 4) === code)
        .flatMap(([id]) => counts.of(id))
      return cells.length === 0 ? undefined : summarise(code, cells)
    },
  }
}

/** The files of a station that are alike in area, version, duration and type. */
interface Cell {
  readonly kind: Kind
  readonly files: number
  readonly firstDay: number
  readonly lastDay: number
}

interface Counts {
  add(station: number, kind: number, day: number): void
  of(station: number): Cell[]
}

/** Kinds that differ in other parts than those that are told are counted as one, so that the table stays small. */
function openCounts({ stations, kinds }: Vocabulary): Counts {
  const told: Kind[] = []
  const classes = kinds.map((kind) => {
    if (kind === undefined) return 0
    const known = told.findIndex((each) => isAlike(each, kind))
    return known === -1 ? told.push(kind) - 1 : known
  })
  const size = stations.length * told.length
  const files = new Uint32Array(size)
  const firstDays = new Int32Array(size).fill(0x7fffffff)
  const lastDays = new Int32Array(size).fill(-0x80000000)
  return {
    add(station, kind, day) {
      const at = station * told.length + (classes[kind] as number)
      files[at] = (files[at] as number) + 1
      if (day < (firstDays[at] as number)) firstDays[at] = day
      if (day > (lastDays[at] as number)) lastDays[at] = day
    },
    of(station) {
      const cells = told.map((kind, index) => {
        const at = station * told.length + index
        const [firstDay, lastDay] = [firstDays[at] as number, lastDays[at] as number]
        return { kind, files: files[at] as number, firstDay, lastDay }
      })
      return cells.filter((cell) => cell.files > 0)
    },
  }
}

function isAlike(a: Kind, b: Kind): boolean {
  return (
    a.area === b.area && a.version === b.version && a.duration === b.duration && a.type === b.type
  )
}

interface BeyondRow {
  station: number
  kind: number
  startSeconds: number
}

/** Records of which a number takes more than a place holds. */
function prepareBeyond(db: Database) {
  const select = db.prepare(
    `SELECT f.station, f.kind, f.data_date AS startSeconds
     FROM json_each(?) wanted CROSS JOIN file f ON f.id = wanted.value`,
  )
  return (ids: readonly number[]) => select.all(JSON.stringify(ids)) as BeyondRow[]
}

function countPlaces(
  { firstId, stations, kinds, days }: Segment,
  counts: Counts,
  readBeyond: (ids: readonly number[]) => BeyondRow[],
): void {
  const unknown: number[] = []
  for (let at = 0; at < stations.length; at++) {
    const [station, kind] = [stations[at] as number, kinds[at] as number]
    const day = days[at] as number
    if (station === 0) continue
    if (station === beyond || kind === beyond || day === beyond) unknown.push(firstId + at)
    else counts.add(station, kind, day)
  }
  if (unknown.length === 0) return
  for (const row of readBeyond(unknown)) counts.add(row.station, row.kind, dayOf(row.startSeconds))
}

function summarise(code: string, cells: readonly Cell[]): StationSummary {
  const sumBy = <Key extends string>(keyOf: (kind: Kind) => Key) => {
    const sums: Partial<Record<Key, number>> = {}
    for (const { kind, files } of cells) sums[keyOf(kind)] = (sums[keyOf(kind)] ?? 0) + files
    return sums
  }
  return {
    code,
    firstDay: Math.min(...cells.map(({ firstDay }) => firstDay)),
    lastDay: Math.max(...cells.map(({ lastDay }) => lastDay)),
    files: cells.reduce((sum, { files }) => sum + files, 0),
    byArea: sumBy(({ area }) => area),
    byType: sumBy(({ type }) => type),
    byDuration: sumBy(({ duration }) => duration),
    byVersion: sumBy(({ version }) => version),
  }
}
