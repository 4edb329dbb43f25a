/** Facts of files as the catalogue stores them: with positions on its grid. */
import type { Facts, FlagName } from '../../src/rinex/facts.ts'
import { flagNames } from '../../src/rinex/facts.ts'
import { positionOf } from '../../src/rinex/position.ts'

const position = positionOf(4_194_420, 1_162_700, 4_647_250)
if (position === undefined) throw new Error('this is on the Earth')

/** Facts with everything that a header may say, and two flags. */
export const allFacts: Required<Facts> = {
  rinex_version: '3.04',
  systems: ['G', 'E'],
  signals: { G: ['C1C', 'L1C'], E: ['C1X'] },
  interval_s: 30,
  time_system: 'GPS',
  marker: { name: 'GRAZ', number: '11001M002', type: 'GEODETIC' },
  agency: 'OLG / AAS',
  receiver: { type: 'SEPT POLARX5', serial: '3013312', version: '5.4.0' },
  antenna: {
    type: 'LEIAR25.R4',
    radome: 'LEIT',
    serial: '10151004',
    delta: { h: 1.964, e: 0, n: 0 },
  },
  position,
  program: 'sbf2rin-13.4.5',
  run_by: 'OLG',
  licence: 'CC BY 4.0',
  doi: '10.1234/graz',
  run_date: '20260101 190120 UTC',
  first: '2026-01-01T18:00:00',
  last: '2026-01-01T18:44:30.000125',
  epochs: 90,
  expected_epochs: 120,
  share: 0.75,
  flags: [
    { flag: 'cut', says: 'The text ends within an epoch.' },
    { flag: 'short', says: '90 of 120 epochs.' },
  ],
}

export const flagged = (...flags: readonly FlagName[]): Facts => ({
  flags: flags.map((flag) => ({ flag, says: `It is ${flag}.` })),
})

/** One in Europe, two on both sides of the date line, at 17.5 degrees south, and a pole. */
const places = [
  positionOf(4_194_420, 1_162_700, 4_647_250),
  positionOf(-6_083_930, 10_620, -1_905_680),
  positionOf(-6_083_930, -10_620, -1_905_680),
  positionOf(0, 0, 6_356_750),
] as const

/** Facts that are the same for the same number; few of them have the same equipment. */
export function someFacts(n: number): Facts {
  if (n % 7 === 0) return { flags: [] }
  const flags = flagNames.filter((_, index) => (n * 37) % (index + 5) === 0)
  const { equipment, epochs } = { equipment: n % 4, epochs: n % 3 === 0 ? 120 : 90 }
  return {
    ...allFacts,
    marker: { name: `M${equipment}`, number: '"\\\u00e4\u{1F6F0}\0' },
    receiver: { type: `RECEIVER ${equipment}\0\ud800`, version: '' },
    rinex_version: n % 3 === 0 ? '2.11' : '3.04',
    systems: n % 5 === 0 ? ['G'] : ['G', 'R'],
    signals: n % 5 === 0 ? { G: ['L1', 'C1'] } : allFacts.signals,
    antenna: { type: `ANTENNA.R${equipment % 3}`, radome: equipment === 0 ? 'NONE' : 'LEIT' },
    position: places[equipment] ?? allFacts.position,
    epochs,
    share: epochs / 120,
    flags: flagged(...flags).flags,
  }
}
