/** The bytes of the files of the demo. Their first epochs are their own, the others are shared. */
import { gzipSync } from 'node:zlib'
import { chanceOf } from './chance.ts'
import { compress } from './lzw.ts'
import type { DemoFile, Fault } from './network.ts'
import type { Observations } from './observations.ts'
import { beginningOf, headerText, restOf } from './observations.ts'

/** Numbers of satellites of observation files, so that sizes vary. */
const satellites = [4, 5, 6, 7, 8]

/** Intervals of the data (seconds); those of files in `.Z`, which are larger, are longer. */
const intervals = { '01D': 30, '01H': 30, '15M': 1 }
const intervalOfLzw = 300

/** The contents of files; what they share is made once. */
export class Contents {
  readonly #shared = new Map<string, Buffer>()

  /** The bytes of a file, with its fault. */
  of(file: DemoFile): Buffer {
    const bytes = file.type === 'o' ? this.#observations(file) : this.#navigation(file)
    const middle = Math.floor(bytes.length / 2)
    if (file.fault === 'cut') return bytes.subarray(0, middle)
    return file.fault === 'changed' ? Buffer.from(bytes).fill(0, middle, middle + 20) : bytes
  }

  #observations(file: DemoFile): Buffer {
    const { path, station, isShort, startSeconds: start, lengthSeconds, period, ago, fault } = file
    const isLzw = path.endsWith('.Z')
    const chance = chanceOf(`${station.code} ${start}`)
    const observations: Observations = {
      station,
      isShort,
      start,
      ago,
      interval: isLzw ? intervalOfLzw : intervals[period],
      length: lengthSeconds * (fault === 'half' ? 0.45 : 1),
      satellites: satellites[Math.floor(chance * satellites.length)] ?? 4,
      marker: fault === 'mislabelled' ? 'DEMO' : station.code.slice(0, 4),
    }
    const key = [period, fault, start % 3600, isShort, isLzw, observations.satellites].join(' ')
    if (isLzw) {
      const rest = this.#once(key, () => Buffer.from(restOf(observations)))
      return compress(Buffer.concat([Buffer.from(beginningOf(observations)), rest]))
    }
    // Two members are one stream (RFC 1952, section 2.2).
    const rest = this.#once(key, () => gzipSync(withFault(restOf(observations), fault)))
    return Buffer.concat([gzipSync(beginningOf(observations), { level: 1 }), rest])
  }

  #navigation({ path, isShort }: DemoFile): Buffer {
    const pack = path.endsWith('.Z') ? compress : gzipSync
    return this.#once(`n ${isShort} ${pack.name}`, () => pack(Buffer.from(navigation(isShort))))
  }

  #once(key: string, make: () => Buffer): Buffer {
    const bytes = this.#shared.get(key) ?? make()
    this.#shared.set(key, bytes)
    return bytes
  }
}

function withFault(text: string, fault: Fault | undefined): string {
  const middle = Math.floor(text.length / 2)
  if (fault === 'unfinished') return text.slice(0, -1000)
  return fault === 'torn' ? text.slice(0, middle) + text.slice(middle + 1000) : text
}

/** A navigation file with one satellite, of which it says nothing but zeros. */
function navigation(isShort: boolean): string {
  const zeros = ' 0.000000000000D+00'
  const epoch = isShort ? ' 1 26  1  1  0  0  0.0' : 'G01 2026 01 01 00 00 00'
  const lines = Array.from({ length: 7 }, () => (isShort ? '   ' : '    ') + zeros.repeat(4))
  const header = headerText([
    isShort
      ? ['     2.11           N: GPS NAV DATA', 'RINEX VERSION / TYPE']
      : ['     3.05           N: GNSS NAV DATA    M: MIXED', 'RINEX VERSION / TYPE'],
    ['rinex-catalogue', 'PGM / RUN BY / DATE'],
    ['', 'END OF HEADER'],
  ])
  return [header + epoch + zeros.repeat(3), ...lines, ''].join('\n')
}
