/** The growth of an archive, when its disks are full, and the hours of arrivals. */
import t from '../../tap.ts'
import { arrivalsByHour, fullDay, growthOf } from '../../../src/api/archive/growth.ts'
import type { DayVolume } from '../../../src/catalogue/volumes.ts'
import { fc } from '../../random.ts'

const today = 20_454
const year = { today, last: 365 }

/** Days before today with a volume of an area: ten files of 100 bytes, unless other ones. */
const days = (from: number, to: number, volume: Partial<DayVolume> = {}): readonly DayVolume[] =>
  Array.from({ length: from - to + 1 }, (_, index) => ({
    day: today - from + index,
    area: 'obs',
    files: 10,
    bytes: 1000,
    sized: 10,
    ...volume,
  }))

const nrt = { area: 'nrt', files: 24, bytes: 240, sized: 24 } as const
const both = ['obs', 'nrt'] as const

const cases: readonly (readonly [
  name: string,
  days: readonly DayVolume[],
  growth: readonly [files: number, bytes: number] | undefined,
])[] = [
  ['an empty archive', [], undefined],
  ['only today', days(0, 0), undefined],
  ['six days', days(6, 0), undefined],
  ['seven days', days(7, 0), [10, 1000]],
  [
    'a year; older days do not count',
    [...days(900, 366, { bytes: 9e9 }), ...days(365, 0)],
    [10, 1000],
  ],
  ['a stop counts', [...days(365, 183), ...days(0, 0)], [(10 * 183) / 365, (1000 * 183) / 365]],
  ['days of the future do not count', [...days(7, 0), ...days(-1, -2, { bytes: 9e9 })], [10, 1000]],
  ['half of the sizes', days(10, 1, { sized: 5, bytes: 500 }), [10, 1000]],
  ['no size is known', days(10, 1, { sized: 0, bytes: 0 }), undefined],
  [
    'hourly files that are kept for 30 days',
    [...days(365, 1), ...days(30, 1, nrt)].sort((a, b) => a.day - b.day),
    [10 + (24 * 30) / 365, 1000 + (240 * 30) / 365],
  ],
]

for (const [name, given, expected] of cases)
  t.test(`growth: ${name}`, (t) => {
    const growth = growthOf(given, both, year)
    t.equal(growth?.files.toFixed(6), expected?.[0].toFixed(6))
    t.equal(growth?.bytes.toFixed(6), expected?.[1].toFixed(6))
    t.end()
  })

t.test('the growth of one area is a mean over the days of the archive', (t) => {
  const all = [...days(100, 1), ...days(10, 1, nrt)].sort((a, b) => a.day - b.day)
  t.strictSame(growthOf(all, ['nrt'], year), { files: 2.4, bytes: 24 })
  t.strictSame(growthOf(days(100, 1), ['nrt'], year), { files: 0, bytes: 0 })
  t.end()
})

t.test('the growth of the last weeks', (t) => {
  const all = [...days(365, 29), ...days(28, 1, { bytes: 5000 })]
  t.strictSame(growthOf(all, both, { today, last: 28 }), { files: 10, bytes: 5000 })
  t.equal(growthOf(days(365, 60), both, { today, last: 28 }), undefined, 'nothing came')
  t.end()
})

t.test('a disk is full on the day on which the next day no longer fits', (t) => {
  const growth = { files: 1, bytes: 1000 }
  for (const [free, of, day] of [
    [0, growth, 0],
    [999, growth, 0],
    [1000, growth, 1],
    [365_000, growth, 365],
    [36_525_000, growth, 36_525],
    [36_526_000, growth, undefined],
    [1e15, growth, undefined],
    [1000, undefined, undefined],
    [1000, { files: 0, bytes: 0 }, undefined],
    [1000, { files: 5, bytes: 0 }, undefined],
  ] as const)
    t.equal(fullDay(free, of, today), day === undefined ? undefined : today + day, String(free))
  t.end()
})

t.test('arrivals by hour: the same as counting them one by one', (t) => {
  const lengths = { '15M': 900, '01H': 3600, '01D': 86_400 } as const
  const series = fc.record({
    period: fc.constantFrom('15M', '01H', '01D' as const),
    arrivals: fc.array(fc.tuple(fc.integer({ min: -3000, max: 200 }), fc.nat(400_000))),
  })
  const property = fc.property(fc.array(series, { maxLength: 4 }), (all) => {
    const known = all.map(({ period, arrivals }) => {
      const first = (today * 86_400) / lengths[period]
      const slots = arrivals.map(([slot]) => first + slot)
      return { period, past: { arrivals: { slots, latencies: arrivals.map(([, s]) => s) } } }
    })
    const expected = Array<number>(24).fill(0)
    for (const { period, past } of known)
      for (const [index, slot] of past.arrivals.slots.entries()) {
        const seconds = (slot + 1) * lengths[period] + (past.arrivals.latencies[index] ?? 0)
        const at = new Date(seconds * 1000)
        const day = Math.floor(seconds / 86_400)
        const hour = at.getUTCHours()
        if (day >= today - 28 && day < today) expected[hour] = (expected[hour] ?? 0) + 1
      }
    t.strictSame(arrivalsByHour(known, today), expected)
  })
  fc.assert(property, { numRuns: 50 })
  t.end()
})
