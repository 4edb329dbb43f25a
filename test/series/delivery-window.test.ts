/** The deliveries in memory, compared with a plain list of all deliveries. */
import { secondsPerDay } from '../../src/parse/calendar.ts'
import { DeliveryWindow, unseen } from '../../src/series/delivery-window.ts'
import type { Period } from '../../src/series/series.ts'
import { periodRules, periods } from '../../src/series/series.ts'
import { fc } from '../random.ts'
import t from '../tap.ts'

const firstDay = 20_000
/** Number of the days of the window, and of those of its last days that have latencies. */
const days = 4
const arrivalDays = 2

interface Delivery {
  readonly day: number
  /** Series 1 to 3; series 1 and 2 are those of a station with two codes. */
  readonly id: number
  /** Number of the slot within its day. */
  readonly slot: number
  readonly latency: number
}

const delivery: fc.Arbitrary<Delivery> = fc.record({
  day: fc.integer({ min: firstDay - 1, max: firstDay + days }),
  id: fc.integer({ min: 1, max: 3 }),
  slot: fc.integer({ min: 0, max: 3 }),
  latency: fc.oneof(fc.constant(unseen), fc.integer({ min: -2, max: 3 })),
})

/** A step adds deliveries, or moves the window to a day. */
const step = fc.oneof(
  { weight: 3, arbitrary: fc.array(delivery, { maxLength: 8 }) },
  { weight: 1, arbitrary: fc.integer({ min: firstDay - 1, max: firstDay + 3 }) },
)

const startOf = ({ day, slot }: Delivery, period: Period): number => {
  const { seconds } = periodRules[period]
  return day * secondsPerDay + Math.min(slot, secondsPerDay / seconds - 1) * seconds
}

/** The catalogue keeps the first delivery of a slot. */
class Reference {
  readonly #period: Period
  #rows: { readonly id: number; readonly start: number; readonly latency: number }[] = []
  /** First day of the window, and first day with latencies. */
  firstDay = firstDay
  firstArrivalDay = firstDay + days - arrivalDays

  constructor(period: Period) {
    this.#period = period
  }

  add(delivery: Delivery): void {
    const { id, latency } = delivery
    const start = startOf(delivery, this.#period)
    if (!this.#rows.some((row) => row.id === id && row.start === start))
      this.#rows.push({ id, start, latency })
  }

  /** Deliveries before the new window are lost, and latencies before its last days too. */
  move(day: number): void {
    this.firstDay = Math.max(day, this.firstDay)
    this.firstArrivalDay = this.firstDay + days - arrivalDays
    this.#rows = this.#rows.filter(({ start }) => start >= this.firstDay * secondsPerDay)
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
    const { seconds } = periodRules[this.#period]
    const rows = this.#rows.filter(
      ({ id, start }) => ids.includes(id) && start >= this.firstDay * secondsPerDay,
    )
    const startsOf = (some: typeof rows): number[] =>
      [...new Set(some.map(({ start }) => start))].sort((a, b) => a - b)
    const seen = rows.filter(
      ({ start, latency }) => latency !== unseen && start >= this.firstArrivalDay * secondsPerDay,
    )
    return {
      slots: startsOf(rows).map((start) => start / seconds),
      arrivals: {
        slots: startsOf(seen).map((start) => start / seconds),
        latencies: startsOf(seen).map((start) =>
          Math.min(...seen.flatMap((row) => (row.start === start ? [row.latency] : []))),
        ),
      },
    }
  }
}

t.test('the deliveries of one code and of two codes are those of a plain list', (t) => {
  const holds = fc.property(fc.constantFrom(...periods), fc.array(step), (period, steps) => {
    const periodOf = new Map([1, 2, 3].map((id) => [id, period]))
    const window = new DeliveryWindow(
      { fromDay: firstDay, toDay: firstDay + days - 1 },
      arrivalDays,
    )
    const reference = new Reference(period)
    for (const each of steps) {
      if (typeof each === 'number') {
        window.moveTo(each)
        reference.move(each)
        continue
      }
      // Only days of the window are read, and a day always with all its deliveries.
      const within = each.filter(
        ({ day }) => day >= reference.firstDay && day < reference.firstDay + days,
      )
      for (const added of within) reference.add(added)
      for (const day of new Set(within.map((added) => added.day)))
        window.add(reference.day(day), periodOf)
    }
    for (const ids of [[1], [2], [1, 2], [1, 2, 3], []]) {
      const slots = window.slotsOf(ids, period)
      t.strictSame([...slots], reference.of(ids).slots, `slots of ${ids.join()}`)
      t.strictSame([slots.period, slots.firstDay], [period, reference.firstDay])
      // A series without deliveries takes no memory.
      if ([...slots].length > 0) t.equal(slots.days, days, 'the set has the days of the window')
      const { slots: arrived, latencies } = window.arrivalsOf(ids)
      t.strictSame({ slots: arrived, latencies }, reference.of(ids).arrivals, ids.join())
    }
  })
  fc.assert(holds, { numRuns: 200 })
  t.end()
})

t.test('deliveries of a series that is not known are left out', async (t) => {
  const window = new DeliveryWindow({ fromDay: firstDay, toDay: firstDay }, 1)
  const start = firstDay * secondsPerDay
  const [ids, latencies] = [Int32Array.of(1, 2), Int32Array.of(5, 6)]
  const day = { day: firstDay, starts: [{ start, ids, latencies }] }
  window.add(day, new Map([[1, '01D']]))
  t.strictSame([...window.slotsOf([1], '01D')], [firstDay])
  t.strictSame([...window.slotsOf([2], '01D')], [])
  t.strictSame(window.arrivalsOf([2]), { slots: [], latencies: [] })
})
