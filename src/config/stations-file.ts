/** Reads where stations are (`stations_file`). */
import { readFileSync, statSync } from 'node:fs'
import type { StationPlace } from '../series/station-places.ts'
import { ConfigError } from './checks.ts'

/** The usable lines of the file, and what is wrong with the others. */
export interface StationsFile {
  readonly places: readonly StationPlace[]
  /** `line 3: latitude must be …`; at most `mostFaults`, and one that counts those left out. */
  readonly faults: readonly string[]
}

/** Faults that are named; a file of another kind has one in each line. */
const mostFaults = 20

/** Longest name of a station (characters). */
const longestName = 200

/**
 * Reads the lines `code,latitude,longitude[,name]`; the first may be a heading. A line with a fault
 * is left out, because a map without one station is better than none.
 * @throws ConfigError if the file cannot be read
 */
export function readStationsFile(path: string | undefined): StationsFile {
  if (path === undefined) return { places: [], faults: [] }
  const places = new Map<string, { readonly place: StationPlace; readonly line: number }>()
  const faults: string[] = []
  // A byte order mark is none of the first code.
  const lines = textOf(path)
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
  for (const [index, text] of lines.entries()) {
    if (text.trim() === '' || (index === 0 && /^\s*code\s*,/i.test(text))) continue
    const line = index + 1
    const place = placeOf(text)
    const known = typeof place === 'string' ? undefined : places.get(place.code)
    if (typeof place === 'string') faults.push(`line ${line}: ${place}`)
    else if (known === undefined) places.set(place.code, { place, line })
    else faults.push(`line ${line}: ${place.code} is in line ${known.line} already`)
  }
  const left = faults.length - mostFaults
  return {
    places: Array.from(places.values(), ({ place }) => place),
    faults: [...faults.slice(0, mostFaults), ...(left > 0 ? [`${left} more lines are wrong`] : [])],
  }
}

function textOf(path: string): string {
  const fault = (problem: string): ConfigError =>
    new ConfigError([{ source: path, key: 'stations_file', message: `stations_file ${problem}` }])
  try {
    // Only a regular file is read, because reading a pipe could wait for ever.
    if (statSync(path).isFile()) return readFileSync(path, 'utf8')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error'
    throw fault(`cannot be read: ${code}, set it to a file that this user may read`)
  }
  throw fault('must be a file')
}

/** The place in a line, or what is wrong with it. */
function placeOf(text: string): StationPlace | string {
  const fields = fieldsOf(text)
  if (fields === undefined) return 'a quote has no end, or text follows it'
  const [code = '', latitude, longitude, name = '', ...others] = fields
  if (!/^(?:[A-Z0-9]{4}|[A-Z0-9]{9})$/i.test(code))
    return 'code must have 4 or 9 letters and digits'
  const [north, east] = [degreesOf(latitude), degreesOf(longitude)]
  if (north === undefined || Math.abs(north) > 90)
    return 'latitude must be a number from -90 to 90, such as 47.067'
  if (east === undefined || east < -180 || east > 360)
    return 'longitude must be a number from -180 to 360, such as 15.493'
  if (north === 0 && east === 0) return 'latitude and longitude are 0: leave out what is not known'
  if (others.length > 0) return 'more than four fields: put a name with commas in double quotes'
  if (name.length > longestName || /\p{Cc}/u.test(name))
    return `name must have at most ${longestName} characters, without control characters`
  const place = { latitude: north, longitude: east > 180 ? east - 360 : east }
  return { code: code.toUpperCase(), ...place, ...(name !== '' && { name }) }
}

/** A decimal number, as text of at most 20 characters. */
function degreesOf(text = ''): number | undefined {
  return /^[+-]?\d{1,3}(?:\.\d{0,16})?$/.test(text) ? Number(text) : undefined
}

/**
 * The fields of a line (RFC 4180), without the spaces around them. A field that begins with a
 * double quote ends with one; two of them inside stand for one.
 * @returns `undefined` if a quote has no end, or something follows it
 */
function fieldsOf(line: string): readonly string[] | undefined {
  const field = /\s*(?:"((?:[^"]|"")*)"|([^",][^,]*|))\s*(,|$)/y
  const fields: string[] = []
  for (;;) {
    const found = field.exec(line)
    if (found === null) return undefined
    const [, quoted, plain = '', end] = found
    fields.push((quoted?.replaceAll('""', '"') ?? plain).trim())
    if (end === '') return fields
  }
}
