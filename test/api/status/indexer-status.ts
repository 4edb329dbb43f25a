import type { IndexerStatus } from '../../../src/control-socket/protocol.ts'
import { IndexerMetrics } from '../../../src/indexer/state/metrics.ts'
import { defaultLayout } from '../../../src/parse/layout.ts'
import { startUs } from '../service.ts'

/** The status of an indexer that watches. */
export const watchingIndexer: IndexerStatus = {
  state: 'watching',
  sinceUs: startUs,
  problems: [],
  notCurrent: undefined,
  pid: 4711,
  startedUs: 1_000_000,
  version: '1.2.4',
  scan: undefined,
  lastScan: undefined,
  lastSweepUs: 2_000_000,
  dirtyDirectories: 1,
  watching: { directories: 3, limit: 99, overflows: 0 },
  settlingFiles: 4,
  withheldRemovals: 5,
  rescans: { running: undefined, waiting: undefined, done: 1 },
  endedRescans: [],
  hashing: { all: false, allFacts: false, behind: 6 },
}

/** The metrics that an indexer with this status sends, before any event. */
export async function metricsOfIndexer(status = watchingIndexer): Promise<string> {
  const metrics = new IndexerMetrics(() => startUs, defaultLayout)
  try {
    return await metrics.text(status)
  } finally {
    metrics.close()
  }
}
