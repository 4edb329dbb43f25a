/** The flagged files of stations, by the days of their data. */
import { secondsPerDay } from '../../parse/calendar.ts'
import type { FlaggedStation } from '../../series/flags.ts'
import type { DayRange } from '../../series/series.ts'
import { flagsIn } from '../facts/values.ts'
import type { Question } from '../question.ts'
import { all } from '../question.ts'
import type { QuestionContext } from '../selection/context.ts'
import { dayOf } from '../tables/days.ts'

type ReadRow = [station: number, kind: number, files: number]
type FlaggedRow = [station: number, kind: number, day: number, flags: number, files: number]

/**
 * The live files of some days that were read for what is inside, by station and type, with those
 * that have flags. It reads an index entry and a fact of each file of these days.
 * @throws NotBuilt
 */
export function* flaggedFiles(
  { fromDay, toDay }: DayRange,
  { dialect, lookups }: QuestionContext,
): Question<readonly FlaggedStation[]> {
  yield* lookups.refresh({ needsBuilt: true })
  const sites = yield* lookups.sites()
  const values = { start: fromDay * secondsPerDay, end: (toDay + 1) * secondsPerDay }
  // CROSS JOIN keeps the order of the tables.
  const from = (index: string): string => `station s
    CROSS JOIN file f ${dialect.using('file_station')} CROSS JOIN fact x ${dialect.using(index)}
    WHERE ${dialect.inTime('f.id')} AND f.station = s.id
      AND f.data_date >= @start AND f.data_date < @end AND x.id = f.id`
  const [read, flagged] = (yield* all(
    { sql: `SELECT f.station, f.kind, count(*) FROM ${from('')} GROUP BY 1, 2`, values },
    {
      sql: `SELECT f.station, f.kind, ${dayOf('f.data_date')}, x.flags, count(*)
        FROM ${from('fact_flagged')} AND x.flags <> 0 GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`,
      values,
    },
  )) as unknown as [ReadRow[], FlaggedRow[]]
  const found = new Map<string, Found>()
  const foundAt = (stationId: number, kind: number): Found | undefined => {
    const station = sites.mainCode(lookups.stations.get(stationId) ?? '')
    const fileType = lookups.kinds.get(kind)?.type
    if (fileType === undefined) return undefined
    const key = `${station} ${fileType}`
    const known = found.get(key) ?? { station, fileType, read: 0, flagged: [] }
    found.set(key, known)
    return known
  }
  for (const [station, kind, files] of read) {
    const of = foundAt(station, kind)
    if (of !== undefined) of.read += files
  }
  for (const [station, kind, day, bits, files] of flagged)
    foundAt(station, kind)?.flagged.push({ day, flags: flagsIn(bits), files })
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each)
}

interface Found extends FlaggedStation {
  read: number
  readonly flagged: FlaggedStation['flagged'][number][]
}
