import t from '../tap.ts'
import { openExpectation } from '../../src/series/expectation.ts'
import { percentile, usualLatency } from '../../src/series/latency.ts'
import { periodRules, periods, seriesOf, slotsPerDay } from '../../src/series/series.ts'
import type { Period } from '../../src/series/series.ts'
import { shareClass, slotStates, stateText } from '../../src/series/slot-states.ts'
import type { SlotState } from '../../src/series/slot-states.ts'
import { parseFilename } from '../../src/parse/filename.ts'
import { fc } from '../random.ts'

const daySeconds = 86_400

/** Computes the state of a slot directly from the definitions; slow. */
function naiveState(
  slot: number,
  history: { period: Period; live: number[]; delivered: number[]; usualLatency: number },
  now: number,
): { state: SlotState; expected: boolean } {
  const length = { '15M': 900, '01H': 3600, '01D': daySeconds }[history.period]
  const least = { '15M': 96, '01H': 24, '01D': 3 }[history.period]
  const lateDays = history.period === '01D' ? 7 : 3
  const dayStart = Math.floor((slot * length) / daySeconds) * daySeconds
  const windowStart = dayStart - 28 * daySeconds
  const inWindow = history.delivered.filter(
    (each) => each * length >= windowStart && each * length < dayStart,
  )
  const possible = inWindow.length === 0 ? 0 : dayStart / length - Math.min(...inWindow)
  const expected = inWindow.length >= least && inWindow.length * 2 >= possible
  const end = (slot + 1) * length
  const state = history.live.includes(slot)
    ? 'present'
    : history.delivered.includes(slot)
      ? 'removed'
      : end > now
        ? 'future'
        : !expected
          ? 'silent'
          : now < end + history.usualLatency
            ? 'due'
            : now < end + lateDays * daySeconds
              ? 'late'
              : 'missing'
  return { state, expected }
}

const days = 45

/** A series of 45 days with gaps and removed files, and a clock near its end. */
const histories = fc
  .record({
    period: fc.constantFrom(...periods),
    startDay: fc.integer({ min: -10, max: 25_000 }),
    gaps: fc.array(fc.tuple(fc.integer({ min: 0, max: days }), fc.integer({ min: 0, max: 12 }))),
    removedEvery: fc.integer({ min: 2, max: 50 }),
    share: fc.double({ min: 0.2, max: 1, noNaN: true }),
    usualLatency: fc.integer({ min: 300, max: daySeconds }),
    nowOffset: fc.integer({ min: -2 * daySeconds, max: 12 * daySeconds }),
  })
  .map(({ period, startDay, gaps, removedEvery, share, usualLatency, nowOffset }) => {
    const perDay = slotsPerDay(period)
    const first = startDay * perDay
    const all = Array.from({ length: days * perDay }, (_, index) => first + index)
    const delivered = all.filter((slot, index) => {
      const day = Math.floor((slot - first) / perDay)
      const isGap = gaps.some(([from, length]) => day >= from && day < from + length)
      return !isGap && (index * 0.618_034) % 1 < share
    })
    const live = delivered.filter((_, index) => index % removedEvery !== 0)
    const now = (startDay + days) * daySeconds + nowOffset
    return { history: { period, delivered, live, usualLatency }, first, now }
  })

t.test('the states of any history equal those of a simple reference implementation', async () => {
  fc.assert(
    fc.property(
      histories,
      fc.integer({ min: 0, max: days }),
      ({ history, first, now }, skipped) => {
        const perDay = slotsPerDay(history.period)
        // The naive states of all quarter-hour slots would take minutes, so only a few days are compared.
        const shown = history.period === '15M' ? 4 : days + 3
        const range = { from: first + skipped * perDay, to: first + (skipped + shown) * perDay - 1 }
        const naive = []
        let [expected, delivered] = [0, 0]
        for (let slot = range.from; slot <= range.to; slot++) {
          const one = naiveState(slot, history, now)
          naive.push(one.state)
          const length = periodRules[history.period].seconds
          if (!one.expected || now < (slot + 1) * length + history.usualLatency) continue
          expected++
          if (history.delivered.includes(slot)) delivered++
        }
        const states = slotStates(history, range, now)
        const found = states.runs.flatMap(({ state, slots }) => Array<SlotState>(slots).fill(state))
        return (
          found.join() === naive.join() &&
          states.expected === expected &&
          states.delivered === delivered
        )
      },
    ),
    { numRuns: 60 },
  )
})

t.test('the missing slots of a station are exactly its gaps', async (t) => {
  const now = 120 * daySeconds
  const delivered = Array.from({ length: 120 * 24 }, (_, slot) => slot).filter((n) => n % 67 !== 66)
  const history = { period: '01H', live: delivered, delivered, usualLatency: 600 } as const
  const states = slotStates(history, { from: 60 * 24, to: 120 * 24 - 1 }, now)
  const gaps = states.runs.filter(({ state }) => state === 'missing' || state === 'late')
  t.ok(gaps.every(({ firstSlot, slots }) => firstSlot % 67 === 66 && slots === 1))
  t.equal(gaps.length, Math.floor((120 * 24) / 67) - Math.floor((60 * 24) / 67))
})

t.test(
  'the slots of a station that stops delivering are late, then missing, then silent',
  async (t) => {
    const delivered = Array.from({ length: 40 * 24 }, (_, slot) => slot)
    const history = { period: '01H', live: delivered, delivered, usualLatency: 600 } as const
    const { runs } = slotStates(history, { from: 39 * 24, to: 70 * 24 - 1 }, 70 * daySeconds)
    t.equal(stateText(runs), `P24M${15 * 24}S${15 * 24}`)
    const early = slotStates(history, { from: 39 * 24, to: 43 * 24 }, 43 * daySeconds + 900)
    t.equal(stateText(early.runs), 'P24L72F1')
  },
)

t.test(
  'a series is learned after a day of hourly files, and a campaign is no longer expected after it',
  async (t) => {
    const campaign = Array.from({ length: 72 }, (_, slot) => slot)
    const { isExpected } = openExpectation('01H', campaign)
    const expectedDays = Array.from({ length: 12 }, (_, day) => isExpected(day * 24))
    t.same(expectedDays.map(Number).join(''), '011111100000')
  },
)

t.test('a slot is due, late and missing from the very second on', async (t) => {
  for (const [period, lateDays] of [
    ['15M', 3],
    ['01H', 3],
    ['01D', 7],
  ] as const) {
    const { seconds } = periodRules[period]
    const slot = 60 * slotsPerDay(period)
    const delivered = Array.from({ length: slot }, (_, each) => each)
    const [end, usualLatency] = [(slot + 1) * seconds, 1000]
    const history = { period, live: delivered, delivered, usualLatency }
    for (const [now, state, expected] of [
      [end - 1, 'F1', 0],
      [end, 'D1', 0],
      [end + usualLatency - 1, 'D1', 0],
      [end + usualLatency, 'L1', 1],
      [end + lateDays * daySeconds - 1, 'L1', 1],
      [end + lateDays * daySeconds, 'M1', 1],
    ] as const) {
      const found = slotStates(history, { from: slot, to: slot }, now)
      t.equal(stateText(found.runs), state, `${period} ${now - end} s after its end`)
      t.equal(found.expected, expected, `${period} ${now - end} s after its end`)
    }
  }
})

t.test('rules replace the learned expectation', async (t) => {
  const rule = { fromDay: 10, toDay: 20, hours: new Set([0, 12]) }
  const { isExpected } = openExpectation('01H', [], [rule])
  for (const [day, hour, expected] of [
    [9, 0, false],
    [10, 0, true],
    [10, 1, false],
    [20, 12, true],
    [21, 12, false],
  ] as const)
    t.equal(isExpected(day * 24 + hour), expected, `day ${day}, hour ${hour}`)
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

t.test('the usual latency is a percentile within bounds', async (t) => {
  const hundred = Array.from({ length: 100 }, (_, index) => (index + 1) * 60)
  t.equal(percentile(hundred, 0.95), 95 * 60)
  t.equal(percentile([], 0.95), undefined)
  t.equal(usualLatency('01H', hundred), 95 * 60)
  t.equal(usualLatency('01H', []), 600, 'the lower bound of hourly files')
  t.equal(usualLatency('15M', [1, 2]), 300)
  t.equal(usualLatency('01D', [1e6]), daySeconds, 'at most a day')
})

t.test('shares are classified as by the EPN central bureau', async (t) => {
  t.equal(shareClass(undefined), undefined)
  for (const [share, name] of [
    [1, 'good'],
    [0.9, 'fair'],
    [0.8, 'fair'],
    [0.799, 'poor'],
  ] as const)
    t.equal(shareClass(share), name, `${share}`)
})
