/** Incidents: cases whose answers are known, and random networks beside the slow reference. */
import { fc } from '../random.ts'
import t, { exact } from '../tap.ts'
import { secondsToIso } from '../../src/parse/calendar.ts'
import { closedIncidents, closedLosses } from '../../src/series/closed-incidents.ts'
import type { SeriesWithPast } from '../../src/series/closed-incidents.ts'
import { openIncidents } from '../../src/series/incidents.ts'
import type { Incident } from '../../src/series/incidents.ts'
import { summariseSeries } from '../../src/series/series-summary.ts'
import { pastOf } from './compared.ts'
import { naiveClosed, naiveOpen } from './incidents-oracle.ts'
import type { NaiveIncident, NetworkHistory } from './incidents-oracle.ts'
import type { History, Period, Rule } from './oracle.ts'

const hour = 3600
const day = 24 * hour
const lengths: Record<Period, number> = { '15M': 900, '01H': hour, '01D': day }
/** 2026-01-22T00:00:00Z, a midnight. */
const midnight = Date.UTC(2026, 0, 22) / 1000

/** A time of `midnight`, in seconds after it, as ISO text. */
const iso = (seconds: number): string => secondsToIso(midnight + seconds)

interface Described {
  station: string
  type?: 'o' | 'n'
  period?: Period
  /** Days before `midnight` at which the series begins. */
  days?: number
  /** Lost slots, by their begin in seconds after `midnight`. */
  lost?: readonly (readonly [from: number, to: number])[]
  latency?: number
  rules?: readonly Rule[]
}

function seriesAt(asOf: number, described: Described): NetworkHistory {
  const { station, type = 'o', period = '01H', days = 100, lost = [], latency = 120 } = described
  const delivered = new Map<number, number>()
  for (let start = -days * day; start + lengths[period] + latency <= asOf; start += lengths[period])
    if (!lost.some(([from, to]) => start >= from && start < to))
      delivered.set((midnight + start) / lengths[period], latency)
  const history: History = {
    period,
    delivered,
    live: new Set(delivered.keys()),
    asOf: midnight + asOf,
    knownFrom: 0,
    ...(described.rules !== undefined && { rules: described.rules }),
  }
  return { station, type, history }
}

const statesOf = (network: readonly NetworkHistory[]): SeriesWithPast[] =>
  network.map(({ station, type, history }) => {
    const past = pastOf(history)
    const summary = summariseSeries(past, history.asOf)
    return { station, fileType: type, period: history.period, past, summary }
  })

function incidentsOf(network: readonly NetworkHistory[], asOf: number) {
  const states = statesOf(network)
  const open = openIncidents(states, asOf)
  const losses = states.flatMap((each) => closedLosses(each, asOf))
  return { states, open, losses, closed: closedIncidents(losses, { states, open, asOf }) }
}

const at = (asOf: number, ...described: Described[]) =>
  incidentsOf(
    described.map((each) => seriesAt(asOf, each)),
    midnight + asOf,
  )

/** An incident in a line. */
const line = ({ kind, station, country, period, stations, expected_stations, since }: Incident) =>
  [kind, station ?? country, period, `${stations.length}/${expected_stations ?? '-'}`, since].join(
    ' ',
  )

const norway = (count: number, more: Omit<Described, 'station'> = {}): Described[] =>
  Array.from({ length: count }, (_, index) => ({ station: `NO${index}A00NOR`, ...more }))
const from10 = [[10 * hour, 1000 * hour]] as const

t.test('eight stations of a country whose files stop at 10:00 are one incident', async (t) => {
  const now = 15 * hour + 40 * 60
  const { open } = at(now, ...norway(8, { lost: from10 }), { station: 'GRAZ00AUT' })
  t.same(open.map(line), [`late NOR 01H 8/8 ${iso(10 * hour)}`])
  t.match(open[0], { id: `loss-NOR-01H-${iso(10 * hour)}`, as_of: iso(now), ended: null })
  const [first] = open[0]?.series ?? []
  const times = { since: iso(10 * hour), ended: null }
  t.same(first, { station: 'NO0A00NOR', file_type: 'o', period: '01H', kind: 'late', ...times })
})

t.test('an incident of a country needs three stations, and half of those expected', async (t) => {
  const lost = (count: number, of: number) =>
    at(12 * hour, ...norway(count, { lost: from10 }), ...norway(of).slice(count)).open.map(line)
  t.match(lost(2, 2), exact([/late NO0A00NOR/, /late NO1A00NOR/]))
  t.match(lost(3, 6), exact([/late NOR 01H 3.6/]))
  t.match(lost(3, 7), exact([/NO0A00NOR/, /NO1A00NOR/, /NO2A00NOR/]))
  const ended = norway(9, { lost: [[-95 * day, 1000 * day]] }).slice(3)
  t.match(
    at(12 * hour, ...norway(3, { lost: from10 }), ...ended).open.map(line),
    exact([/late NOR 01H 3.3/]),
    'stations that are expected no more do not count',
  )
  const short = ['OSLS', 'BODO', 'VARD'].map((station) => ({ station, lost: from10 }))
  t.match(at(12 * hour, ...short).open.map(line), exact([/BODO/, /OSLS/, /VARD/]), 'no country')
})

t.test('slots that ended more than an hour apart have different causes', async (t) => {
  const stops = (...hours: number[]) =>
    at(
      20 * hour,
      ...hours.map((stop, index) => ({
        station: `NO${index}A00NOR`,
        lost: [[stop * hour, 1000 * hour]] as const,
      })),
    ).open.map(line)
  t.same(stops(10, 11, 11, 20), [`late NOR 01H 3/4 ${iso(10 * hour)}`])
  t.same(stops(10, 11, 12, 20), [
    `late NO0A00NOR 01H 1/- ${iso(10 * hour)}`,
    `late NO1A00NOR 01H 1/- ${iso(11 * hour)}`,
    `late NO2A00NOR 01H 1/- ${iso(12 * hour)}`,
  ])
})

t.test('the series of a station are one incident; periods are apart', async (t) => {
  const dead = (type: 'o' | 'n', period: Period, from: number): Described => ({
    station: 'MATE00ITA',
    type,
    period,
    lost: [[from, 1000 * day]],
  })
  const { open } = at(
    9 * day,
    dead('o', '01H', 0),
    dead('n', '01H', 8.9 * day),
    dead('o', '01D', 0),
  )
  t.same(open.map(line), [`down MATE00ITA 01D 1/- ${iso(0)}`, `down MATE00ITA 01H 1/- ${iso(0)}`])
  t.match(
    open[1]?.series,
    exact([
      { file_type: 'o', kind: 'down' },
      { file_type: 'n', kind: 'late' },
    ]),
  )
})

t.test('a closed incident is a loss of three files, or of two daily ones', async (t) => {
  const closed = (period: Period, slots: number, now = 3 * day) =>
    at(now, { station: 'GRAZ00AUT', period, lost: [[0, slots * lengths[period]]] }).closed
  t.same(closed('01H', 2), [])
  t.match(closed('01H', 3), exact([{ kind: 'late', since: iso(0), ended: iso(3 * hour) }]))
  t.match(closed('15M', 3), exact([{ kind: 'late', since: iso(0), ended: iso(45 * 60) }]))
  t.same(closed('01D', 1, 4 * day), [])
  t.match(closed('01D', 2, 4 * day), exact([{ since: iso(0), ended: iso(2 * day) }]))
  t.match(closed('01H', 26), exact([{ kind: 'down', ended: iso(26 * hour) }]))
  t.same(closed('01H', 100), [], 'it is open')
  t.match(closed('01H', 3, 57 * day + 3 * hour), exact([{ ended: iso(3 * hour) }]))
  t.same(closed('01H', 3, 57 * day + 3 * hour + 1), [], 'longer than 57 days ago')
  const campaign = at(8 * day, { station: 'GRAZ00AUT', days: 3, lost: [[0, 1000 * day]] })
  t.same(campaign.open, [])
  t.match(campaign.closed, exact([{ since: iso(0), ended: iso(3 * day) }]), 'expected for 3 days')
})

t.test('the stations of a country that were lost together have one closed incident', async (t) => {
  const until = (end: number) => [[10 * hour, end * hour]] as const
  const five = norway(5, { lost: until(15) })
  const three = norway(8, { lost: until(40) }).slice(5)
  t.match(
    at(3 * day, ...five, ...three).closed,
    exact([{ country: 'NOR', expected_stations: 8, since: iso(10 * hour), ended: iso(40 * hour) }]),
  )
  const partly = at(18 * hour, ...five, ...three)
  t.match(partly.open.map(line), exact([/NO5A00NOR/, /NO6A00NOR/, /NO7A00NOR/]))
  t.same(partly.closed.map(line), [`late NOR 01H 5/8 ${iso(10 * hour)}`])
  const most = at(18 * hour, ...five.slice(0, 3), ...three)
  t.same(most.open.map(line), [`late NOR 01H 3/6 ${iso(10 * hour)}`])
  t.same(most.closed, [], 'they belong to the open one')
})

/** Random losses: of a country, with slots more or less at each station, or of a series. */
const networks = fc
  .record({
    asOf: fc.integer({ min: 0, max: 3 * day }),
    period: fc.constantFrom<Period>('01H', '01H', '01D'),
    series: fc.uniqueArray(
      fc.record({
        station: fc.constantFrom(
          ...['NO0A00NOR', 'NO1A00NOR', 'NO2A00NOR', 'NO3A00NOR', 'NO4A00NOR', 'NO5A00NOR'],
          ...['AT0A00AUT', 'AT1A00AUT', 'AT2A00AUT', 'AT3A00AUT', 'OSLS'],
        ),
        type: fc.constantFrom<'o' | 'n'>('o', 'o', 'n'),
        isOther: fc.nat(9).map((number) => number === 0),
        days: fc.constantFrom(75, 75, 75, 40, 10, 3),
        latency: fc.constantFrom(60, 60, 900, 5000, 40_000),
        hasRule: fc.nat(9).map((number) => number === 0),
        own: fc.array(
          fc.tuple(fc.integer({ min: 0, max: 75 * 24 }), fc.integer({ min: 1, max: 90 })),
          {
            maxLength: 2,
          },
        ),
        jitter: fc.constantFrom(0, 0, 0, 0, 1, 1, 2, 500),
      }),
      { minLength: 6, maxLength: 16, selector: ({ station, type }) => station + type },
    ),
    common: fc.array(
      fc.record({
        country: fc.constantFrom('NOR', 'NOR', 'AUT'),
        before: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 60 * 24 })),
        hours: fc.integer({ min: 1, max: 60 }),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  })
  .map(({ asOf, period, series, common }) => ({
    asOf: midnight + asOf,
    network: series.map((each): NetworkHistory => {
      const own = each.isOther ? (period === '01D' ? '01H' : '01D') : period
      const stretch = own === '01D' ? 24 : 1
      const losses = [
        ...each.own.map(([before, hours]) => [before, hours] as const),
        ...common
          .filter(({ country }) => each.station.endsWith(country))
          .map(({ before, hours }) => [before - each.jitter * stretch, hours] as const),
      ]
      return seriesAt(asOf, {
        ...each,
        period: own,
        lost: losses.map(([before, hours]) => {
          const from = Math.floor((asOf - before * hour) / lengths[own]) * lengths[own]
          return [from, from + hours * stretch * hour]
        }),
        ...(each.hasRule && {
          rules: [{ fromDay: midnight / day - 30, hours: new Set([0, 5, 6]) }],
        }),
      })
    }),
  }))

const sorted = (incidents: readonly NaiveIncident[]): NaiveIncident[] =>
  incidents.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))

const secondsOf = (time: string | null): number | null =>
  time === null ? null : Date.parse(time) / 1000

/** An incident in the form of the reference. */
const plain = (incident: Incident): NaiveIncident => ({
  place: incident.station ?? incident.country ?? '',
  period: incident.period,
  since: secondsOf(incident.since),
  ended: secondsOf(incident.ended),
  expected: incident.expected_stations,
  series: incident.series
    .map(({ station, file_type, since }) => `${station} ${file_type} ${secondsOf(since) ?? '-'}`)
    .sort(),
})

const numRuns = process.env['SLOW'] === '1' ? 1000 : 60

t.test('random networks have the incidents of the slow reference', async (t) => {
  let [countries, closedOnes] = [0, 0]
  fc.assert(
    fc.property(networks, ({ network, asOf }) => {
      const { states, open, losses, closed } = incidentsOf(network, asOf)
      t.strictSame(sorted(open.map(plain)), sorted(naiveOpen(network)), 'open')
      t.strictSame(sorted(closed.map(plain)), sorted(naiveClosed(network)), 'closed')
      const lost = states.filter(({ summary }) => /late|down/.test(summary.state))
      t.same(
        open
          .flatMap(({ series }) => series.map(({ station, file_type }) => station + file_type))
          .sort(),
        lost.map(({ station, fileType }) => station + fileType).sort(),
        'each lost series is in exactly one incident',
      )
      t.ok(closed.flatMap(({ series }) => series).length <= losses.length)
      const ids = [...open, ...closed].map(({ id }) => id)
      t.equal(new Set(ids).size, ids.length, 'no id twice')
      const times = open.map(({ since }) => since ?? '')
      t.strictSame(times, times.toSorted(), 'the longest loss first')
      countries += [...open, ...closed].filter(({ country }) => country !== null).length
      closedOnes += closed.length
    }),
    { numRuns },
  )
  t.ok(countries > numRuns / 4, `${countries} of countries`)
  t.ok(closedOnes > numRuns, `${closedOnes} closed`)
})
