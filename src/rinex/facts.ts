/**
 * What a RINEX file holds, as far as its header and the places of its epochs tell. Rules of the
 * format: RINEX 2.11, sections 4 to 6 and tables A1 to A4; RINEX 3.05 and 4.01, section 5 and
 * tables A2 and A3; Compact RINEX 1 and 3 (Hatanaka 2008).
 */

/** A satellite system by its letter, as `G` (GPS), `R`, `E`, `C`, `J`, `I`, `S`. */
export type SystemLetter = string

/** A position in metres, Earth-fixed, and the same as degrees and height above the ellipsoid. */
export interface Position {
  readonly x: number
  readonly y: number
  readonly z: number
  /** Degrees, north is positive. */
  readonly latitude: number
  /** Degrees, -180 to 180, east is positive. */
  readonly longitude: number
  /** Metres above the ellipsoid of WGS 84. */
  readonly height: number
}

export interface Marker {
  readonly name?: string
  readonly number?: string
  readonly type?: string
}

export interface Receiver {
  readonly type?: string
  readonly serial?: string
  /** The firmware. */
  readonly version?: string
}

export interface Antenna {
  readonly type?: string
  readonly radome?: string
  readonly serial?: string
  /** Height, east and north of the antenna above the marker, in metres. */
  readonly delta?: { readonly h: number; readonly e: number; readonly n: number }
}

/** Where data come from. It stays the same over years of files. */
export interface Equipment {
  readonly marker?: Marker
  readonly agency?: string
  readonly receiver?: Receiver
  readonly antenna?: Antenna
  readonly position?: Position
  readonly program?: string
  readonly run_by?: string
  readonly licence?: string
  readonly doi?: string
}

/** What is observed. It stays the same over many files. */
export interface Observables {
  /** As in the header: `2.11`, `3.04`. */
  readonly rinex_version?: string
  /** Of navigation files those of the header. */
  readonly systems?: readonly SystemLetter[]
  /**
   * Types of observation by system; in version 2 each system has the same; those of meteorological
   * files under `M`.
   */
  readonly signals?: Readonly<Record<SystemLetter, readonly string[]>>
  /** The interval of the header, in seconds. */
  readonly interval_s?: number
  /** As in the header: `GPS`, `GLO`, `BDT`. */
  readonly time_system?: string
}

/** What the header says; a part that it does not say is absent. */
export interface HeaderFacts extends Equipment, Observables {
  /** As written by the program that made the file: `20240101 190120 UTC`. */
  readonly run_date?: string
}

/**
 * What is wrong with a file, judged by this file alone, in few words; in the order in which flags
 * are shown.
 */
export const flagMeanings = {
  'no-header': 'no whole header of a RINEX file at its begin',
  empty: 'no data after the header',
  cut: 'ends within the header, a line or an epoch',
  torn: 'parts are missing, doubled or out of order',
  short: 'less than 95 % of its epochs',
  long: 'epochs after the end that its name says',
  date: 'begins outside the time that its name says',
  interval: 'name, header and epochs have different intervals',
  version: 'a version that does not fit its name, or is none',
  type: 'another type of data than its name says',
  marker: 'the marker of another station than its name says',
} as const
export type FlagName = keyof typeof flagMeanings
export const flagNames = Object.keys(flagMeanings) as readonly FlagName[]

export interface Flag {
  readonly flag: FlagName
  /** One sentence that says both sides: what the name or header says, and what was found. */
  readonly says: string
}

/** The facts of a file. */
export interface Facts extends HeaderFacts {
  /**
   * Time of the first and last epoch, `2024-01-01T18:00:00`, without zone: in the system of
   * `time_system`. Fractions of a second only if they are not zero.
   */
  readonly first?: string
  readonly last?: string
  /** Number of epochs with observations (flags 0 and 1); absent for files that are not counted. */
  readonly epochs?: number
  /** Number that the named period holds at the interval; absent if either is unknown. */
  readonly expected_epochs?: number
  /** `epochs / expected_epochs`, at most 1. */
  readonly share?: number
  readonly flags: readonly Flag[]
}
