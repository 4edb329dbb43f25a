/**
 * What somebody would have seen who had watched the demo for its days: which files arrived when,
 * and which were purged. Pure.
 */
import { secondsPerDay } from '../parse/calendar.ts'
import type { DemoFile } from './network.ts'
import { keptDays, seenDays } from './network.ts'

/** A file as it lies in the archive, or lay there. */
export interface StoredFile extends Pick<DemoFile, 'path' | 'arrivesAt'> {
  readonly size: number
  /** Time of its last change (seconds since 1970). */
  readonly modifiedAt: number
}

/** A file of a past day. */
export interface PastFile extends StoredFile {
  readonly directory: string
  readonly name: string
  /** False if it was there already when watching began. */
  readonly isSeen: boolean
}

/** What a day brought. */
export interface PastDay {
  /** The end of the day (seconds since 1970). */
  readonly endsAt: number
  readonly files: readonly PastFile[]
  /** The directories that were removed with all their files. */
  readonly purged: readonly string[]
}

/** When watching began (seconds since 1970). */
export function watchedSince(startedAt: number): number {
  return startedAt - seenDays * secondsPerDay
}

/**
 * The days from the begin of watching to the start of the demo.
 * @param kept the files that are there
 * @param purged those of hours that are there no more
 */
export function pastDays(
  {
    kept,
    purged,
  }: { readonly kept: readonly StoredFile[]; readonly purged: readonly StoredFile[] },
  startedAt: number,
): readonly PastDay[] {
  const begin = watchedSince(startedAt)
  const dayOf = (at: number): number => Math.floor((at - begin) / secondsPerDay)
  const last = seenDays - 1
  const within = (day: number): number => Math.min(Math.max(day, 0), last)
  const arrived = Map.groupBy([...kept, ...purged], ({ arrivesAt }) => within(dayOf(arrivesAt)))
  // They are sorted by arrival: the last file of a directory counts.
  const lastArrivals = new Map(purged.map((file) => [partsOf(file.path).directory, file.arrivesAt]))
  const gone = Map.groupBy(lastArrivals, ([, arrivesAt]) => within(dayOf(arrivesAt) + keptDays))
  return Array.from({ length: seenDays }, (_, day) => ({
    endsAt: begin + (day + 1) * secondsPerDay,
    files: (arrived.get(day) ?? []).map((file) => ({
      ...file,
      ...partsOf(file.path),
      isSeen: file.arrivesAt >= begin,
    })),
    purged: (gone.get(day) ?? []).map(([directory]) => directory),
  }))
}

function partsOf(path: string) {
  const slash = path.lastIndexOf('/')
  return { directory: path.slice(0, slash), name: path.slice(slash + 1) }
}
