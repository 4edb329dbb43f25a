/**
 * Compares the snapshots of directories with the catalogue, and writes the accepted changes in
 * batches.
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { CatalogueCorrupt } from '../../catalogue/errors.ts'
import type { AppliedChange, DirectoryChange } from '../../catalogue/updates/change.ts'
import { joinPath } from '../../parse/layout.ts'
import { accept } from '../accept/acceptance.ts'
import type { Sight } from '../accept/arrival.ts'
import type { Comparison } from '../compare/directory-parts.ts'
import { reconcileInParts, splitChange } from '../compare/directory-parts.ts'
import type { ReadDirectory } from '../compare/judge-stamp.ts'
import { judgeStamp } from '../compare/judge-stamp.ts'
import { reportWithheld } from '../guard/removals.ts'
import type { Scan } from '../mark/scan-progress.ts'
import type { WatchController } from '../mark/watch-controller.ts'
import type { DirectorySnapshot } from '../read/directory-snapshot.ts'
import { largeDirectory, tooManyEntries } from '../read/directory-snapshot.ts'
import type { IndexerContext } from '../state/context.ts'
import { databaseProblem } from '../state/health.ts'
import { sameStamp } from '../state/sure-stamps.ts'
import { Batch } from './batch.ts'
import { detectLostArea, reportArea, reportEntries, reportRefused } from './directory-problems.ts'

/** Delay before the directories of a failed transaction are read again (ms). */
const retryMs = 5000
/**
 * Delay before a directory whose change the catalogue refused is read again (ms). It is long,
 * because other directories wait during this read.
 */
const refusedRetryMs = 60_000

/** Compares snapshots with the catalogue and applies the changes in batches. */
export class ApplyStage {
  readonly #context: IndexerContext
  readonly #watchController: Pick<WatchController, 'update'>
  readonly #onAreaRestored: () => void
  readonly #batch: Batch
  readonly #unfinished = new Set<string>()
  /** Directories of which only the first parts were written since the last flush. */
  readonly #brokenOff = new Set<string>()

  #isClosing = false
  /** The running scan, which counts what is written. The reconcile loop sets it. */
  scan: Scan | undefined

  /** @param onAreaRestored called when an area that was lost or unreadable can be read again */
  constructor(
    context: IndexerContext,
    watchController: Pick<WatchController, 'update'>,
    onAreaRestored: () => void,
  ) {
    this.#context = context
    this.#watchController = watchController
    this.#onAreaRestored = onAreaRestored
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

  /**
   * Those of some directories of which the catalogue holds nothing; what was added before is
   * written if it is of one of them.
   */
  async emptyAmong(paths: readonly string[]): Promise<ReadonlySet<string>> {
    if (paths.some((path) => this.#batch.has(path))) await this.flush()
    return this.#context.writer.emptyAmong(paths)
  }

  /** Snapshots must be added in the order in which they were read. */
  async add(input: ReadDirectory): Promise<void> {
    const { walked, isEmpty } = input
    const { path } = input.snapshot
    if (this.#batch.has(path)) await this.flush()
    const snapshot = await detectLostArea(this.#context, input.snapshot)
    if (reportArea(this.#context, snapshot)) this.#onAreaRestored()
    reportEntries(this.#context.health, snapshot)
    const isKnownNow = snapshot.outcome === 'read' || snapshot.outcome === 'missing'
    if (!walked && isKnownNow) this.#markChangedChildren(snapshot)
    const compared = await reconcileInParts(this.#context.writer, snapshot, isEmpty)
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
      if (isKnownNow) reportRefused(this.#context.health, path, undefined)
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

  /** Leaves the remaining parts of a large directory to the next process. */
  close(): void {
    this.#isClosing = true
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
      if (unwritten.has(path) || this.#isClosing) {
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
      this.scan?.applied(applied)
      const written = changes.filter(({ path }) => !refused.has(path))
      metrics.applied(applied, written)
      this.#store(written, applied.newest)
      this.#endWithholding(written)
      for (const path of paths) reportRefused(health, path, refused.get(path))
    }
    if (error !== undefined) {
      const text = `the catalogue cannot be written: ${error.message}`
      health.report('database', databaseProblem(text))
      this.scan?.failed()
    }
    const delayMs = error === undefined ? refusedRetryMs : retryMs
    for (const path of unwritten) this.#retryLater(path, delayMs)
    return unwritten
  }

  /** Keeps in memory what the catalogue stores of the directories now. */
  #store(written: readonly DirectoryChange[], newest: AppliedChange['newest']): void {
    const { known, nowUs } = this.#context
    for (const { path, more, stamp, directories } of written) {
      known.setStamp(path, more ? undefined : stamp)
      const newestSeconds = newest.get(path)
      // It may be hot from now on.
      if (newestSeconds !== undefined && known.holds(path, newestSeconds, nowUs() / 1e6))
        this.#watchController.update(path, true)
      for (const below of directories) if (!known.has(below)) known.unread.add(below)
    }
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

  /**
   * Marks the subdirectories dirty that appeared or vanished since the directory was read last.
   * Those that are not read yet are dirty already, or the running walk reads them.
   */
  #markChangedChildren(snapshot: DirectorySnapshot): void {
    const { known, dirty } = this.#context
    const found = new Set(snapshot.directories.map((name) => joinPath(snapshot.path, name)))
    const appeared = [...found].filter((path) => !known.has(path) && !known.unread.has(path))
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
    const paths = snapshot.directories.map((name) => joinPath(snapshot.path, name))
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
    this.#watchController.update(path, !gone && !isLarge, identity)
  }
}
