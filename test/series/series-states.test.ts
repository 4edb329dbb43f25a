/**
 * States, figures and gaps of random histories, compared with the slow reference in every field.
 */
import t from '../tap.ts'
import { availabilityOf } from '../../src/series/availability.ts'
import type { Measure } from '../../src/series/completeness.ts'
import type { ExpectedRule } from '../../src/series/expectation.ts'
import { slotAt, slotsPerDay, startOf } from '../../src/series/series.ts'
import { summariseSeries } from '../../src/series/series-summary.ts'
import { firstSlot, slotStates, stateText } from '../../src/series/slot-states.ts'
import { SlotSet } from '../../src/series/slot-set.ts'
import { fc } from '../random.ts'
import { histories } from './histories.ts'
import { oracleMissing, oracleNow, oracleRange } from './oracle.ts'
import type { History } from './oracle.ts'

const numRuns = Number(process.env['HISTORIES'] ?? 300)

/** The history in the form of the functions under test. */
function pastOf(history: History, range: { readonly from: number }) {
  const { period, delivered: latencies, live: liveSlots, asOf, rules = [] } = history
  const perDay = slotsPerDay(period)
  const now = slotAt(asOf, period)
  const all = [...latencies.keys()].filter((slot) => slot <= now).sort((a, b) => a - b)
  const days = {
    firstDay: Math.floor(Math.min(all[0] ?? range.from, range.from) / perDay),
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
    first: firstSlot((slot) => delivered.firstFrom(slot), period),
    last: delivered.lastUpTo(now),
    arrivals: {
      slots: arrived.map(({ slot }) => slot),
      latencies: arrived.map(({ latency }) => latency),
    },
    rules: rules.map(({ fromDay, toDay, hours }): ExpectedRule => ({ fromDay, toDay, hours })),
  }
}

const orNull = <T>(value: T | undefined): T | null => value ?? null

function summaryOf(history: History, range: { readonly from: number }) {
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
    present_28d: summary.present,
    completeness_28d: orNull(summary.completeness),
    expected_28d: summary.expected,
    delivered_28d: summary.delivered,
    share_28d: orNull(summary.share),
    within_target_28d: orNull(summary.withinTarget),
    class: orNull(summary.class),
  }
}

function availability(
  history: History,
  range: { readonly from: number; readonly to: number },
  measure: Measure,
) {
  const { period, asOf, knownFrom } = history
  const past = pastOf(history, range)
  const from = slotAt(asOf, period) - 28 * slotsPerDay(period)
  const latencies = past.arrivals.latencies
    .filter((_, index) => (past.arrivals.slots[index] ?? NaN) >= from)
    .sort((a, b) => a - b)
  const found = availabilityOf(
    { ...past, range, latencies, knownFromSeconds: knownFrom },
    measure,
    asOf,
  )
  const start = (slot: number): number => startOf(slot, period)
  return {
    states: stateText(found.runs),
    first: past.first === undefined ? null : start(past.first),
    last: past.last === undefined ? null : start(past.last),
    ended: found.ended,
    slots: range.to - range.from + 1,
    possible: found.possible,
    present: found.present,
    completeness: orNull(found.completeness),
    expected: found.expected,
    delivered: found.delivered,
    share: orNull(found.share),
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

t.test('the state now and the figures of 28 days are those of the reference', async (t) => {
  fc.assert(
    fc.property(histories, ({ history, range }) => {
      const [found, wanted] = [summaryOf(history, range), oracleNow(history)]
      if (JSON.stringify(found) !== JSON.stringify(wanted)) {
        t.strictSame(found, wanted)
        return false
      }
      return true
    }),
    { numRuns, endOnFailure: true },
  )
})

t.test('states, figures and gaps of any range are those of the reference', async (t) => {
  fc.assert(
    fc.property(
      histories,
      fc.constantFrom('archived' as const, 'delivered' as const),
      ({ history, range }, measure) => {
        const found = availability(history, range, measure)
        const wanted = oracleRange(history, range, measure)
        if (JSON.stringify(found) === JSON.stringify(wanted)) return true
        t.strictSame(found, wanted)
        return false
      },
    ),
    { numRuns, endOnFailure: true },
  )
})

t.test('late and missing slots are those of the reference', async () => {
  fc.assert(
    fc.property(histories, ({ history, range }) => {
      const { delivered, first, rules } = pastOf(history, range)
      const { late_after_s: lateAfter } = oracleNow(history)
      const states = slotStates(
        { live: delivered, delivered, first, lateAfter, rules },
        range,
        history.asOf,
      )
      const found = states.runs.flatMap(({ state, firstSlot, slots }) =>
        state === 'late' || state === 'missing'
          ? Array.from({ length: slots }, (_, index) => `${firstSlot + index} ${state}`)
          : [],
      )
      const wanted = oracleMissing(history, range).map(({ slot, state }) => `${slot} ${state}`)
      return found.join() === wanted.join()
    }),
    { numRuns, endOnFailure: true },
  )
})
