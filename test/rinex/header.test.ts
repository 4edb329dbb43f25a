import { headerOf } from '../../src/rinex/header.ts'
import t from '../tap.ts'
import {
  compactHeader,
  contentOf,
  endOfHeader,
  epochs3,
  facts,
  header3,
  record,
  versionRecord,
} from './texts.ts'

/** The facts of a header with some records, under the name of navigation data. */
function factsIn(...records: string[]) {
  return facts([versionRecord('3.04', 'N: GNSS NAV DATA'), ...records, endOfHeader, 'x\n'].join(''))
}

t.test('each record says its facts by its columns', async (t) => {
  const serial = '5048K71845'.padEnd(20)
  const cases = [
    {
      line: record(
        `${'cnvtToRINEX 3.14.0'.padEnd(20)}${'REGINA'.padEnd(20)}20220102 000620 UTC`,
        'PGM / RUN BY / DATE',
      ),
      said: { program: 'cnvtToRINEX 3.14.0', run_by: 'REGINA', run_date: '20220102 000620 UTC' },
    },
    { line: record('TLSE', 'MARKER NAME'), said: { marker: { name: 'TLSE' } } },
    { line: record('10003M009', 'MARKER NUMBER'), said: { marker: { number: '10003M009' } } },
    { line: record('GEODETIC', 'MARKER TYPE'), said: { marker: { type: 'GEODETIC' } } },
    {
      line: record(`${'Automatic'.padEnd(20)}CNES, Toulouse`, 'OBSERVER / AGENCY'),
      said: { agency: 'CNES, Toulouse' },
    },
    {
      line: record(`${serial}${'TRIMBLE NETR9'.padEnd(20)}5.45`, 'REC # / TYPE / VERS'),
      said: { receiver: { type: 'TRIMBLE NETR9', serial: '5048K71845', version: '5.45' } },
    },
    {
      line: record(`${'273'.padEnd(20)}${'AOAD/M_T'.padEnd(16)}DUTD`, 'ANT # / TYPE'),
      said: { antenna: { type: 'AOAD/M_T', radome: 'DUTD', serial: '273' } },
    },
    {
      line: record(`${' '.repeat(20)}M2007J17G`, 'ANT # / TYPE'),
      said: { antenna: { type: 'M2007J17G' } },
    },
    {
      line: record('        1.0530        0.0010       -0.0020', 'ANTENNA: DELTA H/E/N'),
      said: { antenna: { delta: { h: 1.053, e: 0.001, n: -0.002 } } },
    },
    { line: record('    30.000', 'INTERVAL'), said: { interval_s: 30 } },
    { line: record('     0.050', 'INTERVAL'), said: { interval_s: 0.05 } },
    { line: record('     0.000', 'INTERVAL'), said: {} },
    { line: record('    thirty', 'INTERVAL'), said: {} },
    { line: record('      0x1e', 'INTERVAL'), said: {} },
    { line: record('    1e-300', 'INTERVAL'), said: {} },
    { line: record('  Infinity', 'INTERVAL'), said: {} },
    { line: record('     3.0E1', 'INTERVAL'), said: { interval_s: 30 } },
    { line: record('0.00010101', 'INTERVAL'), said: { interval_s: 0.00010101 } },
    { line: record('10.5281/zenodo.1', 'DOI'), said: { doi: '10.5281/zenodo.1' } },
    {
      line: record('CC BY 4.0', 'LICENSE OF USE') + record('see there', 'LICENSE OF USE'),
      said: { licence: 'CC BY 4.0 see there' },
    },
    { line: record('something', 'A LABEL OF 2030'), said: {} },
    { line: record('something', '__proto__'), said: {} },
    { line: record('\tTLSE\u0000', 'MARKER NAME'), said: { marker: { name: 'TLSE' } } },
    {
      line: record('TLSE', 'MARKER NAME').replace('\n', '\r\n'),
      said: { marker: { name: 'TLSE' } },
    },
    { line: record('TLSE', '  MARKER NAME'), said: { marker: { name: 'TLSE' } } },
  ]
  for (const { line, said } of cases) {
    const { rinex_version, flags, ...rest } = factsIn(line)
    t.strictSame(rest, said, line)
    t.equal(rinex_version, '3.04')
    t.ok(Array.isArray(flags))
  }
})

t.test('a text is read as UTF-8 if it is, else as ISO 8859-1', async (t) => {
  const utf8 = Buffer.from('Université').toString('latin1')
  const agency = (text: string) =>
    factsIn(record(' '.repeat(20) + text, 'OBSERVER / AGENCY')).agency
  t.equal(agency(utf8), 'Université')
  t.equal(agency('Université'), 'Université')
  t.equal(agency('<b>&amp;\u001b[31m'), '<b>&amp; [31m')
})

t.test('systems and signals are listed over several records', async (t) => {
  const types = Array.from({ length: 15 }, (_, at) => `L${1 + (at % 8)}${at < 8 ? 'C' : 'X'}`)
  const text = [
    versionRecord('3.05', 'OBSERVATION DATA'),
    record(`G   15 ${types.slice(0, 13).join(' ')}`, 'SYS / # / OBS TYPES'),
    record(`       ${types.slice(13).join(' ')}`, 'SYS / # / OBS TYPES'),
    record('S    2 C1C L1C', 'SYS / # / OBS TYPES'),
    endOfHeader,
    epochs3(1),
  ].join('')
  const { systems, signals } = facts(text)
  t.strictSame(
    { systems, signals },
    { systems: ['G', 'S'], signals: { G: types, S: ['C1C', 'L1C'] } },
  )
  const weather = [
    versionRecord('2.10', 'METEOROLOGICAL DATA', ''),
    record('     3    PR    TD    HR', '# / TYPES OF OBSERV'),
    endOfHeader,
    ' 96  4  1  0  0 15  987.1   10.6   89.5\n',
  ].join('')
  t.strictSame(facts(weather, 'cari0010.07m.gz').signals, { M: ['PR', 'TD', 'HR'] })
})

t.test('a navigation file has the system of its header', async (t) => {
  const cases = [
    { version: '2.11', type: 'N: GPS NAV DATA', system: '', systems: ['G'] },
    { version: '2.11', type: 'GLONASS NAV DATA', system: '', systems: ['R'] },
    { version: '3.04', type: 'N: GNSS NAV DATA', system: 'E: GALILEO', systems: ['E'] },
    { version: '3.04', type: 'N: GNSS NAV DATA', system: 'M: MIXED', systems: undefined },
    { version: '3.04', type: 'N: GNSS NAV DATA', system: '', systems: undefined },
  ]
  for (const { version, type, system, systems } of cases) {
    const text = `${versionRecord(version, type, system)}${endOfHeader}x\n`
    t.strictSame(facts(text, 'brdc2420.18p.gz').systems, systems, `${version} ${type} ${system}`)
  }
})

t.test('a text begins with a header, or has none', async (t) => {
  const end = endOfHeader
  const version = versionRecord('3.04', 'OBSERVATION DATA')
  const comment = record('x', 'COMMENT')
  const filling = comment.repeat(Math.floor((256 * 1024 - version.length - end.length) / 81))
  const room = 256 * 1024 - version.length - end.length - filling.length
  const cases = [
    { text: '', header: 'none' },
    { text: 'hello\n', header: 'none' },
    { text: version.slice(0, 40), header: 'none' },
    { text: comment + version + end, header: 'none' },
    { text: compactHeader(3) + comment + version, header: 'none' },
    { text: compactHeader(3), header: 'cut' },
    { text: version + comment, header: 'cut' },
    { text: version + end.slice(0, -1), header: 'cut' },
    { text: `${version}\u001a\n${end}`, header: 'cut' },
    { text: version + comment.repeat(4000) + end, header: 'endless' },
    { text: '\0'.repeat(300_000), header: 'none' },
    { text: version + 'x'.repeat(300_000), header: 'endless' },
    { text: `${version}${filling}${'y'.repeat(room)}\n${end}`, header: 'endless' },
  ]
  for (const { text, header } of cases)
    t.strictSame(contentOf(text), { kind: 'no-header', header }, `${header} ${text.length}`)
  const most = `${version}${filling}${'y'.repeat(room - 1)}\n${end}`
  t.equal(contentOf(most).kind, 'read', 'the most bytes of a header')
})

t.test('the lines of a header are those up to its end', async (t) => {
  const header = compactHeader(3) + header3()
  t.strictSame(headerOf(`${header}> 2024`), header.split('\n').slice(0, -1))
  t.equal(headerOf(header.slice(0, -30)), undefined)
  t.equal(headerOf('<html>\n'), undefined)
})

t.test('positions near the surface of the Earth are also degrees and a height', async (t) => {
  const position = (x: number, y: number, z: number) =>
    factsIn(record([x, y, z].map((n) => n.toFixed(4).padStart(14)).join(''), 'APPROX POSITION XYZ'))
      .position
  t.strictSame(position(4627851.7407, 119640.1967, 4372994.5508), {
    x: 4627851.7407,
    y: 119640.1967,
    z: 4372994.5508,
    latitude: 43.5607018,
    longitude: 1.4808927,
    height: 207.8145,
  })
  t.match(position(6378137, 0, 0), { latitude: 0, longitude: 0, height: 0 })
  t.match(position(-6378137, 0, 0), { longitude: 180 })
  t.match(position(0, -6378237, 0), { longitude: -90, height: 100 })
  t.match(position(0, 0, -6356752.3142), { latitude: -90, height: 0 })
  t.equal(position(0, 0, 0), undefined)
  t.equal(position(6_299_999, 0, 0), undefined)
  t.equal(position(6_420_001, 0, 0), undefined)
  t.equal(
    factsIn(record('  4627851.7407          none', 'APPROX POSITION XYZ')).position,
    undefined,
  )
})
