import type { Logger } from 'pino'
import type { WatchCounts } from '../control/protocol.ts'
import type { Health } from './health.ts'
import type { DirtyDirectories } from './dirty-directories.ts'
import { isHot } from './watch-window.ts'
import type { WatchWindow } from './watch-window.ts'
import type { KnownDirectories } from './known-directories.ts'
import { areas } from '../parse/archive-path.ts'
import { openWatcher, watchLimit } from './watcher.ts'

/** Time between a hint and the look, in which more hints of the same change arrive. */
const eventDelayMs = 5
/** A directory rests this multiple of what its last reconcile cost. */
const restFactor = 4
/** but never longer: a disk that hung made one look cost as much as a thousand. */
const longestRestMs = 5000
/** A directory that was just watched is read once more after this time. */
const againMs = 1000
/** The window moves with the clock; what could not be watched is tried again. */
const moveMs = 60_000
/** A process that was held up so long may have lost events. */
const stallMs = 3000

export interface WatchControllerDeps {
  readonly archive: string
  readonly window: WatchWindow
  readonly dirty: DirtyDirectories
  readonly known: KnownDirectories
  readonly health: Health
  readonly logger: Logger
  /** The clock: microseconds since 1970. */
  readonly nowUs: () => number
  /** Wakes the loop that reconciles. */
  readonly wake: () => void
}

/** Follows the directories in which files are expected, by file events. */
export interface WatchController {
  /** Begins; until then hints are of no use, since everything is read anyway. */
  start(): void
  /** A directory is known, or gone; which one it is when it was read. */
  note(directory: string, known: boolean, identity?: string): void
  /** Watches everything anew, after a disk was away. */
  renew(): void
  /** A directory was reconciled at this cost: it rests. */
  rest(directory: string, costMs: number): void
  status(): WatchCounts
  close(): Promise<void>
}

export function openWatchController(deps: WatchControllerDeps): WatchController {
  const { dirty, known, health, logger, window } = deps
  const wallMs = (): number => deps.nowUs() / 1000
  const resting = new Map<string, number>()
  const replacedMs = new Map<string, number>()
  const timers: NodeJS.Timeout[] = []
  let overflows = 0
  let started = false

  const mark = (path: string, options: { arrived: boolean; delayMs: number }): void => {
    const nowMs = performance.now()
    const dueMs = Math.max(nowMs + options.delayMs, resting.get(path) ?? 0)
    // A file that is written over shows in its own facts alone, however old its directory.
    dirty.add({ path, depth: 'facts', arrived: options.arrived }, dueMs)
    deps.wake()
  }
  const markAll = (): void => {
    for (const path of hotDirectories(known, window, wallMs()))
      mark(path, { arrived: true, delayMs: 0 })
  }
  const watcher = openWatcher({
    archive: deps.archive,
    onEvent(path) {
      mark(path, { arrived: true, delayMs: eventDelayMs })
    },
    onWatching(path) {
      mark(path, { arrived: true, delayMs: 0 })
      setTimeout(() => {
        mark(path, { arrived: true, delayMs: 0 })
      }, againMs).unref()
    },
    onOverflow() {
      overflows++
      logger.warn('more file events than the kernel keeps: reading all watched directories')
      markAll()
    },
    onFailure(path, error) {
      logger.debug({ err: error, path }, 'not watched')
      health.report('watching', failureMessage(error))
    },
  })
  const move = (options: { retry: boolean }): void => {
    const hot = hotDirectories(known, window, wallMs())
    if (hot.every((path) => watcher.has(path))) health.report('watching', undefined)
    watcher.watchController(hot, options)
    const nowMs = performance.now()
    for (const [path, untilMs] of resting) if (untilMs < nowMs) resting.delete(path)
    for (const [path, atMs] of replacedMs) if (atMs < nowMs - moveMs) replacedMs.delete(path)
  }
  /** Another directory than the one that is watched lies under a name: a link was changed, or what is above it moved. */
  const replaced = (path: string): void => {
    // A file system may give numbers to its directories anew all the time.
    if (replacedMs.has(path)) mark(path, { arrived: true, delayMs: moveMs })
    else watcher.renewBelow(path)
    replacedMs.set(path, replacedMs.get(path) ?? performance.now())
  }
  const watchForStalls = (): void => {
    let [lastMs, lastWallMs] = [performance.now(), wallMs()]
    const snapshot = (): void => {
      const [nowMs, nowWallMs] = [performance.now(), wallMs()]
      const jumpMs = Math.abs(nowWallMs - lastWallMs - (nowMs - lastMs))
      if (nowMs - lastMs > stallMs || jumpMs > stallMs) {
        logger.warn(
          { stalled_ms: nowMs - lastMs, jumped_ms: jumpMs },
          'event loop stalled or system clock changed; rescanning watched directories',
        )
        markAll()
      }
      ;[lastMs, lastWallMs] = [nowMs, nowWallMs]
    }
    timers.push(setInterval(snapshot, stallMs / 3))
  }
  return {
    start() {
      started = true
      move({ retry: false })
      timers.push(setInterval(move, moveMs, { retry: true }))
      watchForStalls()
    },
    note(path, isKnown, identity) {
      if (!started) return
      if (isKnown && watcher.has(path)) {
        if (identity !== undefined && !watcher.isOf(path, identity)) replaced(path)
        return
      }
      if (!isKnown) watcher.delete(path)
      else if (isHot(path, wallMs(), window)) watcher.add(path)
    },
    renew: () => {
      watcher.renew()
    },
    rest(path, costMs) {
      resting.set(path, performance.now() + Math.min(restFactor * costMs, longestRestMs))
    },
    status: () => ({ directories: watcher.size, limit: watchLimit(), overflows }),
    async close() {
      started = false
      for (const timer of timers) clearInterval(timer)
      await watcher.close()
    },
  }
}

/** The hot directories that are known: found from the areas down, since most of a tree is cold. */
function hotDirectories(known: KnownDirectories, window: WatchWindow, nowMs: number): string[] {
  const found: string[] = []
  const pending: string[] = areas.filter((area) => known.has(area))
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (!isHot(path, nowMs, window)) continue
    found.push(path)
    pending.push(...known.childrenOf(path))
  }
  return found
}

function failureMessage(error: Error): string {
  const code = 'code' in error ? String(error.code) : error.message
  if (code === 'ENOSPC')
    return 'the kernel has no file watches left for this user: raise fs.inotify.max_user_watches; sweeps find changes meanwhile'
  if (code === 'EMFILE')
    return 'no more file watchers can be opened: raise fs.inotify.max_user_instances or the limit of open files; sweeps find changes meanwhile'
  return `directories cannot be watched (${code}); sweeps find changes meanwhile`
}
