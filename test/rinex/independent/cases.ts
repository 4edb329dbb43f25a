/** Files of two satellites, as the tests of single rules need them. */
import type { Facts } from '../../../src/rinex/facts.ts'
import type { Entry } from '../model.ts'
import type { ObservationFile } from '../model.ts'
import { labelled, plainText } from '../model.ts'
import { factsIn } from '../reading.ts'

export const day = Date.UTC(2024, 0, 1) / 1000
export const hourly = 'GRAZ00AUT_R_20240010000_01H_30S_MO.rnx.gz'
export const ofStep = 'GRAZ00AUT_R_20240010000_01H_MO.rnx.gz'

/** Epochs at seconds from 2024-01-01. */
export function at(seconds: readonly number[]): Entry[] {
  return seconds.map((second) => ({ seconds: day + second, flag: 0, satellites: ['G01', 'G02'] }))
}

export function steps(count: number, step: number, from = 0): number[] {
  return Array.from({ length: count }, (_, n) => from + n * step)
}

export function file(
  entries: readonly Entry[],
  other: Partial<ObservationFile> = {},
): ObservationFile {
  return { version: '3.04', types: { G: ['C1C', 'L1C'] }, entries, ...other }
}

/** Facts of plain text. */
export function read(made: ObservationFile, name = hourly): Facts {
  return factsIn(Buffer.from(plainText(made).text), name)
}

export function readText(text: string, name = hourly): Facts {
  return factsIn(Buffer.from(text, 'latin1'), name)
}

export function header(...lines: [content: string, label: string][]): string {
  return lines.map(([content, label]) => labelled(content, label) + '\n').join('')
}

export const interval = (text: string) => ({ header: [labelled(text, 'INTERVAL')] })
export const first = (system: string) =>
  labelled(`  2024     1     1     0     0    0.0000000     ${system}`, 'TIME OF FIRST OBS')

export const navigation = (type: string, system: string, version = '3.04') =>
  header(
    [`${version.padStart(9)}           ${type.padEnd(20)}${system}`, 'RINEX VERSION / TYPE'],
    ['    18', 'LEAP SECONDS'],
    ['', 'END OF HEADER'],
  )
export const ephemeris =
  'G01 2024 01 01 00 00 00 1.0E-04 1.0E-12 0.0E+00\n     8.2E+01-4.0E+01 3.7E-09 2.4\n'
