/**
 * Observation files that tests make up, and the plain text of them: RINEX 2.11 (table A2), 3.05
 * (table A3) and 4.01. `hatanaka.ts` writes the same as Compact RINEX.
 */

/** What follows the header: an epoch of observations, or an event. */
export interface Entry {
  /** Seconds since 1970, without zone; none: the time is blank, as events may have it. */
  readonly seconds?: number
  /** 0 and 1: observations; 2 to 5: events with lines; 6: cycle slips. */
  readonly flag: number
  readonly satellites: readonly string[]
  /** The lines of an event. */
  readonly lines?: readonly string[]
  /** Offset of the receiver's clock in seconds. */
  readonly clock?: number
  /** In Compact RINEX: all that follows is written anew, not as differences. */
  readonly restarts?: boolean
}

export interface ObservationFile {
  readonly version: '2.11' | '3.04' | '4.00'
  /** By system, in version 2 one list under `all`. Of the first header. */
  readonly types: Readonly<Record<string, readonly string[]>>
  /** Further lines of the header. */
  readonly header?: readonly string[]
  readonly entries: readonly Entry[]
  readonly newline?: '\n' | '\r\n'
}

/** A text, and its places where an epoch or event ends. */
export interface Written {
  readonly text: string
  /** Number of bytes of the header. */
  readonly begin: number
  /** The end of each entry: bytes from the beginning of the text. */
  readonly ends: readonly number[]
}

/** One observation of a satellite: thousandths, and the two flags behind it. */
export interface Observation {
  readonly value: number | undefined
  readonly flags: string
}

export function isVersion2(file: ObservationFile): boolean {
  return file.version.startsWith('2')
}

export function labelled(content: string, label: string): string {
  return content.padEnd(60).slice(0, 60) + label
}

export function plainText(file: ObservationFile): Written {
  return join(file, headerLines(file), (entry, index, types) => [
    ...epochLines(file, entry),
    ...(entry.lines ?? []),
    ...entry.satellites.flatMap((satellite) => satelliteLines(file, satellite, index, types)),
  ])
}

/** Puts lines together, and keeps the list of types that events change. */
export function join(
  file: ObservationFile,
  header: readonly string[],
  linesOf: (entry: Entry, index: number, types: ObservationFile['types']) => readonly string[],
): Written {
  const newline = file.newline ?? '\n'
  let text = header.map((line) => line + newline).join('')
  const begin = text.length
  let { types } = file
  const ends = file.entries.map((entry, index) => {
    const lines = linesOf(entry, index, types)
    types = typesAfter(entry, types)
    text += lines.map((line) => line + newline).join('')
    return text.length
  })
  return { text, begin, ends }
}

/** RINEX 2.11, section 5.3: after an event with such lines the observations are those of them. */
function typesAfter(entry: Entry, types: ObservationFile['types']): ObservationFile['types'] {
  const lines = entry.lines?.filter((line) => line.slice(60).trim() === '# / TYPES OF OBSERV') ?? []
  if (lines.length === 0) return types
  return { all: lines.flatMap((line) => line.slice(6, 60).trim().split(/ +/)) }
}

export function headerLines(file: ObservationFile): string[] {
  return [
    labelled(`${file.version.padStart(9)}           OBSERVATION DATA    M`, 'RINEX VERSION / TYPE'),
    labelled('writer 1.0          tests               20240101 000000 UTC', 'PGM / RUN BY / DATE'),
    labelled('GRAZ', 'MARKER NAME'),
    labelled('11001M002', 'MARKER NUMBER'),
    labelled('tests               somebody', 'OBSERVER / AGENCY'),
    labelled('1705077             SEPT POLARX5        5.4.0', 'REC # / TYPE / VERS'),
    labelled('5211                LEIAR25.R4      LEIT', 'ANT # / TYPE'),
    labelled('  4194423.7000  1162702.7000  4647245.4000', 'APPROX POSITION XYZ'),
    labelled('        1.9640        0.0000        0.0000', 'ANTENNA: DELTA H/E/N'),
    ...typeLines(file),
    ...(file.header ?? []),
    labelled('', 'END OF HEADER'),
  ]
}

export function typeLines(file: Pick<ObservationFile, 'version' | 'types'>): string[] {
  const isOld = file.version.startsWith('2')
  return Object.entries(file.types).flatMap(([system, types]) => {
    const [most, width, label] = isOld
      ? [9, 6, '# / TYPES OF OBSERV']
      : [13, 4, 'SYS / # / OBS TYPES']
    const number = String(types.length)
    const begin = isOld ? number.padStart(6) : `${system}  ${number.padStart(3)}`
    return slices(types, most).map((some, line) =>
      labelled(
        (line === 0 ? begin : ' '.repeat(6)) + some.map((type) => type.padStart(width)).join(''),
        label,
      ),
    )
  })
}

/** The epoch line, in version 2 with the satellites and its continuation lines. */
function epochLines(file: ObservationFile, entry: Entry): string[] {
  const line = epochLine(file, entry)
  if (!isVersion2(file)) {
    const clock = entry.clock?.toFixed(12).padStart(15)
    return [clock === undefined ? line : line.padEnd(41) + clock]
  }
  const [first = [], ...more] = slices(entry.satellites, 12)
  const clock = entry.clock?.toFixed(9).padStart(12)
  const begin = line + first.join('')
  return [
    clock === undefined ? begin : begin.padEnd(68) + clock,
    ...more.map((some) => ' '.repeat(32) + some.join('')),
  ]
}

/** Time, flag and number, without satellites. */
export function epochLine(file: ObservationFile, entry: Entry): string {
  const isOld = isVersion2(file)
  const number = String(entry.lines?.length ?? entry.satellites.length).padStart(3)
  const end = `  ${entry.flag}${number}`
  if (entry.seconds === undefined) return (isOld ? '' : '>').padEnd(isOld ? 26 : 29) + end
  const date = new Date(Math.floor(entry.seconds) * 1000)
  const parts = [date.getUTCMonth() + 1, date.getUTCDate(), date.getUTCHours()]
  const seconds = (entry.seconds % 60).toFixed(7).padStart(11)
  const year = date.getUTCFullYear()
  const [begin, fill] = isOld
    ? [` ${String(year % 100).padStart(2, '0')}`, ' ']
    : [`> ${year}`, '0']
  const numbers = [...parts, date.getUTCMinutes()].map(
    (part) => ` ${String(part).padStart(2, fill)}`,
  )
  return begin + numbers.join('') + seconds + end
}

function satelliteLines(
  file: ObservationFile,
  satellite: string,
  index: number,
  types: ObservationFile['types'],
): string[] {
  const texts = observationsOf(satellite, index, typesOf(types, satellite)).map(textOf)
  if (!isVersion2(file)) return [(satellite + texts.join('')).trimEnd()]
  return slices(texts, 5).map((some) => some.join('').trimEnd())
}

export function typesOf(types: ObservationFile['types'], satellite: string): readonly string[] {
  return types['all'] ?? types[satellite.charAt(0)] ?? []
}

export function textOf({ value, flags }: Observation): string {
  return value === undefined ? ' '.repeat(16) : (value / 1000).toFixed(3).padStart(14) + flags
}

/** Made up: some are missing, some have flags, some satellites have none at all. */
export function observationsOf(
  satellite: string,
  index: number,
  types: readonly string[],
): Observation[] {
  const number = satellite.charCodeAt(0) * 100 + Number(satellite.slice(1))
  return types.map((_, at) => {
    const noise = ((number * 7919 + index * 104_729 + at * 1_299_709) >>> 3) % 1009
    const isMissing = noise % 11 === 0 || (index + number) % 29 === 0
    const value = 20_000_000_000 + number * 1_000_003 + index * (noise + 12_345) + at * 999_983
    const flags = isMissing ? '  ' : `${noise % 5 === 0 ? '1' : ' '}${noise % 3 === 0 ? '7' : ' '}`
    return { value: isMissing ? undefined : value, flags }
  })
}

/** At least one, so that an empty list has a line too. */
export function slices<T>(values: readonly T[], size: number): T[][] {
  const number = Math.max(1, Math.ceil(values.length / size))
  return Array.from({ length: number }, (_, n) => values.slice(n * size, (n + 1) * size))
}
