/** What is flagged of the files of stations: a table of cases, and random files. */
import type { FileType } from '../../src/parse/types.ts'
import type { FlagName } from '../../src/rinex/facts.ts'
import { flagNames } from '../../src/rinex/facts.ts'
import type { FlaggedStation } from '../../src/series/flags.ts'
import { flaggedWeek, flagSums, recentFlags, withoutAlways } from '../../src/series/flags.ts'
import { fc } from '../random.ts'
import t, { exact } from '../tap.ts'

/** A file that was read. */
interface ReadFile {
  readonly station: string
  readonly fileType: FileType
  readonly day: number
  readonly flags: readonly FlagName[]
}

/** As the catalogue groups them. */
function grouped(files: readonly ReadFile[]): readonly FlaggedStation[] {
  const byType = Map.groupBy(files, ({ station, fileType }) => `${station} ${fileType}`)
  return Array.from(byType.values(), (own) => {
    const [{ station, fileType } = { station: '', fileType: 'o' as const }] = own
    const same = Map.groupBy(own, ({ day, flags }) => [day, ...flags].join())
    const flagged = Array.from(same.values(), (each) => ({
      day: each[0]?.day ?? 0,
      flags: each[0]?.flags ?? [],
      files: each.length,
    }))
    return {
      station,
      fileType,
      read: own.length,
      flagged: flagged.filter(({ flags }) => flags.length > 0),
    }
  })
}

/** So many files with some flags; without them, of the same station. */
const some = (count: number, ...flags: readonly FlagName[]) =>
  Array.from({ length: count }, () => ({
    station: 'GRAZ',
    fileType: 'o' as const,
    day: 1,
    flags,
  }))

t.test('a flag on nine tenths of the files of a station is always there', async (t) => {
  for (const [name, files, always, counted] of [
    ['nine of ten', [...some(9, 'marker'), ...some(1)], 'marker 9 of 10', []],
    ['eight of nine', [...some(8, 'marker'), ...some(1)], '', [['marker', 8]]],
    ['18 of 20', [...some(18, 'marker'), ...some(2, 'cut')], 'marker 18 of 20', [['cut', 2]]],
    ['all of a week of days', some(7, 'short', 'marker'), 'marker 7 of 7, short 7 of 7', []],
    ['six of seven days', [...some(6, 'short'), ...some(1)], '', [['short', 6]]],
    ['all of three', some(3, 'cut'), 'cut 3 of 3', []],
    ['all of two say nothing', some(2, 'cut'), '', [['cut', 2]]],
    [
      'with another flag',
      [...some(5, 'marker'), ...some(5, 'cut', 'marker')],
      'marker 10 of 10',
      [['cut', 5]],
    ],
    ['nothing was read', [], '', []],
  ] as const) {
    const found = withoutAlways(grouped(files))
    const words = found.always.map(({ flag, files, read }) => `${flag} ${files} of ${read}`)
    t.equal(words.join(', '), always, name)
    const { flags } = flagSums(found.counted)
    t.strictSame(
      flags.map(({ flag, files }) => [flag, files]),
      counted,
      name,
    )
  }
})

t.test('what is always so of one type says nothing of another', async (t) => {
  const files = [
    ...some(20, 'marker'),
    ...some(20).map((file) => ({ ...file, fileType: 'n' as const })),
    ...some(1, 'marker').map((file) => ({ ...file, fileType: 'n' as const })),
  ]
  const { always, counted } = withoutAlways(grouped(files))
  t.match(always, exact([{ station: 'GRAZ', fileType: 'o', flag: 'marker' }]))
  t.strictSame(flagSums(counted), { files: 1, flags: [{ flag: 'marker', files: 1 }] })
})

const file: fc.Arbitrary<ReadFile> = fc.record({
  station: fc.constantFrom('GRAZ', 'LINZ00AUT', 'WTZR'),
  fileType: fc.constantFrom('o', 'o', 'n' as const),
  day: fc.integer({ min: -1, max: 2 }),
  flags: fc.oneof(
    { weight: 12, arbitrary: fc.constant(['marker'] as const) },
    { weight: 2, arbitrary: fc.constant([]) },
    fc.subarray([...flagNames], { maxLength: 3 }),
  ),
})

t.test('random files give what counting them one by one gives', async (t) => {
  let seen = 0
  const check = (files: readonly ReadFile[], from: number): void => {
    const found = withoutAlways(grouped(files))
    const sameOf = ({ station, fileType }: ReadFile) =>
      files.filter((each) => each.station === station && each.fileType === fileType)
    const isAlways = (of: ReadFile, flag: FlagName): boolean => {
      const same = sameOf(of)
      const having = same.filter(({ flags }) => flags.includes(flag)).length
      return same.length >= 3 && having * 10 >= same.length * 9
    }
    const others = files
      .map((of) => ({ ...of, flags: of.flags.filter((flag) => !isAlways(of, flag)) }))
      .filter(({ flags }) => flags.length > 0)
    const always = new Set(
      files.flatMap((of) =>
        flagNames
          .filter((flag) => isAlways(of, flag))
          .map((flag) => `${of.station} ${of.fileType} ${flag}`),
      ),
    )
    const foundAlways = found.always.map(
      ({ station, fileType, flag }) => `${station} ${fileType} ${flag}`,
    )
    t.strictSame(foundAlways, [...always].sort())
    const sumsOf = (some: readonly ReadFile[]) => ({
      files: some.length,
      flags: flagNames
        .map((flag) => ({ flag, files: some.filter(({ flags }) => flags.includes(flag)).length }))
        .filter((each) => each.files > 0),
    })
    t.strictSame(flagSums(found.counted), sumsOf(others))
    const byDay = [-1, 0, 1, 2]
      .map((day) => ({ day, ...sumsOf(others.filter((each) => each.day === day)) }))
      .filter((each) => each.files > 0)
    const recent = recentFlags(grouped(files), { fromDay: from, toDay: 1 })
    const isRecent = ({ day }: ReadFile): boolean => day >= from && day <= 1
    const { ofTypes } = recent
    t.strictSame(
      { files: recent.files, flags: recent.flags },
      sumsOf(others.filter((of) => isRecent(of))),
    )
    for (const type of ['o', 'n'] as const)
      t.strictSame(
        ofTypes.flatMap(({ fileType, ...flag }) => (fileType === type ? [flag] : [])),
        sumsOf(others.filter((of) => isRecent(of) && of.fileType === type)).flags,
      )
    t.strictSame(
      [...recent.always].sort(),
      [...new Set(found.always.map(({ flag }) => flag))].sort(),
    )
    const week = flaggedWeek(grouped(files))
    const { stations, read, days, ...sums } = week
    t.strictSame({ read, sums, days }, { read: files.length, sums: sumsOf(others), days: byDay })
    for (const { station, read, always, ...sums } of stations) {
      t.equal(read, files.filter((each) => each.station === station).length)
      t.strictSame(sums, sumsOf(others.filter((each) => each.station === station)))
      t.strictSame(
        always,
        found.always.filter((each) => each.station === station),
      )
    }
    t.equal(stations.length, new Set(files.map(({ station }) => station)).size)
    t.ok(stations.every(({ files }, index) => files <= (stations[index - 1]?.files ?? Infinity)))
    seen += always.size
  }
  fc.assert(
    fc.property(fc.array(file, { maxLength: 40 }), fc.integer({ min: -2, max: 3 }), check),
    { numRuns: 500 },
  )
  t.ok(seen > 50, `${seen} flags are always there`)
})
