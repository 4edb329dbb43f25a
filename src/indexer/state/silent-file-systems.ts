/**
 * Remembers the file systems whose directories do not tell by their times that names changed, and
 * since when a file that is found in a directory was not there.
 */
import type { DirectoryStamp } from '../../catalogue/updates/change.ts'
import type { DirectorySnapshot } from '../read/directory-snapshot.ts'
import type { Moment } from './as-of.ts'
import { seenArrivingMs } from './as-of.ts'
import type { Health, ProblemName } from './health.ts'
import { hasOtherNames, sameTimes } from './sure-stamps.ts'

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
  #byName: Set<string>
  /** The begin of the last reads of directories on silent file systems. */
  readonly #reads = new Map<string, Moment>()

  /** @param byName the directories that the sweeps of the process before have read by name */
  constructor(health: Pick<Health, 'report'>, byName = new Set<string>()) {
    this.#health = health
    this.#byName = byName
  }

  has(device: number): boolean {
    return this.#evidence.has(device)
  }

  /** Call it when the names of a directory have changed, and its times have not. */
  add(device: number, evidence: Evidence): void {
    if (this.#evidence.has(device)) return
    this.#evidence.set(device, evidence)
    this.#health.report(problemOf(device), {
      text: `directories keep their times when files come and go on the file system of ${evidence.path}/: sweeps compare the names in the 1,000 newest directories, older ones wait for the daily look`,
      advice:
        'Mount the archive so that its directories change their times, and restart the indexer; until then changes in older directories, and files that are replaced, are found within `full_look_hours`, or by `rinex-catalogue rescan`.',
    })
  }

  /**
   * Call it after each read. The times of a mount that keeps them in a cache come later than the
   * names: when they come, the file system is not silent.
   * @param begun when the read began
   */
  seen(device: number, { path, stamp }: Evidence, begun: Moment): void {
    const evidence = this.#evidence.get(device)
    if (evidence === undefined) return
    this.#reads.set(path, begun)
    if (evidence.path !== path || evidence.stamp.namesSum !== stamp.namesSum) return
    if (sameTimes(evidence.stamp, stamp)) return
    this.#evidence.delete(device)
    this.#health.report(problemOf(device), undefined)
  }

  /** Call it in each sweep with the directories that it reads by name. */
  swept(byName: Set<string>, now: Moment): void {
    this.#byName = byName
    for (const [path, { steadyMs = 0 }] of this.#reads)
      if ((now.steadyMs ?? 0) - steadyMs > seenArrivingMs) this.#reads.delete(path)
  }

  /**
   * The moment at which a file that is found now in a directory was not there: `asOf` if
   * sweeps see what changes in the directory, by its times or its names; otherwise the begin of its
   * own last read, if that is known.
   * @param stored its sure stamp in the catalogue; `undefined` also for a new directory, which
   * sweeps find in the one above it
   */
  notThereSince(
    { path, device, stamp }: Pick<DirectorySnapshot, 'path' | 'device' | 'stamp'>,
    stored: DirectoryStamp | undefined,
    asOf: Moment | undefined,
  ): Moment | undefined {
    const isSilent = device !== undefined && this.#evidence.has(device)
    if (!isSilent && !hasOtherNames(stored, stamp)) return asOf
    const above = path.slice(0, Math.max(0, path.lastIndexOf('/')))
    // What appears in a new directory is seen as the directory itself is.
    if (stored === undefined && this.#byName.has(above)) this.#byName.add(path)
    return this.#byName.has(path) ? asOf : this.#reads.get(path)
  }
}

function problemOf(device: number): ProblemName {
  return `times ${device}`
}
