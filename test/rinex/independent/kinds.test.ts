/** Version, type and marker; files without header or epochs. */
import t from '../../tap.ts'
import type { Entry } from '../model.ts'
import { labelled, plainText } from '../model.ts'
import { flagsOf } from '../reading.ts'
import {
  at,
  day,
  ephemeris,
  file,
  header,
  hourly,
  navigation,
  read,
  readText,
  steps,
} from './cases.ts'

t.test('the version of the content is one that the name can have', async (t) => {
  const hour = at(steps(120, 30))
  const cases = [
    { version: '3.00', of: '3.04', flags: '' },
    { version: '4.99', of: '3.04', flags: '' },
    { version: '5.00', of: '3.04', flags: 'version' },
    { version: 'x.yz', of: '3.04', flags: 'version' },
    { version: '', of: '3.04', flags: 'version' },
    { version: '1.00', of: '2.11', flags: 'version' },
    { version: '0', of: '2.11', flags: 'version' },
    { version: '2', of: '2.11', flags: '' },
    { version: '2.12', of: '2.11', flags: '' },
  ] as const
  for (const { version, of, flags } of cases) {
    const types = of === '2.11' ? { all: ['L1', 'C1'] } : { G: ['C1C', 'L1C'] }
    const { text } = plainText(file(hour, { version: of, types }))
    const facts = readText(text.replace(of.padStart(9), version.padStart(9)), 'graz001a.24o.gz')
    // How the epochs of an unknown version look is not known.
    if (version === '5.00' || of === '2.11' || flags === '')
      t.equal(flagsOf(facts).join(' '), flags, version)
    else t.ok(flagsOf(facts).includes('version'), version)
    t.equal(facts.rinex_version ?? '', version)
  }
  const old = file(hour, { version: '2.11', types: { all: ['L1', 'C1'] } })
  t.equal(flagsOf(read(old, 'graz001a.24o.gz')).join(' '), '', 'version 2 in a short name')
  t.equal(flagsOf(read(old)).join(' '), 'version', 'version 2 in a long name')
  t.equal(flagsOf(read(file(hour), 'graz001a.24o.gz')).join(' '), '', 'version 3 in a short name')
})

t.test('the type of the content is that of the name', async (t) => {
  const nav = (content: string) => `GRAZ00AUT_R_20240010000_01H_${content}.rnx.gz`
  const cases = [
    { name: nav('MN'), type: 'N: GNSS NAV DATA', system: 'M: MIXED', flags: '' },
    { name: nav('MN'), type: 'NAVIGATION DATA', system: 'G', flags: '' },
    { name: nav('GN'), type: 'N: GNSS NAV DATA', system: 'G: GPS', flags: '' },
    { name: nav('GN'), type: 'N: GNSS NAV DATA', system: 'E: GALILEO', flags: 'type' },
    { name: nav('RN'), type: 'N: GNSS NAV DATA', system: 'M', flags: 'type' },
    { name: nav('MN'), type: 'METEOROLOGICAL DATA', system: '', flags: 'type' },
    { name: nav('MM'), type: 'METEOROLOGICAL DATA', system: '', flags: '' },
    { name: nav('MM'), type: 'N: GNSS NAV DATA', system: 'M', flags: 'type' },
    { name: 'graz0010.24n.gz', type: 'N: GNSS NAV DATA', system: 'G', flags: '' },
  ]
  for (const { name, type, system, flags } of cases) {
    const facts = readText(navigation(type, system) + ephemeris, name)
    t.equal(flagsOf(facts).join(' '), flags, `${name} ${type} ${system}`)
    t.equal(facts.epochs, undefined)
    t.equal(facts.share, undefined)
  }
  const oldCases = [
    { name: 'graz0010.24n.gz', type: 'N: GPS NAV DATA', systems: ['G'], flags: '' },
    { name: 'graz0010.24g.gz', type: 'GLONASS NAV DATA', systems: ['R'], flags: '' },
    { name: 'graz0010.24n.gz', type: 'GLONASS NAV DATA', systems: ['R'], flags: 'type' },
    { name: 'graz0010.24g.gz', type: 'N: GPS NAV DATA', systems: ['G'], flags: 'type' },
    { name: 'graz0010.24p.gz', type: 'N: GPS NAV DATA', systems: ['G'], flags: '' },
  ]
  for (const { name, type, systems, flags } of oldCases) {
    const facts = readText(navigation(type, '', '2.11') + ephemeris, name)
    t.equal(flagsOf(facts).join(' '), flags, `${name} ${type}`)
    t.strictSame(facts.systems, systems, `${name} ${type}`)
  }
  const observations = plainText(file(at(steps(120, 30)))).text
  for (const name of [nav('MN'), nav('GN'), nav('MM'), 'graz0010.24n.gz', 'graz0010.24m.gz']) {
    const found = flagsOf(readText(observations, name))
    t.ok(found.includes('type'), name)
    t.notOk(found.includes('empty'), name)
  }
  const other = readText(navigation('N: GNSS NAV DATA', 'M') + ephemeris, hourly)
  t.ok(flagsOf(other).includes('type'), 'navigation under the name of observations')
})

t.test('navigation and meteorological files are empty, cut or whole', async (t) => {
  const name = 'GRAZ00AUT_R_20240010000_01H_MN.rnx.gz'
  const begin = navigation('N: GNSS NAV DATA', 'M: MIXED')
  const cases = [
    { title: 'whole', text: begin + ephemeris, flags: '' },
    { title: 'header only', text: begin, flags: 'empty' },
    { title: 'blank lines', text: `${begin}\n   \n`, flags: 'empty' },
    { title: 'within a line', text: begin + ephemeris.slice(0, -4), flags: 'cut' },
    { title: 'within the header', text: begin.slice(0, 100), flags: 'cut' },
    { title: 'within the last line of the header', text: begin.slice(0, -1), flags: 'cut' },
  ]
  for (const { title, text, flags } of cases)
    t.equal(flagsOf(readText(text, name)).join(' '), flags, title)
})

t.test('a text without a header has no other flag', async (t) => {
  const many = header(['x', 'COMMENT']).repeat(4000)
  const line = header(['     3.04           OBSERVATION DATA    M', 'RINEX VERSION / TYPE'])
  const end = header(['', 'END OF HEADER'])
  const cases = [
    { title: 'nothing', text: '' },
    { title: 'a word', text: 'hello\n' },
    { title: 'a web page', text: '<!DOCTYPE html>\n<html>\n</html>\n' },
    {
      title: 'IONEX',
      text: header(
        ['     1.0            IONOSPHERE MAPS', 'IONEX VERSION / TYPE'],
        ['', 'END OF HEADER'],
      ),
    },
    { title: 'the title is not first', text: header(['x', 'COMMENT']) + line + end },
    { title: 'too long', text: line + many + end },
    { title: 'too long, without an end', text: line + many },
    { title: 'zeros', text: '\0'.repeat(1000) },
  ]
  for (const { title, text } of cases) {
    const facts = readText(text)
    t.strictSame(flagsOf(facts), ['no-header'], title)
    t.equal(facts.epochs, undefined, title)
  }
})

t.test('a file without epochs is empty and nothing else', async (t) => {
  const event: Entry = { seconds: day, flag: 4, satellites: [], lines: [labelled('x', 'COMMENT')] }
  for (const entries of [[], [event]]) {
    const facts = read(
      file(entries, { version: '4.00' }),
      'WIEN00AUT_R_20240010000_01D_30S_MO.rnx.gz',
    )
    t.strictSame(flagsOf(facts), ['empty'])
    t.match(facts, { rinex_version: '4.00', marker: { name: 'GRAZ' } })
  }
})

t.test('the marker is that of the name', async (t) => {
  const text = plainText(file(at(steps(120, 30)))).text
  const cases = [
    { marker: 'GRAZ', flags: '' },
    { marker: 'graz', flags: '' },
    { marker: 'Graz 11001M002', flags: '' },
    { marker: 'GR-AZ', flags: '' },
    { marker: 'GRAZ00AUT', flags: '' },
    { marker: 'GRA', flags: 'marker' },
    { marker: 'WIEN', flags: 'marker' },
    { marker: 'A GRAZ', flags: 'marker' },
  ]
  for (const { marker, flags } of cases) {
    const changed = text.replace(labelled('GRAZ', 'MARKER NAME'), labelled(marker, 'MARKER NAME'))
    const facts = readText(changed)
    t.equal(flagsOf(facts).join(' '), flags, marker)
    t.equal(facts.marker?.name, marker)
  }
  const without = text.replace(`${labelled('GRAZ', 'MARKER NAME')}\n`, '')
  t.strictSame(flagsOf(readText(without)), [], 'no marker in the header')
})

t.test('a sentence says both sides', async (t) => {
  const facts = read(file(at(steps(19, 30))))
  const [flag] = facts.flags
  t.equal(flag?.flag, 'short')
  t.match(flag?.says, /\b19\b/)
  t.match(flag?.says, /\b120\b/)
})
