/** Metrics of the indexer. It has no network, so it reports them on its control socket. */
import { Counter, Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import type { CatalogueSummary } from '../../catalogue/records.ts'
import type { IndexerFigures, IndexerStatus } from '../../control-socket/protocol.ts'
import { filesToHash } from './serialise.ts'

/** A metric without labels. It has no value if `valueOf` returns `undefined` or null. */
type Metric = readonly [
  name: string,
  help: string,
  valueOf: (
    status: IndexerStatus,
    figures: IndexerFigures | undefined,
  ) => number | null | undefined,
]

const gauges: readonly Metric[] = [
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
    ({ lastSweepUs }) => toSeconds(lastSweepUs),
  ],
  [
    'last_full_read_timestamp_seconds',
    'Time at which size and mtime of every file had been read once more.',
    (_status, figures) => toSeconds(figures?.lastFullReadUs),
  ],
  [
    'backup_success',
    '1 if the last backup was made or not needed, 0 if it failed or was skipped.',
    (_status, figures) => backupSuccess(figures),
  ],
  [
    'backup_check_timestamp_seconds',
    'Time of the last check whether a backup is needed.',
    (_status, figures) => toSeconds(figures?.backup?.atUs),
  ],
  [
    'start_time_seconds',
    'Start of the indexer process.',
    (_status, figures) => toSeconds(figures?.startedUs),
  ],
  [
    'resident_memory_bytes',
    'Resident memory of the indexer, without the hash process.',
    (_status, figures) => figures?.residentBytes,
  ],
  [
    'event_loop_delay_p50_seconds',
    'Median delay of the event loop of the indexer in the last minute.',
    (_status, figures) => figures?.eventLoopDelay.p50,
  ],
  [
    'event_loop_delay_p99_seconds',
    '99th percentile of the delay of the event loop of the indexer in the last minute.',
    (_status, figures) => figures?.eventLoopDelay.p99,
  ],
  [
    'event_loop_delay_max_seconds',
    'Longest delay of the event loop of the indexer in the last minute.',
    (_status, figures) => figures?.eventLoopDelay.max,
  ],
]

const counters: readonly Metric[] = [
  [
    'cpu_seconds_total',
    'User and system CPU time of the indexer, without the hash process.',
    (_status, figures) => figures?.cpuSeconds,
  ],
]

/**
 * @returns a function that updates the metrics, and returns as text the metrics that the library cannot hold. While the indexer
 * does not answer, only `rinex_indexer_up` has a value.
 */
export function indexerMetrics(
  registry: Registry,
): (status: IndexerStatus | undefined, summary: CatalogueSummary | undefined) => string {
  const up = new Gauge({
    name: 'rinex_indexer_up',
    help: '1 if the indexer answers, else 0.',
    registers: [registry],
  })
  const single = singleMetrics(registry)
  const labelled = labelledMetrics(registry)
  const waiting = new Gauge({
    name: 'rinex_indexer_checksums_waiting',
    help: 'Upper bound of the files still to be hashed.',
    registers: [registry],
  })
  return (status, summary) => {
    up.set(Number(status !== undefined))
    single(status)
    labelled(status)
    if (status === undefined || summary === undefined) waiting.remove()
    else waiting.set(filesToHash(summary, status))
    return status?.figures === undefined ? '' : latencyText(status.figures.listingLatency)
  }
}

function singleMetrics(registry: Registry): (status: IndexerStatus | undefined) => void {
  const open = ([name, help, valueOf]: Metric, Class: typeof Gauge | typeof Counter) => ({
    metric: new Class({ name: `rinex_indexer_${name}`, help, registers: [registry] }),
    valueOf,
  })
  const all = [
    ...gauges.map((metric) => open(metric, Gauge)),
    ...counters.map((metric) => open(metric, Counter)),
  ]
  return (status) => {
    for (const { metric, valueOf } of all) {
      const value = status === undefined ? undefined : valueOf(status, status.figures)
      metric.remove()
      if (typeof value === 'number') metric.inc(value)
    }
  }
}

const states = ['starting', 'scanning', 'watching', 'degraded'] as const

function labelledMetrics(registry: Registry): (status: IndexerStatus | undefined) => void {
  const registers = [registry]
  const state = new Gauge({
    name: 'rinex_indexer_state',
    help: '1 for the state of the indexer, 0 for the others.',
    labelNames: ['state'],
    registers,
  })
  const changes = new Counter({
    name: 'rinex_indexer_changes_total',
    help: 'Changes of records since the start of the indexer.',
    labelNames: ['change'],
    registers,
  })
  return (status) => {
    state.reset()
    changes.reset()
    if (status === undefined) return
    for (const each of states) state.set({ state: each }, Number(each === status.state))
    if (status.figures === undefined) return
    for (const [change, count] of Object.entries(status.figures.changes))
      changes.inc({ change }, count)
  }
}

/** Writes the histogram as text, because the library cannot set its counts. */
function latencyText({ bounds, areas }: IndexerFigures['listingLatency']): string {
  const name = 'rinex_indexer_listing_latency_seconds'
  const lines = Object.entries(areas).flatMap(([area, { counts, sum }]) => {
    let total = 0
    const buckets = [...bounds, Infinity].map((bound, index) => {
      total += counts[index] ?? 0
      const le = bound === Infinity ? '+Inf' : bound
      return `${name}_bucket{area="${area}",le="${le}"} ${total}`
    })
    return [
      ...buckets,
      `${name}_sum{area="${area}"} ${sum}`,
      `${name}_count{area="${area}"} ${total}`,
    ]
  })
  return [
    '',
    `# HELP ${name} Seconds from the mtime of an arriving file to its record.`,
    `# TYPE ${name} histogram`,
    ...lines,
    '',
  ].join('\n')
}

function backupSuccess(figures: IndexerFigures | undefined): number | undefined {
  const outcome = figures?.backup?.outcome
  return outcome && Number(outcome === 'kept' || outcome === 'unneeded')
}

function toSeconds(us: number | undefined): number | undefined {
  return us === undefined ? undefined : us / 1e6
}
