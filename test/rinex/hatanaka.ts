/**
 * Compact RINEX 1 and 3 (Hatanaka 2008), written and decoded in the simplest way: whole texts in
 * memory. The decoder is the reference of a reader that counts epochs without decoding.
 */
import type { Entry, ObservationFile, Written } from './model.ts'
import { epochLine, headerLines, isVersion2, join, labelled, observationsOf } from './model.ts'
import { slices, textOf, typesOf } from './model.ts'

const order = 3

export function compactText(file: ObservationFile): Written {
  const version = isVersion2(file) ? '1.0' : '3.0'
  const title = labelled(`${version.padEnd(20)}COMPACT RINEX FORMAT`, 'CRINEX VERS   / TYPE')
  const program = labelled('writer 1.0'.padEnd(40) + '01-Jan-24 00:00', 'CRINEX PROG / DATE')
  const encoder = new Encoder(file)
  return join(file, [title, program, ...headerLines(file)], (entry, index, types) =>
    encoder.linesOf(entry, index, types),
  )
}

/** The differences of a series: `[value, first difference, …]`, at most `order` of them. */
class Series {
  #differences: number[] = []

  encode(value: number): string {
    const before = this.#differences
    const now = [value]
    for (const old of before.slice(0, order)) now.push((now.at(-1) ?? 0) - old)
    this.#differences = now
    return before.length === 0 ? `${order}&${value}` : String(now.at(-1))
  }

  decode(text: string): number {
    const [, first] = /^\d&(-?\d+)$/.exec(text) ?? []
    if (first !== undefined) this.#differences = [Number(first)]
    else {
      const before = this.#differences.slice(0, order)
      const now = [Number(text)]
      for (const old of before.toReversed()) now.unshift((now[0] ?? 0) + old)
      this.#differences = now
    }
    return this.#differences[0] ?? 0
  }
}

/** What is kept of a satellite from epoch to epoch. */
interface Arc {
  readonly series: Map<number, Series>
  flags: string
}

class Encoder {
  readonly #file: ObservationFile
  #epoch: string | undefined
  #clock: Series | undefined
  #arcs = new Map<string, Arc>()

  constructor(file: ObservationFile) {
    this.#file = file
  }

  linesOf(entry: Entry, index: number, types: ObservationFile['types']): string[] {
    if (entry.flag > 1 || entry.restarts === true) this.#restart()
    const line = this.#epochLine(entry)
    if (entry.flag > 1) {
      this.#restart()
      const slips = entry.satellites.map((each) => plainLine(this.#file, each, index, types))
      return [line, ...(entry.lines ?? slips)]
    }
    const arcs = new Map<string, Arc>()
    const lines = entry.satellites.map((satellite) => {
      const arc = this.#arcs.get(satellite) ?? { series: new Map<number, Series>(), flags: '' }
      arcs.set(satellite, arc)
      return satelliteLine(arc, observationsOf(satellite, index, typesOf(types, satellite)))
    })
    this.#arcs = arcs
    return [line, this.#clockLine(entry.clock), ...lines]
  }

  #restart(): void {
    this.#epoch = undefined
    this.#clock = undefined
    this.#arcs = new Map()
  }

  #epochLine(entry: Entry): string {
    const list = entry.lines === undefined ? entry.satellites.join('') : ''
    const begin = epochLine(this.#file, entry).padEnd(isVersion2(this.#file) ? 32 : 41)
    const line = (begin + list).trimEnd()
    const before = this.#epoch
    this.#epoch = line
    if (before !== undefined) return difference(before, line)
    return isVersion2(this.#file) ? `&${line.slice(1)}` : line
  }

  #clockLine(clock: number | undefined): string {
    if (clock === undefined) {
      this.#clock = undefined
      return ''
    }
    this.#clock ??= new Series()
    return this.#clock.encode(Math.round(clock * (isVersion2(this.#file) ? 1e9 : 1e12)))
  }
}

function plainLine(
  file: ObservationFile,
  satellite: string,
  index: number,
  types: ObservationFile['types'],
): string {
  const texts = observationsOf(satellite, index, typesOf(types, satellite)).map(textOf)
  return ((isVersion2(file) ? '' : satellite) + texts.join('')).trimEnd()
}

function satelliteLine(arc: Arc, observations: ReturnType<typeof observationsOf>): string {
  const fields = observations.map(({ value }, at) => {
    if (value === undefined) {
      arc.series.delete(at)
      return ' '
    }
    const series = arc.series.get(at) ?? new Series()
    arc.series.set(at, series)
    return `${series.encode(value)} `
  })
  const flags = observations.map((each) => each.flags).join('')
  const changed = difference(arc.flags, flags)
  arc.flags = flags
  return (fields.join('') + changed).trimEnd()
}

/** Blank: as before, `&`: now blank, else the new character. */
function difference(before: string, now: string): string {
  const length = Math.max(before.length, now.length)
  const characters = Array.from({ length }, (_, at) => {
    const [old, fresh] = [before[at] ?? ' ', now[at] ?? ' ']
    return old === fresh ? ' ' : fresh === ' ' ? '&' : fresh
  })
  return characters.join('').trimEnd()
}

export function repaired(before: string, changes: string): string {
  const length = Math.max(before.length, changes.length)
  const characters = Array.from({ length }, (_, at) => {
    const change = changes[at] ?? ' '
    return change === ' ' ? (before[at] ?? ' ') : change === '&' ? ' ' : change
  })
  return characters.join('')
}

/** Decodes the lines behind the header, one entry after another. */
export class Decoder {
  readonly #isOld: boolean
  #arcs = new Map<string, Arc>()
  #clock: Series | undefined

  constructor(isOld: boolean) {
    this.#isOld = isOld
  }

  restart(): void {
    this.#arcs = new Map()
    this.#clock = undefined
  }

  /**
   * The plain lines of an epoch with observations.
   * @param epoch its epoch line, whole, with all satellites
   * @param lines the clock line and one of each satellite
   */
  plainLines(
    epoch: string,
    lines: readonly string[],
    typesOfSatellite: (satellite: string) => number,
  ): string[] {
    const at = this.#isOld ? 32 : 41
    const satellites = epoch.slice(at).trimEnd().match(/.../g) ?? []
    const arcs = new Map<string, Arc>()
    const data = satellites.flatMap((satellite, index) => {
      const arc = this.#arcs.get(satellite) ?? { series: new Map<number, Series>(), flags: '' }
      arcs.set(satellite, arc)
      const texts = decodeLine(arc, lines[index + 1] ?? '', typesOfSatellite(satellite))
      if (!this.#isOld) return [(satellite + texts.join('')).trimEnd()]
      return slices(texts, 5).map((some) => some.join('').trimEnd())
    })
    this.#arcs = arcs
    const clock = this.#clockText(lines[0] ?? '')
    const begin = epoch.slice(0, at)
    if (!this.#isOld) return [(begin + clock).trimEnd(), ...data]
    const [first = [], ...more] = slices(satellites, 12)
    return [
      ((begin + first.join('')).padEnd(68) + clock).trimEnd(),
      ...more.map((some) => ' '.repeat(32) + some.join('')),
      ...data,
    ]
  }

  #clockText(line: string): string {
    if (line.trim() === '') {
      this.#clock = undefined
      return ''
    }
    this.#clock ??= new Series()
    const value = this.#clock.decode(line.trim())
    return this.#isOld
      ? (value / 1e9).toFixed(9).padStart(12)
      : (value / 1e12).toFixed(12).padStart(15)
  }
}

function decodeLine(arc: Arc, line: string, types: number): string[] {
  let rest = line
  const values = Array.from({ length: types }, (_, at) => {
    const end = rest.indexOf(' ')
    const field = end < 0 ? rest : rest.slice(0, end)
    rest = end < 0 ? '' : rest.slice(end + 1)
    if (field === '') {
      arc.series.delete(at)
      return undefined
    }
    const series = arc.series.get(at) ?? new Series()
    arc.series.set(at, series)
    return series.decode(field)
  })
  arc.flags = repaired(arc.flags, rest).padEnd(2 * types)
  return values.map((value, at) => textOf({ value, flags: arc.flags.slice(2 * at, 2 * at + 2) }))
}
