/** How a station delivers, and its last 28 days, from all of its observation files. Pure. */
import { secondsPerDay } from '../parse/calendar.ts'
import { apartHalf } from './half.ts'
import type { Period, SeriesKey } from './series.ts'
import { recentDays, slotsPerDay } from './series.ts'
import type { SeriesSummary } from './series-summary.ts'
import type { SeriesHistory, SlotState, StateRun } from './slot-states.ts'
import type { State, StationDelivery } from './station-states.ts'
import { severityOf, stateOf } from './station-states.ts'

/** The state of a slot in a picture, where those that are half are apart. */
export type DrawnState = SlotState | 'half'

/** The state of a day: that of its slots; `part` if only some of them are there. */
export type DayState = DrawnState | 'part'

const lostStates = ['missing', 'late', 'damaged'] as const

/** The state of a day from those of its slots. What is not expected lacks in no day. */
export function dayStateOf(slots: ReadonlySet<DrawnState>): DayState {
  const lost = lostStates.filter((state) => slots.has(state))
  const isThere = slots.has('present') || slots.has('removed') || slots.has('half')
  const [worst] = lost
  if (worst !== undefined) return isThere && worst !== 'damaged' ? 'part' : worst
  const others = ['half', 'present', 'removed', 'due', 'silent', 'future'] as const
  return others.find((state) => slots.has(state)) ?? 'future'
}

/** The states of slots by day, added to a map. */
export function addDays(
  days: Map<number, Set<DrawnState>>,
  { state, firstSlot, slots }: StateRun<DrawnState>,
  period: Period,
): void {
  const perDay = slotsPerDay(period)
  for (let day = Math.floor(firstSlot / perDay); day * perDay < firstSlot + slots; day++) {
    const ofDay = days.get(day) ?? new Set()
    days.set(day, ofDay.add(state))
  }
}

/** A series with what its last 28 days were, and its first delivered slot. */
interface RecentSeries extends SeriesKey {
  readonly summary: SeriesSummary
  readonly past: Pick<SeriesHistory, 'first' | 'half'>
}

/** A station as lists and pictures show it. */
export interface StationDays {
  /** The worst of its series. */
  readonly state: State
  /** Its mark; `undefined` if nothing is expected of it now. */
  readonly delivery: StationDelivery | undefined
  /** The last 28 days, today last; `undefined` before the first file. */
  readonly days: readonly (DayState | undefined)[]
}

/** @param series those of one station, at least one. @param asOf seconds since 1970 */
export function stationDays(series: readonly RecentSeries[], asOf: number): StationDays {
  const found = new Map<number, Set<DrawnState>>()
  for (const { period, summary, past } of observations(series))
    for (const run of apartHalf(summary.runs, past.half)) {
      // Of a series that is not expected, nothing is due.
      if (run.state === 'due' && summary.state === 'silent') continue
      // Before the first file, nothing was silent.
      const first = run.state === 'silent' ? (past.first ?? Infinity) : -Infinity
      const skipped = Math.max(0, first - run.firstSlot)
      if (skipped < run.slots)
        addDays(
          found,
          { ...run, firstSlot: run.firstSlot + skipped, slots: run.slots - skipped },
          period,
        )
    }
  const today = Math.floor(asOf / secondsPerDay)
  const days = Array.from({ length: recentDays }, (_, index) => {
    const slots = found.get(today - recentDays + 1 + index)
    return slots && dayStateOf(slots)
  })
  const state = worstState(series)
  return { state, delivery: deliveryOf(state, days), days }
}

/** The series of observations, or all of a station without any. */
export function observations<Series extends SeriesKey>(
  series: readonly Series[],
): readonly Series[] {
  const own = series.filter(({ fileType }) => fileType === 'o')
  return own.length > 0 ? own : series
}

function worstState(series: readonly RecentSeries[]): State {
  const states = series.map(({ summary }) => stateOf(summary))
  return states.reduce(
    (worst, each) => (severityOf(each) < severityOf(worst) ? each : worst),
    'unknown',
  )
}

function deliveryOf(
  state: State,
  days: readonly (DayState | undefined)[],
): StationDelivery | undefined {
  if (state === 'down' || state === 'late') return state
  if (state !== 'present') return undefined
  const lost: readonly (DayState | undefined)[] = [...lostStates, 'part']
  return days.some((day) => lost.includes(day)) ? 'gaps' : 'delivers'
}
