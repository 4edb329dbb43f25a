/**
 * Reads the header of a RINEX file, also within Compact RINEX, whose first two lines are its own
 * (Hatanaka 2008, section 3): plain text in records of 80 columns up to `END OF HEADER`.
 */
import type { HeaderFacts } from './facts.ts'
import type { DataKind, HeaderDraft } from './header-fields.ts'
import { addRecord, decoded } from './header-fields.ts'

/** Most bytes of a header, with its end. */
export const mostHeaderBytes = 256 * 1024

/** `1`, with which Compact RINEX 1 begins. */
const one = 0x31

/** A whole header. */
export interface Header {
  readonly facts: HeaderFacts
  readonly kind: DataKind
  /** The types of observation of version 2 and of meteorological files. */
  readonly types: readonly string[]
  /** Number of types of observation of version 2, as declared. */
  readonly typeCount: number
  /** True below version 3: epochs have the layout of version 2. */
  readonly isVersion2: boolean
  /** The version of Compact RINEX, 1 or 3; 0 for plain RINEX. */
  readonly compact: number
}

export function emptyDraft(): HeaderDraft {
  const kind = { type: '', system: '' }
  return { facts: {}, kind, signals: new Map(), listed: '', types: 0 }
}

export class HeaderReader {
  readonly #draft = emptyDraft()
  #compact = 0
  #lines = 0
  #hasVersion = false
  #header: Header | undefined
  #isNone = false

  /** The header, once its last line was read. */
  get header(): Header | undefined {
    return this.#header
  }

  /** True if the first line was read, and is one of a header. */
  get hasBegun(): boolean {
    return this.#lines > 0 && !this.#isNone
  }

  /** True if the text does not begin with a header. */
  get isNone(): boolean {
    return this.#isNone
  }

  read(bytes: Buffer, from: number, to: number): void {
    this.#lines++
    const label = addRecord(this.#draft, bytes, from, to)
    if (this.#hasVersion) {
      if (label === 'END OF HEADER') this.#header = this.#whole()
    } else if (label === 'RINEX VERSION / TYPE') this.#hasVersion = true
    else if (this.#lines === 1 && label === 'CRINEX VERS   / TYPE')
      this.#compact = bytes[from] === one ? 1 : 3
    else if (this.#lines !== 2 || this.#compact === 0) this.#isNone = true
  }

  #whole(): Header {
    const { facts, kind, signals, types: typeCount } = this.#draft
    const types = signals.get('') ?? []
    const isVersion2 = (versionOf(facts) ?? (signals.has('') ? 2 : 3)) < 3
    signals.delete('')
    return {
      facts: { ...facts, ...observablesOf(facts, kind, signals, types) },
      kind,
      types,
      typeCount: typeCount > 0 ? typeCount : types.length,
      isVersion2,
      compact: this.#compact,
    }
  }
}

/**
 * Systems and signals as the header says them. Of observation files of version 2 only the epochs
 * say the systems.
 */
function observablesOf(
  facts: HeaderFacts,
  kind: DataKind,
  signals: ReadonlyMap<string, readonly string[]>,
  types: readonly string[],
): HeaderFacts {
  if (kind.type === 'M') return types.length > 0 ? { signals: { M: types } } : {}
  if (signals.size > 0)
    return { systems: [...signals.keys()], signals: Object.fromEntries(signals) }
  const system = kind.type === 'O' ? '' : systemOfNavigation(facts, kind)
  return ['', 'M'].includes(system) ? {} : { systems: [system] }
}

/** The version as a number; `undefined` if there is none. */
export function versionOf({ rinex_version = '' }: HeaderFacts): number | undefined {
  const version = Number(rinex_version)
  return rinex_version === '' || Number.isNaN(version) ? undefined : version
}

/**
 * The systems of the letters of navigation files of version 2 (RINEX 2.11, tables A3, A10, A15;
 * RINEX 2.12 for Galileo and QZSS). `C` is that of clock files.
 */
const systemsOfTypes: Readonly<Record<string, string>> = { G: 'R', H: 'S', L: 'E', E: 'E', J: 'J' }

/** True for the type of a navigation file: `N`, and the letters of one system. */
export function isNavigation({ type }: DataKind): boolean {
  return type === 'N' || Object.hasOwn(systemsOfTypes, type)
}

/** The system of a navigation file: `M` for several; `''` if the header does not say it. */
export function systemOfNavigation(facts: HeaderFacts, { type, system }: DataKind): string {
  const isGps = type === 'N' && (versionOf(facts) ?? 3) < 3
  return systemsOfTypes[type] ?? (system === '' && isGps ? 'G' : system)
}

/**
 * The lines of a header as they are, as UTF-8 if they are that, else as ISO 8859-1, up to
 * `END OF HEADER`; `undefined` if the text does not begin with a header or its end is missing.
 * @param text the begin of a text, one character for each byte
 */
export function headerOf(text: string): readonly string[] | undefined {
  const reader = new HeaderReader()
  const lines: string[] = []
  for (const line of text.slice(0, mostHeaderBytes).split(/\r?\n/)) {
    const bytes = Buffer.from(line, 'latin1')
    reader.read(bytes, 0, bytes.length)
    if (reader.isNone) return undefined
    lines.push(decoded(line))
    if (reader.header !== undefined) return lines
  }
  return undefined
}
