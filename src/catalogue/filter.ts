/**
 * The filter of records. A record matches if it meets all conditions. A list means any of its values; an empty list matches
 * nothing. Codes are in upper case, as in the catalogue.
 */
import type { Area } from '../parse/archive-path.ts'
import type { FileDuration, FileType, FileVersion } from '../parse/types.ts'

/** Microseconds since 1970, both ends included; a missing end is open. */
export interface TimeRange {
  readonly fromUs?: number
  readonly toUs?: number
}

/**
 * The problems of listed files: the gzip stream has no end (`incomplete`), or is damaged before its end (`broken`), or the date of
 * the name is not that of the directory (`misplaced`). An incomplete file is not broken.
 */
export const problems = ['incomplete', 'broken', 'misplaced'] as const
export type Problem = (typeof problems)[number]

export interface FileFilter {
  /** Codes of 4 characters match both forms of names, codes of 9 only that code. */
  readonly stations?: readonly string[]
  /** ISO 3166-1 alpha-3: the last three characters of the long code; of a short code, those of the only long code that begins with it. */
  readonly countries?: readonly string[]
  readonly areas?: readonly Area[]
  readonly types?: readonly FileType[]
  readonly durations?: readonly FileDuration[]
  readonly versions?: readonly FileVersion[]
  /** Parts of long names, as in `ParsedName`. */
  readonly intervals?: readonly string[]
  readonly contents?: readonly string[]
  readonly sources?: readonly string[]
  /** UTC days on which the data start, counted from 1970-01-01. */
  readonly days?: readonly number[]
  /** Start of the data. */
  readonly dataDate?: TimeRange
  /**
   * A range that the nominal span of the data overlaps: the half-open span in the name, or its start if the name has no end.
   * Several ranges are reduced to their intersection. Ranges without one give a range that ends before it begins; spans that
   * reach from its end to its beginning overlap it.
   */
  readonly overlaps?: TimeRange
  readonly created?: TimeRange
  readonly modified?: TimeRange
  readonly problems?: readonly Problem[]
  /** Ids above and below these; both excluded. */
  readonly idAbove?: number
  readonly idBelow?: number
  /** Conditions on the whole name; case (ASCII) is ignored. */
  readonly names?: readonly NameCondition[]
}

export interface NameCondition {
  readonly how: 'is' | 'starts' | 'contains'
  /** In lower case. */
  readonly text: string
}

/** Sort keys of lists. */
export const orderKeys = ['id', 'data_date', 'created', 'modified', 'filename'] as const
export type OrderKey = (typeof orderKeys)[number]

export interface OrderStep {
  readonly key: OrderKey
  readonly descending: boolean
}

/** Files that are equal in all steps are sorted by id, in the direction of the last one. */
export interface Ordering extends OrderStep {
  /** Sort keys for files with equal first keys. */
  readonly then?: readonly OrderStep[]
}

/** Highest id first. */
export const defaultOrdering: Ordering = { key: 'id', descending: true }

export function isUnfiltered(filter: FileFilter): boolean {
  return Object.values(filter).every((condition) => condition === undefined)
}
