/** Makes the status from the reply of the indexer and the summary of the catalogue. */
import type Type from 'typebox'
import type { CatalogueSummary, ScanSummary } from '../../catalogue/records.ts'
import type { StatusReply } from '../../control-socket/client.ts'
import type { IndexerProblem, IndexerStatus, ScanProgress } from '../../control-socket/protocol.ts'
import { microsecondsToIso } from '../files/serialise.ts'
import type { statusSchema } from './schema.ts'

export type WireStatus = Type.Static<typeof statusSchema>

/** The part of the status that needs only the catalogue and the indexer. */
export type CommonStatus = Omit<WireStatus, 'unserved'>

/**
 * Describes the status. If the indexer does not answer, it may still run, so the state is
 * `degraded`, with the reason.
 */
export function describeStatus(
  summary: CatalogueSummary,
  reply: StatusReply,
  version: string,
): CommonStatus {
  const unknown = reply?.state === 'unknown' ? reply : undefined
  const indexer = reply?.state === 'unknown' ? undefined : reply
  const lastScan = indexer?.lastScan ?? summary.lastScan
  const { areas, rejected, misplaced, incomplete, head } = summary
  return {
    state: unknown === undefined ? (indexer?.state ?? 'stopped') : 'degraded',
    since: timeOrNull(indexer?.sinceUs),
    reasons: problemsOf(reply).map(({ text }) => text),
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

/** Returns the problems for which the state is `degraded`. */
export function problemsOf(reply: StatusReply): readonly IndexerProblem[] {
  if (reply?.state !== 'unknown') return reply?.problems ?? []
  const advice =
    'Check that the indexer runs, and that the API has permission to open its control socket.'
  return [{ text: reply.reason, advice }]
}

function watchCounts({ watching }: IndexerStatus) {
  return {
    directories: watching.directories,
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

/** Returns an upper bound of the number of files that are still to be hashed. */
export function filesToHash(
  { checksums, areas }: CatalogueSummary,
  { hashing }: IndexerStatus,
): number {
  if (hashing === undefined) return 0
  return hashing.all ? areas.obs.files + areas.nrt.files - checksums.files : hashing.behind
}

function checksumCounts(summary: CatalogueSummary, indexer: IndexerStatus | undefined) {
  const { files, broken } = summary.checksums
  return {
    files,
    waiting: indexer === undefined ? null : filesToHash(summary, indexer),
    broken: { count: broken.count, examples: broken.examples },
  }
}

function scanProgress(scan: ScanProgress) {
  return {
    started: microsecondsToIso(scan.startedUs),
    directories_done: scan.directoriesDone,
    directories_found: scan.directoriesFound,
    files: scan.files,
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
