/** Makes texts of RINEX files: headers, epochs, and the same in Compact RINEX. */
import { parseFilename } from '../../src/parse/filename.ts'
import type { ParsedName } from '../../src/parse/types.ts'
import type { Content } from '../../src/rinex/content-reader.ts'
import { ContentReader } from '../../src/rinex/content-reader.ts'
import type { Facts } from '../../src/rinex/facts.ts'
import type { ReadState } from '../../src/rinex/facts-of.ts'
import { factsOf } from '../../src/rinex/facts-of.ts'

/** A record of a header: its columns up to 60, and its label. */
export function record(fields: string, label: string): string {
  return `${fields.padEnd(60)}${label.padEnd(20)}\n`
}

/** The first record. @param system as in `M: MIXED` */
export function versionRecord(version: string, type: string, system = 'M: MIXED'): string {
  const fields = `${version.padStart(9)}${' '.repeat(11)}${type.padEnd(20)}${system}`
  return record(fields, 'RINEX VERSION / TYPE')
}

export const endOfHeader = record('', 'END OF HEADER')

/** The parts of a header of version 3 that tests change. */
export interface HeaderParts {
  readonly version?: string
  readonly marker?: string
  readonly interval?: string
  readonly timeSystem?: string
  readonly more?: string
}

export function header3({
  version = '3.04',
  marker = 'TLSE',
  interval = '30.000',
  timeSystem = 'GPS',
  more = '',
}: HeaderParts = {}): string {
  return [
    versionRecord(version, 'OBSERVATION DATA'),
    record(marker, 'MARKER NAME'),
    record('G    2 C1C L1C', 'SYS / # / OBS TYPES'),
    record('E    2 C1X L1X', 'SYS / # / OBS TYPES'),
    interval === '' ? '' : record(interval.padStart(10), 'INTERVAL'),
    record(`${'2024     1     1    18     0    0.0000000'.padStart(43)}     ${timeSystem}`, first),
    more,
    endOfHeader,
  ].join('')
}
const first = 'TIME OF FIRST OBS'

/** A header of version 2. @param types of observation, at most nine */
export function header2(types = ['L1', 'L2', 'C1', 'P2', 'P1', 'S1', 'S2'], more = ''): string {
  const list = types.map((type) => type.padStart(6)).join('')
  return [
    versionRecord('2.11', 'OBSERVATION DATA', 'M (MIXED)'),
    record('WSRA', 'MARKER NAME'),
    record(`${String(types.length).padStart(6)}${list}`, '# / TYPES OF OBSERV'),
    more,
    endOfHeader,
  ].join('')
}

/** An epoch line of version 3. @param time as in `2024 01 01 18 00  0.0000000` */
export function line3(time: string, satellites: number | '', flag = 0): string {
  return `> ${time.padEnd(27)}  ${flag}${String(satellites).padStart(3)}\n`
}

/** A whole epoch of version 3. */
export function epoch3(time: string, satellites = 3, flag = 0): string {
  const lines = Array.from({ length: satellites }, (_, at) => `G0${at + 1}  20000000.123 7\n`)
  return line3(time, satellites, flag) + lines.join('')
}

/** The time of an epoch of version 3, `seconds` after 2024-01-01 18:00. */
export function time3(seconds: number): string {
  const time = new Date(Date.UTC(2024, 0, 1, 18) + seconds * 1000).toISOString()
  const [year, month, day, hour, minute] = time.split(/\D/)
  const second = time.slice(17, 23).padEnd(10, '0')
  return `${year} ${month} ${day} ${hour} ${minute} ${second}`
}

/** Epochs of version 3 from 2024-01-01 18:00 on. */
export function epochs3(count: number, { interval = 30, satellites = 3, from = 0 } = {}): string {
  const times = Array.from({ length: count }, (_, at) => time3(from + at * interval))
  return times.map((time) => epoch3(time, satellites)).join('')
}

/** An epoch line of version 2 and its further ones. @param time `21  1  1  0  0  0.0000000` */
export function line2(time: string, satellites: readonly string[], flag = 0): string {
  const lines: string[] = []
  for (let at = 0; at < Math.max(1, satellites.length); at += 12)
    lines.push(satellites.slice(at, at + 12).join(''))
  const count = String(satellites.length).padStart(3)
  return lines
    .map((list, at) => `${at === 0 ? ` ${time}  ${flag}${count}` : ' '.repeat(32)}${list}\n`)
    .join('')
}

/** A whole epoch of version 2. @param types number of types of observation */
export function epoch2(time: string, satellites: readonly string[], types = 7, flag = 0): string {
  const perSatellite = '  20000000.123 7\n'.repeat(Math.ceil(types / 5))
  return line2(time, satellites, flag) + perSatellite.repeat(satellites.length)
}

/** An epoch of Compact RINEX: its line, and the lines of the clock and of observations. */
export interface CompactEpoch {
  /** The whole epoch line, as `> 2024 01 01 18 00  0.0000000  0  2      G01G02`. */
  readonly line: string
  readonly satellites: number
}

/** Epochs of Compact RINEX, of which the first one is initialised. */
export function compactEpochs(version: 1 | 3, epochs: readonly CompactEpoch[]): string {
  let before = ''
  let text = ''
  for (const { line, satellites } of epochs) {
    const whole = version === 1 && before === '' ? `&${line.slice(1)}` : line
    text += before === '' ? whole : changes(before, line)
    before = line
    text += `\n\n${'3&20000000123 3&105000000123  7\n'.repeat(satellites)}`
  }
  return text
}

/** What changes between two lines: blanks where nothing does, `&` for a blank. */
export function changes(before: string, after: string): string {
  const characters = Array.from({ length: Math.max(before.length, after.length) }, (_, at) => {
    const [old, now] = [before.charAt(at), after.charAt(at)]
    if (old === now) return ' '
    return now === ' ' || now === '' ? '&' : now
  })
  return characters.join('').trimEnd()
}

/** The records with which a header in Compact RINEX begins. */
export function compactHeader(version: 1 | 3): string {
  const fields = `${`${version}.0`.padEnd(20)}COMPACT RINEX FORMAT`
  return record(fields, 'CRINEX VERS   / TYPE') + record('RNX2CRX ver.4.1.0', 'CRINEX PROG / DATE')
}

export function parsedName(name: string): ParsedName {
  const parsed = parseFilename(name)
  if (parsed.kind === 'rejected') throw new Error(`${name}: ${parsed.reason}`)
  return parsed
}

/** Reads a text. @param size of its pieces in bytes */
export function contentOf(text: string | Uint8Array, size = Infinity): Content {
  const bytes = typeof text === 'string' ? Buffer.from(text, 'latin1') : text
  const reader = new ContentReader()
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size))
  return reader.end()
}

export const hourName = 'TLSE00FRA_R_20240011800_01H_30S_MO.crx.gz'

export function facts(
  text: string | Uint8Array,
  name = hourName,
  state: ReadState = 'complete',
): Facts {
  return factsOf(contentOf(text), parsedName(name), state)
}

/** The names of the flags. */
export function flags(text: string | Uint8Array, name = hourName): string[] {
  return facts(text, name).flags.map(({ flag }) => flag)
}
