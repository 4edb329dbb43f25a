/** The sentences about incidents: a table of cases. */
import t from '../../tap.ts'
import {
  incidentNews,
  incidentSeriesWords,
  incidentWords,
} from '../../../src/api/series/incident-words.ts'
import type { Incident } from '../../../src/series/incidents.ts'

const asOf = '2026-01-22T15:40:00Z'

const series = {
  station: 'MATE00ITA',
  file_type: 'o',
  period: '01H',
  since: '2026-01-22T10:00:00Z',
  kind: 'late',
  ended: null,
} as const

const mate: Incident = {
  id: 'loss-MATE00ITA-01H-2026-01-22T10:00:00Z',
  kind: 'late',
  period: '01H',
  station: 'MATE00ITA',
  country: null,
  stations: ['MATE00ITA'],
  expected_stations: null,
  series: [series],
  since: '2026-01-22T10:00:00Z',
  as_of: asOf,
  ended: null,
}
const norway: Incident = {
  ...mate,
  station: null,
  country: 'NOR',
  stations: Array.from({ length: 8 }, (_, index) => `NO${index}A00NOR`),
  expected_stations: 8,
}
const before = { since: '2026-01-13T15:40:00Z' }
const back = { ended: '2026-01-22T15:00:00Z' }
const navigation = [{ ...series, file_type: 'n' }] as const

const cases: readonly (readonly [Incident, string])[] = [
  [norway, 'Norway: 8 of 8 stations, nothing since 10:00, for 5 h 40'],
  [{ ...norway, ...before }, 'Norway: 8 of 8 stations, nothing since 2026-01-13 15:40, for 9 days'],
  [
    { ...norway, expected_stations: 15, period: '01D' },
    'Norway (day): 8 of 15 stations, nothing since 2026-01-22, for 5 h 40',
  ],
  [
    { ...norway, ...back },
    'Norway: 8 of 8 stations, nothing from 2026-01-22 10:00 to 15:00, for 5 h',
  ],
  [mate, 'MATE00ITA: late since 10:00, for 5 h 40'],
  [{ ...mate, ...before, kind: 'down' }, 'MATE00ITA: down for 9 days'],
  [
    { ...mate, ...back, ...before, kind: 'down' },
    'MATE00ITA: down from 2026-01-13 15:40 to 2026-01-22 15:00, for 9 days',
  ],
  [{ ...mate, series: navigation }, 'MATE00ITA (navigation): late since 10:00, for 5 h 40'],
  [
    { ...mate, series: navigation, period: '15M' },
    'MATE00ITA (15 minutes, navigation): late since 10:00, for 5 h 40',
  ],
  [{ ...mate, series: [series, ...navigation] }, 'MATE00ITA: late since 10:00, for 5 h 40'],
  [
    {
      ...mate,
      period: '01D',
      since: '2026-01-13T00:00:00Z',
      ended: '2026-01-15T00:00:00Z',
    },
    'MATE00ITA (day): late from 2026-01-13 to 2026-01-14, for 2 days',
  ],
  [{ ...mate, since: null }, 'MATE00ITA: nothing was ever delivered'],
]

t.test('an incident is one sentence', async (t) => {
  for (const [incident, words] of cases) t.equal(incidentWords(incident), words)
})

t.test('in a feed, the sentence stays the same with the time', async (t) => {
  const later = { as_of: '2026-01-22T23:00:00Z' }
  for (const [incident, words] of [
    [norway, 'Norway: 8 of 8 stations late, nothing since 2026-01-22 10:00 UTC'],
    [mate, 'MATE00ITA: late, nothing since 2026-01-22 10:00 UTC'],
    [{ ...mate, since: null }, 'MATE00ITA: late, nothing was ever delivered'],
    [{ ...mate, ...back }, 'Over: MATE00ITA: late from 2026-01-22 10:00 to 15:00, for 5 h'],
  ] as const) {
    t.equal(incidentNews(incident), words)
    t.equal(incidentNews({ ...incident, ...later }), words)
  }
})

t.test('so is each of its series', async (t) => {
  const words = 'MATE00ITA observation files: nothing'
  t.equal(incidentSeriesWords(series), `${words} since 2026-01-22 10:00 UTC, late`)
  t.equal(
    incidentSeriesWords({ ...series, ...back }),
    `${words} from 2026-01-22 10:00 to 2026-01-22 15:00 UTC`,
  )
  t.equal(
    incidentSeriesWords({ ...series, kind: 'down', since: null }),
    'MATE00ITA observation files: never delivered, down',
  )
})
