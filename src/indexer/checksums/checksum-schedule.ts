/**
 * Decides which files are read for their checksums and facts, and when: first new and changed files
 * in the order of their seq, without a limit; then files with stale checksums, at most half of the
 * time; then, unless `all` is false, the older files, highest id first, at most a tenth of the
 * time. The schedule polls the catalogue and does not depend on events, so it can miss no file.
 */
import { CatalogueCorrupt } from '../../catalogue/errors.ts'
import type { UnhashedFile } from '../../catalogue/updates/checksum-queue.ts'
import type { HashingStatus } from '../../control-socket/protocol.ts'
import type { FlagName } from '../../rinex/facts.ts'
import { wait } from '../../runtime/clock.ts'
import { failureFields } from '../../runtime/logger.ts'
import type { IndexerContext } from '../state/context.ts'
import type { ChecksumFilesContext } from './checksum-files.ts'
import { batchesOf, ChecksumFiles, readDelayMs } from './checksum-files.ts'

/** Time between two checks for new files. */
const pollMs = 1000
/** Delay before hashing is tried again after a failure (ms). */
const retryMs = 5000
/** Delay before a file with a stale checksum that could not be read is tried again (µs). */
const unreadRetryUs = 60_000_000
/**
 * Duration of a pause after work, as a multiple of the time that the work took. Old files have
 * waited for years, so hashing them uses at most a tenth of a processor and of the disk.
 */
const restFactor = { stale: 1, older: 9 }
/**
 * Time between two passes over the older files (ms). A pass reads files that could not be read
 * before, and files that scans have found since.
 */
const passIntervalMs = 3_600_000

export type ChecksumContext = Omit<ChecksumFilesContext, 'isClosing'> &
  Pick<IndexerContext, 'onFailure'> & {
    /** True if older files are hashed as well. */
    readonly all: boolean
    /** True if older files that have a checksum, but no facts, are read again. */
    readonly allFacts: boolean
    /** The flags that make files damaged. */
    readonly damagedBy: readonly FlagName[]
    /** Returns true while the indexer has more urgent work; older files wait for its end. */
    readonly isBusy: () => boolean
  }

export class ChecksumSchedule {
  readonly #context: ChecksumContext
  readonly #stopping = new AbortController()
  readonly #checksumFiles: ChecksumFiles
  #running: Promise<void> = Promise.resolve()
  /**
   * The seq up to which new files have been processed; `undefined` stands for the seq that is
   * stored in the catalogue.
   */
  #throughSeq: number | undefined
  #storedSeq: number | undefined
  #behind = 0
  #stale = 0
  readonly #pass = { below: Number.MAX_SAFE_INTEGER, nextMs: 0, unread: 0 }
  /** Times until which stale files, and older files, are not read (steady clock). */
  readonly #pausedUntilMs = { stale: 0, older: 0 }
  /** Number of failures since checksums were stored last; only the first failure is logged. */
  #failures = 0

  constructor(context: ChecksumContext) {
    this.#context = context
    this.#checksumFiles = new ChecksumFiles({ ...context, isClosing: () => this.#isClosing() })
  }

  #isClosing(): boolean {
    return this.#stopping.signal.aborted
  }

  start(): void {
    this.#running = this.#loop().catch(this.#context.onFailure)
  }

  status(): HashingStatus {
    const { all, allFacts } = this.#context
    return { all, allFacts, behind: this.#behind + this.#stale }
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    this.#context.hashClient.close()
    // Files whose checksums are not stored yet are read again by the next process.
    await this.#running
  }

  async #loop(): Promise<void> {
    while (!this.#isClosing())
      try {
        await this.#work()
      } catch (error) {
        if (this.#isClosing()) return
        if (error instanceof CatalogueCorrupt) throw error
        if (this.#failures++ === 0)
          this.#context.logger.warn(failureFields(error), 'hashing failed; retrying')
        this.#context.health.report('stored checksums', {
          text: 'checksums and facts cannot be stored',
          advice:
            'Search the log of the indexer for the cause, after "hashing failed"; the list and downloads work.',
        })
        // Files whose checksums could not be stored are read again.
        this.#checksumFiles.discard()
        this.#throughSeq = this.#storedSeq = undefined
        await wait(retryMs, this.#stopping.signal)
      }
  }

  async #work(): Promise<void> {
    await this.#adoptDamagedBy()
    const paused = this.#pausedUntilMs
    let arrivedMs = -Infinity
    while (!this.#isClosing()) {
      if (performance.now() - arrivedMs >= pollMs) {
        while (!this.#isClosing() && (await this.#readArrived()));
        arrivedMs = performance.now()
      }
      const worked =
        !this.#isClosing() &&
        ((await this.#readStale()) || (!this.#isClosing() && (await this.#readOlder())))
      const restMs = Math.max(paused.stale, paused.older) - performance.now()
      // A timer may fire a little early. The loop then waits for the rest of the pause only, not
      // for another poll interval.
      await wait(
        worked || restMs > 0 ? Math.max(0, Math.min(restMs, pollMs)) : pollMs,
        this.#stopping.signal,
      )
    }
  }

  /** Before any file is read, because what is found is judged by what was adopted. */
  async #adoptDamagedBy(): Promise<void> {
    const { writer, damagedBy } = this.#context
    for (let after: number | undefined = 0; after !== undefined && !this.#isClosing();)
      after = await writer.adoptDamagedBy(damagedBy, after)
  }

  /** @returns true if there may be more to do */
  async #readArrived(): Promise<boolean> {
    const checksumFiles = this.#checksumFiles
    const { files, ...found } = await this.#context.writer.arrivedUnhashed(this.#throughSeq)
    const due = this.#dueOf(files)
    this.#behind = found.behind + files.length
    for (const batch of batchesOf(due)) {
      await checksumFiles.read(batch)
      if (this.#isClosing()) return false
      this.#behind -= batch.length
      this.#throughSeq = batch.at(-1)?.seq
      if (checksumFiles.isDue) await this.#store()
    }
    // If a file is too young to be read, the seq stays below the seq of that file, and the next
    // call of this function begins there.
    const isThrough = due.length === files.length
    if (isThrough) this.#throughSeq = found.throughSeq
    // If no checksum was gathered, only the first seq is stored, so that it survives an end of the
    // process. Processing other changes again costs next to nothing.
    if (checksumFiles.hasGathered || this.#storedSeq === undefined) await this.#store()
    return isThrough && found.behind > 0
  }

  /** @returns true if there was something to do */
  async #readStale(): Promise<boolean> {
    const { writer, nowUs } = this.#context
    const startedMs = performance.now()
    if (startedMs < this.#pausedUntilMs.stale) return false
    const found = await writer.staleChecksums(nowUs())
    this.#stale = found.count
    const due = this.#dueOf(found.files)
    if (due.length === 0) return false
    const unread: number[] = []
    for (const batch of batchesOf(due)) {
      unread.push(...(await this.#checksumFiles.read(batch)))
      if (this.#isClosing()) return false
      // New files are read before further stale ones.
      if (performance.now() - startedMs > pollMs) break
    }
    // The checksums are stored at once, so that no file is found in the queue again.
    await this.#store()
    await writer.hashAgain(unread, nowUs() + unreadRetryUs)
    this.#pauseSince(startedMs, 'stale')
    return true
  }

  /** @returns true if there was something to do */
  async #readOlder(): Promise<boolean> {
    const { writer, logger, nowUs, all, allFacts, isBusy } = this.#context
    const pass = this.#pass
    const startedMs = performance.now()
    const { stale: afterStaleMs, older: afterOlderMs } = this.#pausedUntilMs
    if (!all || startedMs < Math.max(pass.nextMs, afterStaleMs, afterOlderMs)) return false
    if (isBusy()) return false
    const { files, next } = await writer.unhashedBelow(pass.below, allFacts)
    const restMs = Math.max(0, ...files.map((file) => readDelayMs(file, nowUs())))
    if (restMs > 0) {
      this.#pausedUntilMs.older = startedMs + restMs
      return false
    }
    const [batch] = batchesOf(files)
    if (batch !== undefined) {
      pass.unread += (await this.#checksumFiles.read(batch)).length
      if (this.#checksumFiles.isDue) await this.#store()
    }
    const left = batch !== undefined && batch.length < files.length
    pass.below = (left ? batch.at(-1)?.id : next) ?? Number.MAX_SAFE_INTEGER
    this.#pauseSince(startedMs, 'older')
    if (pass.below === Number.MAX_SAFE_INTEGER) {
      pass.nextMs = performance.now() + passIntervalMs
      await this.#store()
      if (pass.unread > 0)
        logger.warn({ files: pass.unread }, 'files cannot be read for their checksums')
      pass.unread = 0
    }
    return true
  }

  /** Stores the gathered checksums and the seq, if any of them is new. */
  async #store(): Promise<void> {
    if (!this.#checksumFiles.hasGathered && this.#throughSeq === this.#storedSeq) return
    await this.#checksumFiles.store(this.#throughSeq ?? 0)
    this.#storedSeq = this.#throughSeq
    if (this.#failures > 0)
      this.#context.logger.info({ failures: this.#failures }, 'hashing recovered')
    this.#context.health.report('stored checksums', undefined)
    this.#failures = 0
  }

  /** Returns the files before the first one that is too young to be read. */
  #dueOf(files: readonly UnhashedFile[]): readonly UnhashedFile[] {
    const nowUs = this.#context.nowUs()
    const firstYoung = files.findIndex((file) => readDelayMs(file, nowUs) > 0)
    return firstYoung === -1 ? files : files.slice(0, firstYoung)
  }

  #pauseSince(startedMs: number, queue: 'stale' | 'older'): void {
    const nowMs = performance.now()
    this.#pausedUntilMs[queue] = nowMs + restFactor[queue] * (nowMs - startedMs)
  }
}
