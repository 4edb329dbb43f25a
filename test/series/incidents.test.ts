/** Incidents: cases whose answers are known, and random networks beside the slow reference. */
import { fc } from '../random.ts'
import t, { exact } from '../tap.ts'
import type { Incident } from '../../src/series/incidents.ts'
import {
  day,
  hour,
  incidentsOf,
  iso,
  lengths,
  midnight,
  networks,
  seriesAt,
} from './incident-networks.ts'
import type { Described } from './incident-networks.ts'
import { naiveClosed, naiveOpen } from './incidents-oracle.ts'
import type { NaiveIncident } from './incidents-oracle.ts'
import type { Period } from './oracle.ts'

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
    fc.property(networks, ({ described, asOf }) => {
      const network = described.map((each) => seriesAt(asOf, each))
      const { states, open, losses, closed } = incidentsOf(network, midnight + asOf)
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
