/** The metrics of the indexer in the text format of Prometheus; counters begin at the start of the process. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { AppliedChange, BackupOutcome, DirectoryChange } from '../../catalogue/writer.ts'
import type { IndexerStatus } from '../../control-socket/protocol.ts'
import { areas } from '../../parse/archive-path.ts'

/** Upper bounds of the histogram of listing latencies, in seconds. */
const latencyBounds = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 21_600, 86_400]
const states = ['starting', 'scanning', 'watching', 'degraded'] as const

/** The gauges of the status; one without a value is left out. */
const statusGauges: readonly (readonly [
  name: string,
  help: string,
  valueOf: (status: IndexerStatus) => number | null | undefined,
])[] = [
  [
    'degraded',
    '1 if the indexer is degraded, else 0.',
    ({ state }) => Number(state === 'degraded'),
  ],
  ['problems', 'Problems that make the indexer degraded.', ({ reasons }) => reasons.length],
  ['dirty_directories', 'Directories to be reconciled.', (status) => status.dirtyDirectories],
  ['settling_files', 'Young files that are not complete yet.', (status) => status.settlingFiles],
  [
    'held_removals',
    'Removals withheld by the deletion guard.',
    (status) => status.withheldRemovals,
  ],
  ['watches', 'Directories that are watched.', ({ watching }) => watching.directories],
  ['watch_limit', 'Maximum watches of this system.', ({ watching }) => watching.limit],
  ['event_overflows', 'Times that file events were lost.', ({ watching }) => watching.overflows],
  ['scan_done_ratio', 'Completed fraction of the running scan, 0 to 1.', ({ scan }) => scan?.done],
  [
    'last_sweep_timestamp_seconds',
    'End of the last sweep over all directories.',
    ({ lastSweepUs }) => lastSweepUs && lastSweepUs / 1e6,
  ],
  [
    'start_time_seconds',
    'Start of the indexer process.',
    ({ startedUs }) => startedUs && startedUs / 1e6,
  ],
  [
    'resident_memory_bytes',
    'Resident memory of the indexer, without the hash process.',
    () => process.memoryUsage.rss(),
  ],
]

/** Each indexer has its own registry, because tests run several in one process. */
export class IndexerMetrics {
  readonly #nowUs: () => number
  readonly #registry = new Registry()
  readonly #delays = new EventLoopDelays()
  readonly #changes = new Counter({
    ...this.#named('changes_total', 'Changes of records since the start of the indexer.'),
    labelNames: ['change'],
  })
  readonly #latency = new Histogram({
    ...this.#named(
      'listing_latency_seconds',
      'Seconds from the mtime of an arriving file to its record.',
    ),
    labelNames: ['area'],
    buckets: latencyBounds,
  })
  readonly #state = new Gauge({
    ...this.#named('state', '1 for the state of the indexer, 0 for the others.'),
    labelNames: ['state'],
  })
  readonly #cpuSeconds = new Counter(
    this.#named(
      'cpu_seconds_total',
      'User and system CPU time of the indexer, without the hash process.',
    ),
  )
  readonly #lastFullRead = this.#gauge(
    'last_full_read_timestamp_seconds',
    'Time at which size and mtime of every file had been read once more.',
  )
  readonly #backupSuccess = this.#gauge(
    'backup_success',
    '1 if the last backup was made or not needed, 0 if it failed or was skipped.',
  )
  readonly #backupCheck = this.#gauge(
    'backup_check_timestamp_seconds',
    'Time of the last check whether a backup is needed.',
  )
  readonly #delayGauges = {
    p50: this.#gauge(
      'event_loop_delay_p50_seconds',
      'Median delay of the event loop of the indexer in the last minute.',
    ),
    p99: this.#gauge(
      'event_loop_delay_p99_seconds',
      '99th percentile of the delay of the event loop of the indexer in the last minute.',
    ),
    max: this.#gauge(
      'event_loop_delay_max_seconds',
      'Longest delay of the event loop of the indexer in the last minute.',
    ),
  }
  readonly #statusGauges = statusGauges.map(([name, help, valueOf]) => ({
    gauge: this.#gauge(name, help),
    valueOf,
  }))

  /** @param nowUs the clock: microseconds since 1970 */
  constructor(nowUs: () => number) {
    this.#nowUs = nowUs
    for (const change of ['created', 'modified', 'removed']) this.#changes.inc({ change }, 0)
    for (const area of areas) this.#latency.zero({ area })
  }

  #named(name: string, help: string) {
    return { name: `rinex_indexer_${name}`, help, registers: [this.#registry] }
  }

  /** Makes a gauge that has no value yet. */
  #gauge(name: string, help: string): Gauge {
    const gauge = new Gauge(this.#named(name, help))
    gauge.remove()
    return gauge
  }

  /** Counts the changes of a transaction, and the listing latency of new files whose arrival was seen. */
  applied(applied: AppliedChange, directories: readonly DirectoryChange[]): void {
    // A removed file that comes back counts as created.
    this.#changes.inc({ change: 'created' }, applied.added)
    this.#changes.inc({ change: 'modified' }, applied.modified)
    this.#changes.inc({ change: 'removed' }, applied.removed)
    const nowUs = this.#nowUs()
    for (const { path, arrived, added } of directories) {
      if (!arrived) continue
      const area = path.slice(0, 3)
      for (const { mtimeUs } of added)
        if (mtimeUs !== undefined)
          this.#latency.observe({ area }, Math.max(0, nowUs - mtimeUs) / 1e6)
    }
  }

  /** Stores the present time as the time at which size and mtime of every file had been read. */
  fullyRead(): void {
    this.#lastFullRead.set(this.#nowUs() / 1e6)
  }

  /** Stores the result of a backup. */
  backedUp(outcome: BackupOutcome['outcome'] | 'failed'): void {
    this.#backupSuccess.set(Number(outcome === 'kept' || outcome === 'unneeded'))
    this.#backupCheck.set(this.#nowUs() / 1e6)
  }

  text(status: IndexerStatus): Promise<string> {
    for (const state of states) this.#state.set({ state }, Number(state === status.state))
    for (const { gauge, valueOf } of this.#statusGauges) {
      const value = valueOf(status)
      if (typeof value === 'number') gauge.set(value)
      else gauge.remove()
    }
    const { user, system } = process.cpuUsage()
    this.#cpuSeconds.reset()
    this.#cpuSeconds.inc((user + system) / 1e6)
    const { p50, p99, max } = this.#delays.lastMinute()
    this.#delayGauges.p50.set(p50)
    this.#delayGauges.p99.set(p99)
    this.#delayGauges.max.set(max)
    return this.#registry.metrics()
  }

  close(): void {
    this.#delays.close()
  }
}

const minuteMs = 60_000
/** Interval of the timer whose delay is measured (ms). Node's histogram contains it, so it is subtracted. */
const resolutionMs = 50

/** Measures the delay of the event loop minute by minute, so that several readers get the same figures. */
class EventLoopDelays {
  readonly #histogram = monitorEventLoopDelay({ resolution: resolutionMs })
  readonly #timer: NodeJS.Timeout
  #last: Readonly<Record<'p50' | 'p99' | 'max', number>> | undefined

  constructor() {
    this.#histogram.enable()
    this.#timer = setInterval(() => {
      this.#last = this.#measured()
      this.#histogram.reset()
    }, minuteMs).unref()
  }

  /** Returns the delays in the last complete minute, in seconds; before its end, the delays since the start. */
  lastMinute() {
    return this.#last ?? this.#measured()
  }

  #measured() {
    const seconds = (nanoseconds: number): number =>
      Math.max(0, nanoseconds / 1e9 - resolutionMs / 1000)
    return {
      p50: seconds(this.#histogram.percentile(50)),
      p99: seconds(this.#histogram.percentile(99)),
      max: seconds(this.#histogram.max),
    }
  }

  close(): void {
    clearInterval(this.#timer)
    this.#histogram.disable()
  }
}
