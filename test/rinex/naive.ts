/**
 * A slow and simple reader of whole observation texts, the reference of the reader of the program:
 * it goes from line to line, and decodes Compact RINEX before it counts.
 */
import { Decoder, repaired } from './hatanaka.ts'

/** What is found behind the header: an epoch, or an event. */
export interface Found {
  /** Bytes from the beginning of the text to the end of it. */
  readonly end: number
  /** Time as `2024-01-01T18:00:00.0000000`; none: the time is blank. */
  readonly time: string | undefined
  readonly flag: number
  readonly satellites: readonly string[]
}

export interface Read {
  /** Bytes of the header. */
  readonly begin: number
  readonly found: readonly Found[]
  /** Those with observations, each later than the one before. */
  readonly epochs: readonly Found[]
  /** How the text ends: behind an entry, within one, or where it cannot be read on. */
  readonly state: 'whole' | 'cut' | 'torn'
  /** The text without compression. */
  readonly plain: string
}

interface Line {
  readonly text: string
  readonly end: number
}

const oldEpoch = /^ (\d\d| \d)( [ \d]\d){4}[ \d]{3}\.\d{7} {2}[0-6][ \d]{2}\d/
const newEpoch = /^> \d{4}( [ \d]\d){4}[ \d]{3}\.\d{7} {2}[0-6][ \d]{2}\d/
const blankEpoch = /^[ >] {25,28} {2}[2-5][ \d]{3}/

/**
 * @param text each character is a byte
 * @param decodes Compact RINEX is decoded, which takes most of the time; else there is no `plain`
 */
export function readNaively(text: string, decodes = false): Read {
  const lines: Line[] = []
  for (let at = 0; at < text.length;) {
    const next = text.indexOf('\n', at)
    const end = next < 0 ? text.length : next + 1
    lines.push({ text: text.slice(at, end).replace(/\r?\n$/, ''), end })
    at = end
  }
  const hasEnd = text.endsWith('\n')
  const last = lines.findIndex((line) => line.text.slice(60).trim() === 'END OF HEADER')
  const header = lines.slice(0, last + 1).map((line) => line.text)
  const isCompact = header[0]?.includes('COMPACT RINEX') === true
  const walk = new Walk(header.slice(isCompact ? 2 : 0), lines.slice(last + 1), isCompact, decodes)
  const state = walk.run(hasEnd)
  const begin = lines[last]?.end ?? 0
  const { found } = walk
  let latest = ''
  const epochs = found.filter(({ flag, time = '' }) => {
    const counts = flag < 2 && time > latest
    if (counts) latest = time
    return counts
  })
  const isTorn = state === 'torn' || epochs.length < found.filter(({ flag }) => flag < 2).length
  return {
    begin,
    found,
    epochs,
    state: isTorn ? 'torn' : hasEnd ? state : 'cut',
    plain: [...header.slice(isCompact ? 2 : 0), ...walk.plain, ''].join('\n'),
  }
}

/** Goes through the lines behind the header. */
class Walk {
  readonly found: Found[] = []
  readonly plain: string[] = []
  readonly #lines: readonly Line[]
  readonly #isCompact: boolean
  readonly #isOld: boolean
  readonly #decodes: boolean
  readonly #types = new Map<string, number>()
  readonly #decoder: Decoder
  #at = 0
  /** Of Compact RINEX: the epoch line before; none where the next one must be whole. */
  #epoch: string | undefined

  constructor(
    header: readonly string[],
    lines: readonly Line[],
    isCompact: boolean,
    decodes: boolean,
  ) {
    this.#decodes = decodes
    this.#lines = lines
    this.#isCompact = isCompact
    this.#isOld = Number(header[0]?.slice(0, 9)) < 3
    this.#decoder = new Decoder(this.#isOld)
    this.#readTypes(header)
  }

  /** Of version 2 under `''`. */
  #readTypes(lines: readonly string[]): void {
    for (const line of lines) {
      const label = line.slice(60).trim()
      if (label === '# / TYPES OF OBSERV' && line.slice(0, 6).trim() !== '')
        this.#types.set('', Number(line.slice(0, 6)))
      if (label === 'SYS / # / OBS TYPES' && !line.startsWith(' '))
        this.#types.set(line.charAt(0), Number(line.slice(3, 6)))
    }
  }

  #typesOf(satellite: string): number {
    return this.#types.get('') ?? this.#types.get(satellite.charAt(0)) ?? 0
  }

  /** The next lines; `undefined` if there are not so many. */
  #take(number: number): string[] | undefined {
    const some = this.#lines.slice(this.#at, this.#at + number)
    this.#at += number
    return some.length < number ? undefined : some.map((line) => line.text)
  }

  /** @param hasEnd the last line has its end */
  run(hasEnd: boolean): 'whole' | 'cut' | 'torn' {
    while (this.#at < this.#lines.length) {
      const first = this.#lines[this.#at]?.text ?? ''
      if (first.startsWith('\x1a')) return 'whole'
      if (this.#isCompact && !this.#isOld && first.startsWith('&')) {
        this.#at++
        continue
      }
      const epoch = this.#epochLine(first)
      if (epoch === undefined) return hasEnd || this.#at < this.#lines.length - 1 ? 'torn' : 'cut'
      this.#at++
      const flag = Number(epoch.charAt(this.#isOld ? 28 : 31))
      const number = Number(epoch.slice(this.#isOld ? 29 : 32).slice(0, 3))
      const satellites = this.#read(epoch, flag, number)
      if (satellites === undefined) return 'cut'
      const end = this.#lines[this.#at - 1]?.end ?? 0
      this.found.push({ end, time: timeOf(epoch, this.#isOld), flag, satellites })
    }
    return 'whole'
  }

  /** The whole epoch line; `undefined` if it is none. */
  #epochLine(first: string): string | undefined {
    const isWhole = first.startsWith(this.#isOld ? '&' : '>')
    if (this.#isCompact && isWhole) this.#decoder.restart()
    if (this.#isCompact && !isWhole && this.#epoch === undefined) return undefined
    const epoch = !this.#isCompact
      ? first
      : !isWhole
        ? repaired(this.#epoch ?? '', first)
        : this.#isOld
          ? ` ${first.slice(1)}`
          : first
    this.#epoch = epoch
    const pattern = this.#isOld ? oldEpoch : newEpoch
    return pattern.test(epoch) || blankEpoch.test(epoch) ? epoch : undefined
  }

  /** Reads on to the end of the entry; `undefined` if that is missing. */
  #read(epoch: string, flag: number, number: number): readonly string[] | undefined {
    if (flag >= 2 && flag <= 5) {
      const lines = this.#take(number)
      this.#readTypes(lines ?? [])
      this.#epoch = undefined
      this.plain.push(epoch.trimEnd(), ...(lines ?? []))
      return lines === undefined ? undefined : []
    }
    return this.#isCompact ? this.#readCompact(epoch, flag, number) : this.#readPlain(epoch, number)
  }

  #readCompact(epoch: string, flag: number, number: number): readonly string[] | undefined {
    const lines = this.#take(flag === 6 ? number : number + 1)
    if (lines === undefined) return undefined
    const satellites = satellitesIn(epoch.slice(this.#isOld ? 32 : 41), number)
    if (flag === 6) {
      this.#epoch = undefined
      this.plain.push(this.#isOld ? epoch : epoch.slice(0, 41).trimEnd(), ...lines)
    } else if (this.#decodes)
      this.plain.push(...this.#decoder.plainLines(epoch, lines, (each) => this.#typesOf(each)))
    return satellites
  }

  #readPlain(epoch: string, number: number): readonly string[] | undefined {
    if (!this.#isOld) {
      const lines = this.#take(number)
      this.plain.push(epoch, ...(lines ?? []))
      return lines?.map((line) => line.slice(0, 3))
    }
    const more = this.#take(Math.max(0, Math.ceil(number / 12) - 1))
    if (more === undefined) return undefined
    const list = [epoch, ...more].map((line) => line.slice(32, 68)).join('')
    const lines = this.#take(number * Math.ceil(this.#typesOf('') / 5))
    this.plain.push(epoch, ...more, ...(lines ?? []))
    return lines === undefined ? undefined : satellitesIn(list, number)
  }
}

/** A blank system is GPS (RINEX 2.11, section 5.1). */
function satellitesIn(list: string, number: number): string[] {
  const all = list.padEnd(3 * number).match(/.../g) ?? []
  return all.slice(0, number).map((each) => each.replace(/^ /, 'G'))
}

function timeOf(epoch: string, isOld: boolean): string | undefined {
  const [years, rest] = isOld
    ? [epoch.slice(1, 3), epoch.slice(3)]
    : [epoch.slice(2, 6), epoch.slice(6)]
  if (years.trim() === '') return undefined
  const year = isOld ? (Number(years) < 80 ? 2000 : 1900) + Number(years) : Number(years)
  const parts = [0, 1, 2, 3].map((n) =>
    rest
      .slice(3 * n, 3 * n + 3)
      .trim()
      .padStart(2, '0'),
  )
  const seconds = rest.slice(12, 23).trim().padStart(10, '0')
  return `${year}-${parts[0] ?? ''}-${parts[1] ?? ''}T${parts[2] ?? ''}:${parts[3] ?? ''}:${seconds}`
}
