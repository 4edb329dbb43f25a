/**
 * The observation files whose headers speak for the days of stations: of each day those between
 * which only their names decide. They are found in the index, without the other files of the day.
 */
import { secondsPerDay } from '../../parse/calendar.ts'
import { periodSeconds } from '../../parse/long-name.ts'
import { shortNameSpans } from '../../parse/short-name.ts'
import type { ParsedName } from '../../parse/types.ts'
import type { Equipment } from '../../rinex/facts.ts'
import type { EquippedFile } from '../../series/equipment.ts'
import { sourceOrder } from '../../series/equipment.ts'
import type { Dialect } from '../dialect.ts'
import type { Question } from '../question.ts'
import { all, rows } from '../question.ts'
import type { QuestionContext } from './context.ts'
import type { Kind } from './kinds.ts'

/** The ids of all codes of a station, and the first wanted one of its UTC days (since 1970). */
export interface StationDays {
  readonly stations: readonly number[]
  readonly firstDay?: number
}

/** When the first and the last file of a kind start that a station has (seconds). */
type KindRow = readonly [station: number, kind: number, first: number, last: number]

/** A live observation file whose header names equipment. */
type FileRow = readonly [
  id: number,
  station: number,
  start: number,
  kind: number,
  equipment: number,
]

/** Files that come before those of all ranks after theirs. */
interface Rank {
  readonly kinds: ReadonlySet<number>
  readonly isDamaged: boolean
}

type FoundFile = Rank & { readonly row: FileRow }

/** Greater than any day, so that a station and a day are one number. */
const dayLimit = 100_000

/**
 * The files between which `equipmentStretches` chooses, among them the one that it takes of each
 * day.
 * @param wanted different stations
 * @returns the files of each of them
 */
export function* headerFiles(
  wanted: readonly StationDays[],
  context: QuestionContext,
): Question<EquippedFile[][]> {
  const { dialect, lookups } = context
  const kindRows = yield* rows<KindRow>(
    `SELECT station, kind, first_date, last_date FROM station_count
     WHERE ${dialect.isIn('station', 'stations')}`,
    { stations: wanted.flatMap(({ stations }) => stations) },
  )
  const sites = wanted.map((each) => ({ ...each, found: new Map<number, FoundFile[]>() }))
  const byStation = new Map(sites.flatMap((each) => each.stations.map((id) => [id, each])))
  for (const rank of ranks(lookups.kinds)) {
    const own = Map.groupBy(
      kindRows.filter(([, kind]) => rank.kinds.has(kind)),
      ([station]) => station,
    )
    const days = [...own].flatMap(([station, kinds]) =>
      missingDays(kinds, byStation.get(station)).map((day) => station * dayLimit + day),
    )
    if (days.length === 0) continue
    for (const row of yield* firstFiles(days, rank, dialect)) {
      const [, station, start] = row
      const found = byStation.get(station)?.found
      const day = dayOf(start)
      found?.set(day, [...(found.get(day) ?? []), { ...rank, row }])
    }
  }
  return yield* withHeaders(
    sites.map(({ found }) => [...found.values()]),
    context,
  )
}

/** The days between the first and the last file of some kinds of which no file was found yet. */
function missingDays(
  kinds: readonly KindRow[],
  station: { readonly firstDay?: number; readonly found: ReadonlyMap<number, unknown> } | undefined,
): number[] {
  const first = Math.min(...kinds.map(([, , start]) => dayOf(start)))
  const last = Math.max(...kinds.map(([, , , start]) => dayOf(start)))
  const days: number[] = []
  for (let day = Math.max(first, station?.firstDay ?? first); day <= last; day++)
    if (station?.found.has(day) === false) days.push(day)
  return days
}

/** By the preference of the equipment of a station: see `series/equipment.ts`. */
function ranks(kinds: ReadonlyMap<number, Kind>): Rank[] {
  const observed = [...kinds].filter(([, { type }]) => type === 'o')
  const spans = [...new Set(observed.map(([, kind]) => spanOf(kind) ?? 0))].sort((a, b) => b - a)
  return spans.flatMap((span) =>
    [false, true].flatMap((isDamaged) =>
      sourceOrder.map((source) => {
        const own = observed.filter(([, k]) => (spanOf(k) ?? 0) === span && k.source === source)
        return { kinds: new Set(own.map(([id]) => id)), isDamaged }
      }),
    ),
  )
}

/** Seconds; those of years are compared with nothing that a leap day would change. */
function spanOf({ period, duration }: Kind): number | undefined {
  return period === '' ? shortNameSpans[duration] : periodSeconds(period, 2000)
}

/** The files of each of these days that start first. */
function firstFiles(
  days: readonly number[],
  { kinds, isDamaged }: Rank,
  dialect: Dialect,
): Question<FileRow[]> {
  const station = `r.value / ${dayLimit}`
  const day = `r.value % ${dayLimit}`
  const from = `file f ${dialect.using('file_station')} CROSS JOIN fact x`
  const undamaged = `AND NOT EXISTS (SELECT 1 FROM file d ${dialect.using('file_damaged')}
    WHERE d.damaged_us IS NOT NULL AND d.station = f.station AND d.data_date = f.data_date
      AND d.kind = f.kind AND d.id = f.id)`
  const isOfRank = `f.station = ${station} AND ${dialect.isIn('+f.kind', 'kinds')}
    AND x.id = f.id AND x.equipment IS NOT NULL ${isDamaged ? '' : undamaged}`
  return rows(
    `SELECT f.id, f.station, f.data_date, f.kind, x.equipment
     FROM ${dialect.each('days')} CROSS JOIN ${from}
     WHERE ${isOfRank} AND f.data_date = (
       SELECT f.data_date FROM ${from}
       WHERE ${dialect.inTime('f.id')} AND ${isOfRank}
         AND f.data_date >= ${day} * ${secondsPerDay}
         AND f.data_date < (${day} + 1) * ${secondsPerDay}
       ORDER BY f.data_date LIMIT 1)`,
    { days, kinds: [...kinds] },
  )
}

/** The files with what their preference depends on; a name only where it may decide. */
function* withHeaders(
  stations: readonly (readonly FoundFile[][])[],
  { dialect, lookups }: QuestionContext,
): Question<EquippedFile[][]> {
  const days = stations.flat()
  const used = new Set(days.flatMap((files) => files.map(({ row }) => row[4])))
  const [texts = [], names = []] = yield* all(
    {
      sql: `SELECT id, json FROM equipment WHERE ${dialect.isIn('id', 'used')}`,
      values: { used: [...used] },
    },
    {
      sql: `SELECT id, name FROM file WHERE ${dialect.isIn('id', 'ids')}`,
      values: { ids: days.filter(differ).flatMap((files) => files.map(({ row }) => row[0])) },
    },
  )
  const parsed = (texts as unknown as [number, string][]).map(
    ([id, json]) => [id, JSON.parse(json) as Equipment] as const,
  )
  const equipmentOf = new Map(parsed)
  const nameOf = new Map(names as unknown as [number, string][])
  const equipped = ({ row, isDamaged }: FoundFile): EquippedFile[] => {
    const [id, , startSeconds, kind, equipmentId] = row
    const parts = lookups.kinds.get(kind)
    const equipment = equipmentOf.get(equipmentId)
    if (parts === undefined || equipment === undefined) return []
    const source = parts.source as ParsedName['source']
    const name = nameOf.get(id) ?? ''
    const { type } = parts
    return [{ type, startSeconds, spanSeconds: spanOf(parts), source, name, isDamaged, equipment }]
  }
  return stations.map((files) => files.flat().flatMap(equipped))
}

/** True for files of a day that name different equipment. */
function differ(files: readonly FoundFile[]): boolean {
  return files.some(({ row }) => row[4] !== files[0]?.row[4])
}

function dayOf(start: number): number {
  return Math.floor(start / secondsPerDay)
}
