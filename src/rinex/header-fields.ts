/**
 * The records of headers and their columns, by their labels in columns 61 to 80: RINEX 2.11, tables
 * A1 (observation), A3 (navigation) and A13 (meteorological); RINEX 3.05 and 4.01, tables A2, A5
 * and A13. Labels that are not here say nothing that is a fact.
 */
import type { HeaderFacts, Marker, Receiver, SystemLetter } from './facts.ts'
import { positionOf } from './position.ts'

/** What the record of the version says of the data. */
export interface DataKind {
  /**
   * The first letter of the type, in upper case: `O` observation, `N` navigation, `M`
   * meteorological, in version 2 also the letter of a one-system navigation file; `''` without one.
   */
  readonly type: string
  /** The letter of the system, `M` for several; `''` without one, which version 2 allows. */
  readonly system: string
}

/** What a header has said so far. */
export interface HeaderDraft {
  facts: HeaderFacts
  kind: DataKind
  /** The types of observation of each system; those of version 2 and meteorological under ``. */
  readonly signals: Map<SystemLetter, string[]>
  /** The system whose list goes on in the next record. */
  listed: SystemLetter
  /** Number of types of observation in version 2. */
  types: number
}

/** Most types of observation of a system: their number has three digits. */
const mostTypes = 999
/** Most characters of a text that several records say. */
const longestText = 600

/**
 * The least interval (s): names say no shorter one than `99C`, 1/9900 s (RINEX 3.05, table A1), and
 * the record has three decimals. By 1e-300 s, no number of epochs could be stored.
 */
const leastInterval = 1e-4

/** Columns of the label of a record. */
const labelAt = 60
const labelEnd = 80

type Add = (draft: HeaderDraft, line: string) => void

/** A record with one text, a fact by itself. */
function text(key: 'licence' | 'doi'): Add {
  return (draft, line) => {
    const said = [draft.facts[key], field(line, 0, 60)].filter((part) => part !== undefined)
    if (said.length > 0)
      draft.facts = { ...draft.facts, [key]: said.join(' ').slice(0, longestText) }
  }
}

function marker(key: keyof Marker, end: number): Add {
  return (draft, line) => {
    const said = field(line, 0, end)
    if (said !== undefined)
      draft.facts = { ...draft.facts, marker: { ...draft.facts.marker, [key]: said } }
  }
}

const records: Readonly<Record<string, Add>> = {
  'RINEX VERSION / TYPE': (draft, line) => {
    const version = field(line, 0, 20)
    draft.facts = { ...draft.facts, ...saidOf({ rinex_version: version }) }
    draft.kind = {
      type: field(line, 20, 40)?.charAt(0).toUpperCase() ?? '',
      system: field(line, 40, 60)?.charAt(0).toUpperCase() ?? '',
    }
  },
  'PGM / RUN BY / DATE': (draft, line) => {
    const said = { program: field(line, 0, 20), run_by: field(line, 20, 40) }
    draft.facts = { ...draft.facts, ...saidOf({ ...said, run_date: field(line, 40, 60) }) }
  },
  'MARKER NAME': marker('name', 60),
  'MARKER NUMBER': marker('number', 20),
  'MARKER TYPE': marker('type', 20),
  'OBSERVER / AGENCY': (draft, line) => {
    draft.facts = { ...draft.facts, ...saidOf({ agency: field(line, 20, 60) }) }
  },
  'REC # / TYPE / VERS': (draft, line) => {
    const receiver: Receiver = saidOf({
      type: field(line, 20, 40),
      serial: field(line, 0, 20),
      version: field(line, 40, 60),
    })
    if (Object.keys(receiver).length > 0) draft.facts = { ...draft.facts, receiver }
  },
  /** The type has 16 columns and the radome four, by the table of antennas (`rcvr_ant.tab`). */
  'ANT # / TYPE': (draft, line) => {
    const said = { type: field(line, 20, 36), radome: field(line, 36, 40) }
    const antenna = saidOf({ ...said, serial: field(line, 0, 20) })
    if (Object.keys(antenna).length > 0)
      draft.facts = { ...draft.facts, antenna: { ...draft.facts.antenna, ...antenna } }
  },
  'ANTENNA: DELTA H/E/N': (draft, line) => {
    const [h, e, n] = threeNumbers(line)
    if (h === undefined || e === undefined || n === undefined) return
    draft.facts = { ...draft.facts, antenna: { ...draft.facts.antenna, delta: { h, e, n } } }
  },
  'APPROX POSITION XYZ': (draft, line) => {
    const [x, y, z] = threeNumbers(line)
    if (x === undefined || y === undefined || z === undefined) return
    draft.facts = { ...draft.facts, ...saidOf({ position: positionOf(x, y, z) }) }
  },
  INTERVAL: (draft, line) => {
    const interval = number(line, 0, 10)
    if (interval !== undefined && interval >= leastInterval)
      draft.facts = { ...draft.facts, interval_s: interval }
  },
  'TIME OF FIRST OBS': (draft, line) => {
    draft.facts = { ...draft.facts, ...saidOf({ time_system: field(line, 48, 51) }) }
  },
  'SYS / # / OBS TYPES': (draft, line) => {
    const system = line.charAt(0).toUpperCase()
    if (/[A-Z]/.test(system)) draft.signals.set((draft.listed = system), [])
    addTypes(draft, line)
  },
  '# / TYPES OF OBSERV': (draft, line) => {
    const types = number(line, 0, 6)
    if (types !== undefined) {
      draft.types = types
      draft.signals.set((draft.listed = ''), [])
    }
    addTypes(draft, line)
  },
  'LICENSE OF USE': text('licence'),
  DOI: text('doi'),
}

/** Adds what the record in the bytes from `from` up to `to` says; returns its label. */
export function addRecord(draft: HeaderDraft, bytes: Buffer, from: number, to: number): string {
  // One character for each byte.
  const line = bytes.toString('latin1', from, to)
  const label = line.slice(labelAt, labelEnd).trim()
  if (Object.hasOwn(records, label)) records[label]?.(draft, line)
  return label
}

function addTypes(draft: HeaderDraft, line: string): void {
  const list = draft.signals.get(draft.listed)
  for (const type of line.slice(6, labelAt).split(/\s+/))
    if (type !== '' && list !== undefined && list.length < mostTypes) list.push(printed(type))
}

/** A field of three numbers of 14 columns (F14.4). */
function threeNumbers(line: string): (number | undefined)[] {
  return [0, 14, 28].map((at) => number(line, at, at + 14))
}

/** What Fortran reads as a number. */
const numeral = /^[-+]?(\d+\.?\d*|\.\d+)(E[-+]?\d+)?$/i

/** A number; `undefined` for any other text. */
function number(line: string, from: number, to: number): number | undefined {
  const text = field(line, from, to)
  if (text === undefined || !numeral.test(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

/** The text in the columns of a line; `undefined` if they are blank or end before it. */
function field(line: string, from: number, to: number): string | undefined {
  const text = printed(line.slice(from, Math.min(to, labelAt))).trim()
  return text === '' ? undefined : text
}

/**
 * A text as it can be stored and shown: as UTF-8 if it is, else as ISO 8859-1, with blanks for
 * control characters.
 */
function printed(text: string): string {
  if (/^[ -~]*$/.test(text)) return text
  return decoded(text).replaceAll(/\p{Cc}/gu, ' ')
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** @param text one character for each byte */
export function decoded(text: string): string {
  if (!/[\x80-\xff]/.test(text)) return text
  try {
    return utf8.decode(Buffer.from(text, 'latin1'))
  } catch {
    return text
  }
}

/** The parts that are said. */
function saidOf<Part extends object>(
  parts: Part,
): { [Key in keyof Part]?: NonNullable<Part[Key]> } {
  const said = Object.entries(parts).filter(([, value]) => value !== undefined)
  return Object.fromEntries(said) as { [Key in keyof Part]?: NonNullable<Part[Key]> }
}
