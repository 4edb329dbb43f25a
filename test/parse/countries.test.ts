/** Countries of station codes, and their names. */
import { countriesNamed, countryName, countryOf } from '../../src/parse/countries.ts'
import t from '../tap.ts'

t.test('a country has a name', (t) => {
  t.equal(countryOf('GRAZ00AUT'), 'AUT')
  for (const [code, name] of [
    ['AUT', 'Austria'],
    ['NOR', 'Norway'],
    ['GBR', 'United Kingdom'],
    ['CZE', 'Czechia'],
    ['XXX', 'XXX'],
  ] as const)
    t.equal(countryName(code), name)
  t.end()
})

t.test('a word may mean countries', (t) => {
  const cases: readonly (readonly [text: string, ...codes: string[]])[] = [
    ['Austria', 'AUT'],
    ['austr', 'AUS', 'AUT'],
    ['AUT', 'AUT'],
    ['at', 'AUT'],
    ['curaçao', 'CUW'],
    ['Curacao', 'CUW'],
    ['  norway ', 'NOR'],
    ['kingdom', 'GBR'],
    ['zeal', 'NZL'],
    // Three letters are the code of a country, or the beginning of its name.
    ['zea'],
    ['kin'],
    ['nor', 'MKD', 'MNP', 'NFK', 'NOR', 'PRK'],
    ['a'],
    [''],
    ['<b>'],
    ['GRAZ'],
  ]
  for (const [text, ...codes] of cases) t.strictSame(countriesNamed(text), codes, text)
  t.end()
})
