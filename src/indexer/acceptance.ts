/**
 * Decides which part of the change of a directory may be applied now: complete files, and removals
 * that the deletion guard permits.
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { DirectoryChange, FileFacts, NewFile } from '../catalogue/writer.ts'
import { youngFileMs } from '../catalogue/records.ts'
import { areas } from '../parse/archive-path.ts'
import type { Area } from '../parse/archive-path.ts'
import type { IndexerContext } from './state/context.ts'
import { isPurge } from './state/expected-purge.ts'
import type { PurgedAfterDays } from './state/expected-purge.ts'
import { growingMs } from './state/settling.ts'
import type { FileState, Settling } from './state/settling.ts'
import type { DirectorySnapshot } from './tree/directory-snapshot.ts'

/**
 * After this number of files or bytes, one read of a directory inflates no further files, so that
 * other directories do not wait.
 */
const filesPerRead = 2000
const bytesPerRead = 16 * 1024 * 1024

type AcceptanceContext = Pick<
  IndexerContext,
  | 'writer'
  | 'tree'
  | 'settling'
  | 'deletionGuard'
  | 'purgedAfterDays'
  | 'health'
  | 'fileFaults'
  | 'nowUs'
>

export interface Accepted {
  /** The part of the change that may be applied now. */
  readonly change: DirectoryChange
  /** Delay until the directory is read again (ms); `undefined` when no file is left out. */
  readonly retryMs: number | undefined
}

type Candidate = FileState & { readonly name: string }

/**
 * Decides which part of a directory's change may be applied now: files that are complete, and
 * removals that the deletion guard permits. If a part is left out, the directory keeps no stamp, so
 * the next sweep finds it again.
 */
export async function accept(
  context: AcceptanceContext,
  snapshot: DirectorySnapshot,
  change: DirectoryChange,
): Promise<Accepted> {
  const { nowUs, deletionGuard } = context
  const young = new Set(change.filled.filter((file) => isYoung(file, nowUs())))
  const candidates = [...candidatesOf(change), ...young]
  if (snapshot.outcome !== 'unreadable')
    stopWaitingForOthers(context.settling, snapshot, candidates)
  const { outcomes, retryMs } = await examine(context, snapshot.path, candidates)
  const removed = await removable(context, snapshot, change)
  const accepted = removed.length === change.removed.length
  reportWithheld(context)
  const sinceMs = accepted ? undefined : deletionGuard.withheldSinceMs(change.path)
  return {
    change: {
      ...change,
      added: keepAccepted(change.added, outcomes),
      modified: keepAccepted(change.modified, outcomes),
      filled: keepAccepted(change.filled, outcomes),
      // On the wall clock, so that later processes can use it.
      withheldSinceUs: sinceMs && Math.round(nowUs() - (performance.now() - sinceMs) * 1000),
      removed,
      gone: change.gone && accepted,
      stamp: retryMs === undefined && accepted ? change.stamp : undefined,
    },
    retryMs,
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
  const current = new Set(
    snapshot.sizes === undefined ? snapshot.names : candidates.map(({ name }) => name),
  )
  for (const name of waiting) if (!current.has(name)) settling.delete(`${snapshot.path}/${name}`)
}

/**
 * The removals that may be applied now: expected purges always, and first; the others together, if
 * the deletion guard permits them.
 */
async function removable(
  context: AcceptanceContext,
  { outcome }: DirectorySnapshot,
  { path, removed }: DirectoryChange,
): Promise<readonly number[]> {
  const { writer, deletionGuard } = context
  const area = path.split('/', 1)[0] as Area
  const purged = await purges(context, area, removed)
  const others = purged.size === 0 ? removed : removed.filter((id) => !purged.has(id))
  if (others.length === 0) {
    // A directory that cannot be read may still lack files, so its removals stay withheld.
    if (outcome !== 'unreadable') deletionGuard.markComplete(path)
    return removed
  }
  const count = others.length
  const request = { directory: path, area, count, files: await writer.count(area) }
  const isPermitted = deletionGuard.requestRemoval({ ...request, nowMs: performance.now() })
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

function reportWithheld({ deletionGuard, purgedAfterDays, health }: AcceptanceContext): void {
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
 * The outcomes of candidates by name: the size and mtime that an accepted file had when it was
 * examined; `undefined` for a file that is not accepted. A file that is accepted as it is has no
 * entry, so that a directory of old files costs no memory here.
 */
type Outcomes = ReadonlyMap<string, (FileState & { readonly incomplete: boolean }) | undefined>

/** After this number of files, other work of this thread gets its turn. */
const filesPerTurn = 10_000

/**
 * Examines the candidates. Returns their outcomes, and the delay before the files that are not
 * accepted are examined again; `undefined` if all candidates were accepted.
 */
async function examine(
  { tree, settling, fileFaults, nowUs }: AcceptanceContext,
  directory: string,
  candidates: readonly Candidate[],
) {
  const now = { steadyMs: performance.now(), wallMs: nowUs() / 1000 }
  const outcomes = new Map<string, (FileState & { incomplete: boolean }) | undefined>()
  const toInflate: Candidate[] = []
  let bytes = 0
  let retryMs: number | undefined
  const retryIn = (delayMs: number): void => {
    retryMs = Math.min(retryMs ?? Infinity, delayMs)
  }
  // The least recently read files come first, so that large files that grow do not block the
  // others.
  const readAtMs = (file: Candidate): number => settling.readAtMs(`${directory}/${file.name}`) ?? 0
  const isWaiting = settling.namesIn(directory).length > 0
  const ordered = isWaiting ? candidates.toSorted((a, b) => readAtMs(a) - readAtMs(b)) : candidates
  for (const [index, file] of ordered.entries()) {
    if (index % filesPerTurn === filesPerTurn - 1) await yieldToOthers()
    const { name, size, mtimeUs } = file
    const path = `${directory}/${name}`
    const decision = settling.decide(path, { size, mtimeUs }, now)
    if (decision === 'take') settling.delete(path)
    else if (decision === 'take-incomplete') {
      outcomes.set(name, { size, mtimeUs, incomplete: true })
      settling.delete(path)
      fileFaults.log(path, 'incomplete')
    } else {
      outcomes.set(name, undefined)
      if (decision === 'wait') retryIn(settling.markIncomplete(path, file, now.steadyMs))
      else if (toInflate.length >= filesPerRead || bytes >= bytesPerRead)
        // A file that has not been read yet comes at once; one that grows or cannot be read can
        // wait.
        retryIn(readAtMs(file) === 0 ? 0 : growingMs)
      else {
        toInflate.push(file)
        bytes += size
      }
    }
  }
  const paths = toInflate.map(({ name }) => `${directory}/${name}`)
  const found = paths.length === 0 ? [] : await tree.inflate(paths)
  toInflate.forEach((file, index) => {
    const [path, inflated] = [`${directory}/${file.name}`, found[index]]
    if (inflated === undefined) retryIn(settling.markUnreadable(path, file, performance.now()))
    else if (!inflated.complete)
      retryIn(settling.markIncomplete(path, inflated, performance.now(), now.steadyMs))
    else {
      const { size, mtimeUs } = inflated
      outcomes.set(file.name, { size, mtimeUs, incomplete: false })
      settling.delete(path)
    }
  })
  return { outcomes, retryMs }
}

function candidatesOf({ added, modified }: DirectoryChange): Candidate[] {
  return [...added.filter(hasFacts), ...modified]
}

function hasFacts(file: NewFile): file is NewFile & Candidate {
  return file.size !== undefined && file.mtimeUs !== undefined
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
    if (facts !== undefined) kept.push({ ...file, ...facts })
    else if (!outcomes.has(file.name)) kept.push(file)
  }
  return kept
}

/**
 * True if the mtime of a file is less than ten minutes away from now. A file that was old when it
 * was catalogued by its name may be written to now.
 */
function isYoung({ mtimeUs }: FileFacts, nowUs: number): boolean {
  return Math.abs(nowUs - mtimeUs) < youngFileMs * 1000
}
