/**
 * Facts of real files, in a table that a person wrote who read the files; epochs are counted again
 * by a slow reader, in Compact RINEX after decoding.
 */
import type { Facts } from '../../../src/rinex/facts.ts'
import t from '../../tap.ts'
import { readNaively } from '../naive.ts'
import { factsIn } from '../reading.ts'
import { lacksRealFiles, realPaths, realText } from '../real-archive.ts'

/** As `Facts`; of flags the names only, of signals the types in one string. */
interface Expected extends Omit<Facts, 'flags' | 'signals'> {
  readonly signals?: Readonly<Record<string, string>>
  readonly flags: string
}

const C12 = 'C2I C6I C7I D2I D6I D7I L2I L6I L7I S2I S6I S7I'
const C24 =
  'C1X C2I C5X C6I C7D C7I D1X D2I D5X D6I D7D D7I L1X L2I L5X L6I L7D L7I S1X S2I S5X S6I S7D S7I'
const E16 = 'C1X C5X C7X C8X D1X D5X D7X D8X L1X L5X L7X L8X S1X S5X S7X S8X'
const E20 = 'C1X C5X C6X C7X C8X D1X D5X D6X D7X D8X L1X L5X L6X L7X L8X S1X S5X S6X S7X S8X'
const G16 = 'C1C C2W C2X C5X D1C D2W D2X D5X L1C L2W L2X L5X S1C S2W S2X S5X'
const G20 = 'C1C C1X C2W C2X C5X D1C D1X D2W D2X D5X L1C L1X L2W L2X L5X S1C S1X S2W S2X S5X'
const R16 = 'C1C C1P C2C C2P D1C D1P D2C D2P L1C L1P L2C L2P S1C S1P S2C S2P'
const S8 = 'C1C C5I D1C D5I L1C L5I S1C S5I'
const I4 = 'C5A D5A L5A S5A'
const wsra = 'L1 L2 C1 P2 P1 S1 S2'

const toulouse = {
  time_system: 'GPS',
  marker: { name: 'TLSE', number: '10003M009', type: 'GEODETIC' },
  agency: 'CNES',
  receiver: { type: 'TRIMBLE ALLOY', serial: '6139R40106', version: '6.14' },
  antenna: {
    type: 'TRM59800.00',
    radome: 'NONE',
    serial: '5129354206',
    delta: { h: 1.053, e: 0, n: 0 },
  },
  program: 'cnvtToRINEX 3.14.0',
  run_by: 'REGINA',
  flags: '',
} as const

const table: Readonly<Record<string, Expected>> = {
  'CEDA00USA_R_20182100000_23H_15S_MO.rnx.gz': {
    rinex_version: '3.03',
    systems: ['E', 'R'],
    signals: {
      E: 'C1C L1C S1C C6C L6C S6C C5Q L5Q S5Q C7Q L7Q S7Q C8Q L8Q S8Q',
      R: 'C1C L1C S1C C1P L1P S1P C2P L2P S2P C2C L2C S2C',
    },
    interval_s: 15,
    time_system: 'GPS',
    first: '2018-07-29T00:00:15',
    last: '2018-07-29T23:59:45',
    epochs: 4675,
    expected_epochs: 5520,
    share: 4675 / 5520,
    marker: { name: 'ceda', number: '0', type: 'GEODETIC' },
    agency: 'UNAVCO',
    receiver: { type: 'SEPT POLARX5', serial: '3012364', version: '5.1.0' },
    antenna: {
      type: 'TRM59800.80',
      radome: 'SCIS',
      serial: '220062103',
      delta: { h: 0.0083, e: 0, n: 0 },
    },
    position: {
      x: -1882182.8402,
      y: -4464343.6597,
      z: 4136557.104,
      latitude: 40.6807215,
      longitude: -112.8604576,
      height: 1469.159,
    },
    program: 'sbf2rin-11.3.3',
    run_date: '20180730 002615 LCL',
    flags: 'short long',
  },
  'TLSE00FRA_R_20220010000_01H_30S_MO.rnx.gz': {
    ...toulouse,
    rinex_version: '3.05',
    systems: ['C', 'E', 'G', 'R', 'S'],
    signals: { C: C12, E: E16, G: G16, R: R16, S: S8 },
    interval_s: 30,
    first: '2022-01-01T00:00:00',
    last: '2022-01-01T00:59:30',
    epochs: 120,
    expected_epochs: 120,
    share: 1,
    receiver: { type: 'TRIMBLE NETR9', serial: '5048K71845', version: '5.45' },
    position: {
      x: 4627853.3468,
      y: 119640.2373,
      z: 4372995.2492,
      latitude: 43.5606964,
      longitude: 1.4808927,
      height: 209.46,
    },
    run_date: '20220102 000620 UTC',
  },
  'GRAS00FRA_R_20223151700_15M_01S_MO.crx.gz': {
    rinex_version: '3.04',
    systems: ['R', 'G', 'C', 'E', 'S'],
    signals: { R: R16, G: G16, C: C12, E: E16, S: S8 },
    interval_s: 1,
    time_system: 'GPS',
    first: '2022-11-11T17:00:00',
    last: '2022-11-11T17:14:59',
    epochs: 900,
    expected_epochs: 900,
    share: 1,
    marker: { name: 'GRAS', number: '10002M006', type: 'GEODETIC' },
    agency: 'CNES',
    receiver: { type: 'TRIMBLE NETR9', serial: '5340K46122', version: '5.45' },
    antenna: {
      type: 'ASH701945E_M',
      radome: 'NONE',
      serial: 'CR520024222',
      delta: { h: 0.035, e: 0, n: 0 },
    },
    position: {
      x: 4581690.5141,
      y: 556115.4851,
      z: 4389360.9249,
      latitude: 43.7547406,
      longitude: 6.9205818,
      height: 1319.181,
    },
    program: 'cnvtToRINEX 3.14.0',
    run_by: 'REGINA',
    run_date: '20221111 171529 UTC',
    flags: '',
  },
  'TLSE00FRA_R_20230010000_30M_30S_GO.crx.gz': {
    ...toulouse,
    rinex_version: '3.05',
    systems: ['G'],
    signals: { G: G20 },
    interval_s: 30,
    first: '2023-01-01T00:00:00',
    last: '2023-01-01T00:29:30',
    epochs: 60,
    expected_epochs: 60,
    share: 1,
    position: {
      x: 4627852.8929,
      y: 119640.7249,
      z: 4372995.3337,
      latitude: 43.5606996,
      longitude: 1.4808989,
      height: 209.199,
    },
    run_date: '20230102 000649 UTC',
  },
  'NIST00USA_R_20230010100_05M_30S_MO.crx.gz': {
    rinex_version: '3.05',
    systems: ['C', 'E', 'G', 'R', 'S'],
    signals: {
      C: 'C1P C2I C5P C6I C7D L1P L2I L5P L6I L7D',
      E: 'C1C C5Q C6C C7Q C8Q L1C L5Q L6C L7Q L8Q',
      G: 'C1C C1L C1W C2L C2W C5Q L1C L1L L2L L2W L5Q',
      R: 'C1C C2C L1C L2C',
      S: 'C1C C5I L1C L5I',
    },
    interval_s: 30,
    time_system: 'GPS',
    first: '2023-01-01T01:00:00',
    last: '2023-01-01T01:04:30',
    epochs: 10,
    expected_epochs: 10,
    share: 1,
    marker: { name: 'nist', number: '49507M002', type: 'IERS' },
    agency: 'nist',
    receiver: { type: 'SEPT POLARX5TR', serial: '3069423', version: '5.4.0' },
    antenna: {
      type: 'NOV750.R4',
      radome: 'NONE',
      serial: 'NDE11330004',
      delta: { h: 0, e: 0, n: 0 },
    },
    position: {
      x: -1288398.6784,
      y: -4721696.7639,
      z: 4078625.2178,
      latitude: 39.9950663,
      longitude: -105.2626089,
      height: 1648.167,
    },
    program: 'sbf2rin-13.8.0',
    run_date: '20230102 003002 UTC',
    flags: '',
  },
  'TLSE00FRA_R_20240011200_15M_01S_MO.crx.gz': {
    ...toulouse,
    rinex_version: '3.04',
    systems: ['C', 'G', 'S', 'R', 'I', 'E'],
    signals: { C: C24, G: G20, S: S8, R: R16, I: I4, E: E20 },
    interval_s: 1,
    first: '2024-01-01T12:00:00',
    last: '2024-01-01T12:14:59',
    epochs: 900,
    expected_epochs: 900,
    share: 1,
    receiver: { type: 'TRIMBLE ALLOY', serial: '6139R40106', version: '6.21' },
    position: {
      x: 4627852.5264,
      y: 119640.514,
      z: 4372994.8358,
      latitude: 43.5606987,
      longitude: 1.4808964,
      height: 208.586,
    },
    run_date: '20240101 121529 UTC',
  },
  'TLSE00FRA_R_20240011800_01H_30S_MO.crx.gz': {
    ...toulouse,
    rinex_version: '3.04',
    systems: ['G', 'C', 'R', 'S', 'I', 'E'],
    signals: { G: G20, C: C24, R: R16, S: S8, I: I4, E: E20 },
    interval_s: 30,
    first: '2024-01-01T18:00:00',
    last: '2024-01-01T18:59:30',
    epochs: 120,
    expected_epochs: 120,
    share: 1,
    receiver: { type: 'TRIMBLE ALLOY', serial: '6139R40106', version: '6.21' },
    position: {
      x: 4627851.7407,
      y: 119640.1967,
      z: 4372994.5508,
      latitude: 43.5607018,
      longitude: 1.4808927,
      height: 207.814,
    },
    run_date: '20240101 190120 UTC',
  },
  // No interval in name and header; the epochs are a second apart.
  'GEOP092I.24o.gz': {
    rinex_version: '3.03',
    systems: ['G', 'R', 'E', 'C', 'J'],
    signals: {
      G: 'C1C L1C D1C S1C C5Q L5Q D5Q S5Q',
      R: 'C1C L1C D1C S1C',
      E: 'C1B L1B D1B S1B C1C L1C D1C S1C C5Q L5Q D5Q S5Q',
      C: 'C2I L2I D2I S2I',
      J: 'C1C L1C D1C S1C C5Q L5Q D5Q S5Q',
    },
    time_system: 'GPS',
    first: '2024-04-01T08:31:16.44276',
    last: '2024-04-01T08:41:14.442763',
    epochs: 599,
    expected_epochs: 3600,
    share: 599 / 3600,
    marker: { name: 'Geo++', type: 'GEODETIC' },
    agency: 'Geo++',
    receiver: { type: 'Xiaomi', serial: 'unknown', version: 'M2007J17G' },
    antenna: { type: 'M2007J17G', serial: 'unknown', delta: { h: 0, e: 0, n: 0 } },
    position: {
      x: 4199885.7119,
      y: 164693.9085,
      z: 4781345.1225,
      latitude: 48.8731766,
      longitude: 2.2456405,
      height: 67.842,
    },
    program: 'Geo++ RINEX Logger',
    run_by: 'Geo++',
    run_date: '20240401 083058 UTC',
    flags: 'short marker',
  },
  // Its name is no RINEX name (`10S`): read under one without a period.
  'TLSE00FRA_R_20230010100_10S_01S_MO.crx.gz': {
    ...toulouse,
    rinex_version: '3.05',
    systems: ['C', 'E', 'G', 'I', 'R', 'S'],
    signals: { C: C24, E: E20, G: G20, I: I4, R: R16, S: S8 },
    interval_s: 1,
    first: '2023-01-01T01:00:00',
    last: '2023-01-01T01:00:09',
    epochs: 10,
    position: {
      x: 4627852.352,
      y: 119640.5351,
      z: 4372994.4909,
      latitude: 43.5606975,
      longitude: 1.4808967,
      height: 208.222,
    },
    run_date: '20230101 011530 UTC',
  },
  'wsra0010.21d.gz': {
    rinex_version: '2.11',
    systems: ['G', 'R'],
    signals: { G: wsra, R: wsra },
    time_system: 'GPS',
    first: '2021-01-01T00:00:00',
    last: '2021-01-01T00:08:00',
    epochs: 17,
    expected_epochs: 2880,
    share: 17 / 2880,
    marker: { name: 'WSRA', number: '13506M005' },
    agency: 'AGRS.NL (KAD,MD,TUD)',
    receiver: { type: 'TRIMBLE NETR9', serial: '5302K41643', version: '5.45' },
    antenna: {
      type: 'AOAD/M_T',
      radome: 'DUTD',
      serial: '273',
      delta: { h: 0.3888, e: 0, n: 0 },
    },
    position: {
      x: 3828736.137,
      y: 443304.738,
      z: 5064884.508,
      latitude: 52.9146082,
      longitude: 6.6045017,
      height: 82.267,
    },
    program: 'teqc  2019Feb25',
    run_date: '20210102 00:02:09UTC',
    flags: 'short',
  },
  'gode0030.96m.gz': {
    rinex_version: '2',
    signals: { M: 'PR HR TD' },
    marker: { name: 'GODE' },
    program: 'MET V1.0',
    // The date is a column further left than it should be.
    run_by: 'CDDIS              1',
    run_date: '9-JAN-96  09:26:54',
    flags: '',
  },
  'cari0010.07m.gz': {
    rinex_version: '2.10',
    signals: { M: 'PR TD HR' },
    marker: { name: 'A 9080' },
    program: 'XXRINEXM V9.9',
    run_by: 'AIUB',
    run_date: '3-APR-96 00:10',
    flags: 'marker',
  },
  'VILL00ESP_R_20181700000_01D_MN.rnx.gz': {
    rinex_version: '3.03',
    program: 'sbf2rin-11.1.2',
    run_date: '20180620 000332 LCL',
    flags: '',
  },
  'ELKO00USA_R_20182100000_01D_MN.rnx.gz': {
    rinex_version: '3.03',
    program: 'sbf2rin-11.3.3',
    run_date: '20180730 001026 LCL',
    flags: '',
  },
  'brdc2420.18n.gz': { rinex_version: '2.11', systems: ['G'], flags: '' },
  'ESBC00DNK_R_20201770000_01D_MN.rnx.gz': {
    rinex_version: '3.05',
    program: 'sbf2rin-13.4.5',
    run_date: '20220706 130816 UTC',
    flags: '',
  },
  'MOJN00DNK_R_20201770000_01D_MN.rnx.gz': {
    rinex_version: '3.05',
    program: 'sbf2rin-13.4.5',
    run_date: '20220819 100344 UTC',
    flags: '',
  },
  'BRDC00GOP_R_20210010000_01D_MN.rnx.gz': {
    rinex_version: '3.04',
    program: 'G-Nut/Aset_1.5.11',
    run_by: 'GOP/RIGTC',
    run_date: '20210102 234548 UTC',
    flags: '',
  },
  'BRDC00IGS_R_20230010000_01D_MN.rnx.gz': {
    rinex_version: '3.05',
    program: 'MergeMNfile.tcl',
    run_by: 'IGS',
    run_date: '20230103 093504 GMT',
    flags: '',
  },
  // A marker and a position are in comments.
  'CORD00ARG_R_20240920000_01D_MN.rnx.gz': {
    rinex_version: '3.04',
    program: 'sbf2rin-15.6.1',
    run_date: '20240402 000304 UTC',
    flags: '',
  },
  'HERT00GBR_R_20240920000_01D_GN.rnx.gz': {
    rinex_version: '3.04',
    systems: ['G'],
    program: 'Mdb2Rinex 4.97.35L',
    run_date: '20240402 000202 UTC',
    flags: '',
  },
  'NYA100NOR_S_20241240000_01D_EN.rnx.gz': {
    rinex_version: '3.03',
    systems: ['E'],
    program: 'gl_Rinex',
    run_by: 'NMA',
    run_date: '20240504 003737 UTC',
    flags: '',
  },
  'NYA100NOR_S_20241270000_01D_GN.rnx.gz': {
    rinex_version: '3.05',
    systems: ['G'],
    program: 'gl_Rinex',
    run_by: 'NMA',
    run_date: '20240507 003754 UTC',
    flags: '',
  },
  // IONEX has a header of the same columns.
  'CKMG0080.09I.gz': { flags: 'no-header' },
  'CKMG0090.21I.gz': { flags: 'no-header' },
}

/** Names of the parser of those files whose names are none of RINEX. */
const otherNames: Readonly<Record<string, string>> = {
  'TLSE00FRA_R_20230010100_10S_01S_MO.crx.gz': 'TLSE00FRA_R_20230010100_00U_01S_MO.crx.gz',
  'CKMG0080.09I.gz': 'CKMG0080.09O.gz',
  'CKMG0090.21I.gz': 'CKMG0090.21O.gz',
}

const skip = lacksRealFiles()
const paths = skip === false ? realPaths().filter((path) => path.endsWith('.gz')) : []

t.test('a real file has the facts that a person reads in it', { skip }, async (t) => {
  t.ok(paths.length >= Object.keys(table).length)
  for (const path of paths) {
    const name = path.slice(path.lastIndexOf('/') + 1)
    const expected = table[name]
    if (expected === undefined) t.fail(`${name} is not in the table`)
    else
      t.strictSame(
        comparable(factsIn(realText(path), otherNames[name] ?? name)),
        comparable(expected),
        name,
      )
  }
})

t.test(
  'the epochs of a real file are those of its text without compression',
  { skip },
  async (t) => {
    let counted = 0
    for (const path of paths) {
      const bytes = realText(path)
      const text = bytes.toString('latin1')
      if (!text.slice(0, 400).includes('OBSERVATION DATA')) continue
      counted++
      const name = path.slice(path.lastIndexOf('/') + 1)
      const { epochs, state, plain } = readNaively(text, true)
      const facts = factsIn(bytes, otherNames[name] ?? name)
      t.equal(state, 'whole', name)
      t.equal(facts.epochs, epochs.length, name)
      t.equal(facts.first, shortened(epochs[0]?.time), name)
      t.equal(facts.last, shortened(epochs.at(-1)?.time), name)
      const again = factsIn(Buffer.from(plain, 'latin1'), otherNames[name] ?? name)
      t.strictSame(again, facts, `${name} without compression`)
    }
    t.ok(counted >= 10)
  },
)

/** To the microsecond, and without a fraction that is zero. */
function shortened(time: string | undefined): string | undefined {
  if (time === undefined) return undefined
  const seconds = Number(time.slice(17)).toFixed(6).padStart(9, '0')
  return (time.slice(0, 17) + seconds).replace(/\.?0+$/, '')
}

interface Comparable extends Omit<Facts, 'flags' | 'signals'> {
  readonly signals?: Readonly<Record<string, string | readonly string[]>>
  readonly flags: string | Facts['flags']
}

/** Systems without their order, rounded numbers, flags without sentences; nothing `undefined`. */
function comparable(facts: Comparable): unknown {
  const { systems, signals, share, position, flags } = facts
  const places = Object.entries<number>({ ...position }).map(([axis, value]): [string, string] => [
    axis,
    value.toFixed(axis.length === 1 || axis === 'height' ? 2 : 6),
  ])
  return JSON.parse(
    JSON.stringify({
      ...facts,
      systems: systems?.toSorted(),
      signals: Object.entries(signals ?? {})
        .map(
          ([system, types]) => `${system} ${typeof types === 'string' ? types : types.join(' ')}`,
        )
        .sort(),
      share: share?.toFixed(6),
      position: places.length === 0 ? undefined : Object.fromEntries(places),
      flags: typeof flags === 'string' ? flags : flags.map(({ flag }) => flag).join(' '),
    }),
  )
}
