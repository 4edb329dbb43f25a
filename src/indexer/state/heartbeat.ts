/** Stores up to which time the catalogue is known to equal the tree. */
import { CatalogueCorrupt } from '../../catalogue/writer.ts'
import type { CatalogueWriter } from '../../catalogue/writer.ts'
import { databaseProblem } from './health.ts'
import type { Health } from './health.ts'

/** The catalogue is current for at least this time after a heartbeat, in seconds. */
const leastLimitSeconds = 180
/**
 * Sweeps follow each other faster while they find something; all states depend on the heartbeat.
 */
const leastIntervalUs = 30e6
/** Number of usual times between two heartbeats after which the catalogue is not current. */
const missedBeats = 3

interface HeartbeatParts {
  readonly writer: Pick<CatalogueWriter, 'heartbeat'>
  readonly health: Pick<Health, 'report' | 'notCurrent'>
  /** The clock: microseconds since 1970. */
  readonly nowUs: () => number
  readonly sweepIntervalMs: number
}

export class Heartbeat {
  readonly #parts: HeartbeatParts
  #lastUs = -Infinity
  #isFollowing = false

  constructor(parts: HeartbeatParts) {
    this.#parts = parts
  }

  /**
   * True if the catalogue has equalled the tree since the start of the process, and since the last
   * interruption. Only then a new file is seen arriving: watches begin at once, and find what came
   * meanwhile too.
   */
  get isFollowing(): boolean {
    return this.#isFollowing
  }

  /** Call it when the catalogue cannot have followed the tree. */
  interrupted(): void {
    this.#isFollowing = false
  }

  /**
   * Call it at the end of a scan or sweep whose changes are all in the catalogue.
   * @param startedUs the start of the scan or sweep; files that arrived later may be missing
   * @param usualSeconds how long a sweep takes; 0 at the end of a scan, which says nothing about
   * that
   */
  async beat(startedUs: number, usualSeconds: number): Promise<void> {
    await this.#store(startedUs, usualSeconds)
    this.#isFollowing = this.#parts.health.notCurrent() === undefined
  }

  async #store(startedUs: number, usualSeconds: number): Promise<void> {
    const { writer, health, nowUs, sweepIntervalMs } = this.#parts
    const leastUs = Math.min(sweepIntervalMs * 1000, leastIntervalUs)
    // A rescan ends after sweeps that began later than it. Only with the clock, heartbeats go back.
    if (startedUs < this.#lastUs + leastUs && this.#lastUs <= nowUs()) return
    // A heartbeat that cannot be written is a problem that the next one may end.
    if (health.notCurrent('heartbeat') !== undefined) return
    const seconds = sweepIntervalMs / 1000 + usualSeconds
    const limitSeconds = Math.max(leastLimitSeconds, Math.ceil(missedBeats * seconds))
    try {
      await writer.heartbeat({ atUs: startedUs, limitSeconds })
      this.#lastUs = startedUs
      health.report('heartbeat', undefined)
    } catch (error) {
      if (error instanceof CatalogueCorrupt) throw error
      const text = `the catalogue cannot be written: ${(error as Error).message}`
      health.report('heartbeat', databaseProblem(text))
    }
  }
}
