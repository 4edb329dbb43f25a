/**
 * What somebody would have seen who had watched the demo for its days: which files arrived when,
 * and which were purged. Pure.
 */
import { secondsPerDay, secondsPerHour } from '../parse/calendar.ts'
import type { DemoFile } from './network.ts'
import { keptDays, seenDays } from './network.ts'

/** A file as it lies in the archive, or lay there. */
export interface StoredFile extends Pick<DemoFile, 'path' | 'arrivesAt' | 'fault'> {
  readonly size: number
  /** Time of its last change (seconds since 1970). */
  readonly modifiedAt: number
}

/** A file of the past. */
export interface PastFile extends StoredFile {
  readonly directory: string
  readonly name: string
  /** False if it was there already when watching began. */
  readonly isSeen: boolean
}

/** What a day brought, or an hour of the last day. */
export interface PastTime {
  /** Its end (seconds since 1970). */
  readonly endsAt: number
  readonly files: readonly PastFile[]
  /** The directories that were removed with all their files. */
  readonly purged: readonly string[]
}

/** When watching began (seconds since 1970). */
export function watchedSince(startedAt: number): number {
  return startedAt - seenDays * secondsPerDay
}

const hoursPerDay = 24

/**
 * The days from the begin of watching, and the hours of the last one, to the start of the demo.
 * @param kept the files that are there
 * @param purged those of hours that are there no more, by arrival
 */
export function pastTimes(
  {
    kept,
    purged,
  }: { readonly kept: readonly StoredFile[]; readonly purged: readonly StoredFile[] },
  startedAt: number,
): readonly PastTime[] {
  const begin = watchedSince(startedAt)
  const lastDay = startedAt - secondsPerDay
  const [days, times] = [seenDays - 1, seenDays - 1 + hoursPerDay]
  const indexOf = (at: number): number =>
    at < lastDay
      ? Math.max(Math.floor((at - begin) / secondsPerDay), 0)
      : Math.min(days + Math.floor((at - lastDay) / secondsPerHour), times - 1)
  const arrived = Map.groupBy([...kept, ...purged], ({ arrivesAt }) => indexOf(arrivesAt))
  // The last file of a directory counts.
  const lastArrivals = new Map(purged.map((file) => [partsOf(file.path).directory, file.arrivesAt]))
  const gone = Map.groupBy(lastArrivals, ([, arrivesAt]) =>
    indexOf(arrivesAt + keptDays * secondsPerDay),
  )
  return Array.from({ length: times }, (_, index) => ({
    endsAt:
      index < days
        ? begin + (index + 1) * secondsPerDay
        : lastDay + (index - days + 1) * secondsPerHour,
    files: (arrived.get(index) ?? []).map((file) => ({
      ...file,
      ...partsOf(file.path),
      isSeen: file.arrivesAt >= begin,
    })),
    purged: (gone.get(index) ?? []).map(([directory]) => directory),
  }))
}

function partsOf(path: string) {
  const slash = path.lastIndexOf('/')
  return { directory: path.slice(0, slash), name: path.slice(slash + 1) }
}
