/** The types of parsed and rejected file names. */

/**
 * The form of a file name: `r2` short, `r3` long. It is not the version of the content: RINEX 4
 * content has long names, and RINEX 3 content sometimes has short names.
 */
export const fileVersions = ['r2', 'r3'] as const
export type FileVersion = (typeof fileVersions)[number]

/**
 * The unit of the period of a file: minutes, hours, days, years, or unspecified. A period of 24
 * hours is a day, one of 60 minutes an hour.
 */
export const fileDurations = ['m', 'h', 'd', 'y', 'u'] as const
export type FileDuration = (typeof fileDurations)[number]

/** Observation, navigation or meteorological data. */
export const fileTypes = ['o', 'n', 'm'] as const
export type FileType = (typeof fileTypes)[number]

/** The source of the data: receiver, stream, or unknown. */
export type DataSource = 'R' | 'S' | 'U'

/** The parts of a RINEX file name. `''` stands for a part that the name does not have. */
export interface ParsedName {
  readonly kind: 'parsed'
  readonly version: FileVersion
  /**
   * Station code in upper case: 4 characters (`r2`), or site, monument, receiver and country, 9
   * (`r3`).
   */
  readonly station: string
  /** Nominal start of the data: seconds since 1970-01-01T00:00:00Z, no leap seconds. */
  readonly startSeconds: number
  readonly duration: FileDuration
  readonly type: FileType
  /**
   * Nominal length of the data in seconds; `undefined` if the name does not contain it (`00U`, and
   * the file numbers 1 to 9 of the short form). For high-rate short names (`hmm`) it is 900 s, by
   * the convention of IGSMAIL-5501.
   */
  readonly spanSeconds: number | undefined
  /** ISO 3166-1 alpha-3 or a project code (`IGS`, `DLR`); long names only. */
  readonly country: string | undefined
  /** Long names only. */
  readonly source: DataSource | ''
  /** File period as written, in upper case: `01D`, `15M`; long names only. */
  readonly period: string
  /** Sampling interval as written, in upper case: `30S`. */
  readonly interval: string
  /** Content code in upper case: system and type, `MO`, `GN`, `MM`; long names only. */
  readonly content: string
  /** The letter of the satellite system of a navigation file; `''` for several, and other files. */
  readonly navigation: string
}

/** The reason why a name is not a RINEX name. */
export type RejectionReason =
  | 'not-gz'
  | 'suffix'
  | 'archive'
  | 'not-utf8'
  | 'unknown-form'
  | 'bad-day'
  | 'bad-hour'
  | 'bad-minute'
  | 'bad-session'
  | 'bad-source'
  | 'bad-period'
  | 'bad-frequency'
  | 'bad-type'
  | 'bad-station'

/** A name that is not a RINEX file name. Bad names are values, never exceptions. */
export interface Rejection {
  readonly kind: 'rejected'
  readonly reason: RejectionReason
}

/**
 * The reason to reject a name that looks like one of the forms but has wrong parts; `undefined` if
 * no part is wrong. A single wrong part is named, because it can be corrected. If several parts are
 * wrong, the name most often looks like a RINEX name only by chance.
 * @param faults the fault of each part; `false` for a valid one
 */
export function soleFault(
  faults: readonly (RejectionReason | false)[],
): RejectionReason | undefined {
  const [fault, ...more] = faults.filter((reason) => reason !== false)
  return more.length > 0 ? 'unknown-form' : fault
}
