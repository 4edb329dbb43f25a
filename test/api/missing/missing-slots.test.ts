/** The patterns of missing files match exactly the names of the files that would fill the slots. */
import { missingPatterns } from '../../../src/api/missing/missing-slots.ts'
import { parseFilename } from '../../../src/parse/filename.ts'
import type { FileType } from '../../../src/parse/types.ts'
import type { Period } from '../../../src/series/series.ts'
import { periodRules, seriesOf, slotAt, slotsPerDay } from '../../../src/series/series.ts'
import { nameOf } from '../../rinex-names.ts'
import t from '../../tap.ts'

/** 2026-01-22, day 022. */
const day = Date.UTC(2026, 0, 22) / 86_400_000

/**
 * A pattern of the shell as a regular expression; our patterns have no other special characters.
 */
const toRegExp = (pattern: string) =>
  new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('?', '.').replaceAll('*', '.*')}$`)

const extensions = { o: ['o', 'd'], n: ['n', 'g', 'l', 'q', 'f', 'h', 'p'], m: ['m'] } as const

/** Names with the start of each quarter of an hour of two days, of all periods and types. */
function namesOf(station: string): readonly string[] {
  const isLong = station.length === 9
  const forms = isLong
    ? [
        ...['R', 'S'].flatMap((source) =>
          ['30S_MO.rnx', '30S_MM.rnx'].map((rest) => ({ source, rest })),
        ),
        { rest: 'MN.rnx' },
      ]
    : Object.values(extensions).flatMap((types) => types.map((type) => ({ type })))
  return Array.from({ length: 2 * 96 }, (_, quarter) => quarter).flatMap((quarter) => {
    const start = day * 86_400 + quarter * 900
    const periods = [
      '15M',
      ...(quarter % 4 === 0 ? ['01H'] : []),
      ...(quarter % 96 === 0 ? ['01D'] : []),
    ]
    return periods.flatMap((period) =>
      forms.map((form) => nameOf(station, start, { period, ...form })),
    )
  })
}

/** The slots of a series that a name fills; none for a name of another series. */
function slotOf(name: string, fileType: FileType, period: Period): number | undefined {
  const parsed = parseFilename(name)
  if (parsed.kind !== 'parsed') throw new Error(`${name} is no name of a file`)
  const series = seriesOf(parsed)
  const isOfSeries = series?.fileType === fileType && series.period === period
  return isOfSeries ? slotAt(parsed.startSeconds, period) : undefined
}

const cases: readonly (readonly [station: string, FileType, Period, string, string])[] = [
  ['GRAZ00AUT', 'o', '01D', '0000', 'GRAZ00AUT_?_2026022????_01D_*O.*'],
  ['GRAZ00AUT', 'o', '01H', '0500', 'GRAZ00AUT_?_202602205??_01H_*O.*'],
  ['GRAZ00AUT', 'n', '01H', '2300', 'GRAZ00AUT_?_202602223??_01H_*N.*'],
  ['GRAZ00AUT', 'm', '15M', '0545', 'GRAZ00AUT_?_20260220545_15M_*M.*'],
  ['GRAZ00AUT', 'o', '01H', 'day', 'GRAZ00AUT_?_2026022????_01H_*O.*'],
  ['GRAZ00AUT', 'o', '15M', 'day', 'GRAZ00AUT_?_2026022????_15M_*O.*'],
  ['GRAZ', 'o', '01D', '0000', 'graz0220.26[oOdD]*'],
  ['GRAZ', 'n', '01D', '0000', 'graz0220.26[nNgGlLpPqQfFhH]*'],
  ['GRAZ', 'o', '01H', '0000', 'graz022a.26[oOdD]*'],
  ['GRAZ', 'o', '01H', '2300', 'graz022x.26[oOdD]*'],
  ['GRAZ', 'm', '15M', '0545', 'graz022f45.26[mM]*'],
  ['GRAZ', 'o', '01H', 'day', 'graz022[a-x].26[oOdD]*'],
  ['GRAZ', 'o', '15M', 'day', 'graz022[a-x]??.26[oOdD]*'],
]

t.test(
  'a slot, or a day of slots, has a pattern that matches its names and no others',
  async (t) => {
    for (const [station, fileType, period, time, expected] of cases) {
      const perDay = slotsPerDay(period)
      const start = day * 86_400 + Number(time.slice(0, 2)) * 3600 + Number(time.slice(2)) * 60
      const slots =
        time === 'day'
          ? Array.from({ length: perDay }, (_, n) => day * perDay + n)
          : [start / periodRules[period].seconds]
      const patterns = missingPatterns({ station, fileType, period }, slots)
      t.strictSame(patterns, [expected])
      const names = namesOf(station)
      const wanted = names.filter((name) => slots.includes(slotOf(name, fileType, period) ?? NaN))
      const found = names.filter((name) => patterns.some((each) => toRegExp(each).test(name)))
      t.strictSame(found, wanted, expected)
      t.ok(wanted.length > 0, expected)
    }
  },
)

t.test('a day that has one of its files has a pattern for each other slot', async (t) => {
  for (const period of ['01H', '15M'] as const)
    for (const station of ['GRAZ', 'GRAZ00AUT']) {
      const perDay = slotsPerDay(period)
      const slots = Array.from({ length: 2 * perDay }, (_, n) => day * perDay + n)
      const patterns = missingPatterns({ station, fileType: 'o', period }, slots.slice(1))
      t.equal(patterns.length, perDay, `${station} ${period}`)
      t.match(patterns.at(-1), /^(?:graz023\[a-x\]|GRAZ00AUT_\?_2026023\?{4})/)
    }
})

t.test('years have the digits of the form, also before 1970', async (t) => {
  const series = { fileType: 'o', period: '01D' } as const
  for (const [date, short, long] of [
    ['1999-12-31', 'graz3650.99[oOdD]*', 'GRAZ00AUT_?_1999365????_01D_*O.*'],
    ['2000-12-31', 'graz3660.00[oOdD]*', 'GRAZ00AUT_?_2000366????_01D_*O.*'],
    ['1969-12-31', 'graz3650.69[oOdD]*', 'GRAZ00AUT_?_1969365????_01D_*O.*'],
  ] as const) {
    const slots = [Date.parse(date) / 86_400_000]
    t.strictSame(missingPatterns({ ...series, station: 'GRAZ' }, slots), [short])
    t.strictSame(missingPatterns({ ...series, station: 'GRAZ00AUT' }, slots), [long])
  }
})
