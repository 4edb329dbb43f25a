import type { IndexerStatus } from '../../../src/control-socket/protocol.ts'
import { startUs } from '../service.ts'

const bounds = [1, 60, 3600]

/** The status of an indexer that watches, with all figures. */
export const watchingIndexer: IndexerStatus = {
  state: 'watching',
  sinceUs: startUs,
  reasons: [],
  notCurrent: undefined,
  pid: 4711,
  version: '1.2.4',
  scan: undefined,
  lastScan: undefined,
  lastSweepUs: 2_000_000,
  dirtyDirectories: 1,
  watching: { directories: 3, limit: 99, overflows: 0 },
  settlingFiles: 4,
  withheldRemovals: 5,
  rescans: { running: undefined, waiting: undefined, done: 1 },
  hashing: { all: false, behind: 6 },
  figures: {
    startedUs: 1_000_000,
    residentBytes: 7000,
    cpuSeconds: 8.5,
    eventLoopDelay: { p50: 0.001, p99: 0.002, max: 0.003 },
    changes: { created: 9, modified: 10, removed: 11 },
    listingLatency: {
      bounds,
      areas: {
        obs: { counts: [0, 0, 0, 0], sum: 0 },
        nrt: { counts: [1, 2, 0, 3], sum: 12_000.5 },
      },
    },
    lastFullReadUs: 3_000_000,
    backup: { outcome: 'kept', atUs: 4_000_000 },
  },
}
