/** The equipment and the places of stations, from the headers of their observation files. */
import { secondsPerDay } from '../../parse/calendar.ts'
import { periodSeconds } from '../../parse/long-name.ts'
import { shortNameSpans } from '../../parse/short-name.ts'
import type { ParsedName } from '../../parse/types.ts'
import type { Equipment } from '../../rinex/facts.ts'
import type { EquippedFile, Stretch } from '../../series/equipment.ts'
import { equipmentStretches } from '../../series/equipment.ts'
import type { StationPosition } from '../../series/station-places.ts'
import type { Question, Statement } from '../question.ts'
import { all, rows, value } from '../question.ts'
import type { Head } from '../records.ts'
import type { QuestionContext } from '../selection/context.ts'
import type { Kind } from '../selection/kinds.ts'
import type { StationCodes } from '../selection/sites.ts'

export interface EquipmentAnswer extends StationCodes {
  readonly head: Head
  /** By their first days. */
  readonly stretches: readonly Stretch[]
}

/** A live observation file whose header names equipment. */
type FileRow = readonly [id: number, start: number, kind: number, equipment: number]

/**
 * The equipment of a station; `undefined` for an unknown one. Of a day with a file of a day or
 * longer, no shorter ones are read.
 * @param code in upper case, 4 or 9 characters
 * @throws NotBuilt
 */
export function* equipment(
  code: string,
  context: QuestionContext,
): Question<EquipmentAnswer | undefined> {
  const { head } = yield* context.lookups.refresh({ needsBuilt: true })
  const station = yield* context.lookups.stationOf(code)
  if (station === undefined) return undefined
  const { ids, codes, ambiguous } = station
  const [long, short] = kindsByLength(context.lookups.kinds)
  const files = yield* filesOf(ids, long, undefined, context)
  const days = yield* otherDays(ids, short, new Set(files.map(dayOf)), context)
  const others = days.length === 0 ? [] : yield* filesOf(ids, short, days, context)
  const read = yield* equipped(ids, [...files, ...others], context)
  return { head, codes, ambiguous, stretches: equipmentStretches(read) }
}

/** Ids of the kinds of observation files of a day or longer, and of the others. */
function kindsByLength(kinds: ReadonlyMap<number, Kind>): readonly [number[], number[]] {
  const ids = observations(kinds)
  const isLong = (id: number): boolean => (spanOf(kinds.get(id)) ?? 0) >= secondsPerDay
  return [ids.filter(isLong), ids.filter((id) => !isLong(id))]
}

function observations(kinds: ReadonlyMap<number, Kind>): number[] {
  return [...kinds].flatMap(([id, { type }]) => (type === 'o' ? [id] : []))
}

/** Seconds; those of years are compared with nothing that a leap day would change. */
function spanOf(kind: Kind | undefined): number | undefined {
  if (kind === undefined) return undefined
  const { period, duration } = kind
  return period === '' ? shortNameSpans[duration] : periodSeconds(period, 2000)
}

/** @param days without it, files of all days are read in one range */
function* filesOf(
  ids: readonly number[],
  kinds: readonly number[],
  days: readonly number[] | undefined,
  { dialect }: QuestionContext,
): Question<FileRow[]> {
  const from = days === undefined ? '' : `${dialect.each('days')} CROSS JOIN`
  const ofDay = `AND f.data_date >= r.value AND f.data_date < r.value + ${secondsPerDay}`
  const statements = ids.map((station): Statement => ({
    sql: `SELECT f.id, f.data_date, f.kind, x.equipment
      FROM ${from} file f ${dialect.using('file_station')} CROSS JOIN fact x
      WHERE ${dialect.inTime('f.id')} AND f.station = @station
        AND ${dialect.isIn('+f.kind', 'kinds')} ${days === undefined ? '' : ofDay}
        AND x.id = f.id AND x.equipment IS NOT NULL`,
    values: {
      station,
      kinds,
      ...(days && { days: days.map((day) => day * secondsPerDay) }),
    },
  }))
  return (yield* all(...statements)).flat() as unknown as FileRow[]
}

/** The days between the first and the last file of these kinds that are not known yet. */
function* otherDays(
  stations: readonly number[],
  kinds: readonly number[],
  known: ReadonlySet<number>,
  { dialect }: QuestionContext,
): Question<number[]> {
  const [[first, last] = [null, null]] = yield* rows<[number | null, number | null]>(
    `SELECT min(first_date), max(last_date) FROM station_count
     WHERE ${dialect.isIn('station', 'stations')} AND ${dialect.isIn('kind', 'kinds')}`,
    { stations, kinds },
  )
  const days: number[] = []
  if (first === null || last === null) return days
  for (let day = Math.floor(first / secondsPerDay); day * secondsPerDay <= last; day++)
    if (!known.has(day)) days.push(day)
  return days
}

/** The files with what their preference depends on; a name only where it may decide. */
function* equipped(
  stations: readonly number[],
  files: readonly FileRow[],
  { dialect, lookups }: QuestionContext,
): Question<EquippedFile[]> {
  const used = [...new Set(files.map(([, , , id]) => id))]
  const [texts = [], names = [], ...damaged] = yield* all(
    { sql: `SELECT id, json FROM equipment WHERE ${dialect.isIn('id', 'used')}`, values: { used } },
    {
      sql: `SELECT id, name FROM file WHERE ${dialect.isIn('id', 'ids')}`,
      values: { ids: ofDifferent(files) },
    },
    ...stations.map((station) => ({
      sql: `SELECT id FROM file ${dialect.using('file_damaged')}
        WHERE damaged_us IS NOT NULL AND station = @station`,
      values: { station },
    })),
  )
  const parsed = (texts as unknown as [number, string][]).map(
    ([id, json]) => [id, JSON.parse(json) as Equipment] as const,
  )
  const equipmentOf = new Map(parsed)
  const nameOf = new Map(names as unknown as [number, string][])
  const isDamaged = new Set(damaged.flat().map(([id]) => id))
  return files.flatMap(([id, startSeconds, kind, equipmentId]) => {
    const parts = lookups.kinds.get(kind)
    const equipment = equipmentOf.get(equipmentId)
    if (parts === undefined || equipment === undefined) return []
    return {
      type: parts.type,
      startSeconds,
      spanSeconds: spanOf(parts),
      source: parts.source as ParsedName['source'],
      name: nameOf.get(id) ?? '',
      isDamaged: isDamaged.has(id),
      equipment,
    }
  })
}

/** Ids of the files of days whose files name different equipment. */
function ofDifferent(files: readonly FileRow[]): number[] {
  const seen = new Map<number, number>()
  const days = new Set<number>()
  for (const file of files) {
    const known = seen.get(dayOf(file))
    if (known === undefined) seen.set(dayOf(file), file[3])
    else if (known !== file[3]) days.add(dayOf(file))
  }
  return files.filter((file) => days.has(dayOf(file))).map(([id]) => id)
}

function dayOf([, start]: FileRow): number {
  return Math.floor(start / secondsPerDay)
}

/**
 * The positions of all stations: each by its newest observation file with one, of the last two days
 * with data. That is the position of its last stretch of equipment, unless the files of a day
 * contradict each other, and needs one row of a station, not its history. Codes are those of lists.
 * @throws NotBuilt
 */
export function* stationPositions(
  _all: undefined,
  context: QuestionContext,
): Question<readonly StationPosition[]> {
  yield* context.lookups.refresh({ needsBuilt: true })
  const { dialect, lookups } = context
  if (((yield* value<number>('SELECT facts FROM hashing')) ?? 0) === 0) return []
  const sites = yield* lookups.sites()
  const found = yield* rows<[station: number, start: number, north: number, east: number]>(
    `SELECT f.station, f.data_date, e.latitude, e.longitude
     FROM (SELECT (
         SELECT n.id FROM file n ${dialect.using('file_station')} CROSS JOIN fact x CROSS JOIN equipment e
         WHERE n.station = c.station AND n.data_date >= c.last - ${secondsPerDay}
           AND ${dialect.isIn('+n.kind', 'kinds')}
           AND x.id = n.id AND e.id = x.equipment AND e.latitude IS NOT NULL
         ORDER BY n.data_date DESC, n.kind DESC, n.id DESC LIMIT 1
       ) AS id
       FROM (SELECT station, max(last_date) AS last FROM station_count
         WHERE ${dialect.isIn('kind', 'kinds')} GROUP BY station) c
     ) newest
     JOIN file f ON f.id = newest.id JOIN fact x ON x.id = f.id JOIN equipment e ON e.id = x.equipment
     ORDER BY f.data_date, f.station`,
    { kinds: observations(lookups.kinds) },
  )
  // Of the codes of a site the last one, which is the newest.
  const byCode = new Map(
    found.map(([station, , north, east]) => {
      const code = sites.mainCode(lookups.stations.get(station) ?? '')
      return [code, { code, latitude: north / 1e6, longitude: east / 1e6 }]
    }),
  )
  return [...byCode.values()]
}
