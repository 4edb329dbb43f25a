import type { FlagName } from '../../src/rinex/facts.ts'
import t from '../tap.ts'
import type { HeaderParts } from './texts.ts'
import {
  endOfHeader,
  epoch2,
  epoch3,
  epochs3,
  facts,
  flags,
  header2,
  header3,
  line3,
  record,
  time3,
  versionRecord,
} from './texts.ts'

const hour = 'TLSE00FRA_R_20240011800_01H_30S_MO.rnx.gz'
const whole = header3() + epochs3(120)
const navigation = (system: string, version = '3.04') =>
  `${versionRecord(version, 'N: GNSS NAV DATA', system)}${endOfHeader}G01 2024\n`

t.test('a whole file has no flag', async (t) => {
  t.strictSame(facts(whole, hour).flags, [])
  t.match(facts(whole, hour), { epochs: 120, expected_epochs: 120, share: 1 })
  t.strictSame(facts(header2(), 'wsra0010.21o.gz', 'incomplete').flags, [])
})

t.test('each flag says both sides', async (t) => {
  const cases: { flag: FlagName; says: string; text: string; name?: string }[] = [
    {
      flag: 'no-header',
      says: 'the text does not begin with the header of a RINEX file',
      text: '<html>\n',
    },
    {
      flag: 'no-header',
      says: 'the header has no END OF HEADER within its first 256 KB',
      text: versionRecord('3.04', 'OBSERVATION DATA') + record('x', 'COMMENT').repeat(4000),
    },
    {
      flag: 'empty',
      says: 'no epoch follows the header, the name says data from 2024-01-01 18:00:00 to 2024-01-01 19:00:00',
      text: header3({ marker: 'GODE' }),
    },
    {
      flag: 'empty',
      says: 'no line follows the header, the name says data from 2018-08-30 00:00:00 to 2018-08-31 00:00:00',
      text: `${versionRecord('2.11', 'N: GPS NAV DATA', '')}${endOfHeader}\n  \n`,
      name: 'brdc2420.18n.gz',
    },
    {
      flag: 'cut',
      says: 'the text ends within the header, before END OF HEADER',
      text: header3().slice(0, -81),
    },
    {
      flag: 'cut',
      says: 'the text ends within an epoch, the last epoch is 2024-01-01 18:59:30: 2 lines of it are missing',
      text: header3() + epochs3(120).split('\n').slice(0, -3).join('\n') + '\n',
    },
    {
      flag: 'cut',
      says: 'the text ends within a line, the last epoch is 2024-01-01 18:59:30',
      text: whole.slice(0, -1),
    },
    {
      flag: 'cut',
      says: 'the text ends within a line',
      text: header3() + line3(time3(0), 3).trimEnd(),
    },
    {
      flag: 'torn',
      says: 'after the epoch of 2024-01-01 18:59:30 comes that of 2024-01-01 18:30:00, and so at 29 more places',
      text: whole + epochs3(30, { from: 1800 }),
    },
    {
      flag: 'torn',
      says: 'after the header a line is no epoch where one must begin',
      text: header3() + 'G01\n' + epochs3(120),
    },
    {
      flag: 'short',
      says: '19 of 120 epochs, 15.8 %',
      text: header3() + epochs3(19),
    },
    {
      flag: 'long',
      says: 'the last epoch is 2024-01-01 19:00:30, the name ends 2024-01-01 19:00:00',
      text: header3() + epochs3(122),
    },
    {
      flag: 'date',
      says: 'the first epoch is 2024-01-01 17:59:30, the name says from 2024-01-01 18:00:00 to 2024-01-01 19:00:00',
      text: header3() + epochs3(121, { from: -30 }),
    },
    {
      flag: 'interval',
      says: 'the name says 30 s, the header says 15 s, most epochs follow after 30 s',
      text: header3({ interval: '15.000' }) + epochs3(120),
    },
    {
      flag: 'version',
      says: 'the name is one of version 3, the header says version 2.11',
      text: header2() + epoch2('24  1  1 18  0  0.0000000', ['G01']),
    },
    {
      flag: 'version',
      says: 'the header says version 5, not 2, 3 or 4',
      text: whole.replace('3.04', '5.00'),
    },
    {
      flag: 'version',
      says: 'the version in the header is no number: “x.04”',
      text: whole.replace('3.04', 'x.04'),
    },
    {
      flag: 'type',
      says: 'the name says observation data, the header navigation data',
      text: navigation('M'),
    },
    {
      flag: 'type',
      says: 'the name says navigation data of system G, the header of R',
      text: navigation('R: GLONASS'),
      name: 'brdc2420.18n.gz',
    },
    {
      flag: 'type',
      says: 'the name says meteorological data, the header says the type “I”',
      text: navigation('M').replace('N: GNSS', 'IONEX  '),
      name: 'cari0010.07m.gz',
    },
    {
      flag: 'marker',
      says: 'the name says TLSE, the marker is GODE',
      text: header3({ marker: 'GODE' }) + epochs3(120),
    },
  ]
  for (const { flag, says, text, name = hour } of cases) {
    const found = facts(text, name).flags.find((known) => known.flag === flag)
    t.strictSame(found, { flag, says }, says)
  }
})

/** The flags of an hour whose epochs are so many seconds after 18:00. */
function flagsAt(seconds: readonly number[], parts: HeaderParts = {}, name = hour): string[] {
  const text = header3(parts) + seconds.map((at) => epoch3(time3(at), 1)).join('')
  return flags(text, name).filter((flag) => flag !== 'short')
}

t.test('times may differ by half an interval, at most by a second', async (t) => {
  const second = 'TLSE00FRA_R_20240011800_01H_01S_MO.rnx.gz'
  const cases = [
    { seconds: [-1, 3601], flags: [] },
    { seconds: [-1.1], flags: ['date'] },
    { seconds: [0, 3601.1], flags: ['long'] },
    { seconds: [3598.9], flags: [] },
    { seconds: [3600], flags: ['date'] },
    { seconds: [0, 3600.4], name: second, flags: [] },
    { seconds: [0, 3600.6], name: second, flags: ['long'] },
    { seconds: [-0.6, 0.4], name: second, flags: ['date'] },
    { seconds: [-18, 0, 3618], timeSystem: 'GLO', flags: [] },
    { seconds: [-22, 8], timeSystem: 'GLO', flags: ['date'] },
    { seconds: [-14, 3614], timeSystem: 'BDT', flags: [] },
    { seconds: [-14, 3614], timeSystem: 'GAL', flags: ['long', 'date'] },
  ]
  for (const { seconds, timeSystem = 'GPS', name = hour, flags } of cases) {
    const parts = { timeSystem, interval: '' }
    t.strictSame(flagsAt(seconds, parts, name), flags, `${seconds.join()} ${timeSystem}`)
  }
})

const steps = (count: number, step: number) => Array.from({ length: count }, (_, at) => at * step)

t.test('name, header and most frequent step say one interval', async (t) => {
  const without = 'TLSE00FRA_R_20240011800_01H_MO.rnx.gz'
  const tenth = 'TLSE00FRA_R_20240011800_01H_10Z_MO.rnx.gz'
  const cases = [
    { count: 20, step: 30, flags: [] },
    { count: 10, step: 15, flags: [], title: 'nine steps say nothing' },
    { count: 11, step: 15, flags: ['interval'], title: 'ten do' },
    { count: 20, step: 30, interval: '29.700', flags: [] },
    { count: 20, step: 30, interval: '29.690', flags: ['interval'] },
    { count: 20, step: 30, interval: '0.000', flags: [] },
    { count: 20, step: 30, interval: '1.000', name: without, flags: ['interval'] },
    { count: 20, step: 0.1, interval: '0.102', name: tenth, flags: [] },
    { count: 20, step: 0.1, interval: '0.103', name: tenth, flags: ['interval'] },
  ]
  for (const { count, step, interval = '', name = hour, flags, title } of cases) {
    const found = flagsAt(steps(count, step), { interval }, name)
    t.strictSame(found, flags, title ?? `${step} ${interval} ${name}`)
  }
})

t.test('the named period says how many epochs there should be', async (t) => {
  const cases = [
    { name: hour, expected: 120 },
    { name: 'TLSE00FRA_R_20240011800_01H_MO.rnx.gz', expected: 240, title: 'of the header' },
    { name: 'TLSE00FRA_R_20240011800_15M_01S_MO.rnx.gz', expected: 900 },
    { name: 'TLSE00FRA_R_20240011800_15M_10Z_MO.rnx.gz', expected: 9000 },
    { name: 'TLSE00FRA_R_20240011800_15M_02C_MO.rnx.gz', expected: 180_000 },
    { name: 'TLSE00FRA_R_20240011800_01D_30S_MO.rnx.gz', expected: 720, title: 'to midnight' },
    { name: 'TLSE00FRA_R_20240010000_01D_30S_MO.rnx.gz', expected: 2880 },
    { name: 'TLSE00FRA_R_20240011800_00U_30S_MO.rnx.gz', expected: undefined },
    { name: 'tlse0011.24o.gz', expected: undefined, title: 'a session' },
    { name: 'tlse001s.24o.gz', expected: 240 },
    { name: 'tlse001s00.24o.gz', expected: 60 },
  ]
  const text = header3({ interval: '15.000' }) + epochs3(2)
  for (const { name, expected, title = name } of cases) {
    const { expected_epochs, share } = facts(text, name)
    t.equal(expected_epochs, expected, title)
    t.equal(share, expected === undefined ? undefined : 2 / expected, title)
  }
  const long = header3() + epochs3(2, { interval: 7 * 3600 })
  t.equal(facts(long, 'TLSE00FRA_R_20240011800_01D_30S_MO.rnx.gz').expected_epochs, 2880)
  t.equal(facts(header3({ interval: '' }) + epochs3(2), 'tlse001s.24o.gz').share, undefined)
})

t.test('a file is short below 95 % of its epochs', async (t) => {
  t.strictSame(flags(header3() + epochs3(114), hour), [])
  t.strictSame(flags(header3() + epochs3(113), hour), ['short'])
  t.equal(facts(header3() + epochs3(240, { interval: 15 }), hour).share, 1, 'at most 1')
})

t.test('the marker begins with the letters and digits of the code', async (t) => {
  for (const marker of ['TLSE', 'tlse', 'TLSE00FRA', 'T-L.S E', ''])
    t.strictSame(flags(header3({ marker }) + epochs3(120), hour), [], marker)
  for (const marker of ['TLS', 'GODE', 'Geo++', 'ÉTLSE1', '***'])
    t.strictSame(flags(header3({ marker }) + epochs3(120), hour), ['marker'], marker)
})

t.test('navigation and meteorological files have no epochs', async (t) => {
  const cases = [
    { text: navigation('M'), name: 'TLSE00FRA_R_20240011800_01H_GN.rnx.gz', flags: ['type'] },
    { text: navigation('G'), name: 'TLSE00FRA_R_20240011800_01H_GN.rnx.gz', flags: [] },
    { text: navigation('G', '2.11'), name: 'TLSE00FRA_R_20240011800_01H_MN.rnx.gz', flags: [] },
    { text: whole, name: 'TLSE00FRA_R_20240011800_01H_MN.rnx.gz', flags: ['type'] },
    { text: whole, name: 'tlse001s.24m.gz', flags: ['type'] },
    { text: whole.slice(0, -1), name: 'tlse001s.24m.gz', flags: ['cut', 'type'] },
    { text: navigation('M').slice(0, -1), name: 'tlse001s.24p.gz', flags: ['cut'] },
    { text: `${navigation('M')}\u001a`, name: 'tlse001s.24p.gz', flags: [] },
    { text: `${navigation('M')}x\u001a`, name: 'tlse001s.24p.gz', flags: ['cut'] },
  ]
  for (const { text, name, flags: expected } of cases)
    t.strictSame(flags(text, name), expected, `${name} ${text.length}`)
})

t.test('of a file without its end the header is known, and no more', async (t) => {
  for (const state of ['incomplete', 'broken'] as const) {
    const found = facts(whole, hour, state)
    t.match(found, { rinex_version: '3.04', marker: { name: 'TLSE' }, flags: { length: 0 } })
    t.equal(found.epochs, undefined)
    t.strictSame(facts('<html>', hour, state), { flags: [] })
  }
})
