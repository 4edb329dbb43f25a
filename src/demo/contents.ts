/** The bytes of the files of the demo: small RINEX files without data. */
import { gzipSync } from 'node:zlib'
import { compress } from './lzw.ts'
import type { DemoFile } from './network.ts'
import { chanceOf } from './network.ts'

/** Different contents of each type and period, so that sizes vary. */
const variants = 5

/** Lines of comments that make a file as long as its period suggests. */
const lines = { '01D': 110, '01H': 40, '15M': 60 }

/** The contents of files, which are made once. */
export class Contents {
  readonly #made = new Map<string, Buffer>()

  /** The bytes of a file, damaged as it says. */
  of({ path, type, period, startSeconds, damage }: DemoFile): Buffer {
    const variant = Math.floor(chanceOf(`${type}${startSeconds}`) * variants)
    const isCompact = /d\.Z$|\.crx\./.test(path)
    const pack = path.endsWith('.Z') ? compress : gzipSync
    const key = [type, period, variant, isCompact, pack.name].join(' ')
    const text = () => textOf(`${type} ${period} ${variant}`, type, lines[period])
    const bytes = this.#made.get(key) ?? pack(Buffer.from((isCompact ? compactHead : '') + text()))
    this.#made.set(key, bytes)
    const middle = Math.floor(bytes.length / 2)
    if (damage === 'cut') return bytes.subarray(0, middle)
    if (damage === undefined) return bytes
    const changed = Buffer.from(bytes)
    changed.fill(0, middle, middle + 20)
    return changed
  }
}

/** The first lines of observations in the form of Hatanaka. */
const compactHead = [
  ['3.0                 COMPACT RINEX FORMAT', 'CRINEX VERS   / TYPE'],
  ['rinex-catalogue', 'CRINEX PROG / DATE'],
]
  .map(lineOf)
  .join('')

function textOf(key: string, type: DemoFile['type'], count: number): string {
  const kind = type === 'o' ? 'OBSERVATION DATA' : 'NAVIGATION DATA'
  const noise = (line: number) =>
    [1, 2, 3, 4].map((part) => String(chanceOf(`${key} ${line} ${part}`)).slice(2, 16)).join('')
  const header = [
    ['     3.05           ' + kind.padEnd(20) + 'M: MIXED', 'RINEX VERSION / TYPE'],
    ['rinex-catalogue', 'PGM / RUN BY / DATE'],
    ['DEMO: SYNTHETIC, NO RECEIVER MEASURED THIS', 'COMMENT'],
    ...(type === 'o' ? [['DEMO', 'MARKER NAME']] : []),
    ...Array.from({ length: type === 'o' ? count : count / 3 }, (_, line) => [
      noise(line).slice(0, 56),
      'COMMENT',
    ]),
    ['', 'END OF HEADER'],
  ]
  return header.map(lineOf).join('')
}

function lineOf([text = '', label = '']: readonly string[]): string {
  return `${text.padEnd(60)}${label}\n`
}
