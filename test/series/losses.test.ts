/** Losses: cases whose answers are known, and random networks beside the slow reference. */
import type { Loss } from '../../src/series/loss.ts'
import { damagedLosses, stationLosses } from '../../src/series/station-losses.ts'
import { fc } from '../random.ts'
import t, { exact } from '../tap.ts'
import type { Described } from './loss-networks.ts'
import { day, hour, iso, lossesOf, midnight, networks, seriesAt } from './loss-networks.ts'
import type { NaiveLoss } from './losses-oracle.ts'
import { naiveDamaged, naiveLosses } from './losses-oracle.ts'
import type { Period } from './oracle.ts'

const at = (asOf: number, ...described: Described[]): readonly Loss[] =>
  lossesOf(
    described.map((each) => seriesAt(asOf, each)),
    midnight + asOf,
  ).losses

const isoOf = (seconds: number | undefined): string =>
  seconds === undefined ? 'never' : iso(seconds - midnight)

/** A loss in a line. */
const line = ({ kind, station, country, stations, expectedStations, since }: Loss) =>
  [
    kind,
    station ?? country ?? 'all',
    `${stations.length}/${expectedStations ?? '-'}`,
    isoOf(since),
  ].join(' ')

const norway = (count: number, more: Omit<Described, 'station'> = {}): Described[] =>
  Array.from({ length: count }, (_, index) => ({ station: `NO${index}A00NOR`, ...more }))
const from10 = [[10 * hour, 1000 * hour]] as const
const graz = { station: 'GRAZ00AUT' }

t.test('eight stations of a country whose files stop at 10:00 are one loss', async (t) => {
  const now = 15 * hour + 40 * 60
  const losses = at(now, ...norway(8, { lost: from10 }), graz)
  t.same(losses.map(line), [`late NOR 8/8 ${iso(10 * hour)}`])
  const due = midnight + 11 * hour + 600
  t.match(losses[0], {
    id: `loss-NOR-${iso(10 * hour)}`,
    due,
    lateSeconds: 4.5 * hour,
    alert: true,
  })
  t.same(losses[0]?.series[0], {
    station: 'NO0A00NOR',
    fileType: 'o',
    period: '01H',
    kind: 'late',
    since: midnight + 10 * hour,
    due,
    alertFrom: due + hour,
  })
})

t.test('a dead station is one loss, whatever its files cover', async (t) => {
  const dead = (type: 'o' | 'n', period: Period): Described => ({
    station: 'MATE00ITA',
    type,
    period,
    // The file of the day of the stop never comes.
    lost: [[period === '01D' ? 0 : 10 * hour, 1000 * day]],
  })
  const all = [dead('o', '01H'), dead('n', '01H'), dead('o', '15M'), dead('o', '01D')]
  const [hours, ...none] = at(12 * hour, ...all)
  t.same(none, [])
  t.equal(hours?.series.length, 3, 'the day is not over')
  const [days] = at(9 * day, ...all)
  t.same(days?.id, hours?.id, 'it keeps its id when its daily file is late')
  t.match(days, {
    kind: 'down',
    since: midnight + 10 * hour,
    due: midnight + 10 * hour + 15 * 60 + 300,
    series: { length: 4 },
  })
  t.same(
    days?.series.map(({ period }) => period),
    ['15M', '01H', '01H', '01D'],
    'what was late first',
  )
})

t.test('a loss of a country needs three stations, and half of those expected', async (t) => {
  const lost = (count: number, of: number) =>
    at(12 * hour, ...norway(count, { lost: from10 }), ...norway(of).slice(count), graz).map(line)
  t.match(lost(2, 2), exact([/late NO0A00NOR/, /late NO1A00NOR/]))
  t.match(lost(3, 6), exact([/late NOR 3.6/]))
  t.match(lost(3, 7), exact([/NO0A00NOR/, /NO1A00NOR/, /NO2A00NOR/]))
  const ended = norway(9, { lost: [[-95 * day, 1000 * day]] }).slice(3)
  t.match(
    at(12 * hour, ...norway(3, { lost: from10 }), ...ended, graz).map(line),
    exact([/late NOR 3.3/]),
    'stations that are expected no more do not count',
  )
  const short = ['OSLS', 'BODO', 'VARD'].map((station) => ({ station, lost: from10 }))
  t.match(at(12 * hour, ...short, graz).map(line), exact([/BODO/, /OSLS/, /VARD/]), 'no country')
  const daily = norway(9, { period: '01D' }).slice(3)
  t.match(
    at(12 * hour, ...norway(3, { lost: from10 }), ...daily, graz).map(line),
    exact([/NO0A00NOR/, /NO1A00NOR/, /NO2A00NOR/]),
    'stations with daily files count too',
  )
})

t.test('slots that ended more than an hour apart have different causes', async (t) => {
  const stops = (...hours: number[]) =>
    at(
      20 * hour,
      ...hours.map((stop, index) => ({
        station: `NO${index}A00NOR`,
        lost: [[stop * hour, 1000 * hour]] as const,
      })),
    ).map(line)
  t.same(stops(10, 11, 11, 20), [`late NOR 3/4 ${iso(10 * hour)}`])
  t.same(stops(10, 11, 12, 20), [
    `late NO2A00NOR 1/- ${iso(12 * hour)}`,
    `late NO1A00NOR 1/- ${iso(11 * hour)}`,
    `late NO0A00NOR 1/- ${iso(10 * hour)}`,
  ])
})

t.test('daily files are lost together if they are lost on the same day', async (t) => {
  const dead = (station: string, period: Period, from: number): Described => ({
    station,
    period,
    lost: [[from, 1000 * day]],
  })
  const hourly = [dead('NO0A00NOR', '01H', 10 * hour), dead('NO1A00NOR', '01H', 10.5 * hour)]
  const same = at(2 * day, ...hourly, dead('NO2A00NOR', '01D', 0), graz)
  t.same(same.map(line), [`down NOR 3/3 ${iso(10 * hour)}`])
  const other = at(2 * day, ...hourly, dead('NO2A00NOR', '01D', -day), graz)
  t.match(other.map(line), exact([/NO1A00NOR/, /NO0A00NOR/, /NO2A00NOR/]))
  const three = ['NO2A00NOR', 'NO3A00NOR', 'NO4A00NOR'].map((each) => dead(each, '01D', -day))
  t.match(at(2 * day, ...hourly, ...three, graz).map(line), exact([/NO/, /NO/, /NOR 3.5/]))
})

t.test('a series that was lost before does not make the loss of its country older', async (t) => {
  const old = { station: 'NO0A00NOR', period: '01D', lost: [[-9 * day, 1000 * day]] } as const
  const network = [...norway(4, { lost: from10 }), old, graz]
  t.match(
    at(11 * hour + 1200, ...network),
    exact([{ kind: 'down', since: midnight + 10 * hour, lateSeconds: 600, alert: false }]),
  )
})

t.test('the damaged files of the last seven days of a station are one loss', async (t) => {
  const damaged = (...files: readonly (readonly [start: number, found: number])[]): Described => ({
    ...graz,
    lost: files.map(([start]) => [start, start + 1] as const),
    damaged: files,
  })
  const two = damaged([5 * hour, 6.5 * hour], [7 * hour, 8.1 * hour])
  const [loss, ...none] = at(7 * hour + 1799, two)
  t.same(none, [])
  t.match(loss, {
    id: `damaged-GRAZ00AUT-${iso(6.5 * hour)}`,
    kind: 'damaged',
    station: 'GRAZ00AUT',
    since: midnight + 6.5 * hour,
    due: midnight + 6.5 * hour,
    lateSeconds: 3599,
    alert: false,
    series: exact([{ kind: 'damaged', period: '01H', since: midnight + 6.5 * hour }]),
  })
  t.match(at(7.5 * hour, two), exact([{ id: loss?.id, alert: true }]))
  t.match(at(7 * day + 6 * hour - 1, two), exact([{ since: midnight + 6.5 * hour }]))
  t.match(at(7 * day + 6 * hour, two), exact([{ since: midnight + 8.1 * hour }]))
  t.same(at(7 * day + 8 * hour, two), [], 'older ones are left to the missing files')
})

const sorted = (losses: readonly NaiveLoss[]): NaiveLoss[] =>
  losses.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))

/** A loss in the form of the reference. */
const plain = (loss: Loss): NaiveLoss => ({
  place: loss.station ?? loss.country ?? '',
  kind: loss.kind === 'down' ? 'down' : 'late',
  since: loss.since ?? null,
  due: loss.due,
  alert: loss.alert,
  expected: loss.expectedStations ?? null,
  series: loss.series
    .map(({ station, fileType, period, since }) =>
      [station, fileType, period, since ?? '-'].join(' '),
    )
    .sort(),
})

const numRuns = process.env['SLOW'] === '1' ? 1000 : 60

t.test('random networks have the losses of the slow reference', async (t) => {
  let [countries, mixed, damagedOnes] = [0, 0, 0]
  fc.assert(
    fc.property(networks, ({ described, asOf }) => {
      const now = midnight + asOf
      const network = described.map((each) => seriesAt(asOf, each))
      const { states, losses } = lossesOf(network, now)
      const apart = stationLosses(states, now)
      t.strictSame(sorted(apart.map(plain)), sorted(naiveLosses(network, now)))
      const damaged = damagedLosses(states, now)
      t.same(
        damaged.map(({ station, since, alert, series }) => ({
          station,
          since,
          alert,
          series: series.map((each) => [each.station, each.fileType, each.period].join(' ')).sort(),
        })),
        naiveDamaged(network, now),
      )
      t.same(losses.filter(({ kind }) => kind === 'damaged').length, damaged.length)
      damagedOnes += damaged.length
      const named = (all: readonly { station: string; fileType: string; period: string }[]) =>
        all.map(({ station, fileType, period }) => station + fileType + period).sort()
      const lost = states.filter(({ summary }) => /late|down/.test(summary.state))
      t.same(
        named(losses.flatMap(({ kind, series }) => (kind === 'damaged' ? [] : series))),
        named(lost),
        'each lost series is in exactly one loss',
      )
      const ids = apart.map(({ id }) => id)
      t.equal(new Set(ids).size, ids.length, 'no id twice')
      const times = losses.map(({ due }) => due)
      t.strictSame(
        times,
        times.toSorted((a, b) => b - a),
        'the newest loss first',
      )
      countries += apart.filter(({ country }) => country !== undefined).length
      mixed += apart.filter(
        ({ series }) => new Set(series.map(({ period }) => period)).size > 1,
      ).length
    }),
    { numRuns },
  )
  t.ok(countries > numRuns / 8, `${countries} of countries`)
  t.ok(mixed > numRuns / 10, `${mixed} of several periods`)
  t.ok(damagedOnes > numRuns, `${damagedOnes} damaged`)
})
