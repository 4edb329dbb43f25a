/**
 * Which files are read for their checksums, and when: those that have arrived or changed first, in the order of their
 * numbers, then, where all are wanted, those that were there before, highest id first. It follows the catalogue's
 * number by itself and is told of nothing, so nothing can be missed.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { CatalogueRuined } from '../../catalogue/catalogue-writer.ts'
import type { CatalogueWriter, Checksum, UnhashedFile } from '../../catalogue/catalogue-writer.ts'
import type { HashingStatus } from '../../control/protocol.ts'
import type { Condition } from '../condition.ts'
import { partsOf, restMsOf } from './portions.ts'
import { HasherFailed } from './hasher.ts'
import type { Hasher } from './hasher.ts'

/** How often it is asked whether something has arrived. */
const lookMs = 1000
/** Checksums are kept this many at a time, or after this time: each transaction is a synchronised write. */
const mostGathered = 500
const gatherMs = 2000
/** After a failure. */
const retryMs = 5000
/** Old files are looked through again after this time: some could not be read, others were found by scans. */
const roundMs = 3_600_000

export interface HashingDeps {
  readonly writer: CatalogueWriter
  readonly hasher: Hasher
  readonly condition: Condition
  readonly logger: Logger
  /** The clock: microseconds since 1970. */
  readonly nowUs: () => number
  /** Old files too. */
  readonly all: boolean
  /** Whether there is something to do that old files wait for. */
  readonly isBusy: () => boolean
}

export interface Hashing {
  start(): void
  status(): HashingStatus
  close(): Promise<void>
  /** Rejects when it cannot go on. */
  readonly broken: Promise<never>
}

/** What was read and is not kept yet. */
interface Gathered {
  checksums: Checksum[]
  sinceMs: number
}

export function openHashing(deps: HashingDeps): Hashing {
  const { writer, hasher, condition, logger } = deps
  const stopping = new AbortController()
  const isClosing = (): boolean => stopping.signal.aborted
  let running: Promise<void> = Promise.resolve()
  let fail: (error: unknown) => void
  const broken = new Promise<never>((_resolve, reject) => (fail = reject))
  broken.catch(() => undefined) // for those who do not listen

  let gathered: Gathered = { checksums: [], sinceMs: 0 }
  /** Up to where arrivals were gone through; `undefined` stands for what the catalogue remembers. */
  let throughSeq: number | undefined
  let keptSeq: number | undefined
  let behind = 0
  const round = { below: Number.MAX_SAFE_INTEGER, nextMs: 0, restUntilMs: 0, unread: 0 }

  const keep = async (): Promise<void> => {
    const { checksums } = gathered
    gathered = { checksums: [], sinceMs: performance.now() }
    if (checksums.length === 0 && throughSeq === keptSeq) return
    await writer.keepChecksums(checksums, throughSeq ?? 0)
    keptSeq = throughSeq
  }
  const keepInTime = async (): Promise<void> => {
    const { checksums, sinceMs } = gathered
    // The number alone is worth no write: going through changes again costs next to nothing.
    if (checksums.length === 0) return
    if (checksums.length >= mostGathered || performance.now() - sinceMs > gatherMs) await keep()
  }

  const read = async (files: readonly UnhashedFile[]): Promise<void> => {
    const digests = await hasher.digest(files).catch((error: unknown) => {
      if (files.length > 1 || isClosing()) throw error
      // It is this file at which the process ends.
      logger.warn({ err: error, path: files[0]?.path }, 'no checksum of a file')
      return [undefined]
    })
    condition.trouble('checksums', undefined)
    for (const [index, file] of files.entries()) {
      const digest = digests[index]
      if (digest === undefined) {
        round.unread++
        logger.debug({ path: file.path }, 'not to be read as it is catalogued: no checksum')
      } else {
        const { size, mtimeUs, broken } = digest
        const sha256 = Buffer.from(digest.sha256, 'hex')
        gathered.checksums.push({ id: file.id, size, mtimeUs, sha256, broken })
      }
    }
  }
  /** One by one after a failure, so that none that can be read is lost to one that ends the process. */
  const readCarefully = async (files: readonly UnhashedFile[]): Promise<void> => {
    try {
      await read(files)
    } catch (error) {
      if (isClosing() || !(error instanceof HasherFailed)) throw error
      condition.trouble('checksums', `files cannot be read for their checksums: ${error.message}`)
      for (const file of files) if (!isClosing()) await read([file])
    }
  }

  /** @returns whether there was something to do */
  const readArrived = async (): Promise<boolean> => {
    const { files, ...found } = await writer.arrivedUnhashed(throughSeq)
    const nowUs = deps.nowUs()
    const young = files.findIndex((file) => restMsOf(file, nowUs) > 0)
    const ripe = young === -1 ? files : files.slice(0, young)
    behind = found.behind + files.length
    for (const part of partsOf(ripe)) {
      await readCarefully(part)
      if (isClosing()) return false
      behind -= part.length
      throughSeq = part.at(-1)?.seq
      await keepInTime()
    }
    // Up to the first that is too young, all has been gone through.
    if (young === -1) throughSeq = found.throughSeq
    // From where to go on is remembered before anything is read, so that no end of the process can lose it.
    if (gathered.checksums.length > 0 || keptSeq === undefined) await keep()
    return young === -1 && found.behind > 0
  }

  const readOld = async (): Promise<boolean> => {
    const startedMs = performance.now()
    if (!deps.all || startedMs < Math.max(round.nextMs, round.restUntilMs) || deps.isBusy())
      return false
    const { files, next } = await writer.unhashedBelow(round.below)
    const restMs = Math.max(0, ...files.map((file) => restMsOf(file, deps.nowUs())))
    if (restMs > 0) {
      round.restUntilMs = startedMs + restMs
      return false
    }
    const [part] = partsOf(files)
    if (part !== undefined) {
      await readCarefully(part)
      await keepInTime()
    }
    const left = part !== undefined && part.length < files.length
    round.below = (left ? part.at(-1)?.id : next) ?? Number.MAX_SAFE_INTEGER
    // As long as it took: half of the disk and of a processor at most.
    round.restUntilMs = performance.now() + (performance.now() - startedMs)
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
      if (performance.now() - arrivedMs >= lookMs) {
        while (!isClosing() && (await readArrived()));
        arrivedMs = performance.now()
      }
      const worked = !isClosing() && (await readOld())
      const restMs = round.restUntilMs - performance.now()
      // A timer may end a little early: then what is left of the rest is waited for, not the time of a look.
      await sleep(worked || restMs > 0 ? Math.max(0, Math.min(restMs, lookMs)) : lookMs)
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
        gathered = { checksums: [], sinceMs: 0 }
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
    status: () => ({ all: deps.all, behind }),
    async close() {
      stopping.abort()
      hasher.close()
      await running
      // What cannot be kept now is read again by the next process.
      await keep().catch(() => undefined)
    },
    broken,
  }
}
