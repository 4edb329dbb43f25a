/**
 * The files of a simulated day: bursts at the full hour, late files, files that are replaced, daily
 * files, and a purge.
 */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import {
  arrive,
  dayDirectory,
  hourDirectory,
  makeOldDays,
  pathIn,
  paths,
  put,
} from '../acceptance/tree.ts'

/** Hours of `nrt/` that are kept; the purge removes older ones. */
const keptHours = 72
const dailyFiles = 400
/** Hour of the day at which the daily files arrive. */
const dailyHour = 2

/** Contents of different sizes, of a few hundred bytes. */
const contents = Array.from({ length: 20 }, (_, n) => gzipSync('x'.repeat(2 ** n)))

export interface LoadOptions {
  readonly archive: string
  readonly hours: number
  /** New files in each hour. */
  readonly perHour: number
  /** Hours from one purge to the next. */
  readonly purgeEvery: number
}

export interface LoadCounts {
  arrived: number
  late: number
  replaced: number
  removed: number
}

/** Fills the archive with the days before the simulated one. */
export function openLoad({ archive, hours, perHour, purgeEvery }: LoadOptions) {
  makeOldDays(archive, 30, 300)
  for (let day = 2; day < 30; day++)
    for (const path of paths(dayDirectory(day), dailyFiles)) put(archive, path)
  // The last simulated hour is the current one, so that all hours are in the hot window.
  const directoryOf = (hour: number) => hourDirectory(hours - 1 - hour)
  for (let hour = -keptHours; hour < 0; hour++)
    for (const path of paths(directoryOf(hour), perHour)) put(archive, path)

  const counts: LoadCounts = { arrived: 0, late: 0, replaced: 0, removed: 0 }
  const late = Math.ceil(perHour / 50)
  const write = (path: string, n: number): void => {
    arrive(archive, path, contents[n % contents.length])
  }
  /** Lets other work of this process run between the batches. */
  const writeAll = async (files: readonly string[]): Promise<void> => {
    for (const [n, path] of files.entries()) {
      write(path, n)
      if (n % 20 === 0) await new Promise(setImmediate)
    }
  }
  return {
    counts: counts as Readonly<LoadCounts>,
    /** The directories of the hours that are kept, oldest first. */
    hourDirectories: (hour: number) =>
      Array.from({ length: keptHours }, (_, n) => directoryOf(hour - keptHours + n)).filter(
        (directory) => existsSync(join(archive, directory)),
      ),
    async hour(hour: number, isPurged: boolean): Promise<void> {
      // The last files of an hour arrive in the next one.
      await writeAll(paths(directoryOf(hour), perHour - late))
      if (hour > 0) await writeAll(paths(directoryOf(hour - 1), late, perHour - late))
      await writeAll(paths(directoryOf(hour), late))
      if (hour % 24 === dailyHour) await writeAll(paths(dayDirectory(1), dailyFiles))
      // Sent again, by a rename and in place.
      const replaced = pathIn(directoryOf(hour - 3), hour)
      if (existsSync(join(archive, replaced))) {
        write(replaced, hour + 1)
        put(archive, pathIn(directoryOf(hour), 0), contents[(hour + 7) % contents.length])
        counts.replaced += 2
      }
      counts.arrived += perHour - late + (hour % 24 === dailyHour ? dailyFiles : 0)
      counts.late += hour > 0 ? late : 0
      counts.replaced += late
      if (isPurged && hour % purgeEvery === 0) {
        rmSync(join(archive, directoryOf(hour - keptHours)), { recursive: true, force: true })
        counts.removed += perHour
      }
    },
  }
}
