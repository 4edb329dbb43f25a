/** Remembers the file systems whose directories do not tell by their times that names changed. */
import type { DirectoryStamp } from '../../catalogue/writer.ts'
import type { Health } from './health.ts'
import { sameTimes } from './sure-stamps.ts'

/** The directory that showed it, and its stamp then. */
interface Evidence {
  readonly path: string
  readonly stamp: DirectoryStamp
}

/**
 * The silent file systems, by device number, of this process. They are not stored: device numbers
 * change when the machine restarts, another mount of the same disk may be better, and the next file
 * that arrives in a hot directory shows it again.
 */
export class SilentFileSystems {
  readonly #health: Pick<Health, 'report'>
  readonly #evidence = new Map<number, Evidence>()

  constructor(health: Pick<Health, 'report'>) {
    this.#health = health
  }

  has(device: number): boolean {
    return this.#evidence.has(device)
  }

  /** Call it when the names of a directory have changed, and its times have not. */
  add(device: number, evidence: Evidence): void {
    if (this.#evidence.has(device)) return
    this.#evidence.set(device, evidence)
    this.#health.report(problemOf(device), {
      text: `the times of directories stand still when files are added or removed on the file system of ${evidence.path}/: sweeps find new and removed files by names, in the 1,000 newest directories; older ones, and files that were replaced, wait for the next look at everything (full_look_hours)`,
      advice:
        'Mount the archive so that directories change their times, then restart the indexer; or run `rinex-catalogue rescan` after changes in old directories, or shorten `full_look_hours`.',
    })
  }

  /**
   * Call it after each read. The times of a mount that keeps them in a cache come later than the
   * names: when they come, the file system is not silent.
   */
  seen(device: number, path: string, stamp: DirectoryStamp): void {
    const evidence = this.#evidence.get(device)
    if (evidence?.path !== path || evidence.stamp.namesSum !== stamp.namesSum) return
    if (sameTimes(evidence.stamp, stamp)) return
    this.#evidence.delete(device)
    this.#health.report(problemOf(device), undefined)
  }
}

function problemOf(device: number): string {
  return `times ${device}`
}
