/**
 * Decides which part of the change of a directory may be applied now: complete files, and removals
 * that the deletion guard permits.
 */
import type { DirectoryChange, ModifiedFile, NewFile } from '../../catalogue/updates/change.ts'
import { joinPath } from '../../parse/layout.ts'
import { permittedRemovals, reportWithheld } from '../guard/removals.ts'
import type { DirectorySnapshot } from '../read/directory-snapshot.ts'
import type { IndexerContext } from '../state/context.ts'
import type { Settling } from '../state/settling.ts'
import type { Sight } from './arrival.ts'
import { arrivalOf, notChangedUs } from './arrival.ts'
import type { Candidate, Outcomes } from './examination.ts'
import { examine } from './examination.ts'

type AcceptanceContext = Pick<
  IndexerContext,
  | 'writer'
  | 'layout'
  | 'tree'
  | 'settling'
  | 'unreadFiles'
  | 'deletionGuard'
  | 'purgedAfterDays'
  | 'health'
  | 'fileFaults'
  | 'nowUs'
>

interface Accepted {
  /** The part of the change that may be applied now. */
  readonly change: DirectoryChange
  /** Delay until the directory is read again (ms); `undefined` when no file settles. */
  readonly retryMs: number | undefined
  /** True if files are accepted that were read to their end. */
  readonly isAnyRead: boolean
}

/** The read of a directory that accept judges. */
interface SightedSnapshot {
  readonly snapshot: DirectorySnapshot
  readonly sight: Sight
}

/**
 * Decides which part of a directory's change may be applied now: files that are complete, and
 * removals that the deletion guard permits; if there are any, all changes accepted before must be
 * written. If a part is left out, the directory keeps no stamp, so the next sweep finds it again.
 */
export async function accept(
  context: AcceptanceContext,
  { snapshot, sight: seen }: SightedSnapshot,
  change: DirectoryChange,
): Promise<Accepted> {
  const { nowUs, deletionGuard } = context
  // While files of the directory wait to be read, the first read counts that found some of them.
  const sight = { ...seen, ...context.unreadFiles.directory(snapshot.path) }
  const candidates = [...change.added, ...change.modified]
  if (snapshot.outcome !== 'unreadable')
    stopWaitingForOthers(context.settling, snapshot, candidates)
  const modified = new Set<NewFile>(change.modified)
  const notThereUs = (file: NewFile): number | undefined =>
    modified.has(file) ? notChangedUs(file, sight) : sight.notThereUs
  const found = { candidates, notThereUs, sinceUs: sight.notThereUs }
  const { outcomes, retryMs, isWhole } = await examine(context, snapshot.path, found)
  const arriving = <File extends NewFile | ModifiedFile>(files: readonly File[]) =>
    withArrivals(keepAccepted(files, outcomes), (file) => {
      const settled = outcomes.get(file.name)
      const since = settled === undefined ? notThereUs(file) : settled.notThereUs
      return arrivalOf(file.mtimeUs, { notThereUs: since, foundUs: sight.foundUs })
    })
  const removed = await permittedRemovals(context, snapshot.outcome, change)
  // A directory that cannot be read may still lack files, so its removals stay withheld.
  const accepted = snapshot.outcome !== 'unreadable' && removed.length === change.removed.length
  reportWithheld(context)
  const sinceMs = accepted ? undefined : deletionGuard.withheldSinceMs(change.path)
  return {
    change: {
      ...change,
      added: arriving(change.added),
      modified: arriving(change.modified),
      // On the wall clock, so that later processes can use it.
      withheldSinceUs: sinceMs && Math.round(nowUs() - (performance.now() - sinceMs) * 1000),
      removed,
      gone: change.gone && accepted,
      stamp: isWhole && accepted ? change.stamp : undefined,
    },
    retryMs,
    isAnyRead: [...outcomes.values()].some((outcome) => outcome !== undefined),
  }
}

/**
 * Ends the settling of files that are no longer candidates, because they equal their record or no
 * longer exist.
 */
function stopWaitingForOthers(
  settling: Settling,
  snapshot: DirectorySnapshot,
  candidates: readonly Candidate[],
): void {
  const waiting = settling.namesIn(snapshot.path)
  if (waiting.length === 0) return
  const current = new Set(candidates.map(({ name }) => name))
  for (const name of waiting) if (!current.has(name)) settling.delete(joinPath(snapshot.path, name))
}

/**
 * Drops the candidates that are not accepted, and gives the others the size and mtime that they had
 * when they were examined.
 */
function keepAccepted<File extends { readonly name: string }>(
  files: readonly File[],
  outcomes: Outcomes,
): readonly File[] {
  if (outcomes.size === 0) return files
  const kept: File[] = []
  for (const file of files) {
    const facts = outcomes.get(file.name)
    if (facts !== undefined) {
      const { size, mtimeUs, incomplete, disguised } = facts
      kept.push({ ...file, size, mtimeUs, incomplete, disguised })
    } else if (!outcomes.has(file.name)) kept.push(file)
  }
  return kept
}

/** Gives each file the time of its arrival, if that was seen. */
function withArrivals<File extends NewFile | ModifiedFile>(
  files: readonly File[],
  arrivalUs: (file: File) => number | undefined,
): readonly File[] {
  return files.map((file) => {
    const us = arrivalUs(file)
    return us === undefined ? file : { ...file, arrivalUs: us }
  })
}
