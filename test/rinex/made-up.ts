/** Observation files that tests make up, with all that the formats allow. */
import { compactText } from './hatanaka.ts'
import type { Entry, ObservationFile, Written } from './model.ts'
import { labelled, plainText } from './model.ts'

export interface MadeUp extends Written {
  /** What it is, for the messages of tests. */
  readonly title: string
  readonly name: string
  readonly entries: readonly Entry[]
  readonly expected: number
}

/** 2024-01-01 */
const begin = Date.UTC(2024, 0, 1) / 1000

const modernTypes = {
  G: [
    'C1C',
    'L1C',
    'D1C',
    'S1C',
    'C2W',
    'L2W',
    'S2W',
    'C5Q',
    'L5Q',
    'D5Q',
    'S5Q',
    'C1L',
    'L1L',
    'S1L',
  ],
  R: ['C1C', 'L1C', 'S1C'],
  E: ['C1C', 'L1C', 'C5Q', 'L5Q', 'S5Q'],
}

/** Between 9 and 20 satellites, some of which rise and set. */
function satellitesAt(index: number): string[] {
  const numbers = Array.from({ length: 9 + ((index * 5) % 12) }, (_, at) => at + 1 + (index >> 5))
  return numbers.map((number) => {
    const system = ['G', 'R', 'E'][number % 3] ?? 'G'
    return system + String(number).padStart(2, '0')
  })
}

/**
 * A row of epochs with events between them, and after each event one of flag 1.
 * @param isOld of version 2: an event changes the observations
 */
export function entriesOf(count: number, stepSeconds: number, isOld: boolean): Entry[] {
  const comment = labelled('an event', 'COMMENT')
  const types = labelled('     4    L1    C1    P2    S1', '# / TYPES OF OBSERV')
  const slips = ['G01', 'R02']
  const events: Record<number, Entry> = {
    7: { flag: 2, satellites: [], lines: [] },
    15: { flag: 3, satellites: [], lines: [labelled('GRAZ', 'MARKER NAME'), comment] },
    22: { flag: 4, satellites: [], lines: isOld ? [comment, types] : [comment] },
    23: { flag: 4, satellites: [], lines: [comment, comment, comment] },
    41: { flag: 5, satellites: [], lines: [] },
    58: { flag: 6, satellites: slips },
  }
  return Array.from({ length: count }, (_, index): Entry[] => {
    const seconds = begin + index * stepSeconds
    const event = events[index % 60]
    const hasTime = event?.flag !== 4
    const epoch = {
      seconds,
      flag: event === undefined ? 0 : 1,
      satellites: satellitesAt(index),
      ...(index % 13 < 6 ? { clock: -0.000123456 - index * 1e-9 } : {}),
      restarts: index % 17 === 16,
    }
    if (event === undefined) return [epoch]
    return [hasTime ? { ...event, seconds: seconds - stepSeconds / 2 } : event, epoch]
  }).flat()
}

/** One of each form, with an hour at 30 s, whole and without any fault. */
export function madeUpFiles(): MadeUp[] {
  const versions = ['2.11', '3.04', '4.00'] as const
  const newlines = ['\n', '\r\n'] as const
  return versions.flatMap((version) =>
    newlines.flatMap((newline) =>
      [plainText, compactText].map((write): MadeUp => {
        const file = madeUp(version, newline)
        const isCompact = write === compactText
        const name =
          version === '2.11'
            ? `graz001a.24${isCompact ? 'd' : 'o'}.gz`
            : `GRAZ00AUT_R_20240010000_01H_30S_MO.${isCompact ? 'crx' : 'rnx'}.gz`
        const form = isCompact ? 'compact' : 'plain'
        const title = `${version} ${form} ${newline === '\n' ? 'LF' : 'CR LF'}`
        return { title, name, entries: file.entries, expected: 120, ...write(file) }
      }),
    ),
  )
}

export function madeUp(
  version: ObservationFile['version'],
  newline: ObservationFile['newline'] = '\n',
  entries: readonly Entry[] = entriesOf(120, 30, version === '2.11'),
): ObservationFile {
  const types =
    version === '2.11' ? { all: ['L1', 'L2', 'C1', 'P2', 'P1', 'S1', 'S2'] } : modernTypes
  const header = [
    labelled('    30.000', 'INTERVAL'),
    labelled('  2024     1     1     0     0    0.0000000     GPS', 'TIME OF FIRST OBS'),
  ]
  return { version, types, header, entries, newline }
}
