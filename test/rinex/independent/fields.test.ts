/** The fields of the header, and positions. */
import t from '../../tap.ts'
import { labelled, plainText } from '../model.ts'
import { at, file, readText, steps } from './cases.ts'

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
