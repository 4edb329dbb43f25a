/** Outages: which missing slots are one row, and what is said of them. */
import type { MissingSlot } from '../../../src/api/missing/missing-slots.ts'
import {
  knownWords,
  whatWords,
  whenWords,
  whoWords,
} from '../../../src/api/missing/outage-words.ts'
import type { Outage } from '../../../src/api/missing/outages.ts'
import { outagesOf, timeOf } from '../../../src/api/missing/outages.ts'
import type { SeriesStatus } from '../../../src/api/series/known-series.ts'
import type { FileType } from '../../../src/parse/types.ts'
import type { Period } from '../../../src/series/series.ts'
import { slotAt } from '../../../src/series/series.ts'
import { unknownSummary } from '../../../src/series/series-summary.ts'
import { fc } from '../../random.ts'
import t from '../../tap.ts'

const secondsOf = (iso: string): number => Date.parse(iso) / 1000
/** 2026-11-27, 15:30 */
const asOf = secondsOf('2026-11-27T15:30Z')

type State = MissingSlot['state']

/** A series that has files until a time; `undefined` if it delivers. */
function seriesOf(station: string, fileType: FileType, period: Period, until?: string) {
  const summary = { ...unknownSummary(undefined, period), lateAfter: 600 }
  const lost = { ...summary, state: 'down', since: secondsOf(until ?? '1970') } as const
  return { station, fileType, period, summary: until === undefined ? summary : lost }
}

/** Some slots of a series from a time on. */
function slotsOf(series: SeriesStatus, from: string, count: number, state: State = 'missing') {
  const first = slotAt(secondsOf(from), series.period)
  return Array.from({ length: count }, (_, n): MissingSlot => ({ series, slot: first + n, state }))
}

/** Hours of observation and navigation files. */
const hours = (station: string, from: string, count: number, state?: State, until?: string) =>
  (['o', 'n'] as const).flatMap((type) =>
    slotsOf(seriesOf(station, type, '01H', until), from, count, state),
  )

const days = (station: string, from: string, count: number, state?: State, until?: string) =>
  slotsOf(seriesOf(station, 'o', '01D', until), from, count, state)

const wordsOf = (outage: Outage): string =>
  [
    whoWords(outage),
    whatWords(outage),
    whenWords(outage, asOf),
    outage.length,
    knownWords(outage, asOf),
  ].join(' | ')

/** The outages in words, the newest first. */
const wordsOfAll = (slots: readonly MissingSlot[]): readonly string[] =>
  outagesOf(slots)
    .toSorted((a, b) => timeOf(b).start - timeOf(a).start || b.length - a.length)
    .map(wordsOf)

t.test('each outage is a row, in words', async (t) => {
  const norway = ['ANDO', 'BODO', 'BERG', 'HAMM', 'OSLO', 'TRDS', 'TROM', 'VARD']
  const sized = { size: 131_000, usualSize: 290_000, why: 'the text ends within a line' }
  const slots = [
    ...norway.flatMap((name, n) =>
      // One stopped an hour after the others.
      hours(
        `${name}00NOR`,
        `2026-11-27T0${n === 0 ? 9 : 8}:00Z`,
        n === 0 ? 6 : 7,
        'late',
        '2026-11-27T08:00Z',
      ),
    ),
    ...hours('DARE00GBR', '2026-11-27T13:00Z', 2, 'late', '2026-11-27T13:00Z'),
    ...['BSCN00FRA', 'HKBL00AUT', 'LLIV00ESP'].flatMap((station) =>
      days(station, '2026-11-26', 1, 'late'),
    ),
    ...days('GRAZ00AUT', '2026-11-24', 1, 'damaged').map((each) => ({ ...each, ...sized })),
    ...slotsOf(seriesOf('GRAZ00AUT', 'o', '01H'), '2026-11-24T03:00Z', 2),
    ...hours('MATE00ITA', '2026-11-18T18:00Z', 210, 'missing', '2026-11-18T18:00Z'),
    ...days('MATE00ITA', '2026-11-18', 9, 'missing', '2026-11-18T00:00Z'),
    ...[12, 13, 14, 15].flatMap((day) =>
      hours('CEUT00ESP', `2026-11-${day}T22:00Z`, 2 + (day % 2)),
    ),
    ...[1, 2, 3, 5].flatMap((day) => hours('AQUI00ITA', `2026-11-0${day}T01:00Z`, day)),
    ...days('TUBO00CZE', '2026-10-12', 3),
    ...days('OLDS00CZE', '2025-12-30', 3),
    ...hours('SPAN00CZE', '2026-10-01T19:00Z', 29),
    ...hours('EVEN00CZE', '2026-09-01T19:00Z', 5),
  ]
  t.strictSame(wordsOfAll(slots), [
    'DARE00GBR | hours, observation and navigation | 27 Nov 13–15 h | 4 | late, due since 14:10',
    'Norway, 8 stations | hours, observation and navigation | 27 Nov 08–15 h | 110 | late, due since 09:10',
    'BSCN00FRA, HKBL00AUT, LLIV00ESP | day, observation | 26 Nov | 3 | late, due since 00:10',
    'GRAZ00AUT | hours, observation | 24 Nov 03–05 h | 2 | ',
    'GRAZ00AUT | day, observation | 24 Nov | 1 | damaged: the text ends within a line; 131 kB, neighbours 290 kB',
    'MATE00ITA | days and hours, observation and navigation | 18 Nov to now | 429 | nothing since 18 Nov 17–18 h',
    'CEUT00ESP | hours, observation and navigation | 12 to 16 Nov, 4 stretches | 20 | 10 of 75 hours missing',
    'AQUI00ITA | hours, observation and navigation | 5 Nov 01–06 h | 10 | ',
    'AQUI00ITA | hours, observation and navigation | 3 Nov 01–04 h | 6 | ',
    'AQUI00ITA | hours, observation and navigation | 2 Nov 01–03 h | 4 | ',
    'AQUI00ITA | hour, observation and navigation | 1 Nov 01–02 h | 2 | ',
    'TUBO00CZE | days, observation | 12 to 14 Oct | 3 | ',
    'SPAN00CZE | hours, observation and navigation | 1 Oct 19:00 to 2 Oct 24:00 | 58 | ',
    'EVEN00CZE | hours, observation and navigation | 1 Sep 19–24 h | 10 | ',
    'OLDS00CZE | days, observation | 30 Dec 2025 to 1 Jan | 3 | ',
  ])
})

t.test(
  'an hour that nobody delivered is one outage; equal ones of two countries are two',
  async (t) => {
    const all = ['AUT', 'AUT', 'AUT', 'DEU', 'ITA', 'POL'].map(
      (country, n) => `S00${n}00${country}`,
    )
    const slots = [
      ...all.flatMap((station) => hours(station, '2026-11-24T03:00Z', 1)),
      ...['LINZ00AUT', 'ROME00ITA'].flatMap((station) => hours(station, '2026-11-20T03:00Z', 2)),
    ]
    t.strictSame(wordsOfAll(slots), [
      '6 stations | hour, observation and navigation | 24 Nov 03–04 h | 12 | ',
      'LINZ00AUT | hours, observation and navigation | 20 Nov 03–05 h | 4 | ',
      'ROME00ITA | hours, observation and navigation | 20 Nov 03–05 h | 4 | ',
    ])
  },
)

t.test('stations whose days are the same, and whose hours are not, are outages each', async (t) => {
  const since = { A: 16, B: 19, C: 21 }
  const slots = Object.entries(since).flatMap(([name, hour]) => [
    ...days(`${name}00000AUT`, '2026-11-26', 1),
    ...hours(`${name}00000AUT`, `2026-11-26T${hour}:00Z`, 39 - hour),
  ])
  t.equal(outagesOf(slots).length, 3)
})

t.test('late, missing and damaged files that follow one another are one outage', async (t) => {
  const series = seriesOf('MATE00ITA', 'o', '01H')
  const slots = [
    ...slotsOf(series, '2026-11-24T12:00Z', 3, 'missing'),
    ...slotsOf(series, '2026-11-24T15:00Z', 2, 'damaged'),
    ...slotsOf(series, '2026-11-24T17:00Z', 4, 'late'),
  ]
  t.strictSame(wordsOfAll(slots), [
    'MATE00ITA | hours, observation | 24 Nov 12–21 h | 9 | 4 late, due since 24 Nov 18:10; 2 of them damaged',
  ])
})

t.test('the same hours of each day; a station that never sent a file', async (t) => {
  const off = [1, 2, 3, 4, 5].flatMap((day) => hours('CEUT00ESP', `2026-11-0${day}T18:00Z`, 6))
  const summary = { ...unknownSummary(undefined, '01D'), state: 'down' } as const
  const never = { station: 'NONE00AUT', fileType: 'o', period: '01D', summary } as const
  t.strictSame(wordsOfAll([...off, ...slotsOf(never, '2026-10-27', 31)]), [
    'CEUT00ESP | hours, observation and navigation | 1 to 5 Nov, 5 times 18–24 h | 60 | 30 of 102 hours missing',
    'NONE00AUT | days, observation | 27 Oct to now | 31 | nothing ever came',
  ])
})

t.test('no outage loses or repeats a file, and none depends on the order', async (t) => {
  const series = ['AAAA00AUT', 'BBBB00AUT', 'CCCC00AUT', 'DDDD00ITA', 'EEEE'].flatMap((station) =>
    (['15M', '01H', '01D'] as const).map((period) => seriesOf(station, 'o', period)),
  )
  const [first] = slotsOf(seriesOf('AAAA00AUT', 'o', '01D'), '2026-11-01', 1)
  const run = fc.tuple(fc.nat(series.length - 1), fc.nat(500), fc.integer({ min: 1, max: 9 }))
  fc.assert(
    fc.property(fc.array(run, { maxLength: 40 }), fc.boolean(), (runs, isReversed) => {
      const known = new Map<string, MissingSlot>()
      for (const [index, start, count] of runs)
        for (let slot = start; slot < start + count; slot++) {
          const own = series[index]
          if (own && first) known.set(`${index} ${slot}`, { ...first, series: own, slot })
        }
      const slots = [...known.values()]
      const found = outagesOf(isReversed ? slots.toReversed() : slots)
      const all = found.flat()
      t.equal(all.length, slots.length)
      t.equal(new Set(all).size, slots.length)
      t.equal(found.length, outagesOf(slots).length)
    }),
  )
})
