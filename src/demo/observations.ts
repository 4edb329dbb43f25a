/**
 * The text of the demo's observation files, as Compact RINEX 1 and 3 (Hatanaka 2008): a header, an
 * epoch with its time and satellites, and then only what changes, which is the same on all days.
 */
import { equipmentAt, positionOf } from './equipment.ts'
import type { DemoStation } from './stations.ts'

/** An observation file to be written. */
export interface Observations {
  readonly station: DemoStation
  /** True for a short name: then it is RINEX 2 in Compact RINEX 1. */
  readonly isShort: boolean
  /** Start of the data (seconds since 1970), their interval and length (seconds). */
  readonly start: number
  readonly interval: number
  readonly length: number
  /** Number of satellites, at most 9. */
  readonly satellites: number
  /** Seconds from the start of the data to that of the demo. */
  readonly ago: number
  /** What its header says of its station. */
  readonly marker: string
}

/** The header, and the first epoch. */
export function beginningOf(file: Observations): string {
  const { isShort, start } = file
  const lines = [
    [`${isShort ? '1.0' : '3.0'}                 COMPACT RINEX FORMAT`, 'CRINEX VERS   / TYPE'],
    ['rinex-catalogue', 'CRINEX PROG / DATE'],
    [
      `     ${isShort ? '2.11' : '3.05'}           OBSERVATION DATA    M: MIXED`,
      'RINEX VERSION / TYPE',
    ],
    ['rinex-catalogue     demo                20260101 000000 UTC ', 'PGM / RUN BY / DATE'],
    ['SYNTHETIC: NO RECEIVER MEASURED THIS', 'COMMENT'],
    ...originOf(file),
    ...(isShort
      ? [['     3    C1    L1    S1', '# / TYPES OF OBSERV']]
      : ['G', 'E'].map((system) => [`${system}    3 C1C L1C S1C`, 'SYS / # / OBS TYPES'])),
    [seconds(file.interval, 10), 'INTERVAL'],
    [firstObs(start), 'TIME OF FIRST OBS'],
    ['', 'END OF HEADER'],
  ]
  const values = satellitesOf(file).map(
    (_, index) => `3&${2e10 + index * 1e8} 3&${1e11 + index * 5e8} 3&${40000 + index * 500}\n`,
  )
  return `${headerText(lines)}${epochLine(file, start)}\n\n${values.join('')}`
}

/** The lines of a header: a text of 60 columns, and the label of what it says. */
export function headerText(lines: readonly (readonly string[])[]): string {
  return lines.map(([text = '', label = '']) => `${text.padEnd(60)}${label}\n`).join('')
}

/** Everything after the first epoch; the same whatever the day. */
export function restOf(file: Observations): string {
  const { start, interval, length } = file
  const epochs: string[] = []
  for (let time = start + interval; time < start + length; time += interval) {
    const order = Math.min((time - start) / interval, 3)
    // The values are polynomials of the second degree, so their third differences are nothing.
    const satellite = ['', '250000 1310000 0\n', '120 630 0\n', '0 0 0\n'][order] ?? ''
    const changes = difference(epochLine(file, time - interval), epochLine(file, time))
    epochs.push(`${changes}\n\n${satellite.repeat(file.satellites)}`)
  }
  return epochs.join('')
}

/** The lines of the header that say where the data come from. */
function originOf({ station, marker, ago }: Observations): string[][] {
  const { receiver, firmware, antenna, radome, serial } = equipmentAt(station, ago)
  return [
    [marker, 'MARKER NAME'],
    ['demo                rinex-catalogue', 'OBSERVER / AGENCY'],
    [`${serial.padEnd(20)}${receiver.padEnd(20)}${firmware}`, 'REC # / TYPE / VERS'],
    [`${serial.padEnd(20)}${antenna.padEnd(16)}${radome}`, 'ANT # / TYPE'],
    [
      positionOf(station)
        .map((metres) => metres.toFixed(4).padStart(14))
        .join(''),
      'APPROX POSITION XYZ',
    ],
    ['        0.1000        0.0000        0.0000', 'ANTENNA: DELTA H/E/N'],
  ]
}

/** GPS and Galileo in turn. */
const satellitesOf = ({ satellites }: Observations) =>
  Array.from({ length: satellites }, (_, index) => `${index % 2 === 0 ? 'G' : 'E'}0${index + 1}`)

/** RINEX 2.11 and 3.05, "Epoch/SAT" record, with the mark of a first epoch of Compact RINEX. */
function epochLine(file: Observations, time: number): string {
  const [year = '', month = '', day = '', hour = '', minute = '', second = ''] = partsOf(time)
  const satellites = satellitesOf(file).join('')
  const count = String(file.satellites).padStart(3)
  const seconds = second.padStart(3).padEnd(4, '.').padEnd(11, '0')
  if (!file.isShort)
    return `> ${year} ${month} ${day} ${hour} ${minute}${seconds}  0${count}      ${satellites}`
  const two = [month, day, hour, minute].map((part) => ` ${String(Number(part)).padStart(2)}`)
  return `&${year.slice(2)}${two.join('')}${seconds}  0${count}${satellites}`
}

/** What a line changes of the one before: Compact RINEX writes blanks for what stays. */
function difference(before: string, line: string): string {
  const changed = Array.from(line, (character, index) =>
    character === before[index] ? ' ' : character === ' ' ? '&' : character,
  )
  return changed.join('').trimEnd()
}

/** Year, month, day, hour, minute with zeros, and the second without. */
function partsOf(time: number): readonly string[] {
  const [year = '', ...parts] = new Date(time * 1000).toISOString().slice(0, 19).split(/\D/)
  const second = String(Number(parts.pop()))
  return [year, ...parts, second]
}

function firstObs(start: number): string {
  const parts = partsOf(start)
    .slice(0, 5)
    .map((part) => String(Number(part)).padStart(6))
  return `${parts.join('')}    0.0000000     GPS`
}

const seconds = (value: number, width: number) => value.toFixed(3).padStart(width)
