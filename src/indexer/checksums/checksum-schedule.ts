/**
 * Which files are read for their checksums, and when: those that have arrived or changed first, in the order of their
 * numbers, then those whose checksums are stale, then, where all are wanted, those that were there before, highest id
 * first. It follows the catalogue by itself and is told of nothing, so nothing can be missed.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { CatalogueRuined } from '../../catalogue/writer.ts'
import type { CatalogueWriter, UnhashedFile } from '../../catalogue/writer.ts'
import type { HashingStatus } from '../../control/protocol.ts'
import type { HashClient } from './hash-client.ts'
import { batchesOf, restMsOf, openChecksumFiles } from './checksum-files.ts'

/** How often it is asked whether something has arrived. */
const readMs = 1000
/** After a failure. */
const retryMs = 5000
/** A file that has a stale checksum and cannot be read is tried again after this time. */
const unreadRetryUs = 60_000_000
/** Bytes that are read at most of the files that a small catalogue has from the beginning. */
const mostOlderBytes = 1e9
/** Old files are looked through again after this time: some could not be read, others were found by scans. */
const roundMs = 3_600_000

export interface ChecksumScheduleDeps {
  readonly writer: CatalogueWriter
  readonly hashClient: HashClient
  /** Reports what is wrong with hashing, or with `undefined` that it works again. */
  readonly reportProblem: (message: string | undefined) => void
  readonly logger: Logger
  /** The clock: microseconds since 1970. */
  readonly nowUs: () => number
  /** Old files too. */
  readonly all: boolean
  /** Whether there is something to do that old files wait for. */
  readonly isBusy: () => boolean
}

export interface ChecksumSchedule {
  start(): void
  status(): HashingStatus
  close(): Promise<void>
  /** Rejects when it cannot go on. */
  readonly broken: Promise<never>
}

export function openChecksumSchedule(deps: ChecksumScheduleDeps): ChecksumSchedule {
  const { writer, hashClient, logger } = deps
  const stopping = new AbortController()
  const isClosing = (): boolean => stopping.signal.aborted
  let running: Promise<void> = Promise.resolve()
  let fail: (error: unknown) => void
  const broken = new Promise<never>((_resolve, reject) => (fail = reject))
  broken.catch(() => undefined) // for those who do not listen

  const reading = openChecksumFiles({ ...deps, isClosing })
  /** Up to where arrivals were gone through; `undefined` stands for what the catalogue remembers. */
  let throughSeq: number | undefined
  let keptSeq: number | undefined
  let olderSeq: number | undefined
  let behind = 0
  let stale = 0
  const round = { below: Number.MAX_SAFE_INTEGER, nextMs: 0, unread: 0 }
  /** Until when neither stale nor old files are read. */
  let restUntilMs = 0

  /** The number alone is worth no write: going through changes again costs next to nothing. */
  const keep = async (): Promise<void> => {
    if (!reading.hasGathered && throughSeq === keptSeq) return
    await reading.keep(throughSeq ?? 0)
    keptSeq = throughSeq
  }
  const ripeOf = (files: readonly UnhashedFile[]): readonly UnhashedFile[] => {
    const nowUs = deps.nowUs()
    const young = files.findIndex((file) => restMsOf(file, nowUs) > 0)
    return young === -1 ? files : files.slice(0, young)
  }
  /** As long as it took: half of the disk and of a processor at most. */
  const rest = (startedMs: number): void => {
    restUntilMs = performance.now() + (performance.now() - startedMs)
  }

  /** @returns whether there was something to do */
  const readArrived = async (): Promise<boolean> => {
    const { files, ...found } = await writer.arrivedUnhashed(throughSeq)
    const ripe = ripeOf(files)
    behind = found.behind + files.length
    olderSeq ??= found.olderSeq
    for (const part of batchesOf(ripe)) {
      await reading.read(part)
      if (isClosing()) return false
      behind -= part.length
      throughSeq = part.at(-1)?.seq
      if (reading.isDue) await keep()
      if (
        olderSeq !== undefined &&
        (throughSeq ?? 0) < olderSeq &&
        reading.bytes > mostOlderBytes
      ) {
        logger.info('checksums of the other files that were there before: with checksums = "all"')
        throughSeq = olderSeq
        await keep()
        return true
      }
    }
    // Up to the first that is too young, all has been gone through.
    const isThrough = ripe.length === files.length
    if (isThrough) throughSeq = found.throughSeq
    // From where to go on is remembered before anything is read, so that no end of the process can lose it.
    if (reading.hasGathered || keptSeq === undefined) await keep()
    return isThrough && found.behind > 0
  }

  /** @returns whether there was something to do */
  const readStale = async (): Promise<boolean> => {
    const startedMs = performance.now()
    if (startedMs < restUntilMs) return false
    const found = await writer.staleChecksums(deps.nowUs())
    stale = found.count
    const ripe = ripeOf(found.files)
    if (ripe.length === 0) return false
    const unread: number[] = []
    for (const part of batchesOf(ripe)) {
      unread.push(...(await reading.read(part)))
      if (isClosing()) return false
      // What arrives meanwhile goes first.
      if (performance.now() - startedMs > readMs) break
    }
    // At once, so that none is found in the queue again.
    await keep()
    await writer.hashAgain(unread, deps.nowUs() + unreadRetryUs)
    rest(startedMs)
    return true
  }

  const readOld = async (): Promise<boolean> => {
    const startedMs = performance.now()
    if (!deps.all || startedMs < Math.max(round.nextMs, restUntilMs) || deps.isBusy()) return false
    const { files, next } = await writer.unhashedBelow(round.below)
    const restMs = Math.max(0, ...files.map((file) => restMsOf(file, deps.nowUs())))
    if (restMs > 0) {
      restUntilMs = startedMs + restMs
      return false
    }
    const [part] = batchesOf(files)
    if (part !== undefined) {
      round.unread += (await reading.read(part)).length
      if (reading.isDue) await keep()
    }
    const left = part !== undefined && part.length < files.length
    round.below = (left ? part.at(-1)?.id : next) ?? Number.MAX_SAFE_INTEGER
    rest(startedMs)
    if (round.below === Number.MAX_SAFE_INTEGER) {
      round.nextMs = performance.now() + roundMs
      await keep()
      if (round.unread > 0)
        logger.warn({ files: round.unread }, 'files without a checksum: they cannot be read')
      round.unread = 0
    }
    return true
  }

  const sleep = (ms: number): Promise<void> =>
    pause(ms, undefined, { signal: stopping.signal }).catch(() => undefined)
  const turn = async (): Promise<void> => {
    let arrivedMs = -Infinity
    while (!isClosing()) {
      if (performance.now() - arrivedMs >= readMs) {
        while (!isClosing() && (await readArrived()));
        arrivedMs = performance.now()
      }
      const worked = !isClosing() && ((await readStale()) || (!isClosing() && (await readOld())))
      const restMs = restUntilMs - performance.now()
      // A timer may end a little early: then what is left of the rest is waited for, not the time of a look.
      await sleep(worked || restMs > 0 ? Math.max(0, Math.min(restMs, readMs)) : readMs)
    }
  }
  const loop = async (): Promise<void> => {
    while (!isClosing())
      try {
        await turn()
      } catch (error) {
        if (isClosing()) return
        if (error instanceof CatalogueRuined) throw error
        logger.warn({ err: error }, 'checksums are tried again later')
        // What was read and could not be kept is read again.
        reading.drop()
        throughSeq = keptSeq = undefined
        await sleep(retryMs)
      }
  }
  return {
    start() {
      running = loop().catch((error: unknown) => {
        fail(error)
      })
    },
    status: () => ({ all: deps.all, behind: behind + stale }),
    async close() {
      stopping.abort()
      hashClient.close()
      // What was read and is not kept yet is read again by the next process.
      await running
    },
    broken,
  }
}
