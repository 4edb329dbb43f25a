import t from 'tap'
import { suffixOf } from '../../src/parse/suffix.ts'
import { parseFilename } from '../../src/parse/filename.ts'
import { fc } from '../random.ts'

t.test('the part of a name after its station, in both forms', async (t) => {
  const cases = [
    ['graz0220.26d.gz', '0220.26d.gz'],
    ['FAA1170b00.16d.gz', '170b00.16d.gz'],
    ['GRAZ00AUT_R_20260220000_01D_30S_MO.crx.gz', '_R_20260220000_01D_30S_MO.crx.gz'],
    ['GRAZ00AUT_R_20260220000_01D_MN.rnx.gz', '_R_20260220000_01D_MN.rnx.gz'],
    ['gra_0220.26d.gz', undefined],
    ['GRAZ0AAUT_R_20260220000_01D_30S_MO.crx.gz', undefined],
    ['GRAZ00AUT0220.26d.gz', undefined],
    ['', undefined],
  ] as const
  for (const [name, suffix] of cases) t.equal(suffixOf(name), suffix, name)
})

t.test('names with the same suffix differ only in the station', async (t) => {
  const character = fc.constantFrom(...Array.from('azAZ09_."\n\u00e9'))
  const digits = (length: number) => fc.stringMatching(new RegExp(`^[0-9]{${length}}$`))
  const short = fc.tuple(
    fc.constantFrom('022', '000', '366', '400'),
    fc.constantFrom('0', 'a', 'x', '1', 'Z'),
  )
  const suffix = fc.oneof(
    short.map(([day, session]) => `${day}${session}.26d.gz`),
    short.map(([day, session]) => `${day}${session}15.26x.gz`),
    digits(4).map((hour) => `_R_2026022${hour}_01D_30S_MO.crx.gz`),
    digits(3).map((day) => `_S_2026${day}0000_01H_MN.rnx.gz`),
    fc.array(character, { maxLength: 32 }).map((all) => `${all.join('')}.gz`),
  )
  const station = fc.oneof(
    fc.constantFrom('graz', 'GRAZ', '0000'),
    fc.constantFrom('GRAZ00AUT', 'wtzr99deu', 'GRAZ00AU1'),
    fc.array(character, { maxLength: 10 }).map((all) => all.join('')),
  )
  const told = (name: string) => {
    const parsed = parseFilename(name)
    return parsed.kind === 'parsed' ? { ...parsed, station: '', country: '' } : parsed.kind
  }
  let alike = 0
  fc.assert(
    fc.property(suffix, station, station, (suffix, one, other) => {
      const [first, second] = [one + suffix, other + suffix]
      if (suffixOf(first) === undefined) return told(first) === 'rejected'
      if (suffixOf(first) !== suffixOf(second)) return true
      alike++
      t.strictSame(told(first), told(second), `${first} ${second}`)
      return t.passing()
    }),
    { numRuns: 5000 },
  )
  t.ok(alike > 100, `${alike} pairs alike`)
})
