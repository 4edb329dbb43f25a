/**
 * What records can be asked for. All conditions of a filter must hold; each list means any of its values, and an empty
 * list is a condition that nothing meets. Text is compared as the catalogue holds it: codes in upper case.
 */
import type { Area } from '../parse/archive-path.ts'
import type { FileDuration, FileType, FileVersion } from '../parse/types.ts'

/** Microseconds since 1970, both ends included; an end that is absent is open. */
export interface TimeRange {
  readonly fromUs?: number
  readonly toUs?: number
}

/**
 * What can be wrong with a file that is listed: its gzip stream has no end (`incomplete`), or is damaged before its end
 * (`broken`), or its name tells another date than its directory (`misplaced`). A file that is incomplete is not broken.
 */
export const problems = ['incomplete', 'broken', 'misplaced'] as const
export type Problem = (typeof problems)[number]

export interface FileFilter {
  /** Codes of 4 characters match both forms of names, those of 9 that code alone. */
  readonly stations?: readonly string[]
  /** ISO 3166-1 alpha-3: the last three characters of the long code, or of the one that alone begins with a short code. */
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
  /** When the data start. */
  readonly dataDate?: TimeRange
  /**
   * A range that the data touch, nominally: the half-open span that a name tells, or its start where it tells no end. Data
   * that touch several ranges are those that touch what all of them have in common; where that is nothing the range ends
   * before it begins, and what reaches from its end to its beginning touches it.
   */
  readonly overlaps?: TimeRange
  readonly created?: TimeRange
  readonly modified?: TimeRange
  readonly problems?: readonly Problem[]
  /** Ids above and below these, themselves excluded. */
  readonly idAbove?: number
  readonly idBelow?: number
  /** Conditions on the whole name, without regard to case (ASCII). */
  readonly names?: readonly NameCondition[]
}

export interface NameCondition {
  readonly how: 'is' | 'starts' | 'contains'
  /** In lower case. */
  readonly text: string
}

/** What lists are sorted by. */
export const orderKeys = ['id', 'data_date', 'created', 'modified', 'filename'] as const
export type OrderKey = (typeof orderKeys)[number]

export interface OrderStep {
  readonly key: OrderKey
  readonly descending: boolean
}

/** Files that are equal in all steps are sorted by id, in the direction of the last one. */
export interface Ordering extends OrderStep {
  /** By which files with equal keys are sorted. */
  readonly then?: readonly OrderStep[]
}

/** Highest id first. */
export const defaultOrdering: Ordering = { key: 'id', descending: true }

export function isUnfiltered(filter: FileFilter): boolean {
  return Object.values(filter).every((condition) => condition === undefined)
}
