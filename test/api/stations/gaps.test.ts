/** Gaps in words, and the states of days. */
import { daysWords, dayWords } from '../../../src/api/pages/date-words.ts'
import { gapLines, joinGaps } from '../../../src/api/stations/gaps.ts'
import type { Period } from '../../../src/series/series.ts'
import type { SlotState, StateRun } from '../../../src/series/slot-states.ts'
import { addDays, dayStateOf } from '../../../src/series/station-days.ts'
import { fc } from '../../random.ts'
import t from '../../tap.ts'

const seconds = (iso: string) => Date.parse(`${iso}Z`) / 1000
const day = (date: string) => seconds(`${date}T00:00`) / 86_400
/** Years are left out that are this one. */
const now = seconds('2026-11-24T15:40')
const length = { '01D': 86_400, '01H': 3600, '15M': 900 } as const

/** A run of slots from one time to another. */
const run = (period: Period, from: string, to: string, state: SlotState): StateRun => {
  const [first, end] = [from, to].map((time) => seconds(time) / length[period])
  return { state, firstSlot: first ?? NaN, slots: (end ?? NaN) - (first ?? NaN) }
}

const gaps: readonly (readonly [
  words: string,
  Period,
  ...(readonly [string, string, SlotState])[],
])[] = [
  ['3 Aug: 1 day missing', '01D', ['2026-08-03T00:00', '2026-08-04T00:00', 'missing']],
  ['3 to 31 Aug: 29 days missing', '01D', ['2026-08-03T00:00', '2026-09-01T00:00', 'missing']],
  ['30 Aug to 2 Sep: 4 days removed', '01D', ['2026-08-30T00:00', '2026-09-03T00:00', 'removed']],
  [
    '28 Dec 2025 to 3 Jan: 7 days absent, not expected',
    '01D',
    ['2025-12-28T00:00', '2026-01-04T00:00', 'silent'],
  ],
  [
    '15 to 23 Nov: 9 days, 2 missing; 7 late',
    '01D',
    ['2026-11-15T00:00', '2026-11-17T00:00', 'missing'],
    ['2026-11-17T00:00', '2026-11-24T00:00', 'late'],
  ],
  ['24 Nov: 24 hours late', '01H', ['2026-11-24T00:00', '2026-11-25T00:00', 'late']],
  ['24 Nov 05–06 h: 1 hour late', '01H', ['2026-11-24T05:00', '2026-11-24T06:00', 'late']],
  ['24 Nov 22–24 h: 2 hours missing', '01H', ['2026-11-24T22:00', '2026-11-25T00:00', 'missing']],
  [
    '31 Dec 2025 22:00 to 1 Jan 02:00: 4 hours missing',
    '01H',
    ['2025-12-31T22:00', '2026-01-01T02:00', 'missing'],
  ],
  [
    '24 Nov 05:15–06:00: 3 quarter hours missing',
    '15M',
    ['2026-11-24T05:15', '2026-11-24T06:00', 'missing'],
  ],
]

t.test('a gap is a range of days or times, with its number of files', async (t) => {
  for (const [words, period, ...runs] of gaps) {
    const joined = joinGaps(runs.map((each) => run(period, ...each)))
    t.strictSame(gapLines(joined, period, { most: 9, now }), [words])
  }
})

t.test('runs that are not adjacent are gaps of their own', async (t) => {
  const runs = [
    run('01D', '2026-01-02T00:00', '2026-01-03T00:00', 'missing'),
    run('01D', '2026-01-04T00:00', '2026-01-06T00:00', 'missing'),
  ]
  t.strictSame(gapLines(joinGaps(runs), '01D', { most: 9, now }), [
    '4 to 5 Jan: 2 days missing',
    '2 Jan: 1 day missing',
  ])
  t.strictSame(gapLines(joinGaps(runs), '01D', { most: 1, now }), [
    '4 to 5 Jan: 2 days missing',
    'and 1 earlier gap',
  ])
})

t.test('days are read back as they were written', async () => {
  fc.assert(
    fc.property(fc.integer({ min: -5000, max: 30_000 }), (day) => {
      return Date.parse(`${dayWords(day)} UTC`) / 864e5 === day
    }),
  )
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 30_000 }), fc.nat(800), (first, more) => {
      const words = daysWords(first, first + more)
      const [from = '', to = from] = words.split(' to ')
      const end = Date.parse(`${to} UTC`) / 864e5
      const [date] = from.split(' ')
      return end === first + more && Number(date) === new Date(first * 864e5).getUTCDate()
    }),
  )
})

t.test('a day of a series is complete, in part, or has its worst state', (t) => {
  const first = day('2026-01-01')
  const parts: readonly (readonly [SlotState, number])[] = [
    ['present', 24],
    ['present', 20],
    ['missing', 4],
    ['silent', 6],
    ['present', 18],
    ['late', 20],
    ['missing', 4],
    ['missing', 48],
    ['present', 5],
    ['due', 1],
    ['future', 18],
    ['future', 24],
  ]
  let slot = first * 24
  const runs = parts.map(([state, slots]) => ({ state, firstSlot: (slot += slots) - slots, slots }))
  const states = [
    'present',
    'part',
    'present',
    'missing',
    'missing',
    'missing',
    'present',
    'future',
  ]
  const daysOf = (all: readonly StateRun[], period: Period) => {
    const days = new Map<number, Set<SlotState>>()
    for (const each of all) addDays(days, each, period)
    return Array.from(days, ([own, slots]) => [own, dayStateOf(slots)])
  }
  t.strictSame(
    daysOf(runs, '01H'),
    states.map((state, index) => [first + index, state]),
  )
  t.strictSame(daysOf([{ state: 'damaged', firstSlot: first, slots: 1 }], '01D'), [
    [first, 'damaged'],
  ])
  t.equal(dayStateOf(new Set(['present', 'damaged'])), 'damaged', 'never complete')
  t.equal(dayStateOf(new Set(['removed', 'silent'])), 'removed')
  t.end()
})
