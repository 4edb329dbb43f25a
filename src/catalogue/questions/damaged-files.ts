/** The damaged live files of series, by `file_damaged`. */
import { secondsPerDay } from '../../parse/calendar.ts'
import { seriesOf, slotAt } from '../../series/series.ts'
import type { DayRange } from '../../series/series.ts'
import type { Dialect } from '../dialect.ts'
import { rows } from '../question.ts'
import type { Question, Statement } from '../question.ts'
import type { QuestionContext } from '../selection/lookups.ts'
import type { DamagedFile } from '../series-queries.ts'

export type DamagedRow = readonly [station: number, kind: number, start: number, foundUs: number]

/** All rows, or those of a station. @param kinds ids of the kinds of a series */
export function damagedRows(
  dialect: Dialect,
  of?: { readonly station: number; readonly kinds: readonly number[] },
): Statement {
  const own = `AND station = @station AND ${dialect.isIn('+kind', 'kinds')}`
  return {
    sql: `SELECT station, kind, data_date, damaged_us FROM file ${dialect.using('file_damaged')}
      WHERE damaged_us IS NOT NULL ${of === undefined ? '' : own}
      ORDER BY station, data_date, kind, id`,
    values: { ...of },
  }
}

/** The damaged live files of series whose data begin on some days, with their paths. */
export function* damagedFiles(
  { fromDay, toDay }: DayRange,
  context: QuestionContext,
): Question<readonly DamagedFile[]> {
  yield* context.lookups.refresh(['station_count'])
  const sites = yield* context.lookups.sites()
  const { stations, kinds } = context.lookups
  const found = yield* rows<[station: number, kind: number, start: number, path: string]>(
    `SELECT f.station, f.kind, f.data_date, d.path || '/' || f.name
     FROM file f ${context.dialect.using('file_damaged')} JOIN directory d ON d.id = f.directory
     WHERE f.damaged_us IS NOT NULL AND f.data_date >= @start AND f.data_date < @end
     ORDER BY f.station, f.data_date, f.id`,
    { start: fromDay * secondsPerDay, end: (toDay + 1) * secondsPerDay },
  )
  return found.flatMap(([stationId, kind, start, path]) => {
    const parts = kinds.get(kind)
    const key = parts && seriesOf({ ...parts, period: parts.period || undefined })
    const own = stations.get(stationId) ?? ''
    const station = sites.longCode(own) ?? own
    return key === undefined ? [] : [{ station, ...key, slot: slotAt(start, key.period), path }]
  })
}
