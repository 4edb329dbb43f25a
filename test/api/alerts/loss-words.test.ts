/** The sentences about losses: a table of cases. */
import { lossWords, lostSeriesWords } from '../../../src/api/alerts/loss-words.ts'
import type { Loss, LostSeries } from '../../../src/series/loss.ts'
import t from '../../tap.ts'

const at = (iso: string): number => Date.parse(iso) / 1000
const asOf = at('2026-01-22T15:40:00Z')
const times = { since: at('2026-01-22T10:00:00Z'), due: at('2026-01-22T11:10:00Z') }

const hourly: LostSeries = {
  station: 'MATE00ITA',
  fileType: 'o',
  period: '01H',
  kind: 'late',
  ...times,
  alertFrom: at('2026-01-22T12:10:00Z'),
}
const navigation: LostSeries = { ...hourly, fileType: 'n' }
const daily: LostSeries = { ...hourly, period: '01D' }

const mate: Loss = {
  id: 'loss-MATE00ITA-2026-01-22T10:00:00Z',
  kind: 'late',
  station: 'MATE00ITA',
  country: undefined,
  stations: ['MATE00ITA'],
  expectedStations: undefined,
  series: [hourly],
  ...times,
  lateSeconds: asOf - times.due,
  alert: true,
}
const norway: Loss = {
  ...mate,
  station: undefined,
  country: 'NOR',
  stations: Array.from({ length: 8 }, (_, index) => `NO${index}A00NOR`),
  expectedStations: 8,
}
const due = at('2026-01-13T16:50:00Z')
const before = { since: at('2026-01-13T15:40:00Z'), due, lateSeconds: asOf - due }
const midnight = { ...before, since: at('2026-01-13T00:00:00Z') }

const cases: readonly (readonly [Loss, string])[] = [
  [norway, 'Norway: 8 of 8 stations, nothing since 10:00, late for 4 h 30 min'],
  [
    { ...norway, ...before, kind: 'down' },
    'Norway: 8 of 8 stations, nothing since 13 Jan 2026 15:40, down for 8 days',
  ],
  [
    { ...norway, ...midnight, expectedStations: 15, series: [daily] },
    'Norway (day): 8 of 15 stations, nothing since 13 Jan 2026 (013), late for 8 days',
  ],
  [mate, 'MATE00ITA: nothing since 10:00, late for 4 h 30 min'],
  [
    { ...mate, series: [navigation] },
    'MATE00ITA (navigation): nothing since 10:00, late for 4 h 30 min',
  ],
  [
    { ...mate, series: [{ ...navigation, period: '15M' }] },
    'MATE00ITA (15 minutes, navigation): nothing since 10:00, late for 4 h 30 min',
  ],
  [
    { ...mate, series: [hourly, navigation] },
    'MATE00ITA: nothing since 10:00, late for 4 h 30 min',
  ],
  [{ ...mate, series: [hourly, daily] }, 'MATE00ITA: nothing since 10:00, late for 4 h 30 min'],
  [
    { ...mate, since: undefined, kind: 'down' },
    'MATE00ITA: nothing was ever delivered, down for 4 h 30 min',
  ],
  [
    { ...norway, kind: 'ingest-stalled', country: undefined, series: [hourly, daily] },
    'No files arrive since 22 Jan 2026 10:00 UTC: 2 series of 8 stations',
  ],
  [
    { ...mate, kind: 'damaged', series: [{ ...daily, kind: 'damaged' }] },
    'MATE00ITA (day): damaged files found since 10:00',
  ],
  [{ ...mate, kind: 'ingest-stalled', since: undefined }, 'No files arrive: 1 series of 1 station'],
]

t.test('a loss is one sentence, and lasts from the time at which a file was due', async (t) => {
  for (const [loss, words] of cases) t.equal(lossWords(loss), words)
})

t.test('a lost series is one sentence', async (t) => {
  const name = 'MATE00ITA observation files (hour)'
  t.equal(lostSeriesWords(hourly), `${name}: nothing since 22 Jan 2026 10:00 UTC, late`)
  t.equal(
    lostSeriesWords({ ...hourly, kind: 'damaged' }),
    `${name}: damaged, found 22 Jan 2026 10:00 UTC`,
  )
  t.equal(
    lostSeriesWords({ ...hourly, kind: 'down', since: undefined }),
    `${name}: never delivered, down`,
  )
})
