/**
 * Decides which part of the change of a directory may be applied now: complete files, and removals
 * that the deletion guard permits.
 */
import type { DirectoryChange, ModifiedFile, NewFile } from '../../catalogue/updates/change.ts'
import type { Area } from '../../parse/archive-path.ts'
import { areaOf, areas } from '../../parse/archive-path.ts'
import type { PurgedAfterDays } from '../guard/expected-purge.ts'
import { isPurge } from '../guard/expected-purge.ts'
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
  | 'tree'
  | 'settling'
  | 'unreadFiles'
  | 'deletionGuard'
  | 'purgedAfterDays'
  | 'health'
  | 'fileFaults'
  | 'nowUs'
>

export interface Accepted {
  /** The part of the change that may be applied now. */
  readonly change: DirectoryChange
  /** Delay until the directory is read again (ms); `undefined` when no file settles. */
  readonly retryMs: number | undefined
  /** True if files are accepted that were read to their end. */
  readonly isAnyRead: boolean
}

/** The read of a directory that accept judges. */
export interface SightedSnapshot {
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
  const removed = await removable(context, snapshot, change)
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
  for (const name of waiting) if (!current.has(name)) settling.delete(`${snapshot.path}/${name}`)
}

/**
 * The removals that may be applied now: expected purges always; the others together, if the
 * deletion guard permits them.
 */
async function removable(
  context: AcceptanceContext,
  { outcome }: DirectorySnapshot,
  { path, removed }: DirectoryChange,
): Promise<readonly number[]> {
  const { writer, deletionGuard } = context
  const area = areaOf(path)
  const purged = await purges(context, area, removed)
  const others = purged.size === 0 ? removed : removed.filter((id) => !purged.has(id))
  if (others.length === 0) {
    if (outcome !== 'unreadable') deletionGuard.markComplete(path)
    return removed
  }
  const nowMs = performance.now()
  const written = await writer.removalsAfter({ seq: deletionGuard.seq })
  deletionGuard.count(written, context.purgedAfterDays, nowMs)
  const request = { directory: path, area, count: others.length, files: await writer.count(area) }
  const isPermitted = deletionGuard.requestRemoval({ ...request, nowMs })
  return isPermitted ? [...purged, ...others] : [...purged]
}

/** Those of the removed files whose removal is an expected purge. */
async function purges(
  { writer, purgedAfterDays, nowUs }: AcceptanceContext,
  area: Area,
  removed: readonly number[],
): Promise<ReadonlySet<number>> {
  if (removed.length === 0 || purgedAfterDays[area] === undefined) return new Set()
  const ends = await writer.dataEnds(removed)
  const atUs = nowUs()
  return new Set(
    removed.filter((id) => isPurge(purgedAfterDays, { area, endSeconds: ends.get(id), atUs })),
  )
}

/** Reports the withheld removals, or that none are left. */
export function reportWithheld({
  deletionGuard,
  purgedAfterDays,
  health,
}: Pick<AcceptanceContext, 'deletionGuard' | 'purgedAfterDays' | 'health'>): void {
  const withheld = deletionGuard.withheld()
  for (const area of areas) {
    const count = withheld.get(area)
    const problem = {
      text: `${count ?? 0} removals in ${area}/ withheld by the deletion guard, beyond those that it permitted: these files stay listed until they are back, are still missing after 6 hours, or a rescan with --accept-removals confirms that they are gone${purgedAfterDays[area] === undefined ? ' (purged_after_days declares regular purges)' : ''}`,
      advice: `Mount or restore these files; if they were removed on purpose, run \`rinex-catalogue rescan --accept-removals\`. ${retentionAdvice(area, purgedAfterDays)}`,
    }
    health.report(`removals ${area}`, count === undefined ? undefined : problem)
  }
}

function retentionAdvice(area: Area, { [area]: days }: PurgedAfterDays): string {
  return days === undefined
    ? `If old files of ${area}/ are purged regularly, set \`purged_after_days\`.`
    : `They are no purge by \`purged_after_days\`, because their data ended less than ${days} ${days === 1 ? 'day' : 'days'} ago.`
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
      const { size, mtimeUs, incomplete } = facts
      kept.push({ ...file, size, mtimeUs, incomplete })
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
