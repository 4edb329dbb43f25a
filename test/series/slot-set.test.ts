/** The set of slots with a bit for each, compared with a plain set. */
import type { Period } from '../../src/series/series.ts'
import { periods, slotsPerDay } from '../../src/series/series.ts'
import { SlotSet } from '../../src/series/slot-set.ts'
import { fc } from '../random.ts'
import t from '../tap.ts'

const mostDays = 12

/** A slot, by the day of the range on which it is, some days before and after it among them. */
const place = fc.record({
  day: fc.integer({ min: -3, max: mostDays + 3 }),
  /** Part of the day, in 96ths. */
  part: fc.integer({ min: 0, max: 95 }),
})

type Place = typeof place extends fc.Arbitrary<infer One> ? One : never

const cases = fc.record({
  period: fc.constantFrom(...periods),
  firstDay: fc.oneof(fc.integer({ min: -20, max: 5 }), fc.constantFrom(-3653, 20_454)),
  days: fc.integer({ min: 0, max: mostDays }),
  added: fc.array(place, { maxLength: 80 }),
  moves: fc.array(fc.integer({ min: -2, max: 4 }), { maxLength: 4 }),
  more: fc.array(place, { maxLength: 10 }),
  asked: fc.array(place, { minLength: 1, maxLength: 12 }),
})

type Case = typeof cases extends fc.Arbitrary<infer One> ? One : never

const ascending = (slots: Iterable<number>): number[] => [...slots].sort((a, b) => a - b)

/** The set and the plain set with the same slots, and the slots to ask for. */
function build({ period, firstDay, days, added, moves, more, asked }: Case) {
  const perDay = slotsPerDay(period)
  let first = firstDay
  const slotOf = ({ day, part }: Place): number =>
    (firstDay + day) * perDay + Math.floor((part * perDay) / 96)
  const isIn = (slot: number): boolean => slot >= first * perDay && slot < (first + days) * perDay
  const set = new SlotSet(period, firstDay, days)
  let plain = new Set<number>()
  const add = (slot: number): void => {
    set.add(slot)
    if (isIn(slot)) plain.add(slot)
  }
  added.map(slotOf).forEach(add)
  for (const by of moves) {
    set.moveTo(first + by)
    first = Math.max(first, first + by)
    plain = new Set([...plain].filter(isIn))
  }
  more.map(slotOf).forEach(add)
  return { set, plain, first, perDay, slots: asked.map(slotOf) }
}

/** Compares all that a set says with a plain set. */
function compare(set: SlotSet, plain: ReadonlySet<number>, slots: readonly number[]): void {
  const perDay = slotsPerDay(set.period)
  const sorted = ascending(plain)
  t.strictSame([...set], sorted, 'iteration')
  for (const slot of slots) {
    t.equal(set.has(slot), plain.has(slot), `has ${slot}`)
    const last = sorted.findLast((each) => each <= slot)
    t.equal(set.lastUpTo(slot), last, `lastUpTo ${slot}`)
    const first = sorted.find((each) => each >= slot)
    t.equal(set.firstFrom(slot), first, `firstFrom ${slot}`)
    const day = Math.floor(slot / perDay)
    const ofDay = sorted.filter((each) => Math.floor(each / perDay) === day)
    t.equal(set.countOn(day), ofDay.length, `countOn ${day}`)
    t.equal(set.firstOn(day), ofDay[0], `firstOn ${day}`)
  }
  t.equal(set.lastUpTo(Infinity), sorted.at(-1))
  t.equal(set.lastUpTo(-Infinity), undefined)
  t.equal(set.firstFrom(-Infinity), sorted[0])
  t.equal(set.firstFrom(Infinity), undefined)
}

t.test('a set has the slots of a plain set, also after its range has moved', async (t) => {
  fc.assert(
    fc.property(cases, (each) => {
      const { set, plain, first, slots } = build(each)
      t.strictSame([set.firstDay, set.lastDay], [first, first + each.days - 1])
      compare(set, plain, slots)
    }),
    { numRuns: 200 },
  )
})

t.test('a set up to a slot is one without the later slots', async () => {
  fc.assert(
    fc.property(cases, (each) => {
      const { set, plain, slots } = build(each)
      for (const end of [...slots.slice(0, 3), -Infinity, Infinity]) {
        const kept = new Set([...plain].filter((slot) => slot <= end))
        compare(set.upTo(end), kept, slots)
      }
      compare(set, plain, slots)
    }),
    { numRuns: 100 },
  )
})

t.test('a set is filled from slots and from another set', async () => {
  fc.assert(
    fc.property(cases, (each) => {
      const { set, plain, slots, perDay } = build(each)
      const { firstDay, lastDay } = set
      const isIn = (slot: number): boolean =>
        slot >= firstDay * perDay && slot < (lastDay + 1) * perDay
      const added = new Set(slots.filter(isIn))
      const other = SlotSet.of(each.period, slots, { firstDay, lastDay })
      compare(other, added, slots)
      set.addAll(other)
      compare(set, new Set([...plain, ...added]), slots)
    }),
    { numRuns: 100 },
  )
})

t.test('a range that moves beyond its length is empty', async (t) => {
  for (const period of ['15M', '01H', '01D'] satisfies Period[]) {
    const set = SlotSet.of(period, [-1, 0, 1], { firstDay: -2, lastDay: 2 })
    set.moveTo(100)
    t.strictSame([...set], [])
    set.add(100 * slotsPerDay(period))
    t.strictSame([...set], [100 * slotsPerDay(period)])
    const none = SlotSet.of(period, [0], { firstDay: 0, lastDay: -5 })
    t.strictSame([none.days, ...none], [0], 'a range without days has no slots')
  }
})
