/** Stores up to which time the catalogue is known to equal the tree. */
import { CatalogueCorrupt } from '../../catalogue/errors.ts'
import type { CatalogueWriter } from '../../catalogue/updates/writer.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Health } from './health.ts'
import { databaseProblem } from './health.ts'
import type { UnreadFiles } from './unread-files.ts'

/** A find is no sign of an arrival if the file may have been there for longer than this (ms). */
export const seenArrivingMs = 10 * 60_000
/** The catalogue is current for at least this time after the stored time, in seconds. */
const leastLimitSeconds = 180
/**
 * Sweeps follow each other faster while they find something; all states depend on the stored time.
 */
const leastIntervalUs = 30e6
/** Number of usual times between two stored times after which the catalogue is not current. */
const missedTimes = 3

interface Parts {
  readonly writer: Pick<CatalogueWriter, 'setAsOf'>
  readonly health: Pick<Health, 'report' | 'notCurrent'>
  readonly unreadFiles: Pick<UnreadFiles, 'isBehind'>
  readonly nowUs: Clock
  /** A clock that is never set (ms); by default that of the process. */
  readonly steadyMs?: () => number
  readonly sweepIntervalMs: number
}

/** The same moment on both clocks. */
export interface Moment {
  /** Microseconds since 1970. */
  readonly us: number
  /** On the steady clock (ms); `undefined` for a moment before the start of the process. */
  readonly steadyMs: number | undefined
}

export class AsOfStore {
  readonly #parts: Parts
  readonly #steadyMs: () => number
  #last: Moment | undefined
  #storedUs = -Infinity

  /** @param storedUs the last time that an earlier process stored */
  constructor(parts: Parts, storedUs?: number) {
    this.#parts = parts
    this.#steadyMs = parts.steadyMs ?? (() => performance.now())
    this.#last = storedUs === undefined ? undefined : { us: storedUs, steadyMs: undefined }
  }

  /** The present moment. */
  now(): Moment {
    return { us: this.#parts.nowUs(), steadyMs: this.#steadyMs() }
  }

  /**
   * The last moment at which a file that is found now in a directory was not there, in microseconds
   * since 1970 by the clock as it is now; `undefined` if there is none in the last ten minutes. It
   * is the last time that was reached, also by an earlier process: then everything had been looked
   * at.
   * @param choose returns another moment instead (see `SilentFileSystems.notThereSince`)
   */
  notThereSinceUs(
    choose = (last: Moment | undefined): Moment | undefined => last,
  ): number | undefined {
    const since = choose(this.#last)
    if (since === undefined) return undefined
    const { us, steadyMs } = since
    const now = this.now()
    const agedMs = steadyMs === undefined ? undefined : (now.steadyMs ?? NaN) - steadyMs
    // If the clock was set back, it may lie ahead; the steady clock knows how long ago
    // it was. But it stands while the machine sleeps, so neither clock may say more.
    const sinceUs = agedMs === undefined ? us : Math.min(us, now.us - agedMs * 1000)
    const isRecent = now.us - us <= seenArrivingMs * 1000 && (agedMs ?? 0) <= seenArrivingMs
    return isRecent && sinceUs <= now.us ? sinceUs : undefined
  }

  /**
   * Call it at the end of a scan or sweep whose changes are all in the catalogue. The time
   * stands while the archive cannot be read or the catalogue cannot be written, and while files of
   * a first scan or of a long outage wait to be read: nobody may count their slots as late, or take
   * them for arrivals after a restart.
   * @param started the start of the scan or sweep; files that arrived later may be missing
   * @param usualSeconds how long a sweep takes; 0 at the end of a scan, which says nothing about
   * that
   */
  async reach(started: Moment, usualSeconds: number): Promise<void> {
    const { health, unreadFiles, nowUs, sweepIntervalMs } = this.#parts
    if (unreadFiles.isBehind) return
    // A time that cannot be written is a problem that the next one may end.
    if (health.notCurrent('as of') !== undefined) return
    // A rescan ends after sweeps that began later than it. Only with the clock, the time goes back.
    if (started.us >= (this.#last?.us ?? -Infinity) || this.#isAhead()) this.#last = started
    const leastUs = Math.min(sweepIntervalMs * 1000, leastIntervalUs)
    if (started.us < this.#storedUs + leastUs && this.#storedUs <= nowUs()) return
    await this.#store(started.us, usualSeconds)
  }

  #isAhead(): boolean {
    return (this.#last?.us ?? -Infinity) > this.#parts.nowUs()
  }

  async #store(atUs: number, usualSeconds: number): Promise<void> {
    const { writer, health, sweepIntervalMs } = this.#parts
    const seconds = sweepIntervalMs / 1000 + usualSeconds
    const limitSeconds = Math.max(leastLimitSeconds, Math.ceil(missedTimes * seconds))
    try {
      await writer.setAsOf({ atUs, limitSeconds })
      this.#storedUs = atUs
      health.report('as of', undefined)
    } catch (error) {
      if (error instanceof CatalogueCorrupt) throw error
      const text = `the catalogue cannot be written: ${(error as Error).message}`
      health.report('as of', databaseProblem(text))
    }
  }
}
