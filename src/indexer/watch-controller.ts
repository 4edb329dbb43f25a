/** Decides which directories are watched, and marks a watched directory dirty when events occur in it or may have been lost. */
import type { Logger } from 'pino'
import { daysAhead } from '../catalogue/records.ts'
import type { WatchCounts } from '../control-socket/protocol.ts'
import { errorCode } from '../runtime/error-code.ts'
import type { Health } from './state/health.ts'
import type { DirtyDirectories } from './state/dirty-directories.ts'
import type { KnownDirectories } from './state/known-directories.ts'
import { areas, parseDirectory } from '../parse/archive-path.ts'
import { openWatcher, watchLimit } from './watcher.ts'

/** Delay between an event and the read of its directory, so that one read covers several events. */
const eventDelayMs = 5
/** Time for which a directory rests after a reconcile, as a multiple of the time that the reconcile took. */
const restFactor = 4
/** Longest rest (ms), because a disk that hangs can make one reconcile very long. */
const longestRestMs = 5000
/** A directory is read when its watch has begun, and once more after this time (ms). */
const secondReadMs = 1000
/**
 * Time between two updates of the hot window (ms); failed watches are tried again at the same time. Also the shortest time
 * between two warnings about lost events, and between two restarts of the watches at one path.
 */
const refreshMs = 60_000
/** After a stall of the event loop or a jump of the system clock that is longer than this time (ms), file events may be lost. */
const stallMs = 3000

/** Number of past days whose directories are watched, for each area. */
export interface WatchWindow {
  readonly obsDays: number
  readonly nrtDays: number
}

export interface WatchControllerDeps {
  readonly archive: string
  readonly window: WatchWindow
  readonly dirty: DirtyDirectories
  readonly known: KnownDirectories
  readonly health: Health
  readonly logger: Logger
  /** The clock: microseconds since 1970. */
  readonly nowUs: () => number
}

/** Watches the hot directories (see `isHot`). If a file event occurs in a directory, marks it dirty. */
export interface WatchController {
  start(): void
  /**
   * Call it after a directory was read. A known directory is watched if it is hot (see `isHot`); the watch of one that is gone or large
   * ends. If another directory is at this path now, which `identity` shows, the watches at and below the path are restarted, at
   * most about once a minute.
   */
  readonly update: (directory: string, known: boolean, identity?: string) => void
  /** Restarts all watches after a disk has come back. */
  restart(): void
  /** Lets a directory rest after a reconcile that took this time (ms). */
  readonly rest: (directory: string, costMs: number) => void
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
  let stalls = 0
  let started = false
  let warnedMs = -Infinity
  /** Logs the loss of events at most once a minute, with the counts so far. */
  const warn = (message: string, fields: object = {}): void => {
    const nowMs = performance.now()
    if (nowMs - warnedMs < refreshMs) return
    warnedMs = nowMs
    logger.warn({ overflows, stalls, ...fields }, message)
  }

  const mark = (path: string, options: { arrived: boolean; delayMs: number }): void => {
    const nowMs = performance.now()
    const dueMs = Math.max(nowMs + options.delayMs, resting.get(path) ?? 0)
    // A file that is overwritten in place changes only its own size and mtime, not the stamp of its directory. So every directory
    // needs the read depth `facts`.
    dirty.add({ path, depth: 'facts', arrived: options.arrived }, dueMs)
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
      }, secondReadMs).unref()
    },
    onOverflow() {
      overflows++
      warn('file event queue overflow; rescanning watched directories')
      markAll()
    },
    onFailure(path, error) {
      logger.debug({ err: error, path }, 'directory cannot be watched')
      health.report('watching', failureMessage(error))
    },
  })
  const refresh = (options: { retry: boolean }): void => {
    const hot = hotDirectories(known, window, wallMs())
    if (hot.every((path) => watcher.has(path))) health.report('watching', undefined)
    watcher.setDirectories(hot, options)
    const nowMs = performance.now()
    for (const [path, untilMs] of resting) if (untilMs < nowMs) resting.delete(path)
    for (const [path, atMs] of replacedMs) if (atMs < nowMs - refreshMs) replacedMs.delete(path)
  }
  /**
   * Restarts the watches at and below a path that leads to another directory now, because a link was changed or a parent was
   * moved.
   */
  const onReplaced = (path: string): void => {
    // Some file systems change inode numbers all the time. If this path was replaced in the last minute, it is only read again.
    if (replacedMs.has(path)) mark(path, { arrived: true, delayMs: refreshMs })
    else watcher.restartBelow(path)
    replacedMs.set(path, replacedMs.get(path) ?? performance.now())
  }
  const watchForStalls = (): void => {
    let [lastMs, lastWallMs] = [performance.now(), wallMs()]
    const check = (): void => {
      const [nowMs, nowWallMs] = [performance.now(), wallMs()]
      const jumpMs = Math.abs(nowWallMs - lastWallMs - (nowMs - lastMs))
      if (nowMs - lastMs > stallMs || jumpMs > stallMs) {
        stalls++
        warn('event loop stalled or system clock changed; rescanning watched directories', {
          stalled_ms: Math.round(nowMs - lastMs),
          jumped_ms: Math.round(jumpMs),
        })
        markAll()
      }
      ;[lastMs, lastWallMs] = [nowMs, nowWallMs]
    }
    timers.push(setInterval(check, stallMs / 3))
  }
  return {
    start() {
      started = true
      refresh({ retry: false })
      timers.push(setInterval(refresh, refreshMs, { retry: true }))
      watchForStalls()
    },
    update(path, isKnown, identity) {
      if (!started) return
      if (isKnown && watcher.has(path)) {
        if (identity !== undefined && !watcher.hasIdentity(path, identity)) onReplaced(path)
        return
      }
      if (!isKnown) watcher.delete(path)
      else if (isHot(path, wallMs(), window)) watcher.add(path)
    },
    restart: () => {
      watcher.restartAll()
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

const dayMs = 86_400_000
/**
 * True if a directory belongs to the hot window, whose directories are watched: the areas; the present and the previous year; the
 * days and hours within the `window`; years, days and hours that begin within the next two days; and directories without a date
 * of their own below a hot directory that has a date.
 */
export function isHot(path: string, nowMs: number, window: WatchWindow): boolean {
  const directory = parseDirectory(path)
  if (directory.kind === 'rejected') return false
  const { area, startSeconds, spanSeconds } = directory
  if (path === area) return true
  if (startSeconds === undefined || spanSeconds === undefined) {
    const parent = path.slice(0, path.lastIndexOf('/'))
    return isDated(parent) && isHot(parent, nowMs, window)
  }
  const [startMs, endMs] = [startSeconds * 1000, (startSeconds + spanSeconds) * 1000]
  if (startMs > nowMs + daysAhead * dayMs) return false
  // The previous year stays hot: late files may create a new directory in it.
  if (spanSeconds > dayMs / 1000) return endMs > nowMs - 365 * dayMs
  const days = area === 'obs' ? window.obsDays : window.nrtDays
  return endMs > nowMs - days * dayMs
}

/** True if a directory, or one above it, has a date; `obs/misc` has none. */
function isDated(path: string): boolean {
  const directory = parseDirectory(path)
  if (directory.kind === 'rejected' || path === directory.area) return false
  return directory.startSeconds !== undefined || isDated(path.slice(0, path.lastIndexOf('/')))
}

/** Returns the known hot directories. Starts at the areas and goes down, because most of a tree is not hot. */
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
  const code = errorCode(error) || error.message
  if (code === 'ENOSPC')
    return 'no file watches left for this user: raise fs.inotify.max_user_watches; sweeps find changes meanwhile'
  if (code === 'EMFILE')
    return 'no file watchers left: raise fs.inotify.max_user_instances or the limit of open files; sweeps find changes meanwhile'
  return `directories cannot be watched (${code}); sweeps find changes meanwhile`
}
