/** The deliveries in memory, compared with a plain list of all deliveries. */
import t from '../tap.ts'
import { DeliveryWindow } from '../../src/series/delivery-window.ts'
import { periodRules, periods } from '../../src/series/series.ts'
import type { Period } from '../../src/series/series.ts'
import { secondsPerDay } from '../../src/parse/calendar.ts'
import { fc } from '../random.ts'

const firstDay = 20_000

interface Delivery {
  readonly day: number
  /** Series 1 to 3; series 1 and 2 are those of a station with two codes. */
  readonly id: number
  /** Number of the slot within its day. */
  readonly slot: number
  readonly latency: number
}

const delivery: fc.Arbitrary<Delivery> = fc.record({
  day: fc.integer({ min: firstDay, max: firstDay + 3 }),
  id: fc.integer({ min: 1, max: 3 }),
  slot: fc.integer({ min: 0, max: 3 }),
  latency: fc.integer({ min: -1, max: 3 }),
})

/** A step adds deliveries, or drops the days before a day. */
const step = fc.oneof(
  fc.array(delivery, { maxLength: 8 }),
  fc.integer({ min: firstDay, max: firstDay + 4 }),
)

const startOf = ({ day, slot }: Delivery, period: Period): number => {
  const { seconds } = periodRules[period]
  return day * secondsPerDay + Math.min(slot, secondsPerDay / seconds - 1) * seconds
}

/** The catalogue keeps the first delivery of a slot. */
class Reference {
  readonly #period: Period
  #rows: { readonly id: number; readonly start: number; readonly latency: number }[] = []

  constructor(period: Period) {
    this.#period = period
  }

  add(delivery: Delivery): void {
    const { id, latency } = delivery
    const start = startOf(delivery, this.#period)
    if (!this.#rows.some((row) => row.id === id && row.start === start))
      this.#rows.push({ id, start, latency })
  }

  drop(day: number): void {
    this.#rows = this.#rows.filter(({ start }) => start >= day * secondsPerDay)
  }

  /** The deliveries of a day, as the catalogue returns them. */
  day(day: number) {
    const ofDay = this.#rows.filter(({ start }) => Math.floor(start / secondsPerDay) === day)
    const starts = [...new Set(ofDay.map(({ start }) => start))].sort((a, b) => a - b)
    return {
      day,
      starts: starts.map((start) => {
        const rows = ofDay.filter((row) => row.start === start)
        return {
          start,
          ids: Int32Array.from(rows, ({ id }) => id),
          latencies: Int32Array.from(rows, ({ latency }) => latency),
        }
      }),
    }
  }

  of(ids: readonly number[]) {
    const rows = this.#rows.filter(({ id }) => ids.includes(id))
    const starts = [...new Set(rows.map(({ start }) => start))].sort((a, b) => a - b)
    return {
      slots: starts.map((start) => start / periodRules[this.#period].seconds),
      latencies: starts.map((start) => {
        const seen = rows.filter((row) => row.start === start && row.latency >= 0)
        return seen.length === 0 ? -1 : Math.min(...seen.map(({ latency }) => latency))
      }),
    }
  }
}

t.test('the deliveries of one code and of two codes are those of a plain list', (t) => {
  const holds = fc.property(fc.constantFrom(...periods), fc.array(step), (period, steps) => {
    const periodOf = new Map([1, 2, 3].map((id) => [id, period]))
    const [window, reference] = [new DeliveryWindow(), new Reference(period)]
    for (const each of steps) {
      if (typeof each === 'number') {
        window.dropBefore(each)
        reference.drop(each)
        continue
      }
      for (const added of each) reference.add(added)
      for (const day of new Set(each.map((added) => added.day)))
        window.replace(reference.day(day), periodOf)
    }
    for (const ids of [[1], [2], [1, 2], [1, 2, 3], []]) {
      const { slots, latencies } = window.deliveriesOf(ids)
      t.strictSame({ slots, latencies }, reference.of(ids), ids.join())
    }
  })
  fc.assert(holds, { numRuns: 200 })
  t.end()
})
