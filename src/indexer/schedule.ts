import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { areas } from '../parse/archive-path.ts'
import { CatalogueRuined } from '../catalogue/writer.ts'
import type { CatalogueWriter } from '../catalogue/writer.ts'
import type { Health } from './health.ts'
import type { DirtyDirectories } from './dirty-directories.ts'
import type { KnownDirectories } from './known-directories.ts'
import type { ReadDepth } from './tree/directory-snapshot.ts'
import type { TreeReader } from './tree/tree-reader.ts'
import type { ReconcileLoop } from './reconcile-loop.ts'
import { sameStamp } from './reconcile.ts'

/** How often it is asked whether the areas are there at all, so that a disk that hangs is noticed when all is quiet. */
const areasMs = 2000
/** The next sweep comes so soon after one that found something. */
const busyMs = 3000
/** How often removals are looked for that need not be remembered any longer. */
const purgeIntervalMs = 3_600_000
/** How often it is asked whether a backup is due. One that was made or had no room leaves time until the next. */
const backupMs = 3_600_000
const longestBackupMs = 86_400_000
/** Between two transactions of forgetting, so that what arrives meanwhile is not kept waiting. */
const purgePauseMs = 100
/** A disk hangs when the reading thread has not come on for this time; with the two others ten seconds at most. */
const hangingMs = 6000
/** How often that is looked at. */
const progressMs = 1000

export interface ScheduleDeps {
  readonly logger: Logger
  readonly writer: CatalogueWriter
  readonly tree: TreeReader
  readonly dirty: DirtyDirectories
  readonly known: KnownDirectories
  readonly health: Health
  readonly reconcileLoop: ReconcileLoop
  readonly sweepIntervalMs: number
  /** In this time the rolling look comes by every directory of the tree. */
  readonly fullReadMs: number
  readonly keepRemovalsMs: number
  /** Time between two backups; 0 for none. */
  readonly backupIntervalMs: number
  /** The clock: microseconds since 1970. */
  readonly nowUs: () => number
}

/**
 * What comes round by itself: the areas every few seconds, the stamps of all directories every minute or so, and the
 * sizes and times of all files over a day, which alone finds a file that was written over in a cold directory. Once an
 * hour, removals that are old enough are forgotten; once a day, a backup is made.
 */
export interface Schedule {
  start(): void
  /** Compares all stamps now; resolves, when what differed was reconciled, with how much of it is new. */
  sweepNow(): Promise<number>
  /** The same without being waited for. */
  sweepSoon(): void
  close(): void
  /** Rejects when a round cannot go on. */
  readonly broken: Promise<never>
}

export function openSchedule(deps: ScheduleDeps): Schedule {
  const { tree, dirty, known, health, reconcileLoop } = deps
  const timers: NodeJS.Timeout[] = []
  let sweepTimer: NodeJS.Timeout | undefined
  let backupTimer: NodeJS.Timeout | undefined
  let closing = false
  let fail: (error: unknown) => void
  const broken = new Promise<never>((_resolve, reject) => (fail = reject))
  const mark = (path: string, depth: ReadDepth): void => {
    dirty.add({ path, depth, arrived: false }, performance.now())
    reconcileLoop.wake()
  }

  let lastFound = new Set<string>()
  const sweepNow = async (): Promise<number> => {
    const found = await sweep(deps.writer, tree)
    for (const path of found) mark(path, 'facts')
    await reconcileLoop.caughtUp()
    health.swept()
    // What differed the last time too may do so for ever: files that settle, removals that are held back.
    const fresh = found.filter((path) => !lastFound.has(path)).length
    lastFound = new Set(found)
    return fresh
  }
  const failed = (error: unknown): void => {
    if (!closing) fail(error)
  }
  const sweepLater = (found: number): void => {
    if (closing) return
    // Where something changes, more will: a tree in motion is compared more often than one at rest.
    const delayMs = found > 0 ? Math.min(busyMs, deps.sweepIntervalMs) : deps.sweepIntervalMs
    sweepTimer = setTimeout(() => {
      sweepNow().then(sweepLater, failed)
    }, delayMs)
  }
  const noteHanging = (): void => {
    if (closing) return
    const hangs = tree.waitingMs() > hangingMs
    health.report(
      'tree',
      hangs ? `the disk of the archive has not answered for ${hangingMs / 1000} s` : undefined,
    )
  }
  // From now on: a disk may hang while all of it is read for the first time.
  timers.push(setInterval(noteHanging, progressMs).unref())
  // One that was never there may appear, and nothing above it would tell.
  const readAreas = (): void => {
    for (const area of areas) mark(area, 'auto')
  }
  const purgeRemovals = async (): Promise<void> => {
    while (!closing) {
      const { more } = await deps.writer.purgeRemovals(deps.nowUs() - deps.keepRemovalsMs * 1000)
      if (!more) return
      await pause(purgePauseMs)
    }
  }
  const forgetNow = (): void => {
    purgeRemovals().catch((error: unknown) => {
      // A full disk, say. They can wait for the next round.
      if (!closing) deps.logger.warn({ err: error }, 'old removals could not be forgotten')
    })
  }
  const backUp = async (): Promise<number> => {
    const made = await deps.writer.backup({ ifOlderThanMs: deps.backupIntervalMs })
    if (made.outcome === 'unneeded') return backupMs
    const { outcome, ...fields } = made
    if (outcome === 'kept') deps.logger.info(fields, 'the database was backed up')
    else deps.logger.warn(fields, 'no backup: there is not twice the size of the database free')
    return Math.min(deps.backupIntervalMs, longestBackupMs)
  }
  const backUpNow = (): void => {
    backUp()
      .catch((error: unknown) => {
        if (error instanceof CatalogueRuined) failed(error)
        else if (!closing) deps.logger.warn({ err: error }, 'the database could not be backed up')
        return backupMs
      })
      .then((nextMs) => {
        if (!closing) backupTimer = setTimeout(backUpNow, nextMs)
      }, failed)
  }
  const nextOfRound = openRollingLook(known)
  const readCloser = (): void => {
    for (let count = perSecond(known.size, deps.fullReadMs); count > 0; count--) {
      const path = nextOfRound()
      if (path !== undefined) mark(path, 'facts')
    }
  }
  return {
    start() {
      sweepLater(1)
      forgetNow()
      if (deps.backupIntervalMs > 0) backUpNow()
      timers.push(setInterval(forgetNow, purgeIntervalMs))
      timers.push(setInterval(readAreas, areasMs), setInterval(readCloser, 1000))
    },
    sweepNow,
    sweepSoon() {
      sweepNow().catch(failed)
    },
    close() {
      closing = true
      clearTimeout(sweepTimer)
      clearTimeout(backupTimer)
      for (const timer of timers) clearInterval(timer)
    },
    broken,
  }
}

/** Directories in the order of their round, newest date first, each round over those known at its start. */
function openRollingLook(known: KnownDirectories): () => string | undefined {
  let round: string[] = []
  return () => {
    if (round.length === 0) round = known.all().sort((a, b) => (a.slice(4) < b.slice(4) ? -1 : 1))
    return round.pop()
  }
}

/** How many directories come by in this second: most of the time none, when there are few. */
function perSecond(directories: number, roundMs: number): number {
  const rate = (directories * 1000) / roundMs
  return Math.floor(rate) + (Math.random() < rate % 1 ? 1 : 0)
}

/** So many stamps are taken at a time that other requests never wait long for the thread that reads. */
const chunkSize = 2000

/**
 * Finds the directories that may have changed since they were read: those whose stamp differs from the one in the
 * catalogue. A thousand directories cost a few milliseconds, so all of them are compared, whatever their date.
 */
export async function sweep(writer: CatalogueWriter, tree: TreeReader): Promise<string[]> {
  const known = new Map(
    (await writer.directories()).map(({ path, stamp }) => [path, stamp] as const),
  )
  // An area that is not known yet may have appeared, and nothing above it would tell.
  for (const area of areas) if (!known.has(area)) known.set(area, undefined)
  const paths = [...known.keys()]
  const differing: string[] = []
  for (let start = 0; start < paths.length; start += chunkSize) {
    const chunk = paths.slice(start, start + chunkSize)
    const stamps = await tree.stamps(chunk)
    chunk.forEach((path, index) => {
      if (!sameStamp(stamps[index], known.get(path))) differing.push(path)
    })
  }
  return differing
}
