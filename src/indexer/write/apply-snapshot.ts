/**
 * Compares the snapshots of directories with the catalogue, and writes the accepted changes in
 * batches.
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { AppliedChange, DirectoryChange } from '../../catalogue/updates/change.ts'
import { CatalogueCorrupt } from '../../catalogue/writer-errors.ts'
import { areaOf } from '../../parse/archive-path.ts'
import { accept, reportWithheld } from '../accept/acceptance.ts'
import type { Sight } from '../accept/arrival.ts'
import type { Comparison } from '../compare/directory-parts.ts'
import { reconcileInParts, splitChange } from '../compare/directory-parts.ts'
import { judgeStamp } from '../compare/judge-stamp.ts'
import type { WatchController } from '../mark/watch-controller.ts'
import type { DirectorySnapshot } from '../read/directory-snapshot.ts'
import { largeDirectory, otherDisk, tooManyEntries } from '../read/directory-snapshot.ts'
import type { IndexerContext } from '../state/context.ts'
import { databaseProblem } from '../state/health.ts'
import { sameStamp } from '../state/sure-stamps.ts'
import { Batch } from './batch.ts'

/** Delay before the directories of a failed transaction are read again (ms). */
const retryMs = 5000
/**
 * Delay before a directory whose change the catalogue refused is read again (ms). It is long,
 * because other directories wait during this read.
 */
const refusedRetryMs = 60_000

/** What the apply stage tells the rest of the indexer. */
export interface ApplyListeners {
  /** Called after a directory was read or could not be read, and when it is gone. */
  readonly watchController: Pick<WatchController, 'update'>
  /** Called when an area that was lost or unreadable can be read again. */
  readonly onAreaRestored: (area: string) => void
  /** Called after each successful transaction. */
  readonly onApplied: (change: AppliedChange) => void
  /** Called when a transaction has failed; its directories are tried again later. */
  readonly onFailed: () => void
  /**
   * True while the indexer ends; then the remaining parts of a large directory are left to the next
   * process.
   */
  readonly isClosing: () => boolean
}

export interface SnapshotInput {
  readonly snapshot: DirectorySnapshot
  /** True if a walk has read the directory; the walk visits the subdirectories itself. */
  readonly walked: boolean
  /** Time at which the read was requested, on the steady clock (ms). */
  readonly requestedMs: number
}

/** Compares snapshots with the catalogue and applies the changes in batches. */
export class ApplyStage {
  readonly #context: IndexerContext
  readonly #listeners: ApplyListeners
  readonly #batch: Batch
  readonly #unfinished = new Set<string>()
  /** Directories of which only the first parts were written since the last flush. */
  readonly #brokenOff = new Set<string>()

  constructor(context: IndexerContext, listeners: ApplyListeners) {
    this.#context = context
    this.#listeners = listeners
    this.#batch = new Batch(context.writer)
  }

  /** Subdirectories that the snapshots added so far have marked dirty, until they are read. */
  get unfinished(): ReadonlySet<string> {
    return this.#unfinished
  }

  /** True if the changes must be flushed now. */
  get full(): boolean {
    return this.#batch.full
  }

  /** Snapshots must be added in the order in which they were read. */
  async add(input: SnapshotInput): Promise<void> {
    const { walked } = input
    const { path } = input.snapshot
    if (this.#batch.has(path)) await this.flush()
    const snapshot = await this.#detectLostArea(input.snapshot)
    this.#reportArea(snapshot)
    this.#reportEntries(snapshot)
    const isKnownNow = snapshot.outcome === 'read' || snapshot.outcome === 'missing'
    if (!walked && isKnownNow) this.#markChangedChildren(snapshot)
    const compared = await reconcileInParts(this.#context.writer, snapshot)
    const sight = this.#sightOf(snapshot, compared.known)
    const differing = judgeStamp(this.#context, { ...input, snapshot }, compared)
    const change = differing && this.#withChildren(differing, snapshot)
    // The deletion guard asks the catalogue what was removed.
    if (change !== undefined && change.removed.length > 0) await this.flush()
    const accepted = change && (await accept(this.#context, { snapshot, sight }, change))
    this.#updateKnown(snapshot, accepted?.change)
    this.#unfinished.delete(path)
    if (accepted === undefined) {
      this.#context.unreadFiles.done(path)
      // The catalogue agrees with the directory, so there is no refused change any more.
      if (isKnownNow) this.#reportRefused(path, undefined)
      return
    }
    const { retryMs, isAnyRead } = accepted
    if (isAnyRead) this.#context.secondLooks.listed(path, performance.now())
    if (retryMs !== undefined) this.#retryLater(path, retryMs)
    await this.#addInParts(accepted.change, walked)
  }

  /**
   * Writes the changes to the catalogue; directories that cannot be written are marked dirty again.
   * @returns the directories whose changes were not written
   */
  async flush(): Promise<ReadonlySet<string>> {
    const unwritten = new Set([...this.#brokenOff, ...(await this.#flushBatch())])
    this.#brokenOff.clear()
    return unwritten
  }

  /**
   * Adds a change to the batch. If it has several parts, writes all but the last at once, until one
   * cannot be written.
   */
  async #addInParts(change: DirectoryChange, isWalked: boolean): Promise<void> {
    const { path } = change
    for (const part of splitChange(change)) {
      this.#batch.add(part, isWalked)
      if (!part.more) return
      const unwritten = await this.#flushBatch()
      if (unwritten.has(path) || this.#listeners.isClosing()) {
        this.#brokenOff.add(path)
        return
      }
      await yieldToOthers()
    }
  }

  async #flushBatch(): Promise<ReadonlySet<string>> {
    const { health, metrics } = this.#context
    const { applied, error, changes } = await this.#batch.flush()
    const refused = new Map(applied?.refused.map((each) => [each.path, each.error]))
    const paths = changes.map(({ path }) => path)
    const unwritten = new Set(error === undefined ? refused.keys() : paths)
    if (error instanceof CatalogueCorrupt) throw error
    if (applied !== undefined) {
      health.report('database', undefined)
      this.#listeners.onApplied(applied)
      const written = changes.filter(({ path }) => !refused.has(path))
      metrics.applied(applied, written)
      this.#endWithholding(written)
      for (const path of paths) this.#reportRefused(path, refused.get(path))
    }
    if (error !== undefined) {
      const text = `the catalogue cannot be written: ${error.message}`
      health.report('database', databaseProblem(text))
      this.#listeners.onFailed()
    }
    const delayMs = error === undefined ? refusedRetryMs : retryMs
    for (const path of unwritten) this.#retryLater(path, delayMs)
    return unwritten
  }

  /** Ends the withholding in directories whose missing files are all removed now. */
  #endWithholding(written: readonly DirectoryChange[]): void {
    const removing = written.filter(({ removed }) => removed.length > 0)
    for (const { path, more, withheldSinceUs } of removing)
      if (!more && withheldSinceUs === undefined) this.#context.deletionGuard.markComplete(path)
    if (removing.length > 0) reportWithheld(this.#context)
  }

  #retryLater(path: string, delayMs: number): void {
    this.#context.dirty.add(path, performance.now() + delayMs)
  }

  /** Marks the subdirectories dirty that appeared or vanished since the directory was read last. */
  #markChangedChildren(snapshot: DirectorySnapshot): void {
    const { known, dirty } = this.#context
    const found = new Set(snapshot.directories.map((name) => `${snapshot.path}/${name}`))
    const appeared = [...found].filter((path) => !known.has(path))
    const vanished = known.childrenOf(snapshot.path).filter((path) => !found.has(path))
    for (const path of [...appeared, ...vanished]) {
      this.#unfinished.add(path)
      dirty.add(path, performance.now())
    }
  }

  #sightOf(snapshot: DirectorySnapshot, known: Comparison['known']): Sight {
    const { asOf, silentFileSystems, nowUs } = this.#context
    const stored = known?.stamp
    const sinceUs = asOf.notThereSinceUs((last) =>
      silentFileSystems.notThereSince(snapshot, stored, last),
    )
    // What a directory held while it could not be read is unknown.
    const notThereUs = known?.unreadable === true ? undefined : sinceUs
    return { notThereUs, foundUs: nowUs(), showsContents: !sameStamp(snapshot.stamp, stored) }
  }

  #withChildren(change: DirectoryChange, snapshot: DirectorySnapshot): DirectoryChange {
    const paths = snapshot.directories.map((name) => `${snapshot.path}/${name}`)
    return { ...change, directories: paths.filter((path) => !this.#context.known.has(path)) }
  }

  #updateKnown(snapshot: DirectorySnapshot, change: DirectoryChange | undefined): void {
    const { known } = this.#context
    const { path, outcome, identity } = snapshot
    const gone = outcome === 'missing' && change?.gone !== false
    if (gone) known.delete(path)
    else if (outcome !== 'lost-area' && outcome !== 'missing') known.add(path)
    else return
    const isLarge = snapshot.names.length > largeDirectory || snapshot.error === tooManyEntries
    this.#listeners.watchController.update(path, !gone && !isLarge, identity)
  }

  /**
   * Treats an area as lost if it contained directories before and contains none now, or if it
   * contained only files before and has neither directories nor RINEX files now. A mount point
   * without its disk looks like this.
   */
  async #detectLostArea(snapshot: DirectorySnapshot): Promise<DirectorySnapshot> {
    const isArea = !snapshot.path.includes('/')
    if (!isArea || snapshot.outcome !== 'read' || snapshot.directories.length > 0) return snapshot
    const before = await this.#context.writer.directory(snapshot.path)
    const heldDirectories = this.#context.known.childrenOf(snapshot.path).length > 0
    const heldSomething = heldDirectories || (before?.files.size ?? 0) > 0
    const holdsSomething = !heldDirectories && snapshot.names.length > 0
    const isLost = heldSomething && !holdsSomething
    return isLost ? { ...snapshot, outcome: 'lost-area', error: 'empty' } : snapshot
  }

  #reportArea({ path, outcome, error = '' }: DirectorySnapshot): void {
    const { health, known } = this.#context
    const area = areaOf(path)
    if (outcome === 'lost-area') {
      // An area that is not known has never contained anything, so it is not lost.
      if (known.has(area))
        health.report(`area ${area}`, {
          text: `${area}/ below the archive root is lost (${error}): its records are kept, mount or restore it`,
          advice:
            error === otherDisk
              ? 'Restart the indexer if this disk is intended; otherwise mount the disk of the area.'
              : 'Mount or restore the area; until then its files stay listed, and their downloads are answered `503`.',
        })
    } else if (path === area) {
      if (outcome === 'unreadable' && error !== tooManyEntries)
        health.report(`area ${area}`, {
          text: `${area}/ cannot be read (${error})`,
          advice:
            'Check that the area and every directory above it are open to the group of the indexer.',
        })
      else if (health.report(`area ${area}`, undefined)) this.#listeners.onAreaRestored(area)
    }
  }

  /** Reports a directory that has too many entries to be read, until it can be read or is gone. */
  #reportEntries({ path, outcome, error }: DirectorySnapshot): void {
    if (outcome === 'lost-area') return
    const problem = {
      text: `${path}/ has ${tooManyEntries} and is not read: its records are kept, divide it into subdirectories`,
      advice:
        'Divide the directory into subdirectories, for example one for each day; the indexer then reads it by itself.',
    }
    this.#context.health.report(`entries ${path}`, error === tooManyEntries ? problem : undefined)
  }

  #reportRefused(path: string, error: Error | undefined): void {
    const problem = error && {
      text: `${path}/ cannot be catalogued: ${error.message}`,
      advice:
        'Run `rinex-catalogue check`, and search the log of the indexer for this directory; the indexer tries again by itself.',
    }
    this.#context.health.report(`directory ${path}`, problem)
  }
}
