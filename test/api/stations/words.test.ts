/** Gaps and states in words, and the states of days. */
import { daysWords, dayWords } from '../../../src/api/pages/date-words.ts'
import { daysOf } from '../../../src/api/stations/pictures.ts'
import { gapWords, joinGaps, sinceWords } from '../../../src/api/stations/words.ts'
import type { Period } from '../../../src/series/series.ts'
import type { SlotState, StateRun } from '../../../src/series/slot-states.ts'
import { fc } from '../../random.ts'
import t from '../../tap.ts'

const seconds = (iso: string) => Date.parse(`${iso}Z`) / 1000
const day = (date: string) => seconds(`${date}T00:00`) / 86_400
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
  ['3 Aug 2026 (215): 1 day missing', '01D', ['2026-08-03T00:00', '2026-08-04T00:00', 'missing']],
  ['3 to 31 Aug 2026: 29 days missing', '01D', ['2026-08-03T00:00', '2026-09-01T00:00', 'missing']],
  [
    '30 Aug to 2 Sep 2026: 4 days removed',
    '01D',
    ['2026-08-30T00:00', '2026-09-03T00:00', 'removed'],
  ],
  [
    '28 Dec 2025 to 3 Jan 2026: 7 days absent, not expected',
    '01D',
    ['2025-12-28T00:00', '2026-01-04T00:00', 'silent'],
  ],
  [
    '15 to 23 Nov 2026: 9 days, 2 missing; 7 late',
    '01D',
    ['2026-11-15T00:00', '2026-11-17T00:00', 'missing'],
    ['2026-11-17T00:00', '2026-11-24T00:00', 'late'],
  ],
  ['24 Nov 2026 (328): 24 hours late', '01H', ['2026-11-24T00:00', '2026-11-25T00:00', 'late']],
  [
    '24 Nov 2026 (328), 05:00 to 06:00: 1 hour late',
    '01H',
    ['2026-11-24T05:00', '2026-11-24T06:00', 'late'],
  ],
  [
    '24 Nov 2026 (328), 22:00 to 24:00: 2 hours missing',
    '01H',
    ['2026-11-24T22:00', '2026-11-25T00:00', 'missing'],
  ],
  [
    '31 Dec 2025 (365), 22:00, to 1 Jan 2026 (001), 02:00: 4 hours missing',
    '01H',
    ['2025-12-31T22:00', '2026-01-01T02:00', 'missing'],
  ],
  [
    '24 Nov 2026 (328), 05:15 to 06:00: 3 quarters of an hour missing',
    '15M',
    ['2026-11-24T05:15', '2026-11-24T06:00', 'missing'],
  ],
]

t.test('a gap is a range of days or times, with its number of files', async (t) => {
  for (const [words, period, ...runs] of gaps) {
    const joined = joinGaps(runs.map((each) => run(period, ...each)))
    t.strictSame(
      joined.map((gap) => gapWords(gap, period)),
      [words],
    )
  }
})

t.test('runs that are not adjacent are gaps of their own', async (t) => {
  const runs = [
    run('01D', '2026-01-02T00:00', '2026-01-03T00:00', 'missing'),
    run('01D', '2026-01-04T00:00', '2026-01-06T00:00', 'missing'),
  ]
  t.strictSame(
    joinGaps(runs).map((gap) => gapWords(gap, '01D')),
    ['2 Jan 2026 (002): 1 day missing', '4 to 5 Jan 2026: 2 days missing'],
  )
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

const now = seconds('2026-11-24T15:40')

const states = [
  ['down', '2026-11-15T00:00', 'down for 9 days, nothing since 15 Nov (319)'],
  ['down', '2025-11-15T05:00', 'down for 374 days, nothing since 15 Nov 2025 (319), 05:00'],
  ['down', undefined, 'down: nothing was ever delivered'],
  ['late', '2026-11-24T10:00', 'late for 4 h 40 min, nothing since 24 Nov (328), 10:00'],
  ['present', '2026-11-20T10:00', 'present since 20 Nov (324), 10:00, for 4 days'],
  ['present', '2026-10-27T15:00', 'present, without a gap for 28 days'],
  [
    'silent',
    '2026-10-01T00:00',
    'silent: no file is expected now; its last data end on 30 Sep (273)',
  ],
  ['ended', '2020-10-01T00:00', 'ended: its last data end on 30 Sep 2020 (274)'],
  ['unknown', undefined, 'unknown: the first scan of the archive has not ended'],
] as const

t.test('a state says since when, and for how long', async (t) => {
  for (const [word, since, expected] of states) {
    const known = {
      state: word === 'ended' ? ('silent' as const) : word,
      ended: word === 'ended',
      since: since && seconds(since),
      lateSeconds: /late|down/.test(word) && since ? now - seconds(since) - 3600 : undefined,
    }
    t.equal(word + sinceWords(known, now), expected)
  }
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
  t.strictSame(
    daysOf(runs, '01H'),
    states.map((state, index) => ({ state, firstSlot: first + index, slots: 1 })),
  )
  const daily = [{ state: 'damaged', firstSlot: first, slots: 1 }] as const
  t.strictSame(daysOf(daily, '01D'), daily)
  t.end()
})
