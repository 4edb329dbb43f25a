/**
 * Trees of layouts: small files of two stations at some times. Patterns have words in braces for
 * the time and the station of a file.
 */
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { dayOfYearAt, secondsPerDay, secondsPerHour } from '../../src/parse/calendar.ts'
import { joinPath } from '../../src/parse/layout.ts'

/** Files of one form: their directory, their name, and the times of which there are files. */
export type Kind = readonly [directory: string, name: string, times: readonly number[]]

const today = Math.floor(Date.now() / 1000 / secondsPerDay) * secondsPerDay
/** The day of the newest files of a tree: two days ago. */
export const newest = today - 2 * secondsPerDay

const monthNames = 'january february march april may june july august september'
  .concat(' october november december')
  .split(' ')

const pad = (value: number, digits: number): string => String(value).padStart(digits, '0')

/** The words of a time (s since 1970) and a station. */
function wordsOf(seconds: number, station: string): Readonly<Record<string, string>> {
  const { year, dayOfYear } = dayOfYearAt(seconds)
  const date = new Date(seconds * 1000)
  const month = monthNames[date.getUTCMonth()] ?? ''
  const mon = month.slice(0, 3)
  const days = seconds / secondsPerDay - Date.UTC(1980, 0, 6) / 1000 / secondsPerDay
  const hour = date.getUTCHours()
  return {
    Y: pad(year, 4),
    y: pad(year % 100, 2),
    n: pad(dayOfYear, 3),
    m: pad(date.getUTCMonth() + 1, 2),
    d: pad(date.getUTCDate(), 2),
    M: String(date.getUTCMonth() + 1),
    D: String(date.getUTCDate()),
    h: pad(hour, 2),
    L: String.fromCharCode(97 + hour),
    U: String.fromCharCode(65 + hour),
    month,
    Mon: mon.charAt(0).toUpperCase() + mon.slice(1),
    MON: mon.toUpperCase(),
    mon,
    w: pad(Math.floor(days / 7), 4),
    weekday: String(Math.floor(days) % 7),
    S9: station,
    S: station.slice(0, 4),
    s: station.slice(0, 4).toLowerCase(),
    country: station.slice(6),
  }
}

/** A pattern as a text, at a time (s since 1970). */
export function filled(pattern: string, seconds: number, station: string): string {
  const words = wordsOf(seconds, station)
  return pattern.replace(/\{(\w+)\}/g, (_, word: string) => words[word] ?? '')
}

const stations = ['GRAZ00AUT', 'ZIMM00CHE']

/** The paths of the files of a kind: of an hour, if the pattern has hours, those of two hours. */
export function pathsOf([directory, name, times]: Kind): string[] {
  const hours = /\{[hLU]\}/.test(directory + name) ? [0, 13] : [0]
  const paths = times.flatMap((time) =>
    hours.flatMap((hour) =>
      stations.map((station) => {
        const start = time + hour * secondsPerHour
        return joinPath(filled(directory, start, station), filled(name, start, station))
      }),
    ),
  )
  return [...new Set(paths)]
}

/** The path of a file of another station, which may be in the directory of another time. */
export function pathOf(
  [directory, name]: Kind,
  start: number,
  { station = 'WTZR00DEU', placedAt = start } = {},
): string {
  return joinPath(filled(directory, placedAt, station), filled(name, start, station))
}

/** A file whose name and content agree, as old as the archive. */
export function putFile(root: string, path: string): void {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, contentOf(path))
  const old = new Date((today - secondsPerDay * 1.5) * 1000)
  utimesSync(file, old, old)
}

const lzw = Buffer.from('1f9d907800', 'hex')

function contentOf(path: string): string | Buffer {
  if (path.endsWith('.gz')) return gzipSync('x')
  return path.endsWith('.Z') ? lzw : 'x\n'
}
