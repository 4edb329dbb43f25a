/** The live files of some series, for many series at once. */
import type { SeriesKey } from '../../series/series.ts'
import { lookbackDays, slotAt, slotsPerDay } from '../../series/series.ts'
import type { SlotRange } from '../../series/slot-states.ts'
import type { Question } from '../question.ts'
import type { QuestionContext } from '../selection/context.ts'
import { endsOf, liveFiles } from './live-files.ts'
import { recordedDeliveries } from './recorded-deliveries.ts'

/** Query for the live files of some series at some time. */
export interface LiveSlotsQuery {
  /** Seconds since 1970; later slots do not count. */
  readonly now: number
  readonly series: readonly (SeriesKey & {
    /** Code of the station, also the short one of a site with a long one. */
    readonly station: string
    /** Slots to read; without it those of the `lookbackDays` up to the last one. */
    readonly range?: SlotRange
    /** True to read the recorded deliveries of the range too. */
    readonly withRecorded?: boolean
    /** A delivered slot that may have no live file any more; it counts for `first`. */
    readonly firstDelivered?: number | undefined
  })[]
}

/** The live files of a series. */
export interface LiveSlots {
  /** The first slot with a live file that is not damaged; `undefined` if there is none. */
  readonly first: number | undefined
  /** Distinct slots of the range with such a file, ascending. */
  readonly slots: readonly number[]
  /**
   * Slots of the range with a recorded delivery, ascending, also if its file was removed; none
   * unless they were asked for.
   */
  readonly recorded: readonly number[]
}

/** The live files of some series, in the order of the query. @throws NotBuilt */
export function* liveSlots(
  { series, now }: LiveSlotsQuery,
  context: QuestionContext,
): Question<readonly LiveSlots[]> {
  yield* context.lookups.refresh({ needsBuilt: true })
  const sites = yield* context.lookups.sites()
  // Searched once: a query has many series of many stations.
  const byCode = Map.groupBy(context.lookups.stations, ([, code]) => sites.mainCode(code))
  const answers: LiveSlots[] = []
  for (const { station, ...key } of series) {
    const ids = (byCode.get(sites.mainCode(station)) ?? []).map(([id]) => id)
    const live = yield* liveFiles(ids, key, context)
    const delivered = key.firstDelivered === undefined ? [] : [key.firstDelivered]
    const slot = slotAt(now, key.period)
    const { first } = yield* endsOf(live, delivered, slot)
    const to = (yield* live.lastUpTo(slot)) ?? slot
    const last = { from: to - lookbackDays * slotsPerDay(key.period), to }
    const range = key.range ?? last
    const slots = yield* live.slotsIn(range)
    const found =
      key.withRecorded === true
        ? yield* recordedDeliveries(ids, { ...key, now: slot, range }, context)
        : []
    answers.push({ first, slots, recorded: found.map(([each]) => each) })
  }
  return answers
}
