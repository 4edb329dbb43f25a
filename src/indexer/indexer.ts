/**
 * The indexer: catches up with the tree, then follows it. Whatever notices a change — a file event, a sweep, an
 * administrator — only marks a directory dirty; reconciling the directory brings the catalogue up to date.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { ScanSummary } from '../catalogue/records.ts'
import type { CatalogueWriter } from '../catalogue/writer.ts'
import type {
  IndexerStatus,
  RegisterAnswer,
  RescanAnswer,
  RescanOrder,
  SettlingFile,
} from '../control/protocol.ts'
import { areas } from '../parse/archive-path.ts'
import { isNowhere } from './absent.ts'
import { openAdmission } from './admission.ts'
import { openCondition } from './condition.ts'
import { openDirtyDirectories } from './dirty-directories.ts'
import { openFollow } from './follow.ts'
import { openGuard } from './guard.ts'
import type { Hasher } from './hashing/hasher.ts'
import { openHashing } from './hashing/hashing.ts'
import type { HotWindow } from './hot-window.ts'
import { openKnownDirectories } from './known-directories.ts'
import { openRegister } from './register.ts'
import { recallRemovals } from './remembered.ts'
import { openRescans } from './rescans.ts'
import { openRounds } from './rounds.ts'
import { openSettling } from './settle.ts'
import type { TreeReader } from './tree/tree-reader.ts'
import { startWork } from './work.ts'
import type { ScanResult } from './work.ts'

export interface IndexerDeps {
  readonly writer: CatalogueWriter
  readonly tree: TreeReader
  /** Absolute path of the archive root. */
  readonly archive: string
  readonly logger: Logger
  /** The clock: microseconds since 1970. */
  readonly nowUs: () => number
  readonly sweepIntervalMs: number
  readonly fullLookMs: number
  /** How long removed files are remembered. */
  readonly keepRemovalsMs: number
  /** Time between two backups; 0 for none. */
  readonly backupIntervalMs: number
  readonly window: HotWindow
  /** What reads files for their checksums, and whether it reads old ones too; none where there are to be no checksums. */
  readonly checksums?: { readonly hasher: Hasher; readonly all: boolean } | undefined
  readonly version: string
}

export interface CaughtUp {
  /** The last complete scan. */
  readonly scan: ScanSummary
  /** Whether that was now, or is remembered from an earlier process. */
  readonly now: boolean
}

export interface Indexer {
  /**
   * Catches up with the tree: reads all names when no complete scan is remembered or `scan` asks for it, else
   * compares stamps. Where there is no archive to read it waits for one when it is
   * `patient`, and fails otherwise.
   */
  catchUp(options: { readonly scan: boolean; readonly patient: boolean }): Promise<CaughtUp>
  /** Follows the tree: by file events at once, and by rounds from when it has been caught up with. */
  watch(): void
  rescan(order: RescanOrder): Promise<RescanAnswer>
  /** Looks at one file now, given by its path below the archive root. */
  register(path: string): Promise<RegisterAnswer>
  status(): IndexerStatus
  /** Files that are not complete yet, those that are as they are for longest first, at most 1,000. */
  settlingFiles(): readonly SettlingFile[]
  /** Finishes the directory in hand and brings the database up to date. */
  close(): Promise<void>
  /** Rejects when the indexer cannot go on. */
  readonly broken: Promise<never>
}

/** A scan that could not be what it should; the message says what to do. */
export class IncompleteScan extends Error {
  readonly code = 'INCOMPLETE_SCAN'
}

/** An archive that is not there yet is looked for again after this time. */
const retryMs = 5000
/** Files that are told of by name; a disk that hangs may leave any number without their ends. */
const mostSettling = 1000

/** Puts the parts together. What each does is told in its own file. */
export async function startIndexer(deps: IndexerDeps): Promise<Indexer> {
  const { writer, tree, logger, nowUs } = deps
  const earlier = (await writer.summary()).lastScan
  /** When the steady clock began, by the wall clock. */
  const steadyZeroUs = nowUs() - performance.now() * 1000
  const condition = openCondition({ ...deps, lastScan: earlier })
  const dirty = openDirtyDirectories()
  const directories = await writer.directories()
  const known = openKnownDirectories(directories.map(({ path }) => path))
  const settling = openSettling()
  const guard = openGuard(await recallRemovals({ writer, directories, nowUs }))
  const follow = openFollow({
    ...deps,
    dirty,
    known,
    condition,
    wake: () => {
      work.wake()
    },
  })
  const admission = openAdmission({ writer, tree, settling, guard, condition, nowUs })
  const work = startWork({
    ...{ writer, tree, dirty, known, condition, nowUs },
    admit: (look, change) => admission.admit(look, change),
    onDirectory(path, isKnown, identity) {
      follow.note(path, isKnown, identity)
    },
    onReconciled(path, costMs) {
      follow.rest(path, costMs)
    },
    onFlushed(unwritten) {
      guard.settle(unwritten)
    },
    onAreaBack() {
      follow.renew()
      rounds.sweepSoon()
    },
  })
  const rounds = openRounds({ ...deps, dirty, known, condition, work })
  const isBusy = (): boolean =>
    work.scanning !== undefined || (dirty.nextDueMs() ?? Infinity) <= performance.now()
  const hashing = deps.checksums && openHashing({ ...deps, ...deps.checksums, condition, isBusy })
  const startRounds = (): void => {
    rounds.start()
    hashing?.start()
  }
  let fail: (error: unknown) => void
  let watching = false
  let current = false
  const scanBroken = new Promise<never>((_resolve, reject) => (fail = reject))

  const scanNow = async (roots: readonly string[], full: boolean): Promise<ScanResult> => {
    condition.enter('scanning')
    const result = await work.scan(roots, full ? 'facts' : 'fitting')
    if (isComplete(result) && areas.every((area) => roots.includes(area))) {
      condition.scanned(result.summary)
      await writer.scanned(result.summary).catch((error: unknown) => {
        // What the scan found is tried again until it can be written; the next start then scans anew.
        logger.error({ err: error }, 'the scan cannot be remembered')
      })
    }
    condition.enter('watching')
    return result
  }
  let lastScan: Promise<unknown> = Promise.resolve()
  /** One scan at a time. */
  const scan = (roots: readonly string[], full: boolean): Promise<ScanResult> => {
    const next = lastScan.then(() => scanNow(roots, full))
    lastScan = next.catch(() => undefined)
    return next
  }
  const scanAll = async (patient: boolean): Promise<ScanSummary> => {
    for (;;) {
      const result = await scan(areas, false)
      const fault = result.archiveRead
        ? 'not all that was found could be written'
        : `${deps.archive} holds neither obs/ nor nrt/ that can be read: mount the archive, or configure where it is`
      condition.trouble('archive', isComplete(result) ? undefined : fault)
      if (isComplete(result)) return result.summary
      if (!patient) throw new IncompleteScan(fault)
      await delay(retryMs, undefined, { ref: false })
    }
  }
  const rescans = openRescans({
    scan,
    acceptRemovals: (roots) => {
      guard.accept(roots)
    },
    onError: (error) => {
      fail(error)
    },
  })
  return {
    async catchUp(options) {
      const now = earlier === undefined || options.scan
      const summary = now ? await scanAll(options.patient) : earlier
      if (!now) await rounds.sweepNow()
      condition.enter('watching')
      current = true
      if (watching) startRounds()
      return { scan: summary, now }
    },
    watch() {
      watching = true
      follow.start()
      if (current) startRounds()
    },
    async rescan(order) {
      const { path } = order
      if (path !== undefined && (await isNowhere(path, { tree, known })))
        return { place: 'nowhere' }
      return rescans.order(order)
    },
    register: openRegister({ writer, known, settling, work }),
    status: () =>
      condition.status({
        scan: work.scanning?.progress(),
        dirtyDirectories: dirty.size,
        watching: follow.status(),
        settlingFiles: settling.size,
        heldRemovals: [...guard.held().values()].reduce((sum, count) => sum + count, 0),
        rescans: rescans.numbers,
        hashing: hashing?.status(),
      }),
    settlingFiles: () =>
      settling.list(mostSettling).map(({ path, readable, sinceMs }) => ({
        path,
        reason: readable ? 'no-end-yet' : 'unreadable',
        sinceUs: Math.round(steadyZeroUs + sinceMs * 1000),
      })),
    async close() {
      rounds.close()
      await hashing?.close()
      await follow.close()
      await work.close()
      await tree.close()
      await writer.checkpoint()
    },
    broken: Promise.race([
      ...[work.broken, rounds.broken, scanBroken],
      ...(hashing === undefined ? [] : [hashing.broken]),
    ]),
  }
}

function isComplete({ archiveRead, written }: ScanResult): boolean {
  return archiveRead && written
}
