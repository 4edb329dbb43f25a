/** The short way to the summaries of series that stopped long ago gives those of the long way. */
import { summariser } from '../../../src/api/series/ended-series.ts'
import type { Period } from '../../../src/series/series.ts'
import { slotAt, slotsPerDay } from '../../../src/series/series.ts'
import type { SeriesPast } from '../../../src/series/series-summary.ts'
import { summariseSeries } from '../../../src/series/series-summary.ts'
import { SlotSet } from '../../../src/series/slot-set.ts'
import { fc } from '../../random.ts'
import t from '../../tap.ts'

const day = 86_400
/** 2026-01-22 */
const midnight = Date.UTC(2026, 0, 22) / 1000

const histories = fc.record({
  period: fc.constantFrom<Period>('15M', '01H', '01D'),
  /** Days since the last file: around the limits, and decades. */
  daysAgo: fc.oneof(
    fc.integer({ min: 85, max: 125 }),
    fc.integer({ min: 0, max: 400 }),
    fc.integer({ min: 400, max: 12_000 }),
  ),
  days: fc.constantFrom(0, 1, 2, 3, 5, 30, 100, 200),
  every: fc.constantFrom(1, 1, 2, 3, 7),
  damagedAfter: fc.constantFrom(undefined, undefined, 0, 1, 40),
  hasArrivals: fc.boolean(),
  hasRule: fc.nat(9).map((number) => number === 0),
})

type History = typeof histories extends fc.Arbitrary<infer T> ? T : never

function pastOf({ period, ...history }: History, asOf: number): SeriesPast {
  const perDay = slotsPerDay(period)
  const last = slotAt(asOf, period) - Math.floor(history.daysAgo * perDay) - 1
  const slots = Array.from(
    { length: Math.ceil((history.days * perDay) / history.every) },
    (_, index) => last - index * history.every,
  ).reverse()
  const dayOf = (slot: number) => Math.floor(slot / perDay)
  const damaged = history.damagedAfter === undefined ? [] : [last + history.damagedAfter * perDay]
  const hasArrivals = history.hasArrivals && history.daysAgo < 58
  return {
    delivered: SlotSet.of(period, slots, {
      firstDay: dayOf(slots[0] ?? last),
      lastDay: dayOf(last),
    }),
    damaged: new Map(damaged.map((slot) => [slot, 0])),
    first: slots[0],
    arrivals: hasArrivals
      ? { slots, latencies: slots.map(() => 60) }
      : { slots: [], latencies: [] },
    rules: history.hasRule ? [{ fromDay: undefined, toDay: undefined, hours: undefined }] : [],
  }
}

t.test('the summaries of a network are those of each series', async (t) => {
  let ended = 0
  fc.assert(
    fc.property(
      fc.array(histories, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 0, max: 3 * day }),
      (network, seconds) => {
        const asOf = midnight + seconds
        const summarise = summariser(asOf)
        for (const history of network) {
          const past = pastOf(history, asOf)
          const expected = summariseSeries(past, asOf)
          t.strictSame(summarise(past), expected, JSON.stringify(history))
          if (expected.ended) ended++
        }
      },
    ),
    { numRuns: 150 },
  )
  t.ok(ended > 50, `${ended} had ended`)
})
