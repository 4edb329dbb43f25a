/** The flagged files of stations, by the days of their data. */
import { secondsPerDay } from '../../parse/calendar.ts'
import { compareText } from '../../series/ascending.ts'
import type { FlaggedStation } from '../../series/flags.ts'
import type { DayRange } from '../../series/series.ts'
import { flagsIn } from '../facts/values.ts'
import type { Question } from '../question.ts'
import { rows } from '../question.ts'
import type { QuestionContext } from '../selection/context.ts'
import { dayOf } from '../tables/days.ts'

/** Files with the same flags; `null` for those that were not read. */
type FlagsRow = [station: number, kind: number, day: number, flags: number | null, files: number]

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
  // CROSS JOIN keeps the order of the tables. A join with the facts could read all of them.
  const read = yield* rows<FlagsRow>(
    `SELECT station, kind, day, flags, count(*)
     FROM (SELECT f.station, f.kind, ${dayOf('f.data_date')} AS day,
         (SELECT x.flags FROM fact x WHERE x.id = f.id) AS flags
       FROM station s CROSS JOIN file f ${dialect.using('file_station')}
       WHERE ${dialect.inTime('f.id')} AND f.station = s.id
         AND f.data_date >= @start AND f.data_date < @end) n
     GROUP BY station, kind, day, flags ORDER BY station, kind, day, flags`,
    { start: fromDay * secondsPerDay, end: (toDay + 1) * secondsPerDay },
  )
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
  for (const [station, kind, day, bits, files] of read) {
    const of = bits === null ? undefined : foundAt(station, kind)
    if (bits === null || of === undefined) continue
    of.read += files
    if (bits !== 0) of.flagged.push({ day, flags: flagsIn(bits), files })
  }
  return [...found].sort(([a], [b]) => compareText(a, b)).map(([, each]) => each)
}

interface Found extends FlaggedStation {
  read: number
  readonly flagged: FlaggedStation['flagged'][number][]
}
