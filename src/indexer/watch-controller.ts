import type { Logger } from 'pino'
import type { WatchCounts } from '../control/protocol.ts'
import type { Health } from './health.ts'
import type { DirtyDirectories } from './dirty-directories.ts'
import type { KnownDirectories } from './known-directories.ts'
import { areas, parseDirectory } from '../parse/archive-path.ts'
import { openWatcher, watchLimit } from './watcher.ts'

/** Delay between an event and the read of its directory, so that one read covers several events. */
const eventDelayMs = 5
/** After a reconcile, a directory rests for this multiple of the reconcile's cost, */
const restFactor = 4
/** but at most for this time: a disk that hangs makes one read very costly. */
const longestRestMs = 5000
/** A directory is read again this long after its watch began. */
const secondReadMs = 1000
/** Time between two updates of the hot window; failed watches are tried again at the same time. */
const refreshMs = 60_000
/** A process that was blocked for this time may have lost events. */
const stallMs = 3000

/** Number of past days whose directories are watched. */
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

/** Watches the hot directories and marks those dirty in which a file event occurs. */
export interface WatchController {
  start(): void
  /** Watches a known directory if it is hot, and stops watching one that is gone. `identity` is that of the directory read. */
  readonly update: (directory: string, known: boolean, identity?: string) => void
  /** Restarts all watches, after a disk was away. */
  restart(): void
  /** Lets a directory rest after a reconcile of this cost. */
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
    // A file overwritten in place changes only its own size and mtime, not the directory's stamp, so every directory needs the read depth `facts`.
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
  /** Restarts the watches below a path at which there is another directory now: a link was changed, or a parent moved. */
  const onReplaced = (path: string): void => {
    // Some file systems change inode numbers all the time: then the directory is only read again.
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
/** Clocks differ, and tomorrow's directories are created today. */
const aheadDays = 2

/**
 * Whether a directory belongs to the hot window and is watched: the areas, the years around the present one, the last
 * days, and everything below a hot directory that has a date.
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
  if (startMs > nowMs + aheadDays * dayMs) return false
  // The previous year stays hot: late files may create a new directory in it.
  if (spanSeconds > dayMs / 1000) return endMs > nowMs - 365 * dayMs
  const days = area === 'obs' ? window.obsDays : window.nrtDays
  return endMs > nowMs - days * dayMs
}

/** Whether a directory or one above it has a date; `obs/misc` has none. */
function isDated(path: string): boolean {
  const directory = parseDirectory(path)
  if (directory.kind === 'rejected' || path === directory.area) return false
  return directory.startSeconds !== undefined || isDated(path.slice(0, path.lastIndexOf('/')))
}

/** The known hot directories, searched from the areas down because most of a tree is cold. */
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
    return 'no file watches left for this user: raise fs.inotify.max_user_watches; sweeps find changes meanwhile'
  if (code === 'EMFILE')
    return 'no file watchers left: raise fs.inotify.max_user_instances or the limit of open files; sweeps find changes meanwhile'
  return `directories cannot be watched (${code}); sweeps find changes meanwhile`
}
