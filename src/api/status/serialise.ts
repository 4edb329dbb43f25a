/** Makes the status from the reply of the indexer and the summary of the catalogue. */
import type { CatalogueSummary, RejectionCount } from '../../catalogue/questions/summary.ts'
import type { ScanSummary } from '../../catalogue/records.ts'
import type { StatusReply } from '../../control-socket/client.ts'
import type { IndexerProblem, IndexerStatus, ScanProgress } from '../../control-socket/protocol.ts'
import { dayToIso, isoOrNull, microsecondsToIso, momentOrNull } from '../../parse/calendar.ts'
import type { RecentFlags } from '../../series/flags.ts'
import { filesToHash } from '../archive/service-lines.ts'
import type { UnservedFiles } from '../downloads/unserved-files.ts'
import type { Static } from '../openapi/schema.ts'
import type { statusSchema } from './schema.ts'

export type WireStatus = Static<typeof statusSchema>

/** The part of the status that needs only the catalogue and the indexer. */
export type CommonStatus = Omit<WireStatus, 'unserved' | 'disks'>

interface StatusOptions {
  /** The release of this process. */
  readonly version: string
  /** `undefined` while it is not known. */
  readonly recent?: RecentFlags | undefined
  /** False if the paths of files with problems are not public. */
  readonly withPaths?: boolean
}

export function serialiseStatus(
  summary: CatalogueSummary,
  reply: StatusReply,
  { version, recent, withPaths = true }: StatusOptions,
): CommonStatus {
  const filesOf = ({ count, examples }: RejectionCount) => ({
    count,
    examples: withPaths ? examples : [],
  })
  const indexer = reply?.state === 'unknown' ? undefined : reply
  const lastScan = indexer?.lastScan ?? summary.lastScan
  const { areas, rejected, misplaced, unclearPaths, incomplete, disguised, checksums, head } =
    summary
  return {
    state: reply?.state === 'unknown' ? 'degraded' : (reply?.state ?? 'stopped'),
    since: momentOrNull(indexer?.sinceUs),
    reasons: problemsOf(reply).map(({ text }) => text),
    indexer: indexer ? processOf(indexer) : null,
    scan: indexer?.scan ? scanProgress(indexer.scan) : null,
    last_scan: lastScan ? scanSummary(lastScan) : null,
    last_sweep: momentOrNull(indexer?.lastSweepUs),
    as_of: isoOrNull(head.asOf && Math.floor(head.asOf.atUs / 1e6)),
    dirty_directories: indexer?.dirtyDirectories ?? null,
    watching: indexer?.watching ?? null,
    settling_files: indexer?.settlingFiles ?? null,
    held_removals: indexer?.withheldRemovals ?? null,
    rescans: indexer ? rescansOf(indexer) : null,
    areas,
    newest_file: momentOrNull(newestOf(summary)),
    rejected: rejected.map((each) => ({ reason: each.reason, ...filesOf(each) })),
    misplaced,
    unclear_paths: unclearPaths,
    incomplete: filesOf(incomplete),
    disguised: filesOf(disguised),
    checksums: {
      files: checksums.files,
      facts: checksums.facts,
      waiting: indexer ? filesToHash(summary, indexer) : null,
      broken: filesOf(checksums.broken),
    },
    flagged: recent ? flaggedOf(recent) : null,
    seq: head.seq,
    epoch: head.epoch,
    version,
  }
}

function flaggedOf({ fromDay, toDay, files, flags }: RecentFlags) {
  return { from: dayToIso(fromDay), to: dayToIso(toDay), files, flags }
}

/** Maximum number of files that could not be served. */
const maxUnserved = 10

/** @param withPaths as for the whole status */
export function serialiseUnserved(
  files: UnservedFiles,
  withPaths: boolean,
): WireStatus['unserved'] {
  const latest = files
    .files()
    .slice(0, withPaths ? maxUnserved : 0)
    .map(({ path, reason, sinceUs }) => ({ path, reason, at: microsecondsToIso(sinceUs) }))
  return { count: files.count, latest }
}

function processOf({ pid, version, hosts }: IndexerStatus) {
  return { pid, version, host: hosts?.active ?? null, waiting: hosts?.waiting ?? [] }
}

/** Returns the problems for which the state is `degraded`. */
export function problemsOf(reply: StatusReply): readonly IndexerProblem[] {
  if (reply?.state !== 'unknown') return reply?.problems ?? []
  const advice =
    'Check that the indexer runs, and that the API has permission to ask it: to open its control socket, or to add a row to the table `request` of the database.'
  return [{ text: reply.reason, advice }]
}

function rescansOf({ rescans: { running, waiting, done }, endedRescans }: IndexerStatus) {
  return {
    running: running ?? null,
    waiting: waiting ?? null,
    done,
    ended: endedRescans.map((rescan) => ({
      rescan: rescan.number,
      paths: rescan.paths,
      path_count: rescan.pathCount,
      accepted_removals: rescan.acceptedRemovals,
      started: microsecondsToIso(rescan.startedUs),
      ended: microsecondsToIso(rescan.endedUs),
      added: rescan.added,
      modified: rescan.modified,
      removed: rescan.removed,
      problem: rescan.problem,
    })),
  }
}

/** Time of the newest record; `undefined` without files. */
function newestOf({ newest }: CatalogueSummary): number | undefined {
  const times = newest.map(({ createdUs }) => createdUs)
  return times.length === 0 ? undefined : Math.max(...times)
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

function scanSummary({ startedUs, endedUs, ...counts }: ScanSummary) {
  return { started: microsecondsToIso(startedUs), ended: microsecondsToIso(endedUs), ...counts }
}
