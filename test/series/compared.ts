/** The answers of the program to a history, compared with those of the slow reference. */
import assert from 'node:assert/strict'
import { availabilityOf } from '../../src/series/availability.ts'
import type { ExpectedRule } from '../../src/series/expectation.ts'
import { slotAt, slotsPerDay, startOf } from '../../src/series/series.ts'
import { summariseSeries } from '../../src/series/series-summary.ts'
import { SlotSet } from '../../src/series/slot-set.ts'
import { slotStates, stateText } from '../../src/series/slot-states.ts'
import type { History, MissingSlot, NowAnswer, Range, RangeAnswer } from './oracle.ts'
import { oracleMissing, oracleNow, oracleRange } from './oracle.ts'

/** The history in the form of the functions under test. */
export function pastOf(history: History, range?: Range) {
  const { period, delivered: latencies, live: liveSlots, damaged, asOf, rules = [] } = history
  const { half = [] } = history
  const perDay = slotsPerDay(period)
  const now = slotAt(asOf, period)
  const all = [...latencies.keys()].filter((slot) => slot <= now).sort((a, b) => a - b)
  const days = {
    firstDay: Math.floor(Math.min(all[0] ?? now, range?.from ?? now) / perDay),
    lastDay: Math.floor(now / perDay),
  }
  const delivered = SlotSet.of(period, all, days)
  const live = SlotSet.of(period, liveSlots, days).upTo(now)
  const arrived = all.flatMap((slot) => {
    const latency = latencies.get(slot)
    return latency === undefined ? [] : [{ slot, latency }]
  })
  return {
    delivered,
    live,
    damaged: new Map([...damaged].filter(([slot]) => slot <= now)),
    half: SlotSet.of(period, half, days).upTo(now - 1),
    first: delivered.firstFrom(-Infinity),
    last: delivered.lastUpTo(now),
    arrivals: {
      slots: arrived.map(({ slot }) => slot),
      latencies: arrived.map(({ latency }) => latency),
    },
    rules: rules.map(({ fromDay, toDay, hours }): ExpectedRule => ({ fromDay, toDay, hours })),
  }
}

const orNull = <T>(value: T | undefined): T | null => value ?? null

function summaryOf(history: History, range?: Range) {
  const { period, asOf } = history
  const summary = summariseSeries(pastOf(history, range), asOf)
  return {
    state: summary.state,
    ended: summary.ended,
    since: orNull(summary.since),
    usual_s: orNull(summary.usualLatency),
    late_after_s: summary.lateAfter,
    last_slot: summary.lastSlot === undefined ? null : startOf(summary.lastSlot, period),
    last_arrival: orNull(summary.lastArrival),
    possible_28d: summary.possible,
    delivered_28d: summary.delivered,
    half_28d: summary.half,
    completeness_28d: orNull(summary.completeness),
    expected_28d: summary.expected,
    within_target_28d: orNull(summary.withinTarget),
    class: orNull(summary.class),
  }
}

function availability(history: History, range: Range) {
  const { period, asOf } = history
  const past = pastOf(history, range)
  const from = slotAt(asOf, period) - 28 * slotsPerDay(period)
  const latencies = past.arrivals.latencies
    .filter((_, index) => (past.arrivals.slots[index] ?? NaN) >= from)
    .map((latency) => Math.max(0, latency))
    .sort((a, b) => a - b)
  const found = availabilityOf(past, { range, latencies, asOf })
  const start = (slot: number): number => startOf(slot, period)
  return {
    states: stateText(found.runs),
    first: past.first === undefined ? null : start(past.first),
    last: past.last === undefined ? null : start(past.last),
    ended: found.ended,
    slots: range.to - range.from + 1,
    possible: found.possible,
    delivered: found.delivered,
    half: found.half,
    completeness: orNull(found.completeness),
    class: orNull(found.class),
    gaps: found.gaps.map(({ firstSlot, slots, state }) => [
      start(firstSlot),
      start(firstSlot + slots),
      slots,
      state,
    ]),
    spans: found.runs
      .filter(({ state }) => state === 'present')
      .map(({ firstSlot, slots }) => [start(firstSlot), start(firstSlot + slots)]),
  }
}

/** The state now and the figures of 28 days. */
export function checkedNow(history: History, range?: Range): NowAnswer {
  const wanted = oracleNow(history)
  assert.deepEqual(summaryOf(history, range), wanted)
  return wanted
}

/** States, figures and gaps of a range. */
export function checkedRange(history: History, range: Range): RangeAnswer {
  const wanted = oracleRange(history, range)
  assert.deepEqual(availability(history, range), wanted)
  return wanted
}

/** Late, missing and damaged slots of a range. */
export function checkedMissing(history: History, range: Range): MissingSlot[] {
  const { delivered, damaged, first, rules } = pastOf(history, range)
  const { late_after_s: lateAfter } = oracleNow(history)
  const states = slotStates({ delivered, damaged, first, rules }, range, {
    asOf: history.asOf,
    lateAfter,
  })
  const found = states.runs.flatMap(({ state, firstSlot, slots }) =>
    state === 'late' || state === 'missing' || state === 'damaged'
      ? Array.from({ length: slots }, (_, index) => ({ slot: firstSlot + index, state }))
      : [],
  )
  const wanted = oracleMissing(history, range)
  assert.deepEqual(
    found,
    wanted.map(({ slot, state }) => ({ slot, state })),
  )
  return wanted
}
