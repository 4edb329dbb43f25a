/** Compares the snapshots of directories with the catalogue, and writes the accepted changes in batches. */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { CatalogueCorrupt } from '../catalogue/writer.ts'
import type { AppliedChange, CatalogueWriter, DirectoryChange } from '../catalogue/writer.ts'
import type { Accepted } from './acceptance.ts'
import { openBatch } from './batch.ts'
import type { DeletionGuard } from './state/deletion-guard.ts'
import type { IndexerMetrics } from './state/metrics.ts'
import type { Health } from './state/health.ts'
import type { DirtyDirectories } from './state/dirty-directories.ts'
import type { KnownDirectories } from './state/known-directories.ts'
import { reconcileInParts, splitChange } from './directory-parts.ts'
import { largeDirectory, tooManyEntries } from './tree/directory-snapshot.ts'
import type { DirectorySnapshot } from './tree/directory-snapshot.ts'

/** Delay before the directories of a failed transaction are read again (ms). */
const retryMs = 5000
/**
 * Delay before a directory whose change the catalogue refused is read again (ms). It is long, because other directories wait
 * during this read.
 */
const refusedRetryMs = 60_000

export interface ApplyStageDeps {
  readonly writer: CatalogueWriter
  readonly dirty: DirtyDirectories
  readonly known: KnownDirectories
  readonly health: Health
  readonly metrics: Pick<IndexerMetrics, 'applied'>
  /** Decides which part of a change may be applied now. */
  readonly accept: (snapshot: DirectorySnapshot, change: DirectoryChange) => Promise<Accepted>
  /**
   * Called after a directory was read or could not be read, and when it is gone; `known` is false if it is gone or too large to be watched. `identity` is
   * the identity of the directory at its read, `undefined` if it was not read.
   */
  readonly onDirectory: (path: string, known: boolean, identity: string | undefined) => void
  /** Called when an area that was lost or unreadable can be read again. */
  readonly onAreaRestored: (area: string) => void
  /** Called when a transaction has failed; its directories are tried again later. */
  readonly onFailed: () => void
  /** Called after each successful transaction. */
  readonly onApplied: (change: AppliedChange) => void
  /** Called after each flush with its result for the removals (see `DeletionGuard.confirmWritten`). */
  readonly onFlushed: DeletionGuard['confirmWritten']
  /** True while the indexer ends; then the remaining parts of a large directory are left to the next process. */
  readonly isClosing: () => boolean
}

export interface SnapshotInput {
  readonly snapshot: DirectorySnapshot
  /** True if a walk has read the directory; the walk visits the subdirectories itself. */
  readonly walked: boolean
  /** True if new files have just arrived; false if they were found later. */
  readonly arrived: boolean
}

/** Compares snapshots with the catalogue and applies the changes in batches. */
export interface ApplyStage {
  /** Snapshots must be added in the order in which they were read. */
  add(input: SnapshotInput): Promise<void>
  /** True if the changes must be flushed now. */
  readonly full: boolean
  /**
   * Directories that must still be read because of the snapshots added so far: subdirectories that were marked dirty, and
   * directories that had more new files than are inflated at once (see `filesPerRead`).
   */
  readonly unfinished: ReadonlySet<string>
  /**
   * Writes the changes to the catalogue; directories that cannot be written are marked dirty again.
   * @returns the directories whose changes were not written
   */
  flush(): Promise<ReadonlySet<string>>
}

export function openApplyStage(deps: ApplyStageDeps): ApplyStage {
  const { writer, dirty, known, health, metrics } = deps
  const batch = openBatch(writer)
  const unfinished = new Set<string>()
  /** Directories of which only the first parts were written since the last flush. */
  const brokenOff = new Set<string>()
  const markDirty = (path: string, arrived: boolean): void => {
    unfinished.add(path)
    dirty.add({ path, depth: 'auto', arrived }, performance.now())
  }
  /**
   * Marks a directory dirty with the read depth `facts`, because the only sign of the change may be the size or mtime of a file.
   */
  const retryLater = (path: string, options: { arrived: boolean; delayMs: number }): void => {
    const { arrived, delayMs } = options
    dirty.add({ path, depth: 'facts', arrived }, performance.now() + delayMs)
  }

  /** Marks the subdirectories dirty that appeared or vanished since the directory was read last. */
  const markChangedChildren = ({ snapshot, arrived }: SnapshotInput): void => {
    const found = new Set(snapshot.directories.map((name) => `${snapshot.path}/${name}`))
    for (const path of found) if (!known.has(path)) markDirty(path, arrived)
    for (const path of known.childrenOf(snapshot.path))
      if (!found.has(path)) markDirty(path, arrived)
  }

  const withChildren = (change: DirectoryChange, snapshot: DirectorySnapshot): DirectoryChange => {
    const paths = snapshot.directories.map((name) => `${snapshot.path}/${name}`)
    return { ...change, directories: paths.filter((path) => !known.has(path)) }
  }

  /** Reports a directory that has too many entries to be read, until it can be read or is gone. */
  const reportEntries = ({ path, outcome, error }: DirectorySnapshot): void => {
    if (outcome === 'lost-area') return
    const message = `${path}/ has ${tooManyEntries} and is not read: its records are kept, divide it into subdirectories`
    health.report(`entries ${path}`, error === tooManyEntries ? message : undefined)
  }

  const reportArea = (snapshot: DirectorySnapshot): void => {
    const [area = ''] = snapshot.path.split('/')
    if (snapshot.outcome === 'lost-area') {
      // An area that is not known has never contained anything, so it is not lost.
      if (known.has(area))
        health.report(
          `area ${area}`,
          `${area}/ below the archive root is lost (${snapshot.error ?? ''}): its records are kept, mount or restore it`,
        )
    } else if (snapshot.path === area) {
      if (snapshot.outcome === 'unreadable' && snapshot.error !== tooManyEntries)
        health.report(`area ${area}`, `${area}/ cannot be read (${snapshot.error ?? ''})`)
      else if (health.report(`area ${area}`, undefined)) deps.onAreaRestored(area)
    }
  }

  /**
   * Treats an area as lost if it contained directories before and contains none now, or if it contained only files before and has neither
   * directories nor RINEX files now. A mount point without its disk looks like this.
   */
  const detectLostArea = async (snapshot: DirectorySnapshot): Promise<DirectorySnapshot> => {
    const isArea = !snapshot.path.includes('/')
    if (!isArea || snapshot.outcome !== 'read' || snapshot.directories.length > 0) return snapshot
    const before = await writer.directory(snapshot.path)
    const heldDirectories = known.childrenOf(snapshot.path).length > 0
    const heldSomething = heldDirectories || (before?.files.size ?? 0) > 0
    const holdsSomething = !heldDirectories && snapshot.names.length > 0
    const isLost = heldSomething && !holdsSomething
    return isLost ? { ...snapshot, outcome: 'lost-area', error: 'empty' } : snapshot
  }

  const reportRefused = (path: string, error: Error | undefined): void => {
    const message = error && `${path}/ cannot be catalogued: ${error.message}`
    health.report(`directory ${path}`, message)
  }

  const updateKnown = (snapshot: DirectorySnapshot, change: DirectoryChange | undefined): void => {
    const gone = snapshot.outcome === 'missing' && change?.gone !== false
    if (gone) known.delete(snapshot.path)
    else if (snapshot.outcome !== 'lost-area' && snapshot.outcome !== 'missing')
      known.add(snapshot.path)
    else return
    const isLarge = snapshot.names.length > largeDirectory || snapshot.error === tooManyEntries
    deps.onDirectory(snapshot.path, !gone && !isLarge, snapshot.identity)
  }

  const flushBatch = async (left?: ReadonlyMap<string, number>): Promise<ReadonlySet<string>> => {
    const { applied, error, changes } = await batch.flush()
    const refused = new Map(applied?.refused.map((each) => [each.path, each.error]))
    const paths = changes.map(({ path }) => path)
    const unwritten = new Set(error === undefined ? refused.keys() : paths)
    deps.onFlushed(unwritten, left)
    if (error instanceof CatalogueCorrupt) throw error
    if (applied !== undefined) {
      health.report('database', undefined)
      deps.onApplied(applied)
      metrics.applied(
        applied,
        changes.filter(({ path }) => !refused.has(path)),
      )
      for (const path of paths) reportRefused(path, refused.get(path))
    }
    if (error !== undefined) {
      health.report('database', `the catalogue cannot be written: ${error.message}`)
      deps.onFailed()
    }
    const delayMs = error === undefined ? refusedRetryMs : retryMs
    for (const { path, arrived } of changes)
      if (unwritten.has(path)) retryLater(path, { arrived, delayMs })
    return unwritten
  }

  /** Adds a change to the batch. If it has several parts, writes all but the last at once, until one cannot be written. */
  const addInParts = async (change: DirectoryChange, isWalked: boolean): Promise<void> => {
    const { path } = change
    let left = change.removed.length
    for (const part of splitChange(change)) {
      batch.add(part, isWalked)
      if (!part.more) return
      left -= part.removed.length
      const unwritten = await flushBatch(new Map([[path, left]]))
      if (unwritten.has(path) || deps.isClosing()) {
        brokenOff.add(path)
        return
      }
      await yieldToOthers()
    }
  }

  return {
    async add(input) {
      if (batch.has(input.snapshot.path)) await this.flush()
      const snapshot = await detectLostArea(input.snapshot)
      reportArea(snapshot)
      reportEntries(snapshot)
      if (!input.walked && (snapshot.outcome === 'read' || snapshot.outcome === 'missing'))
        markChangedChildren(input)
      const differing = await reconcileInParts(writer, snapshot, input.arrived)
      const accepted = differing && (await deps.accept(snapshot, withChildren(differing, snapshot)))
      updateKnown(snapshot, accepted?.change)
      unfinished.delete(snapshot.path)
      if (accepted === undefined) {
        // The catalogue agrees with the directory, so there is no refused change any more.
        if (snapshot.outcome === 'read' || snapshot.outcome === 'missing')
          reportRefused(snapshot.path, undefined)
        return
      }
      if (accepted.retryMs === 0) unfinished.add(snapshot.path)
      if (accepted.retryMs !== undefined)
        retryLater(snapshot.path, { arrived: input.arrived, delayMs: accepted.retryMs })
      await addInParts(accepted.change, input.walked)
    },
    unfinished,
    get full() {
      return batch.full
    },
    async flush() {
      const unwritten = new Set([...brokenOff, ...(await flushBatch())])
      brokenOff.clear()
      return unwritten
    },
  }
}
