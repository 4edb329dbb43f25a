/**
 * The metrics of the indexer in the text format of Prometheus; counters begin at the start of the
 * process.
 */
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { AppliedChange, DirectoryChange } from '../../catalogue/updates/change.ts'
import type { BackupOutcome } from '../../catalogue/updates/writer.ts'
import type { IndexerStatus } from '../../control-socket/protocol.ts'
import type { Layout } from '../../parse/layout.ts'
import type { Clock } from '../../runtime/clock.ts'
import { EventLoopDelays } from './event-loop-delays.ts'

/** Upper bounds of the histogram of listing latencies, in seconds. */
const latencyBounds = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 21_600, 86_400]
const states = ['starting', 'scanning', 'watching', 'degraded'] as const

/** Each indexer has its own registry, because tests run several in one process. */
export class IndexerMetrics {
  readonly #nowUs: Clock
  readonly #layout: Pick<Layout, 'areas' | 'areaOf'>
  readonly #registry = new Registry()
  readonly #delays = new EventLoopDelays()
  #lastFullReadUs: number | undefined
  #backup: { readonly isGood: boolean; readonly atUs: number } | undefined
  readonly #changes = new Counter({
    name: 'rinex_indexer_changes_total',
    help: 'Changes of records since the start of the indexer.',
    labelNames: ['change'],
    registers: [this.#registry],
  })
  readonly #latency = new Histogram({
    name: 'rinex_indexer_listing_latency_seconds',
    help: 'Seconds from the arrival of a file to its record.',
    labelNames: ['area'],
    buckets: latencyBounds,
    registers: [this.#registry],
  })
  readonly #state = new Gauge({
    name: 'rinex_indexer_state',
    help: '1 for the state of the indexer, 0 for the others.',
    labelNames: ['state'],
    registers: [this.#registry],
  })
  readonly #cpuSeconds = new Counter({
    name: 'rinex_indexer_cpu_seconds_total',
    help: 'User and system CPU time of the indexer, without the hash process.',
    registers: [this.#registry],
  })

  constructor(nowUs: Clock, layout: Pick<Layout, 'areas' | 'areaOf'>) {
    this.#nowUs = nowUs
    this.#layout = layout
    for (const change of ['created', 'modified', 'removed']) this.#changes.inc({ change }, 0)
    for (const area of layout.areas) this.#latency.zero({ area })
  }

  /**
   * Counts the changes of a transaction, and the listing latency of new files whose arrival was
   * seen.
   */
  applied(applied: AppliedChange, directories: readonly DirectoryChange[]): void {
    // A removed file that comes back counts as created.
    this.#changes.inc({ change: 'created' }, applied.added)
    this.#changes.inc({ change: 'modified' }, applied.modified)
    this.#changes.inc({ change: 'removed' }, applied.removed)
    const nowUs = this.#nowUs()
    for (const { path, added } of directories) {
      const area = this.#layout.areaOf(path) ?? ''
      for (const { arrivalUs } of added)
        if (arrivalUs !== undefined)
          this.#latency.observe({ area }, Math.max(0, nowUs - arrivalUs) / 1e6)
    }
  }

  /** Stores the present time as the time at which size and mtime of every file had been read. */
  fullyRead(): void {
    this.#lastFullReadUs = this.#nowUs()
  }

  /** Stores the result of a backup. */
  backedUp(outcome: BackupOutcome['outcome'] | 'failed'): void {
    const isGood = outcome === 'kept' || outcome === 'unneeded'
    this.#backup = { isGood, atUs: this.#nowUs() }
  }

  async text(status: IndexerStatus): Promise<string> {
    for (const state of states) this.#state.set({ state }, Number(state === status.state))
    const { user, system } = process.cpuUsage()
    this.#cpuSeconds.reset()
    this.#cpuSeconds.inc((user + system) / 1e6)
    // These gauges hold no state, so they are made anew.
    const registry = new Registry()
    for (const [name, [value, help]] of Object.entries(this.#gauges(status))) {
      const gauge = new Gauge({ name: `rinex_indexer_${name}`, help, registers: [registry] })
      if (typeof value === 'number') gauge.set(value)
      else gauge.remove()
    }
    return (await this.#registry.metrics()) + (await registry.metrics())
  }

  /** Returns the gauges without labels; one without a value is left out. */
  #gauges(status: IndexerStatus): Record<string, [number | null | undefined, help: string]> {
    const { state, problems, watching, scan } = status
    const delay = this.#delays.lastMinute()
    const backup = this.#backup
    const of = 'of the event loop of the indexer in the last minute.'
    return {
      degraded: [Number(state === 'degraded'), '1 if the indexer is degraded, else 0.'],
      problems: [problems.length, 'Problems that make the indexer degraded.'],
      dirty_directories: [status.dirtyDirectories, 'Directories to be reconciled.'],
      settling_files: [status.settlingFiles, 'Young files that are not complete yet.'],
      held_removals: [status.withheldRemovals, 'Removals withheld by the deletion guard.'],
      watches: [watching.directories, 'Directories that are watched.'],
      watch_limit: [watching.limit, 'Maximum watches of this system.'],
      event_overflows: [watching.overflows, 'Times that file events were lost.'],
      scan_done_ratio: [scan?.done, 'Completed fraction of the running scan, 0 to 1.'],
      last_sweep_timestamp_seconds: [
        toSeconds(status.lastSweepUs),
        'End of the last sweep over all directories.',
      ],
      last_full_read_timestamp_seconds: [
        toSeconds(this.#lastFullReadUs),
        'Time at which size and mtime of every file had been read once more.',
      ],
      backup_success: [
        backup && Number(backup.isGood),
        '1 if the last backup was made or not needed, 0 if it failed or was skipped.',
      ],
      backup_check_timestamp_seconds: [
        toSeconds(backup?.atUs),
        'Time of the last check whether a backup is needed.',
      ],
      start_time_seconds: [toSeconds(status.startedUs), 'Start of the indexer process.'],
      resident_memory_bytes: [
        process.memoryUsage.rss(),
        'Resident memory of the indexer, without the hash process.',
      ],
      event_loop_delay_p50_seconds: [delay.p50, `Median delay ${of}`],
      event_loop_delay_p99_seconds: [delay.p99, `99th percentile of the delay ${of}`],
      event_loop_delay_max_seconds: [delay.max, `Longest delay ${of}`],
    }
  }

  close(): void {
    this.#delays.close()
  }
}

function toSeconds(us: number | undefined): number | undefined {
  return us === undefined ? undefined : us / 1e6
}
