/**
 * Decides which directories are watched, and marks a watched directory dirty when events occur in
 * it or may have been lost.
 */
import type { WatchCounts } from '../../control-socket/protocol.ts'
import { parentOf } from '../../parse/layout.ts'
import type { IndexerContext } from '../state/context.ts'
import { hotDirectories, isHot } from '../state/hot-window.ts'
import { watchLimit, watchProblem } from './inotify.ts'
import { Watcher } from './watcher.ts'

/** Delay between an event and the read of its directory, so that one read covers several events. */
const eventDelayMs = 5
/**
 * Time for which a directory rests after a reconcile, as a multiple of the time that the reconcile
 * took.
 */
const restFactor = 4
/** Longest rest (ms), because a disk that hangs can make one reconcile very long. */
const longestRestMs = 5000
/** A directory is read when its watch has begun, and once more after this time (ms). */
const secondReadMs = 1000
/**
 * Maximum number of watched directories, the newest, because each watch needs memory. In the others
 * sweeps find what arrives.
 */
const mostWatched = 5000
/**
 * Time between two updates of the hot window (ms); failed watches are tried again at the same time.
 * Also the shortest time between two warnings about lost events, and between two restarts of the
 * watches at one path.
 */
const refreshMs = 60_000
/**
 * After a stall of the event loop or a jump of the system clock that is longer than this time (ms),
 * file events may be lost.
 */
const stallMs = 3000

type WatchContext = Pick<
  IndexerContext,
  'archive' | 'layout' | 'window' | 'dirty' | 'known' | 'stamps' | 'health' | 'logger' | 'nowUs'
>

/**
 * Watches the hot directories (see `isHot`). If a file event occurs in a directory, marks it dirty.
 */
export class WatchController {
  readonly #context: WatchContext
  readonly #watcher: Watcher
  readonly #most: number
  /** Times until which directories rest, and at which they were found replaced (steady clock). */
  readonly #restingUntilMs = new Map<string, number>()
  readonly #replacedMs = new Map<string, number>()
  readonly #timers: NodeJS.Timeout[] = []
  #overflows = 0
  #stalls = 0
  #started = false
  #warnedMs = -Infinity

  /** @param most how many directories are watched at most */
  constructor(context: WatchContext, most = mostWatched) {
    this.#context = context
    this.#most = most
    this.#watcher = new Watcher({
      archive: context.archive,
      onEvent: (path) => {
        this.#mark(path, eventDelayMs)
      },
      onWatching: (path) => {
        this.#mark(path)
        setTimeout(() => {
          this.#mark(path)
        }, secondReadMs).unref()
      },
      onOverflow: () => {
        this.#overflows++
        this.#warn('file event queue overflow; rescanning watched directories')
        this.#markAll()
      },
      onFailure: (path, error) => {
        context.logger.debug({ err: error, path }, 'directory cannot be watched')
        context.health.report('watching', watchProblem(error))
      },
    })
  }

  start(): void {
    this.#started = true
    this.#refresh({ retry: false })
    const refresh = (): void => {
      this.#refresh({ retry: true })
    }
    this.#timers.push(setInterval(refresh, refreshMs))
    this.#watchForStalls()
  }

  /**
   * Call it after a directory was read. A known directory is watched if it is hot (see `isHot`);
   * the watch of one that is gone or large ends. If another directory is at this path now, which
   * `identity` shows, the watches at and below the path are restarted, at most about once a minute.
   * The identity is `undefined` if the directory was not read.
   */
  update(path: string, isKnown: boolean, identity?: string): void {
    const watcher = this.#watcher
    if (!this.#started) return
    if (isKnown && watcher.has(path)) {
      if (identity !== undefined && !watcher.hasIdentity(path, identity)) this.#onReplaced(path)
      return
    }
    if (!isKnown) watcher.delete(path)
    else if (watcher.wanted < this.#most && isHot(path, this.#wallMs(), this.#context))
      this.#add(path)
  }

  /** Watches one more directory if it may, and those above it, where new ones may appear. */
  #add(path: string): void {
    const { known } = this.#context
    const added = [path]
    for (let above = parentOf(path); known.has(above) && above !== path; above = parentOf(above)) {
      if (!this.#watcher.has(above)) added.unshift(above)
      if (above === '') break
    }
    if (this.#watcher.wanted + added.length > this.#most) return
    for (const each of added) this.#watcher.add(each)
  }

  /** Restarts all watches after a disk has come back. */
  restart(): void {
    this.#watcher.restartAll()
  }

  /** Lets a directory rest after a reconcile that took this time (ms). */
  rest(path: string, costMs: number): void {
    const restMs = Math.min(restFactor * costMs, longestRestMs)
    this.#restingUntilMs.set(path, performance.now() + restMs)
  }

  status(): WatchCounts {
    const directories = this.#watcher.size
    return { directories, limit: watchLimit(), overflows: this.#overflows }
  }

  async close(): Promise<void> {
    this.#started = false
    for (const timer of this.#timers) clearInterval(timer)
    await this.#watcher.close()
  }

  #wallMs(): number {
    return this.#context.nowUs() / 1000
  }

  /** Logs the loss of events at most once a minute, with the counts so far. */
  #warn(message: string, fields: object = {}): void {
    const nowMs = performance.now()
    if (nowMs - this.#warnedMs < refreshMs) return
    this.#warnedMs = nowMs
    const counts = { overflows: this.#overflows, stalls: this.#stalls }
    this.#context.logger.warn({ ...counts, ...fields }, message)
  }

  #mark(path: string, delayMs = 0): void {
    const dueMs = Math.max(performance.now() + delayMs, this.#restingUntilMs.get(path) ?? 0)
    this.#context.dirty.add(path, dueMs)
  }

  #hotDirectories(): string[] {
    return hotDirectories(this.#context, this.#wallMs()).slice(0, this.#most)
  }

  #markAll(): void {
    for (const path of this.#hotDirectories()) this.#mark(path)
  }

  #refresh(options: { readonly retry: boolean }): void {
    const hot = this.#hotDirectories()
    if (hot.every((path) => this.#watcher.has(path)))
      this.#context.health.report('watching', undefined)
    this.#watcher.setDirectories(hot, options)
    const nowMs = performance.now()
    for (const [path, untilMs] of this.#restingUntilMs)
      if (untilMs < nowMs) this.#restingUntilMs.delete(path)
    for (const [path, atMs] of this.#replacedMs)
      if (atMs < nowMs - refreshMs) this.#replacedMs.delete(path)
  }

  /**
   * Restarts the watches at and below a path that leads to another directory now, because a link
   * was changed or a parent was moved.
   */
  #onReplaced(path: string): void {
    const atMs = this.#replacedMs.get(path)
    // Some file systems change inode numbers all the time. If this path was replaced in the last
    // minute, it is only read again.
    if (atMs === undefined) this.#watcher.restartBelow(path)
    else this.#mark(path, refreshMs)
    this.#replacedMs.set(path, atMs ?? performance.now())
  }

  #watchForStalls(): void {
    let [lastMs, lastWallMs] = [performance.now(), this.#wallMs()]
    const check = (): void => {
      const [nowMs, nowWallMs] = [performance.now(), this.#wallMs()]
      const jumpMs = Math.abs(nowWallMs - lastWallMs - (nowMs - lastMs))
      if (nowMs - lastMs > stallMs || jumpMs > stallMs) {
        this.#stalls++
        this.#warn('event loop stalled or system clock changed; rescanning watched directories', {
          stalled_ms: Math.round(nowMs - lastMs),
          jumped_ms: Math.round(jumpMs),
        })
        this.#markAll()
      }
      ;[lastMs, lastWallMs] = [nowMs, nowWallMs]
    }
    this.#timers.push(setInterval(check, stallMs / 3))
  }
}
