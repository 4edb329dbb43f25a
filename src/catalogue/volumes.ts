/** How much is in the catalogue: the query of `CatalogueReader`, and its answer. */
import type { Area } from '../parse/archive-path.ts'
import type { FileType } from '../parse/types.ts'
import type { DayRange } from '../series/series.ts'
import type { Head } from './records.ts'

export interface VolumesQuery {
  /** The days whose volumes are wanted too. */
  readonly days?: DayRange
}

/** How much is in the catalogue. */
export interface Volumes {
  readonly head: Head
  /** All live files by area, type and period, also during a first scan. */
  readonly totals: readonly KindVolume[]
  readonly hashed: HashedFiles
  /**
   * The same by the month in which the data begin, oldest first; `undefined` until the counts of
   * days are built, at the end of a first scan.
   */
  readonly months: readonly MonthVolume[] | undefined
  /** The days that were asked for, by area, oldest first, without those that have no files. */
  readonly days: readonly DayVolume[] | undefined
}

/** How many files, and how many bytes they have. */
export interface Volume {
  readonly files: number
  /** The sum of the known sizes. */
  readonly bytes: number
  /** Number of files of known size. */
  readonly sized: number
}

/** Adds up volumes. */
export function sumOfVolumes(volumes: readonly Volume[]): Volume {
  const sum = { files: 0, bytes: 0, sized: 0 }
  for (const { files, bytes, sized } of volumes) {
    sum.files += files
    sum.bytes += bytes
    sum.sized += sized
  }
  return sum
}

/** The volume of an area, a type and a period. */
export interface KindVolume extends Volume {
  readonly area: Area
  readonly fileType: FileType
  /** As long names write it, `01D`; `undefined` for short names that do not say it. */
  readonly period: string | undefined
}

/** The volume of the data that begin in a month: `2026-01`. */
export interface MonthVolume extends KindVolume {
  readonly month: string
}

/** The volume of the data of an area that begin on a UTC day, counted from 1970-01-01. */
export interface DayVolume extends Volume {
  readonly day: number
  readonly area: Area
}

/** The files that were read to compute their checksums. */
export interface HashedFiles {
  /** Number of files with a checksum that is not stale. */
  readonly files: number
  /** Number of files whose checksum is stale, so that they are read again. */
  readonly stale: number
  /**
   * Times at which the oldest and the newest record with a checksum were made. A file is read after
   * that, and once: the time of the read is not stored. `undefined` without checksums.
   */
  readonly oldestUs: number | undefined
  readonly newestUs: number | undefined
}
