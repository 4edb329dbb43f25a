/** The sentences about losses: a table of cases. */
import { lossWords, lostSeriesWords } from '../../../src/api/alerts/loss-words.ts'
import { readableDuration } from '../../../src/runtime/readable.ts'
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
const yesterday = { since: at('2026-01-21T19:00:00Z') }
const lastDay = { since: at('2026-01-21T00:00:00Z') }
const lateDaily = { ...daily, ...lastDay }

const damaged: Loss = { ...mate, kind: 'damaged' }
const dayOf = (date: string): number => at(`${date}T00:00:00Z`) / 86_400

const late = readableDuration(asOf - times.due)

const cases: readonly (readonly [Loss, who: string, what: string, late: string])[] = [
  [norway, 'Norway, 8 of 8 stations', 'no hour since 09–10', late],
  [
    { ...norway, ...before, series: [{ ...hourly, ...before }], kind: 'down' },
    'Norway, 8 of 8 stations',
    'nothing since 13 Jan',
    '8 days',
  ],
  [mate, 'MATE00ITA', 'no hour since 09–10', late],
  [
    { ...mate, series: [{ ...hourly, ...yesterday }, lateDaily] },
    'MATE00ITA',
    'no hour since 18–19 yesterday, no day of 21 Jan',
    late,
  ],
  [
    { ...mate, series: [{ ...hourly, ...before }, lateDaily] },
    'MATE00ITA',
    'nothing since 13 Jan, days and hours',
    late,
  ],
  [{ ...mate, series: [lateDaily] }, 'MATE00ITA', 'no day of 21 Jan', late],
  [
    { ...mate, series: [{ ...daily, since: at('2026-01-14T00:00:00Z') }] },
    'MATE00ITA',
    'no day since 13 Jan',
    late,
  ],
  [
    { ...mate, series: [{ ...daily, since: at('2025-12-14T00:00:00Z') }] },
    'MATE00ITA',
    'no day since 13 Dec 2025',
    late,
  ],
  [{ ...mate, series: [navigation] }, 'MATE00ITA', 'no hour since 09–10, navigation only', late],
  [
    { ...mate, series: [{ ...navigation, period: '15M' }] },
    'MATE00ITA',
    'no quarter hour since 09:45–10:00, navigation only',
    late,
  ],
  [{ ...mate, series: [hourly, navigation] }, 'MATE00ITA', 'no hour since 09–10', late],
  [
    { ...mate, since: undefined, series: [{ ...hourly, since: undefined }], kind: 'down' },
    'MATE00ITA',
    'nothing was ever delivered',
    late,
  ],
  [
    { ...norway, kind: 'ingest-stalled', country: undefined, series: [hourly, daily] },
    'All stations',
    'nothing arrives since 10:00 UTC, 8 are lost',
    late,
  ],
  [
    { ...damaged, series: [{ ...daily, kind: 'damaged', damaged: [dayOf('2026-01-20')] }] },
    'MATE00ITA',
    'day of 20 Jan is damaged',
    '',
  ],
  [
    { ...damaged, series: [{ ...hourly, kind: 'damaged', damaged: [times.since / 3600 - 24] }] },
    'MATE00ITA',
    'hour 10–11 yesterday is damaged',
    '',
  ],
  [
    {
      ...damaged,
      series: [
        { ...hourly, kind: 'damaged', damaged: [times.since / 3600] },
        { ...daily, kind: 'damaged', damaged: [dayOf('2026-01-20'), dayOf('2026-01-21')] },
      ],
    },
    'MATE00ITA',
    '3 files are damaged, the last of 22 Jan',
    '',
  ],
  [
    { ...mate, kind: 'ingest-stalled', since: undefined },
    'All stations',
    'nothing arrives, 1 is lost',
    late,
  ],
]

t.test('a loss is a row, and lasts from the time at which a file was due', async (t) => {
  for (const [loss, who, what, late] of cases) t.strictSame(lossWords(loss), { who, what, late })
})

t.test('the last hour of a day ends at 24', async (t) => {
  const midnight = at('2026-01-22T00:00:00Z')
  const loss = { ...mate, since: midnight, series: [{ ...hourly, since: midnight }] }
  t.equal(lossWords(loss).what, 'no hour since 23–24 yesterday')
})

t.test('a lost file type is one sentence', async (t) => {
  const name = 'observation, hour'
  t.equal(lostSeriesWords(hourly, asOf), `${name}: nothing since 10:00 UTC`)
  t.equal(
    lostSeriesWords({ ...hourly, ...yesterday, kind: 'damaged' }, asOf),
    `${name}: damaged, found 21 Jan 19:00 UTC`,
  )
  t.equal(
    lostSeriesWords({ ...hourly, kind: 'down', since: undefined }, asOf),
    `${name}: never delivered`,
  )
})
