import type { Database } from 'better-sqlite3'
import { beyond, dayOf } from '../block-layout.ts'
import type { Segment } from './columns.ts'
import type { Kind, Vocabulary } from './vocabulary.ts'

/** The files of a station that are alike in area, version, duration and type. */
export interface Cell {
  readonly kind: Kind
  readonly files: number
  readonly firstDay: number
  readonly lastDay: number
}

/** What each station has, summed up by segment and again when that changes. To be used within a read transaction. */
export interface StationSums {
  /**
   * Sums up the segments that were not, or that changed.
   * @returns false when time was up before the end; what was summed up is kept for the next call
   */
  follow(segments: readonly Segment[], isTimeUp: () => boolean): boolean
  /** Whether a station, by its number, has any files of such a kind. */
  has(station: number, takes: (kind: Kind) => boolean): boolean
  of(station: number, takes?: (kind: Kind) => boolean): Cell[]
}

/** Sums of a segment: one entry for each station and class that it has any of. */
interface SegmentSums {
  readonly seq: number
  readonly stations: Uint32Array
  readonly classes: Uint8Array
  readonly files: Uint32Array
  readonly firstDays: Int32Array
  readonly lastDays: Int32Array
}

export function openStationSums(db: Database, vocabulary: Vocabulary): StationSums {
  const readBeyond = prepareBeyond(db)
  const classes = openClasses(vocabulary)
  const bySegment = new Map<Segment, SegmentSums>()
  let total = openTable(0, 0)
  let isSummed = false
  let room = openTable(0, 0)
  const newTable = () => openTable(vocabulary.stations.length, classes.all.length)
  const sum = (segment: Segment): SegmentSums => {
    for (const row of readBeyond(addPlaces(segment, room, classes.numbers)))
      room.add(row.station, classes.numbers[row.kind] as number, 1, dayOf(row.startSeconds))
    return { seq: segment.seq, ...room.drain() }
  }
  const sumAll = (): void => {
    total = newTable()
    for (const { stations, classes: ofClass, files, firstDays, lastDays } of bySegment.values())
      for (let index = 0; index < stations.length; index++) {
        const [station, count] = [stations[index] as number, files[index] as number]
        const [first, last] = [firstDays[index] as number, lastDays[index] as number]
        total.add(station, ofClass[index] as number, count, first, last)
      }
    isSummed = true
  }
  return {
    follow(segments, isTimeUp) {
      classes.follow()
      if (room.stations !== vocabulary.stations.length || room.classes !== classes.all.length)
        room = newTable()
      for (const segment of segments) {
        if (bySegment.get(segment)?.seq === segment.seq) continue
        if (isTimeUp()) return false
        bySegment.set(segment, sum(segment))
        isSummed = false
      }
      if (!isSummed) sumAll()
      return true
    },
    has: (station, takes) =>
      classes.all.some((kind, number) => takes(kind) && total.at(station, number).files > 0),
    of: (station, takes = () => true) =>
      classes.all
        .map((kind, number) => ({ kind, ...total.at(station, number) }))
        .filter(({ kind, files }) => files > 0 && takes(kind)),
  }
}

/** Kinds that differ in other parts than those that are told are of one class, so that tables stay small. */
function openClasses({ kinds }: Vocabulary) {
  const all: Kind[] = []
  /** By number of the kind. */
  const numbers: number[] = []
  return {
    all,
    numbers,
    follow(): void {
      for (let number = numbers.length; number < kinds.length; number++) {
        const kind = kinds[number]
        const known = kind === undefined ? 0 : all.findIndex((each) => isAlike(each, kind))
        numbers.push(known !== -1 || kind === undefined ? known : all.push(kind) - 1)
      }
    },
  }
}

function isAlike(a: Kind, b: Kind): boolean {
  return (
    a.area === b.area && a.version === b.version && a.duration === b.duration && a.type === b.type
  )
}

function openTable(stations: number, classes: number) {
  const size = stations * classes
  const files = new Uint32Array(size)
  const firstDays = new Int32Array(size)
  const lastDays = new Int32Array(size)
  /** Places of the table that are in use. */
  let used: number[] = []
  return {
    stations,
    classes,
    add(station: number, ofClass: number, count: number, firstDay: number, lastDay = firstDay) {
      const at = station * classes + ofClass
      const before = files[at] as number
      files[at] = before + count
      if (before === 0) used.push(at)
      if (before === 0 || firstDay < (firstDays[at] as number)) firstDays[at] = firstDay
      if (before === 0 || lastDay > (lastDays[at] as number)) lastDays[at] = lastDay
    },
    at(station: number, ofClass: number) {
      const at = station * classes + ofClass
      const [firstDay, lastDay] = [firstDays[at] as number, lastDays[at] as number]
      return { files: files[at] as number, firstDay, lastDay }
    },
    /** Empties it, and gives what was in it. */
    drain(): Omit<SegmentSums, 'seq'> {
      const sums = {
        stations: Uint32Array.from(used, (at) => Math.floor(at / classes)),
        classes: Uint8Array.from(used, (at) => at % classes),
        files: Uint32Array.from(used, (at) => files[at] as number),
        firstDays: Int32Array.from(used, (at) => firstDays[at] as number),
        lastDays: Int32Array.from(used, (at) => lastDays[at] as number),
      }
      for (const at of used) files[at] = 0
      used = []
      return sums
    },
  }
}

type Table = ReturnType<typeof openTable>

/** @returns ids of records of which a number takes more than a place holds */
function addPlaces(
  { firstId, stations, kinds, days }: Segment,
  table: Table,
  classes: readonly number[],
): number[] {
  const unknown: number[] = []
  for (let at = 0; at < stations.length; at++) {
    const station = stations[at] as number
    if (station === 0) continue
    const [kind, day] = [kinds[at] as number, days[at] as number]
    if (station === beyond || kind === beyond || day === beyond) unknown.push(firstId + at)
    else table.add(station, classes[kind] as number, 1, day)
  }
  return unknown
}

interface BeyondRow {
  station: number
  kind: number
  startSeconds: number
}

function prepareBeyond(db: Database) {
  const select = db.prepare(
    `SELECT f.station, f.kind, f.data_date AS startSeconds
     FROM json_each(?) wanted CROSS JOIN file f ON f.id = wanted.value`,
  )
  return (ids: readonly number[]) => select.all(JSON.stringify(ids)) as BeyondRow[]
}
