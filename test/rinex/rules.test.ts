/** Each rule about flags and epochs, on both sides of its limit. */
import { ContentReader } from '../../src/rinex/content-reader.ts'
import type { Facts } from '../../src/rinex/facts.ts'
import t from '../tap.ts'
import { compactText } from './hatanaka.ts'
import type { Entry, ObservationFile } from './model.ts'
import { headerLines, labelled, plainText } from './model.ts'
import { contentOf, factsIn, flagsOf, judged } from './reading.ts'

const day = Date.UTC(2024, 0, 1) / 1000
const hourly = 'GRAZ00AUT_R_20240010000_01H_30S_MO.rnx.gz'
const ofStep = 'GRAZ00AUT_R_20240010000_01H_MO.rnx.gz'

/** Epochs at seconds from 2024-01-01. */
function at(seconds: readonly number[]): Entry[] {
  return seconds.map((second) => ({ seconds: day + second, flag: 0, satellites: ['G01', 'G02'] }))
}

function steps(count: number, step: number, from = 0): number[] {
  return Array.from({ length: count }, (_, n) => from + n * step)
}

function file(entries: readonly Entry[], other: Partial<ObservationFile> = {}): ObservationFile {
  return { version: '3.04', types: { G: ['C1C', 'L1C'] }, entries, ...other }
}

/** Facts of plain text. */
function read(made: ObservationFile, name = hourly): Facts {
  return factsIn(Buffer.from(plainText(made).text), name)
}

function readText(text: string, name = hourly): Facts {
  return factsIn(Buffer.from(text, 'latin1'), name)
}

function header(...lines: [content: string, label: string][]): string {
  return lines.map(([content, label]) => labelled(content, label) + '\n').join('')
}

const interval = (text: string) => ({ header: [labelled(text, 'INTERVAL')] })
const first = (system: string) =>
  labelled(`  2024     1     1     0     0    0.0000000     ${system}`, 'TIME OF FIRST OBS')

t.test(
  'the interval is that of the name, else of the header, else the most frequent step',
  async (t) => {
    const cases = [
      { title: 'name', name: hourly, made: file(at(steps(120, 30))), expected: 120 },
      {
        title: 'header',
        name: ofStep,
        made: file(at([0, 10]), interval('    10.000')),
        expected: 360,
      },
      { title: 'ten steps', name: ofStep, made: file(at(steps(11, 15))), expected: 240 },
      { title: 'nine steps', name: ofStep, made: file(at(steps(10, 15))), expected: undefined },
      {
        title: '0',
        name: ofStep,
        made: file(at(steps(11, 15)), interval('     0.000')),
        expected: 240,
      },
      {
        title: 'below 0',
        name: ofStep,
        made: file(at(steps(11, 5)), interval('    -1.000')),
        expected: 720,
      },
      {
        title: 'no number',
        name: ofStep,
        made: file(at(steps(11, 5)), interval('   thirty')),
        expected: 720,
      },
      {
        title: 'of equals the smaller',
        name: ofStep,
        made: file(at([...steps(11, 20), ...steps(10, 10, 210)])),
        expected: 360,
      },
      {
        title: 'of equals the smaller, which is first',
        name: ofStep,
        made: file(at([...steps(11, 10), ...steps(10, 20, 120)])),
        expected: 360,
      },
      {
        title: 'the most frequent',
        name: ofStep,
        made: file(at([...steps(10, 10), ...steps(12, 20, 110)])),
        expected: 180,
      },
      {
        title: '5 Hz in the name',
        name: 'GRAZ00AUT_R_20240010000_15M_05Z_MO.rnx.gz',
        made: file(at(steps(20, 0.2))),
        expected: 4500,
      },
      {
        title: '200 Hz in the name',
        name: 'GRAZ00AUT_R_20240010000_01M_02C_MO.rnx.gz',
        made: file(at(steps(20, 0.005))),
        expected: 12_000,
      },
      {
        title: 'unspecified in the name',
        name: 'GRAZ00AUT_R_20240010000_01H_00U_MO.rnx.gz',
        made: file(at(steps(11, 15))),
        expected: 240,
      },
    ]
    for (const { title, name, made, expected } of cases) {
      const facts = read(made, name)
      t.equal(facts.expected_epochs, expected, title)
      t.equal(facts.share === undefined, expected === undefined, `${title}: share`)
      if (expected !== undefined)
        t.match(facts.share, Math.min(1, (facts.epochs ?? 0) / expected), `${title}: share`)
      else t.notOk(flagsOf(facts).includes('short'), title)
    }
  },
)

t.test('the expected epochs are those of the named period', async (t) => {
  const long = (start: string, period: string) =>
    `GRAZ00AUT_R_2024001${start}_${period}_30S_MO.rnx.gz`
  const cases = [
    { name: long('0000', '01D'), epochs: at(steps(20, 30)), expected: 2880 },
    { name: long('1000', '01D'), epochs: at(steps(20, 30, 36_000)), expected: 14 * 120 },
    { name: long('1000', '01D'), epochs: at([36_000, 86_370]), expected: 14 * 120 },
    { name: long('1000', '01D'), epochs: at([36_000, 86_430]), expected: 2880 },
    { name: long('1000', '02H'), epochs: at(steps(20, 30, 36_000)), expected: 240 },
    { name: long('0000', '00U'), epochs: at(steps(20, 30)), expected: undefined },
    { name: 'graz0010.24o.gz', epochs: at(steps(20, 30)), expected: 2880 },
    { name: 'graz001b.24o.gz', epochs: at(steps(20, 30, 3600)), expected: 120 },
    { name: 'graz001b15.24o.gz', epochs: at(steps(20, 30, 4500)), expected: 30 },
    { name: 'graz0011.24o.gz', epochs: at(steps(20, 30)), expected: undefined },
  ]
  for (const { name, epochs, expected } of cases) {
    const facts = read(file(epochs), name)
    t.equal(facts.expected_epochs, expected, name)
    t.notOk(
      facts.flags.some(({ flag }) => flag === 'date'),
      name,
    )
  }
})

t.test('a share below 95 % is short', async (t) => {
  t.strictSame(flagsOf(read(file(at(steps(114, 30))))), [], '114 of 120')
  t.strictSame(flagsOf(read(file(at(steps(113, 30))))), ['short'], '113 of 120')
  const more = read(file(at(steps(121, 30))))
  t.match(more, { epochs: 121, expected_epochs: 120, share: 1 })
  t.strictSame(flagsOf(more), [], 'an epoch at the named end is inside')
})

t.test('epochs outside the named period are long, or of another date', async (t) => {
  const hour = steps(120, 30)
  const cases = [
    { title: 'at the end', epochs: [...hour, 3600], flags: '' },
    { title: 'little behind the end', epochs: [...hour, 3600.9], flags: '' },
    { title: 'behind the end', epochs: [...hour, 3601.1], flags: 'long' },
    { title: 'far behind', epochs: [...hour, 86_400], flags: 'long' },
    { title: 'little before the start', epochs: [-0.9, ...hour.slice(1)], flags: '' },
    { title: 'before the start', epochs: [-1.1, ...hour.slice(1)], flags: 'date' },
    { title: 'all at the end', epochs: steps(120, 30, 3600), flags: 'long date' },
    { title: 'the day before', epochs: steps(120, 30, -86_400), flags: 'date' },
    { title: 'the day after', epochs: steps(120, 30, 86_400), flags: 'long date' },
  ]
  for (const { title, epochs, flags } of cases)
    t.equal(flagsOf(read(file(at(epochs)))).join(' '), flags, title)
  const quick = 'GRAZ00AUT_R_20240010000_01M_10Z_MO.rnx.gz'
  const minute = steps(600, 0.1)
  t.equal(flagsOf(read(file(at([...minute, 60.04])), quick)).join(' '), '', 'half an interval')
  t.equal(flagsOf(read(file(at([...minute, 60.06])), quick)).join(' '), 'long', 'half an interval')
})

t.test('times of GLONASS and BeiDou may be 20 seconds apart', async (t) => {
  const hour = steps(119, 30)
  for (const system of ['GLO', 'BDT']) {
    const made = (extra: number[]) => file(at(extra), { header: [first(system)] })
    t.equal(flagsOf(read(made([-18, ...hour]))).join(' '), '', `${system} before the start`)
    t.equal(flagsOf(read(made([-22, ...hour]))).join(' '), 'date', `${system} before the start`)
    t.equal(flagsOf(read(made([...hour, 3618]))).join(' '), '', `${system} behind the end`)
    t.equal(flagsOf(read(made([...hour, 3622]))).join(' '), 'long', `${system} behind the end`)
  }
  const other = file(at([-18, ...hour]), { header: [first('GPS')] })
  t.equal(flagsOf(read(other)).join(' '), 'date', 'GPS')
  t.equal(read(other).time_system, 'GPS')
})

t.test('a file from which an hour is missing at its start is short and nothing else', async (t) => {
  const name = 'GRAZ00AUT_R_20240010000_01D_30S_MO.rnx.gz'
  t.equal(flagsOf(read(file(at(steps(2400, 30, 3600))), name)).join(' '), 'short')
})

t.test('two of name, header and steps differ', async (t) => {
  const cases = [
    { title: 'all the same', step: 30, text: '    30.000', flags: '' },
    { title: 'header', step: 30, text: '    15.000', flags: 'interval' },
    { title: 'header by less than 1 %', step: 30, text: '    30.200', flags: '' },
    { title: 'header by more than 1 %', step: 30, text: '    30.400', flags: 'interval' },
    { title: 'header 0', step: 30, text: '     0.000', flags: '' },
    { title: 'steps', step: 15, text: '    30.000', flags: 'interval' },
    { title: 'steps by less than 1 %', step: 29.8, text: '    30.000', flags: '' },
  ]
  for (const { title, step, text, flags } of cases)
    t.equal(flagsOf(read(file(at(steps(119, step)), interval(text)))).join(' '), flags, title)
  const quick = 'GRAZ00AUT_R_20240010000_01M_50Z_MO.rnx.gz'
  const made = (text: string) => file(at(steps(3000, 0.02)), interval(text))
  t.equal(flagsOf(read(made('     0.021'), quick)).join(' '), '', '1 ms')
  t.equal(flagsOf(read(made('     0.023'), quick)).join(' '), 'interval', '3 ms')
  const bare = (text: string) => read(file(at(steps(120, 30)), interval(text)), ofStep)
  t.equal(flagsOf(bare('    30.000')).join(' '), '', 'header and steps')
  t.equal(flagsOf(bare('    31.000')).join(' '), 'interval', 'header and steps')
})

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

const navigation = (type: string, system: string, version = '3.04') =>
  header(
    [`${version.padStart(9)}           ${type.padEnd(20)}${system}`, 'RINEX VERSION / TYPE'],
    ['    18', 'LEAP SECONDS'],
    ['', 'END OF HEADER'],
  )
const ephemeris =
  'G01 2024 01 01 00 00 00 1.0E-04 1.0E-12 0.0E+00\n     8.2E+01-4.0E+01 3.7E-09 2.4\n'

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

t.test('what cannot be an epoch, or is not later, is torn', async (t) => {
  const hour = steps(120, 30)
  const doubled = read(file(at([...hour.slice(0, 60), ...hour.slice(50)])))
  t.strictSame(flagsOf(doubled), ['torn'])
  t.equal(doubled.epochs, 120, 'epochs that are not later are not counted')
  const spliced = plainText(file(at(hour))).text
  const twice = readText(spliced + spliced)
  t.strictSame(flagsOf(twice), ['torn'], 'a whole file twice')
  t.equal(twice.epochs, 120)
  const lines = spliced.split('\n')
  const at60 = headerLines(file([])).length + 3 * 60
  const extra = [...lines.slice(0, at60), 'G09  20000000.000', ...lines.slice(at60)].join('\n')
  const one = readText(extra)
  t.strictSame(flagsOf(one), ['torn'], 'a line too many')
  t.equal(one.epochs, 120, 'reading goes on at the next epoch')
  const missing = [...lines.slice(0, at60 + 1), ...lines.slice(at60 + 2)].join('\n')
  const less = readText(missing)
  t.strictSame(flagsOf(less), ['torn'], 'a line is missing')
  t.ok((less.epochs ?? 0) >= 118, `${less.epochs} epochs`)
})

t.test('in Compact RINEX reading goes on at the next epoch that is whole', async (t) => {
  for (const version of ['2.11', '3.04'] as const) {
    const types = version === '2.11' ? { all: ['L1', 'C1'] } : { G: ['C1C', 'L1C'] }
    const entries = at(steps(120, 30)).map((entry, n) => ({ ...entry, restarts: n % 30 === 0 }))
    const { text, ends } = compactText(file(entries, { version, types }))
    const name = version === '2.11' ? 'graz001a.24d.gz' : hourly.replace('rnx', 'crx')
    const [from = 0, to = 0] = [ends[39], ends[40]]
    const middle = from + Math.floor((to - from) / 2)
    const facts = readText(text.slice(0, middle) + text.slice(to + 3), name)
    t.ok(flagsOf(facts).includes('torn'), version)
    t.notOk(flagsOf(facts).includes('cut'), version)
    const { epochs = 0 } = facts
    t.ok(epochs >= 100 && epochs <= 120, `${epochs} epochs: 40, and 60 after the next whole one`)
    t.equal(facts.last, '2024-01-01T00:59:30')
  }
})

t.test('in Compact RINEX an epoch with the time of the one before is not later', async (t) => {
  const name = hourly.replace('rnx', 'crx')
  for (const restarts of [false, true]) {
    const entries = at([...steps(60, 30), ...steps(61, 30, 1770)])
    const { text } = compactText(file(entries.map((entry) => ({ ...entry, restarts }))))
    const facts = readText(text, name)
    t.ok(flagsOf(facts).includes('torn'), `restarts: ${restarts}`)
    if (restarts) t.equal(facts.epochs, 120)
  }
})

t.test('lines of events are no observations', async (t) => {
  const comment = labelled('> 2024 01 01 00 00  0.0000000  0  2', 'COMMENT')
  const blank = '>                              4   '
  const text = plainText(file(at(steps(120, 30)))).text
  const lines = text.split('\n')
  const from = headerLines(file([])).length
  const inserted = (...some: string[]) =>
    readText([...lines.slice(0, from + 30), ...some, ...lines.slice(from + 30)].join('\n'))
  t.strictSame(inserted(blank).flags, [], 'no number: no lines')
  t.strictSame(inserted('>                              4  0').flags, [], '0: no lines')
  const two = inserted('>                              4  2', comment, comment)
  t.strictSame(two.flags, [])
  t.equal(two.epochs, 120)
})

t.test('a second of 60 is a time', async (t) => {
  const text = plainText(file(at(steps(120, 30)))).text
  const facts = readText(text.replace('00 59 30.0000000', '00 59 60.0000000'))
  t.notOk(flagsOf(facts).includes('torn'))
  t.equal(facts.epochs, 120)
  const none = readText(text.replace('00 59 30.0000000', '00 59 61.0000000'))
  t.equal(none.epochs, 119)
})

t.test('a line whose columns are none of a time, flag and number is no epoch', async (t) => {
  const text = plainText(file(at(steps(120, 30)))).text
  const last = '> 2024 01 01 00 59 30.0000000  0  2'
  const lines = [
    '> 2024 13 01 00 59 30.0000000  0  2',
    '> 2024 00 01 00 59 30.0000000  0  2',
    '> 2024 02 30 00 59 30.0000000  0  2',
    '> 2024 01 01 24 59 30.0000000  0  2',
    '> 2024 01 01 00 60 30.0000000  0  2',
    '> 2024 01 01 00 59 61.0000000  0  2',
    '> 2024 01 01 00 59 3x.0000000  0  2',
    '> 2024 01 01 00 59 30.0000000  7  2',
    '> 2024 01 01 00 59 30.0000000  0 -2',
    '> 2024 01 01 00 59 30.0000000  0  x',
    '> 2024 01 01 00 59 30.0000000 10  2',
    '  2024 01 01 00 59 30.0000000  0  2',
  ]
  t.equal(readText(text).epochs, 120)
  for (const line of lines) {
    const facts = readText(text.replace(last, line))
    t.equal(facts.epochs, 119, line)
    t.ok(flagsOf(facts).includes('torn'), line)
  }
})

t.test('a text ends at control Z, in whatever pieces it is read', async (t) => {
  const entries = at(steps(120, 30))
  const texts = [
    { name: hourly, text: plainText(file(entries)).text },
    { name: hourly.replace('rnx', 'crx'), text: compactText(file(entries)).text },
    {
      name: 'GRAZ00AUT_R_20240010000_01H_MN.rnx.gz',
      text: navigation('N: GNSS NAV DATA', 'M: MIXED') + ephemeris.repeat(10),
    },
  ]
  for (const { name, text } of texts) {
    t.strictSame(readText(text, name).flags, [], name)
    for (const end of ['\x1a', '\x1a\n', '\x1a\r\n', '\x1a\x1a\x1a\x1a', '\x1awhat follows'])
      for (const size of [1, 2, 3, 7, 50, 65_536]) {
        const bytes = Buffer.from(text + end)
        const facts = factsIn(bytes, name, () => size)
        t.strictSame(facts, readText(text, name), `${name} ${JSON.stringify(end)} by ${size}`)
      }
  }
})

t.test('lines in Compact RINEX 3 that begin with & are passed over', async (t) => {
  const entries = at(steps(120, 30))
  const { text, ends } = compactText(file(entries))
  const [end = 0] = [ends[59]]
  const name = hourly.replace('rnx', 'crx')
  const facts = readText(`${text.slice(0, end)}& a line of somebody\n${text.slice(end)}`, name)
  t.strictSame(facts, readText(text, name))
  t.equal(facts.epochs, 120)
})

t.test('a text that is not whole has the facts of its header only', async (t) => {
  const { text, begin } = plainText(file(at(steps(50, 30))))
  for (const state of ['incomplete', 'broken'] as const) {
    const facts = judged(contentOf(Buffer.from(text.slice(0, -10))), hourly, state)
    t.match(facts, { rinex_version: '3.04', marker: { name: 'GRAZ' } }, state)
    t.strictSame(facts.flags, [], state)
    for (const key of ['epochs', 'expected_epochs', 'share', 'first', 'last'] as const)
      t.equal(facts[key], undefined, `${state}: ${key}`)
    const part = judged(contentOf(Buffer.from(text.slice(0, begin - 10))), hourly, state)
    t.strictSame(part, { flags: [] }, `${state}: a part of the header`)
  }
})

t.test('of more than 4 GB of text the facts are those of the header', async (t) => {
  const begin = navigation('N: GNSS NAV DATA', 'M: MIXED')
  const piece = Buffer.alloc(32 * 1024 ** 2, ephemeris)
  const reader = new ContentReader()
  reader.push(Buffer.from(begin))
  let pieces = 0
  for (; pieces < 200 && !reader.isSatisfied; pieces++) reader.push(piece)
  t.equal(pieces, 128, 'pieces until nothing more is read')
  const facts = judged(reader.end(), 'GRAZ00AUT_R_20240010000_01H_MN.rnx.gz')
  t.strictSame(facts, { rinex_version: '3.04', flags: [] })
})

t.test('the fields of the header are their columns', async (t) => {
  const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ01234567'
  const part = (from: number, to: number) => letters.slice(from, to)
  const text = [
    labelled('     3.05           OBSERVATION DATA    G', 'RINEX VERSION / TYPE'),
    ...['PGM / RUN BY / DATE', 'MARKER NAME', 'MARKER NUMBER', 'MARKER TYPE'].map((label) =>
      labelled(letters, label),
    ),
    ...['OBSERVER / AGENCY', 'REC # / TYPE / VERS', 'ANT # / TYPE'].map((label) =>
      labelled(letters, label),
    ),
    labelled('        1.2345       -0.0010        0.0020', 'ANTENNA: DELTA H/E/N'),
    labelled('    30.000123456789', 'INTERVAL'),
    labelled('', 'END OF HEADER'),
    '',
  ].join('\n')
  const facts = readText(text)
  t.strictSame(
    facts.flags.map(({ flag }) => flag),
    ['empty'],
  )
  t.match(facts, {
    rinex_version: '3.05',
    program: part(0, 20),
    run_by: part(20, 40),
    run_date: part(40, 60),
    marker: { name: letters, number: part(0, 20), type: part(0, 20) },
    agency: part(20, 60),
    receiver: { serial: part(0, 20), type: part(20, 40), version: part(40, 60) },
    antenna: {
      serial: part(0, 20),
      type: part(20, 36),
      radome: part(36, 40),
      delta: { h: 1.2345, e: -0.001, n: 0.002 },
    },
    interval_s: 30,
  })
  const bare = readText(text.replaceAll(letters, ' '.repeat(60)))
  t.strictSame(bare, {
    rinex_version: '3.05',
    antenna: { delta: { h: 1.2345, e: -0.001, n: 0.002 } },
    interval_s: 30,
    epochs: 0,
    flags: bare.flags,
  })
})

t.test('a position is also latitude, longitude and height', async (t) => {
  const cases = [
    { xyz: [4194423.7, 1162702.7, 4647245.4], place: [47.067131, 15.493481, 538.2] },
    { xyz: [-2414267.2, 4907788.9, -3270582.4], place: [-31.047971, 116.193756, 254.24] },
    { xyz: [-1310696.2, 310469.4, -6213368.9], place: [-77.847841, 166.673757, -13.91] },
    { xyz: [-6378187, 0.001, 0], place: [0, 180, 50] },
    { xyz: [0.001, 0, 6356852.3142], place: [90, 0, 100] },
  ]
  const { text } = plainText(file(at(steps(120, 30))))
  const old = labelled('  4194423.7000  1162702.7000  4647245.4000', 'APPROX POSITION XYZ')
  for (const { xyz, place } of cases) {
    const line = xyz.map((axis) => axis.toFixed(4).padStart(14)).join('')
    const { position } = readText(text.replace(old, labelled(line, 'APPROX POSITION XYZ')))
    const { x = NaN, y = NaN, z = NaN, latitude = NaN, longitude = NaN } = position ?? {}
    t.strictSame(
      [x, y, z],
      xyz.map((axis) => Number(axis.toFixed(4))),
    )
    const found = [latitude.toFixed(6), longitude.toFixed(6), position?.height.toFixed(2)]
    const [north = 0, east = 0, up = 0] = place
    t.strictSame(found, [north.toFixed(6), east.toFixed(6), up.toFixed(2)], line)
  }
})

t.test('what is no position or number is absent', async (t) => {
  const text = plainText(file(at(steps(120, 30)))).text
  const old = labelled('  4194423.7000  1162702.7000  4647245.4000', 'APPROX POSITION XYZ')
  const cases = [
    { position: '        0.0000        0.0000        0.0000', has: false },
    { position: '  4194423.7000  1162702.7000', has: false },
    { position: '  4194423.7000  1162702.7000       nothing', has: false },
    { position: '  6299000.0000        0.0000        0.0000', has: false },
    { position: '  6301000.0000        0.0000        0.0000', has: true },
    { position: '  6419000.0000        0.0000        0.0000', has: true },
    { position: '  6421000.0000        0.0000        0.0000', has: false },
    { position: '           NaN           NaN      Infinity', has: false },
  ]
  for (const { position, has } of cases) {
    const facts = readText(text.replace(old, labelled(position, 'APPROX POSITION XYZ')))
    t.equal(facts.position !== undefined, has, position)
    t.strictSame(facts.flags, [], position)
  }
  const tabs = readText(
    text.replace('MARKER NUMBER', 'MARKER NUMBER\t ').replace(/MARKER NAME/, 'MARKER NAME\t'),
  )
  t.match(tabs.marker, { name: 'GRAZ', number: '11001M002' })
})
