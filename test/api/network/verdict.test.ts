/** The verdict of the network in words. */
import type { Verdict } from '../../../src/api/network/verdict.ts'
import { verdictOf } from '../../../src/api/network/verdict.ts'
import type { KnownSeries } from '../../../src/api/series/known-series.ts'
import type { AsOf } from '../../../src/series/as-of.ts'
import type { SeriesPast } from '../../../src/series/series-summary.ts'
import { summariseSeries, unknownSummary } from '../../../src/series/series-summary.ts'
import { SlotSet } from '../../../src/series/slot-set.ts'
import { openLosses } from '../../../src/series/station-losses.ts'
import { stationStates } from '../../../src/series/station-states.ts'
import t from '../../tap.ts'
import type { Period } from '../series/network.ts'
import { iso, lengths } from '../series/network.ts'

/** 2026-11-24 16:05 UTC. */
const now = Date.UTC(2026, 10, 24, 16, 5) / 1000
const hour = 3600
const current: AsOf = { seconds: now, notCurrent: undefined, problems: [] }
const stopped = { ...current, notCurrent: 'the indexer is stopped' }
const lost = { ...current, notCurrent: 'obs/ cannot be read (EIO)' }
const withheld = { ...current, problems: ['5 removals in obs/ withheld'] }
const unscanned = {
  ...current,
  seconds: undefined,
  notCurrent: 'the archive has not been compared with the catalogue yet',
}

interface Described {
  readonly station: string
  readonly period?: Period
  /** The end of the last delivered slot, in hours before 16:00. */
  readonly until: number
  /** Seconds after which each file arrived; without it, a scan found them. */
  readonly latency?: number
  readonly nowSeconds?: number
}

/** The series of 40 days that a station delivered without losses. */
function seriesOf(described: Described): KnownSeries {
  const { station, period = '01H', until, latency, nowSeconds = now } = described
  const length = lengths[period]
  const end = Math.floor(
    (nowSeconds - until * hour - (described.nowSeconds ? (latency ?? 0) : 0)) / length,
  )
  const slots = Array.from({ length: (40 * 86_400) / length }, (_, n) => end - n - 1).reverse()
  const days = { firstDay: Math.floor(now / 86_400) - 400, lastDay: Math.floor(now / 86_400) + 1 }
  const past: SeriesPast = {
    delivered: SlotSet.of(period, slots, days),
    damaged: new Map(),
    first: slots[0],
    arrivals:
      latency === undefined
        ? { slots: [], latencies: [] }
        : { slots, latencies: slots.map(() => latency) },
    rules: [],
  }
  const summary = summariseSeries(past, nowSeconds)
  return { station, fileType: 'o', period, summary, ids: [], past, firstStart: undefined }
}

/** The network of some series. */
const networkOf = (states: readonly KnownSeries[], asOf: AsOf) => ({
  states,
  stations: stationStates(states),
  losses: asOf.seconds === undefined ? [] : openLosses(states, asOf.seconds),
  asOf,
})

const graz: Described = { station: 'GRAZ00AUT', until: 0, latency: 70 }
const zimm: Described = { station: 'ZIMM00CHE', until: 1, latency: 1740 }
const onsa: Described = { station: 'ONSA00SWE', until: 5, latency: 70 }
const mate: Described = { station: 'MATE00ITA', until: 9 * 24, latency: 70 }
const daily: Described = { station: 'WTZR', period: '01D', until: 16, latency: 600 }

const cases: readonly (readonly [
  name: string,
  series: readonly Described[],
  asOf: AsOf,
  verdict: Partial<Verdict>,
])[] = [
  [
    'all deliver, and one has still time',
    [graz, zimm],
    current,
    {
      ok: true,
      words:
        'All 2 stations deliver. 2 of 2 stations that are due have sent the hour 14–15 UTC. The newest file arrived 4 min ago.',
      indexer: 'watching',
      newest: Date.UTC(2026, 10, 24, 16, 1, 10) / 1000,
      late: 0,
      down: 0,
    },
  ],
  [
    'most have still time for the newest hour',
    [graz, zimm, { ...zimm, station: 'WTZR00DEU' }],
    current,
    {
      words:
        'All 3 stations deliver. 3 of 3 stations that are due have sent the hour 14–15 UTC. The newest file arrived 4 min ago.',
    },
  ],
  [
    'a late station',
    [graz, onsa],
    current,
    {
      ok: false,
      words:
        '1 of 2 stations does not deliver: ONSA00SWE. 1 of 2 stations that are due have sent the hour 14–15 UTC. The archive was looked at just now and files of other stations arrive: the cause is not here.',
      late: 1,
      down: 0,
    },
  ],
  [
    'late and down, each with two series: stations count, not series',
    [graz, onsa, { ...onsa, period: '15M' }, mate, { ...mate, period: '15M', until: 0 }],
    current,
    {
      words:
        '2 of 3 stations do not deliver: MATE00ITA, ONSA00SWE. 1 of 3 stations that are due have sent the hour 14–15 UTC. The archive was looked at just now and files of other stations arrive: the cause is not here.',
      late: 1,
      down: 1,
    },
  ],
  [
    'nothing arrives from anybody',
    [onsa, { ...onsa, station: 'GRAZ00AUT' }],
    current,
    {
      words:
        'Nothing arrives from any station since 11:01 UTC. 0 of 2 stations that are due have sent the hour 14–15 UTC. The archive was looked at just now and no file comes: the cause may be here, or between here and all stations.',
    },
  ],
  [
    'only daily files',
    [daily],
    current,
    {
      words:
        'The only station delivers. 1 of 1 station that is due has sent the day 23 Nov. The newest file arrived 15 h 55 min ago.',
    },
  ],
  [
    'the first day: no file was seen arriving',
    [
      { station: 'GRAZ00AUT', until: 0 },
      { station: 'WTZR', period: '01D', until: 16 },
    ],
    current,
    {
      ok: true,
      words:
        'All 2 stations deliver. 1 of 1 station that is due has sent the hour 14–15 UTC. The newest data are of 15:00.',
      newest: undefined,
    },
  ],
  [
    'a scan found newer files than those that were seen arriving',
    [
      { ...onsa, until: 3 },
      { station: 'GRAZ00AUT', until: 0 },
    ],
    current,
    {
      ok: false,
      words:
        '1 of 2 stations does not deliver: ONSA00SWE. 1 of 2 stations that are due have sent the hour 14–15 UTC. The archive was looked at just now; the newest data are of 15:00.',
      newest: undefined,
      late: 1,
    },
  ],
  [
    'the first day, with stations that are late',
    [
      { station: 'GRAZ00AUT', until: 0 },
      ...[graz, zimm].map(({ station }) => ({ station: `L${station.slice(1)}`, until: 5 })),
    ],
    current,
    {
      ok: false,
      words:
        '2 of 3 stations do not deliver: LIMM00CHE, LRAZ00AUT. 1 of 3 stations that are due have sent the hour 14–15 UTC. The archive was looked at just now; the newest data are of 15:00.',
      newest: undefined,
      late: 2,
    },
  ],
  [
    'the first day of an old archive',
    [{ station: 'WTZR', period: '01D', until: 24 * 300 }],
    current,
    {
      ok: true,
      words: 'No station is expected to deliver now. The newest data are of 27 Jan.',
    },
  ],
  ['no series', [], current, { ok: true, words: 'No station is expected to deliver now.' }],
  [
    'the indexer is stopped',
    [graz, mate],
    stopped,
    {
      ok: false,
      words:
        'The indexer is stopped since 24 Nov 2026 16:05 UTC. States are those of that time. At that time 1 of 2 stations did not deliver: MATE00ITA. 1 of 2 stations that were due had sent the hour 14–15 UTC. The newest file had arrived at 16:01 UTC.',
      indexer: 'stopped',
      down: 1,
    },
  ],
  [
    'an area cannot be read, without series',
    [],
    lost,
    {
      ok: false,
      words:
        'obs/ cannot be read (EIO). States are those of 24 Nov 2026 16:05 UTC. At that time no station was expected to deliver.',
      indexer: 'degraded',
    },
  ],
  [
    'a problem that stops nothing',
    [graz],
    withheld,
    {
      ok: false,
      words:
        'The only station delivers. 1 of 1 station that is due has sent the hour 14–15 UTC. The newest file arrived 4 min ago. The indexer reports: 5 removals in obs/ withheld.',
      indexer: 'degraded',
    },
  ],
  [
    'the first scan has not ended',
    [],
    unscanned,
    {
      ok: false,
      words: 'The archive has not been compared with the catalogue yet. States are not known yet.',
      indexer: 'scanning',
      newest: undefined,
    },
  ],
  [
    'the first scan has not ended, and the indexer is stopped',
    [],
    { ...unscanned, notCurrent: 'the indexer is stopped' },
    { words: 'The indexer is stopped. States are not known yet.', indexer: 'stopped' },
  ],
]

for (const [name, series, asOf, wanted] of cases)
  t.test(name, (t) => {
    const verdict = verdictOf(networkOf(series.map(seriesOf), asOf), now)
    const { headline, detail } = verdict
    t.strictSame(verdict, { ...verdict, ...wanted })
    if (asOf === current) t.equal(`${headline}. ${detail}`.trim(), verdict.words)
    t.end()
  })

t.test('the newest file is as old as our clock says, not as what the catalogue speaks for', (t) => {
  const { past, ...series } = seriesOf(graz)
  const arrived = now - 230
  for (const asOf of [arrived - 40, arrived, arrived + 10]) {
    const states = [{ ...series, past, summary: summariseSeries(past, asOf) }]
    const newestOf = (said: AsOf, after: number) => {
      const verdict = verdictOf(networkOf(states, { ...said, seconds: asOf }), arrived + after)
      return [verdict.newest, /newest file [^.]*/.exec(verdict.words)?.[0]]
    }
    t.strictSame(newestOf(current, 14), [arrived, 'newest file arrived 14 s ago'], iso(asOf))
    t.strictSame(newestOf(current, 70), [arrived, 'newest file arrived 70 s ago'], iso(asOf))
    if (asOf < arrived) continue
    t.strictSame(newestOf(stopped, 9000), [arrived, 'newest file had arrived at 16:01 UTC'])
  }
  t.end()
})

t.test('the figure does not fall at the full hour, when no file is due yet', (t) => {
  const latencies = [60, 60, 300, 700, 700, 2700]
  for (let minute = 0; minute <= 120; minute++) {
    const seconds = now + minute * 60
    const states = latencies.map((latency, index) =>
      // The last hour whose file has arrived by now.
      seriesOf({ station: `G${index}AZ00AUT`, until: 0, latency, nowSeconds: seconds }),
    )
    const { words } = verdictOf(networkOf(states, { ...current, seconds }), seconds)
    const [, sent, due, hour] = /(\d) of (\d) stations that .* hour (\d+)/.exec(words) ?? []
    t.ok(sent !== undefined && sent === due, `after ${minute} minutes: ${words}`)
    t.ok(Number(hour) >= 14 && Number(due) >= 3)
  }
  t.end()
})

t.test('nothing is said of a day on which nothing was expected', (t) => {
  const noon = Date.UTC(2026, 10, 28, 12) / 1000
  const past: SeriesPast = {
    delivered: SlotSet.of('01D', [noon / 86_400 - 1].map(Math.floor), {
      firstDay: Math.floor(noon / 86_400) - 400,
      lastDay: Math.floor(noon / 86_400) + 1,
    }),
    damaged: new Map(),
    first: undefined,
    arrivals: { slots: [], latencies: [] },
    rules: [],
  }
  const summary = summariseSeries(past, noon)
  const series = { ...seriesOf(graz), period: '01D', past, summary } as const
  const { ok, words } = verdictOf(networkOf([series], { ...current, seconds: noon }), noon)
  t.ok(ok)
  t.equal(words, 'The only station delivers. The newest data are of 27 Nov.')
  t.end()
})

t.test('unknown states before the first scan has ended', (t) => {
  const series = { ...seriesOf(graz), summary: unknownSummary(undefined, '01H') }
  t.match(verdictOf(networkOf([series], unscanned), now), { ok: false, late: 0, down: 0 })
  t.end()
})
