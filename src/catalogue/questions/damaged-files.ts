/** The paths of the damaged files of series. */
import { secondsPerDay } from '../../parse/calendar.ts'
import type { DayRange, SeriesKey } from '../../series/series.ts'
import { seriesOf, slotAt } from '../../series/series.ts'
import type { Question } from '../question.ts'
import { rows } from '../question.ts'
import type { QuestionContext } from '../selection/context.ts'
import { pathOf } from '../tables/paths.ts'

/** A damaged live file of a series, and the slot that it fills. */
export interface DamagedFile extends SeriesKey {
  /** As in `NetworkSeries`. */
  readonly station: string
  readonly slot: number
  /** Below the archive root. */
  readonly path: string
}

/**
 * The damaged live files of series whose data begin on some days, with their paths.
 * @throws NotBuilt
 */
export function* damagedFiles(
  { fromDay, toDay }: DayRange,
  context: QuestionContext,
): Question<readonly DamagedFile[]> {
  yield* context.lookups.refresh({ needsBuilt: true })
  const sites = yield* context.lookups.sites()
  const { stations, kinds } = context.lookups
  const found = yield* rows<[station: number, kind: number, start: number, path: string]>(
    `SELECT f.station, f.kind, f.data_date, ${pathOf('d.path', 'f.name')}
     FROM file f ${context.dialect.using('file_damaged')} JOIN directory d ON d.id = f.directory
     WHERE f.damaged_us IS NOT NULL AND f.data_date >= @start AND f.data_date < @end
     ORDER BY f.station, f.data_date, f.id`,
    { start: fromDay * secondsPerDay, end: (toDay + 1) * secondsPerDay },
  )
  return found.flatMap(([stationId, kind, start, path]) => {
    const parts = kinds.get(kind)
    const key = parts && seriesOf(parts)
    const station = sites.mainCode(stations.get(stationId) ?? '')
    return key === undefined ? [] : [{ station, ...key, slot: slotAt(start, key.period), path }]
  })
}
