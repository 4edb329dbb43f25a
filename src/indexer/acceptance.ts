import type { CatalogueWriter, DirectoryChange, FileFacts } from '../catalogue/writer.ts'
import { settleMs } from '../catalogue/settling.ts'
import { areas } from '../parse/archive-path.ts'
import type { Area } from '../parse/archive-path.ts'
import type { Health } from './health.ts'
import type { DeletionGuard } from './deletion-guard.ts'
import type { FileLook, Settling } from './settling.ts'
import type { DirectorySnapshot } from './tree/directory-snapshot.ts'
import type { TreeReader } from './tree/tree-reader.ts'

/** What one directory may cost at a time, so that it holds up no other: files inflated, and their bytes. */
const filesAtATime = 2000
const bytesAtATime = 16 * 1024 * 1024
/** When those are looked at again that have to let others go first, though they were not complete lately. */
const growingMs = 1000

export interface AcceptanceDeps {
  readonly writer: CatalogueWriter
  readonly tree: TreeReader
  readonly settling: Settling
  readonly deletionGuard: DeletionGuard
  readonly health: Health
  readonly nowUs: () => number
}

export interface Accepted {
  /** The part of the change that may be applied now. */
  readonly change: DirectoryChange
  /** When to look again at what may not, in ms from now; `undefined` when all of it may. */
  readonly againMs: number | undefined
}

type Candidate = FileLook & { readonly name: string }

/**
 * Decides how much of a directory's difference may be applied: files that are complete, and removals that are
 * believable. What is left out leaves the directory without a stamp, so that sweeps come back to it.
 */
export function openAcceptance(deps: AcceptanceDeps) {
  const { writer, tree, settling, deletionGuard, health, nowUs } = deps

  /** Judges the candidates; gives those that may be taken, as they were when they were judged. */
  const settled = async (directory: string, candidates: readonly Candidate[]) => {
    const now = { steadyMs: performance.now(), wallMs: nowUs() / 1000 }
    const taken = new Map<string, FileLook & { incomplete: boolean }>()
    const toInflate: Candidate[] = []
    let bytes = 0
    let againMs: number | undefined
    const again = (delayMs: number): void => {
      againMs = Math.min(againMs ?? Infinity, delayMs)
    }
    // Longest not looked at first, so that large files that grow never keep the others waiting.
    const readAtMs = (file: Candidate): number =>
      settling.readAtMs(`${directory}/${file.name}`) ?? 0
    for (const file of candidates.toSorted((a, b) => readAtMs(a) - readAtMs(b))) {
      const { name, size, mtimeUs } = file
      const path = `${directory}/${name}`
      const verdict = settling.judge(path, { size, mtimeUs }, now)
      if (verdict === 'wait') again(settling.isIncomplete(path, file, now.steadyMs))
      else if (verdict !== 'inflate')
        taken.set(name, { size, mtimeUs, incomplete: verdict === 'take-incomplete' })
      else if (toInflate.length >= filesAtATime || bytes >= bytesAtATime)
        again(readAtMs(file) === 0 ? 0 : growingMs)
      else {
        toInflate.push(file)
        bytes += size
      }
    }
    const outcomes = await inflateAll(directory, toInflate)
    toInflate.forEach((file, index) => {
      const [path, inflated] = [`${directory}/${file.name}`, outcomes[index]]
      if (inflated === undefined) again(settling.isUnreadable(path, file, performance.now()))
      else if (!inflated.complete)
        again(settling.isIncomplete(path, inflated, performance.now(), now.steadyMs))
      else {
        const { size, mtimeUs } = inflated
        taken.set(file.name, { size, mtimeUs, incomplete: false })
      }
    })
    for (const name of taken.keys()) settling.forget(`${directory}/${name}`)
    return { taken, againMs }
  }
  const inflateAll = async (directory: string, files: readonly Candidate[]) =>
    files.length === 0 ? [] : tree.inflate(files.map(({ name }) => `${directory}/${name}`))

  /** Files that are no candidates any more are as the catalogue has them, or gone. */
  const forgetOthers = (snapshot: DirectorySnapshot, candidates: readonly Candidate[]): void => {
    const waiting = settling.within(snapshot.path)
    if (waiting.length === 0) return
    const open = new Set(
      snapshot.sizes === undefined ? snapshot.names : candidates.map(({ name }) => name),
    )
    for (const name of waiting) if (!open.has(name)) settling.forget(`${snapshot.path}/${name}`)
  }

  const mayRemove = async (
    snapshot: DirectorySnapshot,
    change: DirectoryChange,
  ): Promise<boolean> => {
    const count = change.removed.length
    if (count === 0) {
      // What cannot be read may lack anything.
      if (snapshot.outcome !== 'unreadable') deletionGuard.isWhole(change.path)
      return true
    }
    const area = change.path.split('/', 1)[0] as Area
    const request = { directory: change.path, area, count, files: await writer.count(area) }
    return deletionGuard.mayRemove({ ...request, nowMs: performance.now() })
  }
  /** As a time of the day, for those who come later. */
  const withheldSinceUs = (directory: string): number | undefined => {
    const sinceMs = deletionGuard.withheldSinceMs(directory)
    return sinceMs && Math.round(nowUs() - (performance.now() - sinceMs) * 1000)
  }
  const noteHeld = (): void => {
    const withheld = deletionGuard.withheld()
    for (const area of areas) {
      const count = withheld.get(area)
      health.report(
        `removals ${area}`,
        count === undefined
          ? undefined
          : `${count} files of ${area}/ are gone at once: they stay listed until they are back, are still gone hours later, or a rescan accepts removals`,
      )
    }
  }

  return {
    async accept(snapshot: DirectorySnapshot, change: DirectoryChange): Promise<Accepted> {
      const young = new Set(change.filled.filter((file) => isYoung(file, nowUs())))
      const candidates = [...candidatesOf(change), ...young]
      if (snapshot.outcome !== 'unreadable') forgetOthers(snapshot, candidates)
      const { taken, againMs } = await settled(snapshot.path, candidates)
      const accepted = await mayRemove(snapshot, change)
      noteHeld()
      return {
        change: {
          ...change,
          added: asJudged(change.added, ({ size }) => size !== undefined, taken),
          modified: asJudged(change.modified, () => true, taken),
          filled: asJudged(change.filled, (file) => young.has(file), taken),
          withheldSinceUs: accepted ? undefined : withheldSinceUs(change.path),
          removed: accepted ? change.removed : [],
          gone: change.gone && accepted,
          stamp: againMs === undefined && accepted ? change.stamp : undefined,
        },
        againMs,
      }
    },
  }
}

function candidatesOf(change: DirectoryChange): Candidate[] {
  const candidates: Candidate[] = []
  for (const { name, size, mtimeUs } of change.added)
    if (size !== undefined && mtimeUs !== undefined) candidates.push({ name, size, mtimeUs })
  return [...candidates, ...change.modified]
}

/** Files as they were judged, those left out that were not taken. Who is not judged stays as it is. */
function asJudged<File extends { readonly name: string }>(
  files: readonly File[],
  isJudged: (file: File) => boolean,
  taken: ReadonlyMap<string, FileLook & { incomplete: boolean }>,
): File[] {
  const all: File[] = []
  for (const file of files) {
    if (!isJudged(file)) {
      all.push(file)
      continue
    }
    const facts = taken.get(file.name)
    if (facts !== undefined) all.push({ ...file, ...facts })
  }
  return all
}

/** One that was old when it was found and is written to now. */
function isYoung({ mtimeUs }: FileFacts, nowUs: number): boolean {
  return Math.abs(nowUs - mtimeUs) < settleMs * 1000
}
