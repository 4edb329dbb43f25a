/** Decides with which stamp the change of a directory is stored, and when it is read again. */
import type { DirectoryChange } from '../../catalogue/updates/change.ts'
import type { DirectorySnapshot } from '../read/directory-snapshot.ts'
import type { IndexerContext } from '../state/context.ts'
import type { Comparison } from './directory-parts.ts'
import { filesOf } from './directory-parts.ts'

/**
 * A walk takes the first stamp of a directory that is older than this (µs) for sure, because a
 * first scan must not read a million names twice. Only the mtime counts: the ctime of all
 * directories is young after an archive was copied.
 */
const oldUs = 86_400e6

export interface ReadDirectory {
  readonly snapshot: DirectorySnapshot
  /** True if a walk has read the directory; the walk visits the subdirectories itself. */
  readonly walked: boolean
  /** Time at which the read was requested, on the steady clock (ms). */
  readonly requestedMs: number
  /** True if the catalogue holds nothing of the directory (see `emptyAmong` of the writer). */
  readonly isEmpty?: boolean
}

type JudgeContext = Pick<IndexerContext, 'stamps' | 'silentFileSystems' | 'dirty' | 'nowUs'>

/**
 * Returns the change of a directory with its stamp if that is sure (see `SureStamps`); otherwise
 * the directory is read again. Without anything to store, returns `undefined`.
 */
export function judgeStamp(
  { stamps, silentFileSystems, dirty, nowUs }: JudgeContext,
  { snapshot, walked, requestedMs }: ReadDirectory,
  { change, known }: Comparison,
): DirectoryChange | undefined {
  const { path, stamp, device } = snapshot
  const isOld = walked && stamp !== undefined && nowUs() - stamp.mtimeUs > oldUs
  const nowMs = performance.now()
  const judged = stamps.judge(path, { stamp, stored: known?.stamp, requestedMs, nowMs, isOld })
  if (stamp !== undefined && device !== undefined) {
    if (judged.isSilent) silentFileSystems.add(device, { path, stamp })
    const begunUs = nowUs() - (nowMs - requestedMs) * 1000
    silentFileSystems.seen(device, { path, stamp }, { us: begunUs, steadyMs: requestedMs })
  }
  if (judged.againMs !== undefined) dirty.add(path, judged.againMs)
  if (change === undefined || (judged.isRepeated && filesOf(change) === 0)) return undefined
  return { ...change, stamp: judged.stamp }
}
