/** The recorded deliveries of one series. */
import type { SeriesKey } from '../../series/series.ts'
import { deliveryDays, periodRules, slotsPerDay } from '../../series/series.ts'
import type { SlotRange } from '../../series/slot-states.ts'
import type { Question } from '../question.ts'
import { column, rows } from '../question.ts'
import type { QuestionContext } from '../selection/context.ts'

/** A recorded delivery; `latency` is at least 0, null if the file was not seen arriving. */
type Delivery = [slot: number, latency: number | null]

/**
 * The recorded deliveries of a series up to now, by default all; the earliest counts if a slot has
 * several.
 */
export function* recordedDeliveries(
  stations: readonly number[],
  query: SeriesKey & { readonly now: number; readonly range?: SlotRange },
  context: QuestionContext,
): Question<Delivery[]> {
  const { fileType, period, now, range = { from: -Infinity, to: now } } = query
  const start = Math.max(oldestSlot(query), range.from)
  const end = Math.min(now, range.to) + 1
  if (start >= end) return []
  const series = yield* column<number>(
    `SELECT id FROM series WHERE ${context.dialect.isIn('station', 'stations')}
     AND file_type = @fileType AND period = @period`,
    { stations, fileType, period },
  )
  if (series.length === 0) return []
  const { seconds } = periodRules[period]
  const earliest = 'min(latency_s)'
  const atLeast0 = `CASE WHEN ${earliest} < 0 THEN 0 ELSE ${earliest} END`
  // One lookup per slot, because deliveries are stored by time.
  return yield* rows<Delivery>(
    `WITH RECURSIVE slot (start) AS (
       SELECT CAST(@start AS bigint) UNION ALL
       SELECT start + @seconds FROM slot WHERE start + @seconds < @end)
     SELECT start / @seconds, ${atLeast0} FROM slot CROSS JOIN delivery
     WHERE ${context.dialect.inTime('start')} AND data_date = start
       AND ${context.dialect.isIn('series', 'series')}
     GROUP BY start ORDER BY start`,
    { series, start: start * seconds, end: end * seconds, seconds },
  )
}

/** The first slot of which deliveries are read: older deliveries are purged. */
export function oldestSlot({
  period,
  now,
}: Pick<SeriesKey, 'period'> & { readonly now: number }): number {
  return now - deliveryDays * slotsPerDay(period)
}
