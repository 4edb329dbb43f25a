/** The flagged files of stations by day: only live files that were read, of the right days. */
import type { Test } from 'tap'
import type { FlagName } from '../../src/rinex/facts.ts'
import type { FlaggedStation } from '../../src/series/flags.ts'
import { fc } from '../random.ts'
import { nameOf, startOf } from '../rinex-names.ts'
import t from '../tap.ts'
import { checksumOf, day as path, facts as version, openCatalogue } from './catalogue.ts'
import { newFile } from './change.ts'
import { flagged } from './some-facts.ts'

const day = (dayOfYear: number): number => startOf(2026, dayOfYear) / 86_400

/** `GRAZ00AUT o 5: 2 cut,short 1; 3 marker 1`, by days of 2026. */
function wordsOf({ station, fileType, read, flagged }: FlaggedStation): string {
  const sums = new Map<string, number>()
  for (const group of flagged) {
    const key = `${group.day - day(0)} ${group.flags.join()}`
    sums.set(key, (sums.get(key) ?? 0) + group.files)
  }
  const groups = [...sums].sort().map((each) => each.join(' '))
  return `${station} ${fileType} ${read}: ${groups.join('; ')}`
}

/** Opens a catalogue of these files; those with flags were read. */
async function open(
  t: Test,
  files: readonly (readonly [string, readonly FlagName[] | undefined])[],
) {
  const opened = await openCatalogue(t, { stepUs: 1 })
  const { apply, reader, writer } = opened
  await apply({ added: files.map(([name]) => newFile(name, version)) })
  const idOf = async (name = ''): Promise<number> =>
    (await reader.file({ directory: path, name }))?.id ?? 0
  const checksums = []
  for (const [name, flags] of files)
    if (flags !== undefined)
      checksums.push(checksumOf(await idOf(name), { facts: flagged(...flags) }))
  await writer.keepChecksums(checksums, files.length)
  return { ...opened, idOf }
}

t.test('flagged files by station, type and day', async (t) => {
  const hour = { period: '01H' }
  const replacedName = nameOf('GRAZ00AUT', startOf(2026, 2), hour)
  const staleName = nameOf('GRAZ00AUT', startOf(2026, 2, 2), hour)
  const { apply, idOf, reader, writer } = await open(t, [
    [nameOf('GRAZ00AUT', startOf(2026, 1, 23), hour), ['cut']],
    [replacedName, ['cut', 'short']],
    [nameOf('GRAZ00AUT', startOf(2026, 2, 1), hour), ['cut', 'short']],
    [staleName, ['short']],
    [nameOf('GRAZ00AUT', startOf(2026, 3, 23), hour), []],
    [nameOf('GRAZ00AUT', startOf(2026, 4), hour), ['cut']],
    [nameOf('GRAZ00AUT', startOf(2026, 2), { rest: 'MN.rnx' }), ['empty']],
    // The short code belongs to the long one.
    [nameOf('GRAZ', startOf(2026, 3)), ['marker']],
    [nameOf('LINZ00AUT', startOf(2026, 3)), []],
    // These are not read.
    [nameOf('LINZ00AUT', startOf(2026, 2)), undefined],
    [nameOf('WTZR00DEU', startOf(2026, 3)), undefined],
  ])
  const ask = async () =>
    (await reader.flaggedFiles({ fromDay: day(2), toDay: day(3) })).map(wordsOf)
  const [navigation, others] = ['GRAZ00AUT n 1: 2 empty 1', 'LINZ00AUT o 1: ']
  t.strictSame(await ask(), [
    navigation,
    'GRAZ00AUT o 5: 2 cut,short 2; 2 short 1; 3 marker 1',
    others,
  ])
  // Another version of one is not read yet, one is to be read again, and one is removed.
  const replaced = { name: replacedName, size: 10, mtimeUs: 2000 }
  await apply({ modified: [{ ...replaced, id: await idOf(replacedName) }] })
  await writer.hashAgain([await idOf(staleName)], 0)
  await apply({ removed: [await idOf(nameOf('GRAZ', startOf(2026, 3)))] })
  t.strictSame(await ask(), [navigation, 'GRAZ00AUT o 2: 2 cut,short 1', others])
})

t.test('random files are counted as one by one', async (t) => {
  const flags = fc.subarray<FlagName>(['cut', 'torn', 'marker'])
  const random = fc.uniqueArray(
    fc.record({
      station: fc.constantFrom('GRAZ00AUT', 'LINZ', 'WTZR00DEU'),
      hour: fc.integer({ min: 24, max: 24 * 20 }),
      flags: fc.option(flags, { nil: undefined }),
    }),
    { minLength: 300, maxLength: 300, selector: ({ station, hour }) => `${station} ${hour}` },
  )
  const files = fc.sample(random, { numRuns: 1 }).flat()
  const secondsOf = (hour: number): number => startOf(2026, 1) + hour * 3600
  const named = files.map(
    ({ station, hour, flags }) =>
      [nameOf(station, secondsOf(hour), { period: '01H' }), flags] as const,
  )
  const { reader } = await open(t, named)
  for (const [from, to] of [
    [2, 8] as const,
    [7, 7] as const,
    [1, 30] as const,
    [40, 50] as const,
  ]) {
    const found = await reader.flaggedFiles({ fromDay: day(from), toDay: day(to) })
    const dayOf = (hour: number): number => Math.floor(hour / 24) + 1
    const own = files.filter(({ hour, flags }) => flags && dayOf(hour) >= from && dayOf(hour) <= to)
    const expected = Array.from(
      Map.groupBy(own, ({ station }) => station),
      ([station, ofStation]) => ({
        station,
        fileType: 'o' as const,
        read: ofStation.length,
        flagged: ofStation
          .filter((each) => each.flags?.length)
          .map((each) => ({ day: day(dayOf(each.hour)), flags: each.flags ?? [], files: 1 })),
      }),
    )
    t.strictSame(found.map(wordsOf), expected.map(wordsOf).sort(), `${from} to ${to}`)
  }
})
