/** Figures of the indexer process for monitoring; counters begin at its start. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { ELDHistogram } from 'node:perf_hooks'
import type { AppliedChange, BackupOutcome, DirectoryChange } from '../catalogue/writer.ts'
import type { EventLoopDelay, IndexerFigures, LatencyCounts } from '../control-socket/protocol.ts'
import { areas } from '../parse/archive-path.ts'
import type { Area } from '../parse/archive-path.ts'

export interface Figures {
  /** Counts the changes of a transaction, and the listing latency of new files whose arrival was seen. */
  applied(applied: AppliedChange, changes: readonly DirectoryChange[]): void
  /** Stores the present time as the time at which size and mtime of every file had been read. */
  fullyRead(): void
  /** Stores the result of a backup. */
  backedUp(outcome: BackupOutcome['outcome'] | 'failed'): void
  status(): IndexerFigures
  close(): void
}

/** Upper bounds of the histogram of listing latencies, in seconds. */
const latencyBounds = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 21_600, 86_400]

/** @param nowUs the clock: microseconds since 1970 */
export function openFigures({ nowUs }: { readonly nowUs: () => number }): Figures {
  const startedUs = nowUs() - process.uptime() * 1e6
  const changes = { created: 0, modified: 0, removed: 0 }
  const latencies = { obs: openLatencies(), nrt: openLatencies() }
  const delays = openDelays()
  let lastFullReadUs: number | undefined
  let backup: IndexerFigures['backup']
  return {
    applied(applied, directories) {
      changes.created += applied.added
      changes.modified += applied.modified
      changes.removed += applied.removed
      const now = nowUs()
      for (const { path, arrived, added } of directories) {
        if (!arrived) continue
        const counts = latencies[path.slice(0, 3) as Area]
        for (const { mtimeUs } of added)
          if (mtimeUs !== undefined) counts.add(Math.max(0, now - mtimeUs) / 1e6)
      }
    },
    fullyRead() {
      lastFullReadUs = nowUs()
    },
    backedUp(outcome) {
      backup = { outcome, atUs: nowUs() }
    },
    status() {
      const { user, system } = process.cpuUsage()
      return {
        startedUs: Math.round(startedUs),
        residentBytes: process.memoryUsage.rss(),
        cpuSeconds: (user + system) / 1e6,
        eventLoopDelay: delays.lastMinute(),
        changes: { ...changes },
        listingLatency: {
          bounds: latencyBounds,
          areas: Object.fromEntries(
            areas.map((area) => [area, latencies[area].counts()]),
          ) as Record<Area, LatencyCounts>,
        },
        lastFullReadUs,
        backup,
      }
    },
    close() {
      delays.close()
    },
  }
}

/** Counts latencies in seconds by class; the last class has no upper bound. */
function openLatencies() {
  const counts = Array.from({ length: latencyBounds.length + 1 }, () => 0)
  let sum = 0
  return {
    add(seconds: number): void {
      const found = latencyBounds.findIndex((bound) => seconds <= bound)
      const index = found === -1 ? latencyBounds.length : found
      counts[index] = (counts[index] ?? 0) + 1
      sum += seconds
    },
    counts: (): LatencyCounts => ({ counts: [...counts], sum }),
  }
}

const minuteMs = 60_000
/** Interval of the timer whose delay is measured (ms). Node's histogram contains it, so it is subtracted. */
const resolutionMs = 50

/** Measures the delay of the event loop minute by minute, so that several readers get the same figures. */
function openDelays() {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
  histogram.enable()
  let last: EventLoopDelay | undefined
  const timer = setInterval(() => {
    last = delayOf(histogram)
    histogram.reset()
  }, minuteMs).unref()
  return {
    /** Returns the delays in the last complete minute; before the first minute has ended, the delays since the start. */
    lastMinute: (): EventLoopDelay => last ?? delayOf(histogram),
    close(): void {
      clearInterval(timer)
      histogram.disable()
    },
  }
}

function delayOf(histogram: ELDHistogram): EventLoopDelay {
  const seconds = (nanoseconds: number): number =>
    Math.max(0, nanoseconds / 1e9 - resolutionMs / 1000)
  return {
    p50: seconds(histogram.percentile(50)),
    p99: seconds(histogram.percentile(99)),
    max: seconds(histogram.max),
  }
}
