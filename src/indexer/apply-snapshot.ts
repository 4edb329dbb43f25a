import { CatalogueRuined } from '../catalogue/writer.ts'
import type {
  AppliedChange,
  CatalogueWriter,
  DirectoryChange,
  KnownDirectory,
} from '../catalogue/writer.ts'
import type { Accepted } from './acceptance.ts'
import { openBatch } from './batch.ts'
import type { Health } from './health.ts'
import type { DirtyDirectories } from './dirty-directories.ts'
import type { KnownDirectories } from './known-directories.ts'
import { reconcile } from './reconcile.ts'
import type { DirectorySnapshot } from './tree/directory-snapshot.ts'

/** Directories that could not be written are tried again after this time. */
const retryMs = 5000
/** One that the catalogue refuses is read again for as long as that goes on: rarely, since others wait meanwhile. */
const refusedRetryMs = 60_000

export interface ApplyStageDeps {
  readonly writer: CatalogueWriter
  readonly dirty: DirtyDirectories
  readonly known: KnownDirectories
  readonly health: Health
  /** Decides what of a difference may be applied now. */
  readonly accept: (snapshot: DirectorySnapshot, change: DirectoryChange) => Promise<Accepted>
  /** A directory is known from now on, or not any more; which one it is when it was read. */
  readonly onDirectory: (path: string, known: boolean, identity: string | undefined) => void
  /** An area that was lost or unreadable is there again. */
  readonly onAreaBack: (area: string) => void
  /** A transaction failed: what was in it comes later. */
  readonly onFailed: () => void
  /** Told of every transaction. */
  readonly onApplied: (change: AppliedChange) => void
  /** What was admitted was written, but for these directories. */
  readonly onFlushed: (unwritten: ReadonlySet<string>) => void
}

export interface SnapshotRead {
  readonly snapshot: DirectorySnapshot
  /** Whether a walk brought it, which comes by the directories below on its own. */
  readonly walked: boolean
  /** Whether new files were seen arriving. */
  readonly arrived: boolean
}

/** What reconciles one look after the other with the catalogue. */
export interface ApplyStage {
  /** Looks have to be taken in the order in which they were read. */
  take(taken: SnapshotRead): Promise<void>
  /** Whether it is time to flush. */
  readonly full: boolean
  /** Directories that what was taken has left to be looked at: found in others, or taken in part. */
  readonly unfinished: ReadonlySet<string>
  /**
   * Brings what was taken into the catalogue; what cannot be written is marked dirty again.
   * @returns the directories of which something could not be written
   */
  flush(): Promise<ReadonlySet<string>>
}

export function openApplyStage(deps: ApplyStageDeps): ApplyStage {
  const { writer, dirty, known, health } = deps
  const batch = openBatch(writer)
  const unfinished = new Set<string>()
  const markDirty = (path: string, arrived: boolean): void => {
    unfinished.add(path)
    dirty.add({ path, depth: 'auto', arrived }, performance.now())
  }
  /** What was found may show in the facts of a file alone, so no less is looked at the next time. */
  const markAgain = (path: string, options: { arrived: boolean; delayMs: number }): void => {
    const { arrived, delayMs } = options
    dirty.add({ path, depth: 'facts', arrived }, performance.now() + delayMs)
  }

  /** Directories that appeared or vanished below this one since it was read last. */
  const noteChildren = ({ snapshot, arrived }: SnapshotRead): void => {
    const found = new Set(snapshot.directories.map((name) => `${snapshot.path}/${name}`))
    for (const path of found) if (!known.has(path)) markDirty(path, arrived)
    for (const path of known.childrenOf(snapshot.path))
      if (!found.has(path)) markDirty(path, arrived)
  }

  const withChildren = (change: DirectoryChange, snapshot: DirectorySnapshot): DirectoryChange => {
    const paths = snapshot.directories.map((name) => `${snapshot.path}/${name}`)
    return { ...change, directories: paths.filter((path) => !known.has(path)) }
  }

  const noteArea = (snapshot: DirectorySnapshot): void => {
    const [area = ''] = snapshot.path.split('/')
    if (snapshot.outcome === 'lost-area') {
      // An area that never held anything is no loss.
      if (known.has(area))
        health.report(
          `area ${area}`,
          `${area}/ below the archive root is lost (${snapshot.error ?? ''}): nothing is removed from the catalogue, mount or restore it`,
        )
    } else if (snapshot.path === area) {
      if (snapshot.outcome === 'unreadable')
        health.report(`area ${area}`, `${area}/ cannot be read (${snapshot.error ?? ''})`)
      else if (health.report(`area ${area}`, undefined)) deps.onAreaBack(area)
    }
  }

  /** An area that was not empty and is now: what a mount point shows without its disk. */
  const unlessLost = (
    snapshot: DirectorySnapshot,
    before: KnownDirectory | undefined,
  ): DirectorySnapshot => {
    const isArea = !snapshot.path.includes('/')
    if (!isArea || snapshot.outcome !== 'read' || snapshot.directories.length > 0) return snapshot
    const withheld = known.childrenOf(snapshot.path).length > 0 || (before?.files.size ?? 0) > 0
    const holds = known.childrenOf(snapshot.path).length === 0 && snapshot.names.length > 0
    return withheld && !holds ? { ...snapshot, outcome: 'lost-area', error: 'empty' } : snapshot
  }

  /** Says once of a directory that it stays out, and that it does not any more. */
  const noteRefused = (path: string, error: Error | undefined): void => {
    const message = error && `${path}/ cannot be brought into the catalogue: ${error.message}`
    health.report(`directory ${path}`, message)
  }

  const place = (snapshot: DirectorySnapshot, change: DirectoryChange | undefined): void => {
    const gone = snapshot.outcome === 'missing' && change?.gone !== false
    if (gone) known.delete(snapshot.path)
    else if (snapshot.outcome !== 'lost-area' && snapshot.outcome !== 'missing')
      known.add(snapshot.path)
    else return
    deps.onDirectory(snapshot.path, !gone, snapshot.identity)
  }

  return {
    async take(taken) {
      if (batch.has(taken.snapshot.path)) await this.flush()
      const before = await writer.directory(taken.snapshot.path)
      const snapshot = unlessLost(taken.snapshot, before)
      noteArea(snapshot)
      if (!taken.walked && (snapshot.outcome === 'read' || snapshot.outcome === 'missing'))
        noteChildren(taken)
      const differing = reconcile(snapshot, before, taken.arrived)
      const accepted = differing && (await deps.accept(snapshot, withChildren(differing, snapshot)))
      place(snapshot, accepted?.change)
      unfinished.delete(snapshot.path)
      if (accepted === undefined) {
        // There is nothing to be written any more, if anything can be said of it at all.
        if (snapshot.outcome === 'read' || snapshot.outcome === 'missing')
          noteRefused(snapshot.path, undefined)
        return
      }
      if (accepted.againMs === 0) unfinished.add(snapshot.path)
      if (accepted.againMs !== undefined)
        markAgain(snapshot.path, { arrived: taken.arrived, delayMs: accepted.againMs })
      batch.add(accepted.change, taken.walked)
    },
    unfinished,
    get full() {
      return batch.full
    },
    async flush() {
      const { applied, error, changes } = await batch.flush()
      const refused = new Map(applied?.refused.map((each) => [each.path, each.error]))
      const paths = changes.map(({ path }) => path)
      const unwritten = new Set(error === undefined ? refused.keys() : paths)
      deps.onFlushed(unwritten)
      if (error instanceof CatalogueRuined) throw error
      if (applied !== undefined) {
        health.report('database', undefined)
        deps.onApplied(applied)
        for (const path of paths) noteRefused(path, refused.get(path))
      }
      if (error !== undefined) {
        health.report('database', `the catalogue cannot be written: ${error.message}`)
        deps.onFailed()
      }
      const delayMs = error === undefined ? refusedRetryMs : retryMs
      for (const { path, arrived } of changes)
        if (unwritten.has(path)) markAgain(path, { arrived, delayMs })
      return unwritten
    },
  }
}
