/**
 * Decides which files are hashed, and when: first new and changed files in the order of their seq,
 * without a limit; then files with stale checksums, at most half of the time; then, unless `all` is
 * false, the older files, highest id first, at most a tenth of the time. The schedule polls the
 * catalogue and does not depend on events, so it can miss no file.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { CatalogueCorrupt } from '../../catalogue/writer.ts'
import type { UnhashedFile } from '../../catalogue/writer.ts'
import type { HashingStatus } from '../../control-socket/protocol.ts'
import { failureFields } from '../../runtime/logger.ts'
import { batchesOf, readDelayMs, openChecksumFiles } from './checksum-files.ts'
import type { ChecksumFilesDeps } from './checksum-files.ts'

/** Time between two checks for new files. */
const pollMs = 1000
/** Delay before hashing is tried again after a failure (ms). */
const retryMs = 5000
/** Delay before a file with a stale checksum that could not be read is tried again (µs). */
const unreadRetryUs = 60_000_000
/**
 * Duration of a pause after work, as a multiple of the time that the work took. Old files have waited for years, so hashing them
 * uses at most a tenth of a processor and of the disk.
 */
const restFactor = { stale: 1, older: 9 }
/**
 * Time between two passes over the older files (ms). A pass reads files that could not be read before, and files that scans have
 * found since.
 */
const passIntervalMs = 3_600_000

export interface ChecksumScheduleDeps extends Omit<ChecksumFilesDeps, 'isClosing'> {
  /** True if older files are hashed as well. */
  readonly all: boolean
  /** Returns true while the indexer has more urgent work; older files wait for its end. */
  readonly isBusy: () => boolean
  /** Called when hashing cannot go on. */
  readonly onFailure: (error: unknown) => void
}

export interface ChecksumSchedule {
  start(): void
  status(): HashingStatus
  close(): Promise<void>
}

export function openChecksumSchedule(deps: ChecksumScheduleDeps): ChecksumSchedule {
  const { writer, hashClient, logger } = deps
  const stopping = new AbortController()
  const isClosing = (): boolean => stopping.signal.aborted
  let running: Promise<void> = Promise.resolve()
  const checksumFiles = openChecksumFiles({ ...deps, isClosing })
  /** The seq up to which new files have been processed; `undefined` stands for the seq that is stored in the catalogue. */
  let throughSeq: number | undefined
  let storedSeq: number | undefined
  let behind = 0
  let stale = 0
  const pass = { below: Number.MAX_SAFE_INTEGER, nextMs: 0, unread: 0 }
  /** Times until which stale files, and older files, are not read (steady clock). */
  const pausedUntilMs = { stale: 0, older: 0 }

  /** Stores the gathered checksums and the seq, if any of them is new. */
  const store = async (): Promise<void> => {
    if (!checksumFiles.hasGathered && throughSeq === storedSeq) return
    await checksumFiles.store(throughSeq ?? 0)
    storedSeq = throughSeq
    if (failures > 0) logger.info({ failures }, 'hashing recovered')
    failures = 0
  }
  /** Returns the files before the first one that is too young to be read. */
  const dueOf = (files: readonly UnhashedFile[]): readonly UnhashedFile[] => {
    const nowUs = deps.nowUs()
    const firstYoung = files.findIndex((file) => readDelayMs(file, nowUs) > 0)
    return firstYoung === -1 ? files : files.slice(0, firstYoung)
  }
  const pauseSince = (startedMs: number, queue: 'stale' | 'older'): void => {
    const nowMs = performance.now()
    pausedUntilMs[queue] = nowMs + restFactor[queue] * (nowMs - startedMs)
  }

  /** @returns true if there may be more to do */
  const readArrived = async (): Promise<boolean> => {
    const { files, ...found } = await writer.arrivedUnhashed(throughSeq)
    const due = dueOf(files)
    behind = found.behind + files.length
    for (const batch of batchesOf(due)) {
      await checksumFiles.read(batch)
      if (isClosing()) return false
      behind -= batch.length
      throughSeq = batch.at(-1)?.seq
      if (checksumFiles.isDue) await store()
    }
    // If a file is too young to be read, the seq stays below the seq of that file, and the next call of this function begins
    // there.
    const isThrough = due.length === files.length
    if (isThrough) throughSeq = found.throughSeq
    // If no checksum was gathered, only the first seq is stored, so that it survives an end of the process. Processing other
    // changes again costs next to nothing.
    if (checksumFiles.hasGathered || storedSeq === undefined) await store()
    return isThrough && found.behind > 0
  }

  /** @returns true if there was something to do */
  const readStale = async (): Promise<boolean> => {
    const startedMs = performance.now()
    if (startedMs < pausedUntilMs.stale) return false
    const found = await writer.staleChecksums(deps.nowUs())
    stale = found.count
    const due = dueOf(found.files)
    if (due.length === 0) return false
    const unread: number[] = []
    for (const batch of batchesOf(due)) {
      unread.push(...(await checksumFiles.read(batch)))
      if (isClosing()) return false
      // New files are read before further stale ones.
      if (performance.now() - startedMs > pollMs) break
    }
    // The checksums are stored at once, so that no file is found in the queue again.
    await store()
    await writer.hashAgain(unread, deps.nowUs() + unreadRetryUs)
    pauseSince(startedMs, 'stale')
    return true
  }

  const readOlder = async (): Promise<boolean> => {
    const startedMs = performance.now()
    const { stale: afterStaleMs, older: afterOlderMs } = pausedUntilMs
    if (!deps.all || startedMs < Math.max(pass.nextMs, afterStaleMs, afterOlderMs)) return false
    if (deps.isBusy()) return false
    const { files, next } = await writer.unhashedBelow(pass.below)
    const restMs = Math.max(0, ...files.map((file) => readDelayMs(file, deps.nowUs())))
    if (restMs > 0) {
      pausedUntilMs.older = startedMs + restMs
      return false
    }
    const [batch] = batchesOf(files)
    if (batch !== undefined) {
      pass.unread += (await checksumFiles.read(batch)).length
      if (checksumFiles.isDue) await store()
    }
    const left = batch !== undefined && batch.length < files.length
    pass.below = (left ? batch.at(-1)?.id : next) ?? Number.MAX_SAFE_INTEGER
    pauseSince(startedMs, 'older')
    if (pass.below === Number.MAX_SAFE_INTEGER) {
      pass.nextMs = performance.now() + passIntervalMs
      await store()
      if (pass.unread > 0)
        logger.warn({ files: pass.unread }, 'files cannot be read and have no checksum')
      pass.unread = 0
    }
    return true
  }

  const sleep = (ms: number): Promise<void> =>
    pause(ms, undefined, { signal: stopping.signal }).catch(() => undefined)
  const work = async (): Promise<void> => {
    let arrivedMs = -Infinity
    while (!isClosing()) {
      if (performance.now() - arrivedMs >= pollMs) {
        while (!isClosing() && (await readArrived()));
        arrivedMs = performance.now()
      }
      const worked = !isClosing() && ((await readStale()) || (!isClosing() && (await readOlder())))
      const restMs = Math.max(pausedUntilMs.stale, pausedUntilMs.older) - performance.now()
      // A timer may fire a little early. The loop then waits for the rest of the pause only, not for another poll interval.
      await sleep(worked || restMs > 0 ? Math.max(0, Math.min(restMs, pollMs)) : pollMs)
    }
  }
  /** Number of failures since checksums were stored last; only the first failure is logged. */
  let failures = 0
  const loop = async (): Promise<void> => {
    while (!isClosing())
      try {
        await work()
      } catch (error) {
        if (isClosing()) return
        if (error instanceof CatalogueCorrupt) throw error
        if (failures++ === 0) logger.warn(failureFields(error), 'hashing failed; retrying')
        // Files whose checksums could not be stored are read again.
        checksumFiles.discard()
        throughSeq = storedSeq = undefined
        await sleep(retryMs)
      }
  }
  return {
    start() {
      running = loop().catch(deps.onFailure)
    },
    status: () => ({ all: deps.all, behind: behind + stale }),
    async close() {
      stopping.abort()
      hashClient.close()
      // Files whose checksums are not stored yet are read again by the next process.
      await running
    },
  }
}
