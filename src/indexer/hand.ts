import { CatalogueRuined } from '../catalogue/writer.ts'
import type {
  AppliedChange,
  CatalogueWriter,
  DirectoryChange,
  KnownDirectory,
} from '../catalogue/writer.ts'
import type { Admitted } from './admission.ts'
import { openBatch } from './batch.ts'
import type { Condition } from './condition.ts'
import type { DirtyDirectories } from './dirty-directories.ts'
import type { KnownDirectories } from './known-directories.ts'
import { reconcile } from './reconcile.ts'
import type { DirectoryLook } from './tree/look.ts'

/** Directories that could not be written are tried again after this time. */
const retryMs = 5000
/** One that the catalogue refuses is read again for as long as that goes on: rarely, since others wait meanwhile. */
const refusedRetryMs = 60_000

export interface HandDeps {
  readonly writer: CatalogueWriter
  readonly dirty: DirtyDirectories
  readonly known: KnownDirectories
  readonly condition: Condition
  /** Decides what of a difference may be applied now. */
  readonly admit: (look: DirectoryLook, change: DirectoryChange) => Promise<Admitted>
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

export interface Taken {
  readonly look: DirectoryLook
  /** Whether a walk brought it, which comes by the directories below on its own. */
  readonly walked: boolean
  /** Whether new files were seen arriving. */
  readonly arrived: boolean
}

/** What reconciles one look after the other with the catalogue. */
export interface Hand {
  /** Looks have to be taken in the order in which they were read. */
  take(taken: Taken): Promise<void>
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

export function openHand(deps: HandDeps): Hand {
  const { writer, dirty, known, condition } = deps
  const batch = openBatch(writer)
  const unfinished = new Set<string>()
  const markDirty = (path: string, arrived: boolean): void => {
    unfinished.add(path)
    dirty.add({ path, detail: 'fitting', arrived }, performance.now())
  }
  /** What was found may show in the facts of a file alone, so no less is looked at the next time. */
  const markAgain = (path: string, options: { arrived: boolean; delayMs: number }): void => {
    const { arrived, delayMs } = options
    dirty.add({ path, detail: 'facts', arrived }, performance.now() + delayMs)
  }

  /** Directories that appeared or vanished below this one since it was read last. */
  const noteChildren = ({ look, arrived }: Taken): void => {
    const found = new Set(look.directories.map((name) => `${look.path}/${name}`))
    for (const path of found) if (!known.has(path)) markDirty(path, arrived)
    for (const path of known.childrenOf(look.path)) if (!found.has(path)) markDirty(path, arrived)
  }

  const withChildren = (change: DirectoryChange, look: DirectoryLook): DirectoryChange => {
    const paths = look.directories.map((name) => `${look.path}/${name}`)
    return { ...change, directories: paths.filter((path) => !known.has(path)) }
  }

  const noteArea = (look: DirectoryLook): void => {
    const [area = ''] = look.path.split('/')
    if (look.outcome === 'lost-area') {
      // An area that never held anything is no loss.
      if (known.has(area))
        condition.trouble(
          `area ${area}`,
          `${area}/ below the archive root is lost (${look.error ?? ''}): nothing is removed from the catalogue, mount or restore it`,
        )
    } else if (look.path === area) {
      if (look.outcome === 'unreadable')
        condition.trouble(`area ${area}`, `${area}/ cannot be read (${look.error ?? ''})`)
      else if (condition.trouble(`area ${area}`, undefined)) deps.onAreaBack(area)
    }
  }

  /** An area that was not empty and is now: what a mount point shows without its disk. */
  const unlessLost = (look: DirectoryLook, before: KnownDirectory | undefined): DirectoryLook => {
    const isArea = !look.path.includes('/')
    if (!isArea || look.outcome !== 'read' || look.directories.length > 0) return look
    const held = known.childrenOf(look.path).length > 0 || (before?.files.size ?? 0) > 0
    const holds = known.childrenOf(look.path).length === 0 && look.names.length > 0
    return held && !holds ? { ...look, outcome: 'lost-area', error: 'empty' } : look
  }

  /** Says once of a directory that it stays out, and that it does not any more. */
  const noteRefused = (path: string, error: Error | undefined): void => {
    const words = error && `${path}/ cannot be brought into the catalogue: ${error.message}`
    condition.trouble(`directory ${path}`, words)
  }

  const place = (look: DirectoryLook, change: DirectoryChange | undefined): void => {
    const gone = look.outcome === 'missing' && change?.gone !== false
    if (gone) known.delete(look.path)
    else if (look.outcome !== 'lost-area' && look.outcome !== 'missing') known.add(look.path)
    else return
    deps.onDirectory(look.path, !gone, look.identity)
  }

  return {
    async take(taken) {
      if (batch.has(taken.look.path)) await this.flush()
      const before = await writer.directory(taken.look.path)
      const look = unlessLost(taken.look, before)
      noteArea(look)
      if (!taken.walked && (look.outcome === 'read' || look.outcome === 'missing'))
        noteChildren(taken)
      const differing = reconcile(look, before, taken.arrived)
      const admitted = differing && (await deps.admit(look, withChildren(differing, look)))
      place(look, admitted?.change)
      unfinished.delete(look.path)
      if (admitted === undefined) {
        // There is nothing to be written any more, if anything can be said of it at all.
        if (look.outcome === 'read' || look.outcome === 'missing') noteRefused(look.path, undefined)
        return
      }
      if (admitted.againMs === 0) unfinished.add(look.path)
      if (admitted.againMs !== undefined)
        markAgain(look.path, { arrived: taken.arrived, delayMs: admitted.againMs })
      batch.add(admitted.change, taken.walked)
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
        condition.trouble('database', undefined)
        deps.onApplied(applied)
        for (const path of paths) noteRefused(path, refused.get(path))
      }
      if (error !== undefined) {
        condition.trouble('database', `the catalogue cannot be written: ${error.message}`)
        deps.onFailed()
      }
      const delayMs = error === undefined ? refusedRetryMs : retryMs
      for (const { path, arrived } of changes)
        if (unwritten.has(path)) markAgain(path, { arrived, delayMs })
      return unwritten
    },
  }
}
