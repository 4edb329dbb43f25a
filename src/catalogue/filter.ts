/**
 * The conditions by which records are filtered. A record matches a filter if it meets all
 * conditions. A condition with a list of values is met if the record has one of these values; an
 * empty list matches no record. `names` is different: the record must meet each condition in the
 * list. Codes are in upper case, as in the catalogue.
 */
import type { FileDuration, FileType, FileVersion } from '../parse/types.ts'
import type { FlagName } from '../rinex/facts.ts'
import type { Box } from '../series/station-places.ts'

/**
 * A range of times in microseconds since 1970. Both ends are included; without an end, the range is
 * open on that side.
 */
export interface TimeRange {
  readonly fromUs?: number
  readonly toUs?: number
}

/** Said of a stream that cannot be read to its end. */
export const damagedStream = 'the content is damaged before its end'

/**
 * The problems of listed files, in words: for `misplaced` see placement.ts. `broken` are all
 * damaged files that are not incomplete, also those without a byte, or damaged by what is inside
 * (`damaged_by`). The first one that applies is the problem of a record.
 */
export const problemWords = {
  incomplete: {
    word: 'incomplete',
    what: 'the content has no end',
    advice: 'It was not written completely; it is read again when it changes on disk.',
  },
  broken: {
    word: 'damaged',
    what: `${damagedStream}, or by what is inside it`,
    advice: 'Fetch it again from its source; it is read again when it changes on disk.',
  },
  disguised: {
    word: 'disguised',
    what: 'the content is not compressed as the name says',
    advice: 'Programs that go by the name cannot read it.',
  },
  misplaced: {
    word: 'misplaced',
    what: 'the file is in the directory of another date',
    advice: 'The date in its name counts.',
  },
} as const

/** Said of an area whose paths contradict too many names: they are no dates (see `judgePaths`). */
export const unclearPathsWords =
  'more than a fifth of the paths name another date than the files, so they are not dates, and no file is misplaced'

export type Problem = keyof typeof problemWords

/** True for the problem of a damaged file. */
export function isDamage(problem: Problem | undefined): problem is 'incomplete' | 'broken' {
  return problem === 'incomplete' || problem === 'broken'
}

/** The texts of headers by which files are found, whole or by their begin. */
export const headerTexts = ['rinex_version', 'receiver', 'antenna', 'radome', 'firmware'] as const
export type HeaderText = (typeof headerTexts)[number]

/** Conditions on texts of the header: some texts, or begins of texts, in lower case. */
type HeaderFilter = Readonly<Partial<Record<HeaderKey, readonly string[]>>>
export type HeaderKey = HeaderText | `${HeaderText}Begins`

/** ASCII letters in lower case: `toLowerCase` would turn some other letters into ASCII. */
export function inLowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

export const problems = Object.keys(problemWords) as readonly Problem[]

/**
 * What a request asks of records, in its own words: codes, words, times. A `Selection` is what it
 * means for the rows of the tables. A missing condition matches every record.
 */
export interface FileFilter extends HeaderFilter {
  // Stations

  /**
   * A code of 4 characters matches itself and all long codes that begin with it; a code of 9
   * characters matches only itself; `GR*` matches all codes that begin with `GR`.
   */
  readonly stations?: readonly string[]
  /**
   * ISO 3166-1 alpha-3 codes. The country of a station is the end of its long code (9 characters).
   * A station with a short code has the country of the long code to which it belongs (see
   * `selection/sites.ts`).
   */
  readonly countries?: readonly string[]
  // Kinds of files

  readonly areas?: readonly string[]
  readonly types?: readonly FileType[]
  readonly durations?: readonly FileDuration[]
  readonly versions?: readonly FileVersion[]
  /** Sampling intervals, written as in long names: `30S`. */
  readonly intervals?: readonly string[]
  /** Contents of the data, written as in long names: `MO`. */
  readonly contents?: readonly string[]
  /** Sources of the data, written as in long names: `R`, `S` or `U`. */
  readonly sources?: readonly string[]
  // The time of the data

  /** Years in which the data start. */
  readonly years?: readonly number[]
  /** UTC days on which the data start, counted from 1970-01-01. */
  readonly days?: readonly number[]
  /** Only files whose data start within this range. */
  readonly start?: TimeRange
  /**
   * A range of times that the data overlap. By its name, the data of a file span a half-open range
   * of time; if the name has no length, only the start counts. If a request has several ranges,
   * this is their intersection. If the ranges have no time in common, the intersection ends before
   * it begins; a file then matches if its data reach from that end to that beginning, because its
   * data then overlap all the ranges.
   */
  readonly overlaps?: TimeRange
  // The record

  readonly created?: TimeRange
  readonly modified?: TimeRange
  readonly problems?: readonly Problem[]
  /** Only files with ids above `idAbove` and below `idBelow`. */
  readonly idAbove?: number
  readonly idBelow?: number
  /**
   * Conditions on the file name, which must all be met; an empty list matches every record. ASCII
   * case is ignored.
   */
  readonly names?: readonly NameCondition[]
  // What is inside the file, of files with facts (see rinex/facts.ts), besides `HeaderFilter`

  readonly flags?: readonly FlagName[]
  /** Only files that hold a lower share of their epochs, in millionths. */
  readonly shareBelow?: number
  /** Letters of satellite systems, in upper case. */
  readonly systems?: readonly string[]
  /** Types of observation, in upper case: `C1C`, `L2`. */
  readonly signals?: readonly string[]
  /** Only files whose header has a position in it. */
  readonly box?: Box
}

/** The conditions that depend only on name and path, so that they apply to removed files too. */
export const feedConditions = [
  'stations',
  'countries',
  'areas',
  'types',
  'durations',
  'versions',
  'intervals',
  'contents',
  'sources',
  'years',
  'days',
  'start',
  'overlaps',
  'names',
] as const satisfies readonly (keyof FileFilter)[]

/** A filter of the change feed. */
export type FeedFilter = Pick<FileFilter, (typeof feedConditions)[number]>

/** The conditions whose answers change only with the records. */
const ofRecords: readonly string[] = [
  ...feedConditions,
  'created',
  'modified',
  'idAbove',
  'idBelow',
] satisfies readonly (keyof FileFilter)[]

/** True if a filter depends on details of files, which change without the records. */
export function dependsOnDetails(filter: FileFilter): boolean {
  return Object.entries(filter).some(
    ([key, condition]) => condition !== undefined && !ofRecords.includes(key),
  )
}

/** What a name is, begins with or contains. */
export interface NameCondition {
  readonly how: 'is' | 'starts' | 'contains'
  /** The text to find, in lower case. */
  readonly text: string
}

/** Sort keys of lists. */
export const orderKeys = ['id', 'data_date', 'created', 'modified', 'filename'] as const
export type OrderKey = (typeof orderKeys)[number]

/** A sort key with its direction. */
export interface OrderStep {
  readonly key: OrderKey
  readonly descending: boolean
}

/** Files with equal sort keys in all steps are sorted by id, in the direction of the last step. */
export interface Ordering extends OrderStep {
  /** Further sort keys, for files that are equal in the sort keys before. */
  readonly then?: readonly OrderStep[]
}

/** The newest records first: ids ascend with time. */
export const defaultOrdering: Ordering = { key: 'id', descending: true }

export function isUnfiltered(filter: FileFilter): boolean {
  return Object.values(filter).every((condition) => condition === undefined)
}

/** The orderings in which a whole list can be streamed, chunk by chunk. */
export interface ChunkOrdering extends OrderStep {
  readonly key: Exclude<OrderKey, 'modified'>
}

/**
 * A position in the list: after a record, or, in the order of ids, after the last id that was
 * examined. The key is the sort key at this position: an id, a time in the unit of its column, or a
 * name in lower case.
 */
export interface ChunkCursor {
  readonly id: number
  readonly key: number | string
}

export const stationOrderKeys = [
  'code',
  'country',
  'count',
  'first_data_date',
  'last_data_date',
] as const

export interface StationOrdering {
  readonly key: (typeof stationOrderKeys)[number]
  readonly descending: boolean
}

/**
 * The kinds of problems: those of listed files, and `rejected` for entries that are not catalogued.
 */
export const listedProblems = [...problems, 'rejected'] as const

export type ListedProblem = (typeof listedProblems)[number]

/** The conditions that a first scan can answer already, in the order of ids. */
const early: readonly string[] = ['idAbove', 'idBelow', 'problems']

/** True if a list needs indexes or counts that a first scan leaves out. */
export function needsBuilt(filter: FileFilter, key: OrderKey): boolean {
  const conditions = Object.entries(filter).filter(([, condition]) => condition !== undefined)
  return key !== 'id' || conditions.some(([name]) => !early.includes(name))
}

/** True for a station that one of the codes of a filter matches (see `FileFilter.stations`). */
export function stationMatcher(codes: readonly string[]): (station: string) => boolean {
  const wanted = new Set(codes)
  const starts = codes.flatMap((code) => (code.endsWith('*') ? [code.slice(0, -1)] : []))
  return (station) =>
    wanted.has(station) ||
    wanted.has(station.slice(0, 4)) ||
    starts.some((start) => station.startsWith(start))
}
