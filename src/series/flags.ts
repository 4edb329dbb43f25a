/**
 * What is flagged of the files of stations: which flags a station always has, how many files have
 * the others by kind and by day, and which stations have most of them. Pure.
 */
import type { FileType } from '../parse/types.ts'
import { fileTypes } from '../parse/types.ts'
import type { FlagName } from '../rinex/facts.ts'
import { flagNames } from '../rinex/facts.ts'
import { compareText } from './ascending.ts'
import type { DayRange } from './series.ts'

/** The files of a station and a type on some days. */
export interface FlaggedStation {
  /** As in lists of stations. */
  readonly station: string
  readonly fileType: FileType
  /** Number of its files that were read for what is inside. */
  readonly read: number
  /** Those with flags. */
  readonly flagged: readonly FlaggedFiles[]
}

/** The files of a day that have the same flags. */
interface FlaggedFiles {
  /** The UTC day since 1970 on which their data begin. */
  readonly day: number
  /** At least one, in the order of `flagNames`. */
  readonly flags: readonly FlagName[]
  readonly files: number
}

/** A flag that a station always has. */
export interface AlwaysFlagged extends Pick<FlaggedStation, 'station' | 'fileType' | 'read'> {
  readonly flag: FlagName
  /** Number of its files with the flag. */
  readonly files: number
}

/** A flag on this share of a station's files of a type is said once, and counted nowhere. */
const alwaysShare = 0.9

/** Fewer files say nothing of what is always so. */
const leastFiles = 3

/** Takes out of a week what stations always have; files without another flag are not flagged. */
export function withoutAlways(week: readonly FlaggedStation[]): {
  readonly counted: readonly FlaggedStation[]
  /** By station and type. */
  readonly always: readonly AlwaysFlagged[]
} {
  const always = week.flatMap(({ station, fileType, read, flagged }) =>
    countFlags(flagged)
      .filter(({ files }) => read >= leastFiles && files >= alwaysShare * read)
      .map((flag): AlwaysFlagged => ({ station, fileType, read, ...flag })),
  )
  const isAlways = new Set(always.map(keyOf))
  const counted = week.map((each) => ({
    ...each,
    flagged: each.flagged.flatMap((group) => {
      const flags = group.flags.filter((flag) => !isAlways.has(keyOf({ ...each, flag })))
      return flags.length === 0 ? [] : [{ ...group, flags }]
    }),
  }))
  return { counted, always: always.sort((a, b) => compareText(keyOf(a), keyOf(b))) }
}

function keyOf({ station, fileType, flag }: Pick<AlwaysFlagged, 'station' | 'fileType' | 'flag'>) {
  return `${station} ${fileType} ${flag}`
}

/** Number of files with a flag. */
export interface FlagCount {
  readonly flag: FlagName
  readonly files: number
}

/** The files by flag, in the order of `flagNames`; one with several flags counts for each. */
function countFlags(flagged: readonly FlaggedFiles[]): readonly FlagCount[] {
  return flagNames
    .map((flag) => ({ flag, files: sumOf(flagged.filter(({ flags }) => flags.includes(flag))) }))
    .filter(({ files }) => files > 0)
}

/** The number of files. */
function sumOf(of: readonly { readonly files: number }[]): number {
  return of.reduce((sum, { files }) => sum + files, 0)
}

/** Flagged files together, and by flag. */
export interface FlagSums {
  readonly files: number
  readonly flags: readonly FlagCount[]
}

export function flagSums(of: readonly Pick<FlaggedStation, 'flagged'>[]): FlagSums {
  const flagged = of.flatMap((each) => each.flagged)
  return { files: sumOf(flagged), flags: countFlags(flagged) }
}

/** The days with flagged files, ascending. */
function flaggedDays(
  of: readonly Pick<FlaggedStation, 'flagged'>[],
): readonly (FlagSums & { readonly day: number })[] {
  const byDay = Map.groupBy(
    of.flatMap(({ flagged }) => flagged),
    ({ day }) => day,
  )
  return [...byDay]
    .sort(([a], [b]) => a - b)
    .map(([day, flagged]) => ({ day, ...flagSums([{ flagged }]) }))
}

/** What is flagged of the newest files. */
export interface RecentFlags extends DayRange, FlagSums {
  readonly ofTypes: readonly (FlagCount & { readonly fileType: FileType })[]
  /** The flags that some station always has. */
  readonly always: ReadonlySet<FlagName>
}

/** Counts the files of some days of a week. */
export function recentFlags(week: readonly FlaggedStation[], days: DayRange): RecentFlags {
  const { counted, always } = withoutAlways(week)
  const recent = counted.map(({ fileType, flagged }) => ({
    fileType,
    flagged: flagged.filter(({ day }) => day >= days.fromDay && day <= days.toDay),
  }))
  const ofType = (fileType: FileType) => recent.filter((each) => each.fileType === fileType)
  return {
    ...days,
    ...flagSums(recent),
    ofTypes: fileTypes.flatMap((fileType) =>
      flagSums(ofType(fileType)).flags.map((flag) => ({ fileType, ...flag })),
    ),
    always: new Set(always.map(({ flag }) => flag)),
  }
}

/** A station with its files of all types that are given. */
export interface StationFlags extends FlagSums {
  readonly station: string
  readonly read: number
  /** The flags that it always has. */
  readonly always: readonly AlwaysFlagged[]
}

/** What is flagged of the files of a week. */
export interface FlaggedWeek extends FlagSums {
  /** Number of files that were read. */
  readonly read: number
  readonly days: ReturnType<typeof flaggedDays>
  /** Those with most flagged files first, of equal ones those of which fewer files were read. */
  readonly stations: readonly StationFlags[]
}

/** The sums are without what stations always have. */
export function flaggedWeek(week: readonly FlaggedStation[]): FlaggedWeek {
  const { counted, always } = withoutAlways(week)
  const byStation = Map.groupBy(counted, ({ station }) => station)
  const stations = Array.from(byStation, ([station, own]) => ({
    station,
    read: readOf(own),
    always: always.filter((each) => each.station === station),
    ...flagSums(own),
  }))
  return {
    read: readOf(counted),
    ...flagSums(counted),
    days: flaggedDays(counted),
    stations: stations.sort(
      (a, b) => b.files - a.files || a.read - b.read || compareText(a.station, b.station),
    ),
  }
}

function readOf(of: readonly FlaggedStation[]): number {
  return of.reduce((sum, { read }) => sum + read, 0)
}
