/**
 * States by the second, rules, latencies and classes: tables of cases. Random histories are in
 * series-states.test.ts.
 */
import t from '../tap.ts'
import { completenessOf, shareClass } from '../../src/series/completeness.ts'
import { createExpectation } from '../../src/series/expectation.ts'
import { lateAfter, percentile, usualLatency } from '../../src/series/latency.ts'
import { periodRules, seriesOf, slotsPerDay } from '../../src/series/series.ts'
import type { Period } from '../../src/series/series.ts'
import { firstSlot, slotStates, stateText } from '../../src/series/slot-states.ts'
import { SlotSet } from '../../src/series/slot-set.ts'
import { parseFilename } from '../../src/parse/filename.ts'

const daySeconds = 86_400

/** A set of the days up to one on which `last` is a slot. */
function setOf(period: Period, slots: readonly number[], last = slots.at(-1) ?? 0): SlotSet {
  return SlotSet.of(period, slots, {
    firstDay: Math.floor((slots[0] ?? 0) / slotsPerDay(period)),
    lastDay: Math.floor(last / slotsPerDay(period)),
  })
}

const slotsFrom = (from: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => from + index)

/** A series of live files from slot 0 on. */
function historyOf(period: Period, count: number, limit: number) {
  const delivered = setOf(period, slotsFrom(0, count))
  return { live: delivered, delivered, first: 0, lateAfter: limit, rules: [] }
}

t.test('a station that stops is late, then missing, then ends', async (t) => {
  const history = historyOf('01H', 40 * 24, 600)
  const after = (seconds: number) =>
    slotStates(history, { from: 39 * 24, to: 90 * 24 - 1 }, 40 * daySeconds + seconds)
  const day = daySeconds
  const since = 40 * day
  t.equal(stateText(after(50 * day + 600).runs), `P24M${40 * 24}S${10 * 24}`, '40 days are missed')
  t.equal(stateText(after(3 * day + 900).runs), `P24L72F${47 * 24}`)
  t.equal(stateText(after(3 * day + 7800).runs), `P24M2L72F${47 * 24 - 2}`)
  for (const [seconds, state, ended] of [
    [3600 + 599, 'present', false],
    [3600 + 600, 'late', false],
    [day + 600, 'late', false],
    [day + 601, 'down', false],
    [40 * day + 3600 + 599, 'down', false],
    [40 * day + 3600 + 600, 'silent', true],
  ] as const) {
    const { now } = after(seconds)
    const wanted = { state, since: state === 'present' ? since - 28 * day : since, ended }
    // The run of delivered slots begins 28 days before the present slot.
    if (state === 'present') wanted.since += 3600
    t.strictSame(now, wanted, `${seconds} s after the last file`)
  }
})

t.test('a campaign of three days is missed for three days', async (t) => {
  const { isExpected, hasEnded } = createExpectation(setOf('01H', slotsFrom(0, 72), 20 * 24))
  const days = slotsFrom(0, 12)
  t.equal(days.map((day) => Number(isExpected(day * 24))).join(''), '011111000000')
  t.equal(days.map((day) => Number(hasEnded(day))).join(''), '000000111111')
})

t.test('a slot is due, late and missing from the very second on', async (t) => {
  for (const [period, lateDays] of [
    ['15M', 3],
    ['01H', 3],
    ['01D', 7],
  ] as const) {
    const { seconds } = periodRules[period]
    const slot = 60 * slotsPerDay(period)
    const [end, limit] = [(slot + 1) * seconds, 1000]
    const history = historyOf(period, slot, limit)
    for (const [now, state, expected] of [
      [end - 1, 'F1', 0],
      [end, 'D1', 0],
      [end + limit - 1, 'D1', 0],
      [end + limit, 'L1', 1],
      [end + lateDays * daySeconds - 1, 'L1', 1],
      [end + lateDays * daySeconds, 'M1', 1],
    ] as const) {
      const found = slotStates(history, { from: slot, to: slot }, now)
      t.equal(stateText(found.runs), state, `${period} ${now - end} s after its end`)
      t.equal(found.expected, expected, `${period} ${now - end} s after its end`)
      t.equal(found.possible, expected, `${period} ${now - end} s after its end`)
    }
  }
})

t.test('the figures count present and removed slots apart', async (t) => {
  const history = { ...historyOf('01H', 60 * 24, 600), live: setOf('01H', slotsFrom(0, 59 * 24)) }
  const range = { from: 58 * 24, to: 61 * 24 - 1 }
  const { runs, ...figures } = slotStates(history, range, 60 * daySeconds + 2 * 3600)
  t.equal(stateText(runs), 'P24R24L1D1F22')
  const counts = { possible: 49, present: 24, removed: 24, expected: 49, delivered: 48 }
  t.match(figures, counts)
  t.match(completenessOf(figures, 'archived'), { possible: 25, present: 24, completeness: 0.96 })
  t.match(completenessOf(figures, 'delivered'), { possible: 49, present: 48, share: 48 / 49 })
})

t.test('a misdated file is not the first of a series', async (t) => {
  const first = (slots: readonly number[], period: Period = '01D') =>
    firstSlot((slot) => slots.find((each) => each >= slot), period)
  t.equal(first([]), undefined)
  t.equal(first([5]), undefined, 'nor is one without any other')
  t.equal(first([5, 33]), 5)
  t.equal(first([5, 34, 35]), 34)
  t.equal(first([-4000, 5, 34, 35, 4000]), 34)
  t.equal(first([0, 28 * 24], '01H'), 0)
  t.equal(first([0, 28 * 24 + 1], '01H'), undefined)
})

t.test('rules replace the learned expectation', async (t) => {
  const rule = { fromDay: 10, toDay: 20, hours: new Set([0, 12]) }
  const { isExpected, hasEnded } = createExpectation(setOf('01H', []), [rule])
  for (const [day, hour, expected] of [
    [9, 0, false],
    [10, 0, true],
    [10, 1, false],
    [20, 12, true],
    [21, 12, false],
  ] as const)
    t.equal(isExpected(day * 24 + hour), expected, `day ${day}, hour ${hour}`)
  t.notOk(hasEnded(1000), 'a series with rules never ends')
})

t.test('names of both forms, any source, interval and content fill the same slots', async (t) => {
  for (const [name, series] of [
    ['GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz', 'o 01D'],
    ['graz0010.26d.gz', 'o 01D'],
    ['GRAZ00AUT_S_20260010500_01H_01S_MO.rnx.gz', 'o 01H'],
    ['graz001f.26o.gz', 'o 01H'],
    ['GRAZ00AUT_R_20260010515_15M_01S_MO.crx.gz', 'o 15M'],
    ['graz001f15.26d.gz', 'o 15M'],
    ['GRAZ00AUT_R_20260010000_01D_GN.rnx.gz', 'n 01D'],
    ['GRAZ00AUT_R_20260010000_30M_01S_MO.crx.gz', undefined],
    ['GRAZ00AUT_R_20260010000_01Y_GN.rnx.gz', undefined],
  ] as const) {
    const parsed = parseFilename(name)
    if (parsed.kind === 'rejected') throw new Error(`${name}: ${parsed.reason}`)
    const found = seriesOf(parsed)
    t.equal(found && `${found.fileType} ${found.period}`, series, name)
  }
})

t.test('the usual latency is the median', async (t) => {
  const hundred = slotsFrom(1, 100).map((minutes) => minutes * 60)
  t.equal(percentile(hundred, 0.95), 95 * 60)
  t.equal(percentile([], 0.95), undefined)
  t.equal(usualLatency(hundred), 50 * 60)
  t.equal(usualLatency([7]), 7)
  t.equal(usualLatency([1, 1e6]), 1, 'by nearest rank, without bounds')
  t.equal(usualLatency([]), undefined)
})

t.test('the limit of lateness is a percentile of arrivals, within bounds', async (t) => {
  const [hour, day] = [3600, daySeconds]
  const times = (count: number, latency: number): number[] => Array<number>(count).fill(latency)
  for (const [period, latencies, limit, why] of [
    ['15M', [], hour, 'no arrivals'],
    ['15M', times(23, 10), hour, 'too few arrivals'],
    ['15M', times(24, 10), 300, 'the target'],
    ['01H', [], hour, 'no arrivals'],
    ['01H', times(23, 10), hour, 'too few arrivals'],
    ['01H', times(24, 10), 600, 'the target'],
    ['01H', slotsFrom(1, 100).map((minutes) => minutes * 60), 95 * 60, 'the percentile'],
    ['01H', [...times(95, 700), ...times(5, 9000)], 700, 'exactly the percentile'],
    ['01H', [...times(94, 700), ...times(6, 9000)], 9000, 'more late arrivals'],
    ['01H', [...times(24, 700), ...times(99, day + 1)], 700, 'arrivals after a day do not count'],
    ['01H', [...times(23, 700), ...times(99, day + 1)], hour, 'nor do they help'],
    ['01H', [...times(23, 700), day], 700, 'an arrival after exactly a day counts'],
    ['01H', times(24, day), day, 'a day'],
    ['01D', [], day, 'no arrivals'],
    ['01D', times(2, 10), day, 'too few arrivals'],
    ['01D', times(3, 10), 7200, 'the target'],
    ['01D', times(3, 9000), 9000, 'the percentile'],
    ['01D', times(3, 3 * day), day, 'at most a day'],
    ['01D', [...times(2, 10), 3 * day + 1], day, 'arrivals after three days do not count'],
  ] as const)
    t.equal(lateAfter(period, latencies), limit, `${period}: ${why}`)
})

t.test('shares are classified as by the EPN central bureau', async (t) => {
  t.equal(shareClass(undefined), undefined)
  for (const [share, name] of [
    [1, 'good'],
    [0.9001, 'good'],
    [0.9, 'fair'],
    [0.8, 'fair'],
    [0.799, 'poor'],
    [0, 'poor'],
  ] as const)
    t.equal(shareClass(share), name, `${share}`)
})
