/** What the service says of itself: the indexer's own words, and what the catalogue knows without it. */
import type { Area } from '../../parse/archive-path.ts'
import type { CatalogueSummary, RejectionCount, ScanSummary } from '../../catalogue/records.ts'
import type { StatusReply } from '../../control/client.ts'
import type { IndexerState, IndexerStatus, ScanProgress } from '../../control/protocol.ts'
import { microsecondsToIso } from '../files/serialise.ts'
import type { WireMissingFiles } from '../downloads/missing-files.ts'

/** What the API knows besides: its own part in it. */
export interface WireStatus extends CommonStatus {
  readonly unserved: WireMissingFiles
}

/** What everybody can tell who has the catalogue and asks the indexer. */
export interface CommonStatus {
  readonly state: IndexerState
  readonly since: string | null
  readonly reasons: readonly string[]
  readonly indexer: { readonly pid: number; readonly version: string } | null
  readonly scan: ReturnType<typeof scanProgress> | null
  readonly last_scan: ReturnType<typeof scanSummary> | null
  readonly last_sweep: string | null
  /** Null while nobody knows. */
  readonly dirty_directories: number | null
  readonly watching: ReturnType<typeof watchCounts> | null
  readonly settling_files: number | null
  readonly held_removals: number | null
  readonly rescans: ReturnType<typeof rescanNumbers> | null
  readonly areas: Readonly<Record<Area, { files: number; directories: number }>>
  readonly rejected: readonly RejectionCount[]
  readonly misplaced: number
  readonly incomplete: { readonly count: number; readonly examples: readonly string[] }
  readonly checksums: ReturnType<typeof checksumCounts>
  readonly seq: number
  readonly epoch: string
  /** Release of who answers. */
  readonly version: string
}

/** Of an indexer that cannot be asked nobody knows that it is stopped: it is `degraded`, and the reason says why. */
export function describeStatus(
  summary: CatalogueSummary,
  asked: StatusReply,
  version: string,
): CommonStatus {
  const unknown = asked?.state === 'unknown' ? asked : undefined
  const indexer = asked?.state === 'unknown' ? undefined : asked
  const lastScan = indexer?.lastScan ?? summary.lastScan
  const { areas, rejected, misplaced, incomplete, head } = summary
  return {
    state: unknown === undefined ? (indexer?.state ?? 'stopped') : 'degraded',
    since: timeOrNull(indexer?.sinceUs),
    reasons: unknown === undefined ? (indexer?.reasons ?? []) : [unknown.reason],
    indexer: indexer === undefined ? null : { pid: indexer.pid, version: indexer.version },
    scan: indexer?.scan === undefined ? null : scanProgress(indexer.scan),
    last_scan: lastScan === undefined ? null : scanSummary(lastScan),
    last_sweep: timeOrNull(indexer?.lastSweepUs),
    dirty_directories: indexer?.dirtyDirectories ?? null,
    watching: indexer === undefined ? null : watchCounts(indexer),
    settling_files: indexer?.settlingFiles ?? null,
    held_removals: indexer?.withheldRemovals ?? null,
    rescans: indexer === undefined ? null : rescanNumbers(indexer),
    areas,
    rejected,
    misplaced,
    incomplete: { count: incomplete.count, examples: incomplete.examples },
    checksums: checksumCounts(summary, indexer),
    seq: head.seq,
    epoch: head.epoch,
    version,
  }
}

function watchCounts({ watching }: IndexerStatus) {
  return {
    directories: watching.directories,
    /** What the kernel allows; null when it does not tell. */
    limit: watching.limit,
    overflows: watching.overflows,
  }
}

function rescanNumbers({ rescans }: IndexerStatus) {
  return {
    running: rescans.running ?? null,
    waiting: rescans.waiting ?? null,
    done: rescans.done,
  }
}

function checksumCounts(
  { checksums, areas }: CatalogueSummary,
  indexer: IndexerStatus | undefined,
) {
  const { files, broken } = checksums
  const hashing = indexer?.hashing
  const rest = areas.obs.files + areas.nrt.files - files
  return {
    files,
    /** Files that are still to be read, at most; null while nobody knows. */
    waiting: indexer === undefined ? null : hashing?.all === true ? rest : (hashing?.behind ?? 0),
    broken: { count: broken.count, examples: broken.examples },
  }
}

function scanProgress(scan: ScanProgress) {
  return {
    started: microsecondsToIso(scan.startedUs),
    directories_done: scan.directoriesDone,
    directories_found: scan.directoriesFound,
    files: scan.files,
    /** Share of the tree, 0 to 1. */
    done: scan.done,
    files_per_second: scan.rate,
    seconds_left: scan.secondsLeft ?? null,
  }
}

function scanSummary(scan: ScanSummary) {
  return {
    started: microsecondsToIso(scan.startedUs),
    ended: microsecondsToIso(scan.endedUs),
    directories: scan.directories,
    files: scan.files,
    added: scan.added,
    modified: scan.modified,
    removed: scan.removed,
  }
}

function timeOrNull(us: number | undefined): string | null {
  return us === undefined ? null : microsecondsToIso(us)
}
