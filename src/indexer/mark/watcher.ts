/**
 * Watches directories with chokidar: one instance for each directory, without depth. A closed
 * instance releases all its memory, while one instance for many directories would keep every path
 * that it ever watched. Instances are started one after the other, because each reads its directory
 * at its start.
 */
import { stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { ChokidarOptions, FSWatcher } from 'chokidar'
import { watch } from 'chokidar'
import { isWithin } from '../../parse/layout.ts'
import { errorCode, isMissing } from '../../runtime/error-code.ts'
import { identityOf, largeDirectory } from '../read/directory-snapshot.ts'
import { hasMoreEntries } from '../read/entries.ts'
import { isExhaustion, overflowDetector, queueLength } from './inotify.ts'

interface WatcherOptions {
  /** Absolute path of the archive root. */
  readonly archive: string
  /** Called when something has changed in a watched directory. */
  readonly onEvent: (directory: string) => void
  /** Called when a watch has begun, because the directory must be read now. */
  readonly onWatching: (directory: string) => void
  /** Called when so many events arrived at once that the kernel may have dropped some. */
  readonly onOverflow: () => void
  /** Maximum number of entries of a watched directory. */
  readonly mostEntries?: number
  /** Starts a watch of chokidar; another function in tests. */
  readonly startWatch?: typeof watch
  /**
   * Called when a directory cannot be watched, except if it is missing or large, or this user may
   * not read it.
   */
  readonly onFailure: (directory: string, error: Error) => void
}

export class Watcher {
  readonly #options: WatcherOptions
  readonly #countEvent: () => void
  readonly #watched = new Map<string, FSWatcher>()
  readonly #identities = new Map<string, string | undefined>()
  readonly #failed = new Set<string>()
  /** Directories of `#wanted` whose watch has to be started. */
  readonly #pending = new Set<string>()
  #wanted = new Set<string>()
  /** True if no watch was left for some of them. */
  #isExhausted = false
  #startingWatcher: FSWatcher | undefined
  #starting: Promise<void> | undefined
  #closing = false

  constructor(options: WatcherOptions) {
    this.#options = options
    this.#countEvent = overflowDetector(options.onOverflow, queueLength())
  }

  get size(): number {
    return this.#watched.size
  }

  /** Number of directories that are watched, or will be when their turn comes. */
  get wanted(): number {
    return this.#wanted.size
  }

  has(directory: string): boolean {
    return this.#watched.has(directory)
  }

  /**
   * True if the directory that is watched at this path may be the one with this identity (see
   * `identityOf`).
   */
  hasIdentity(directory: string, identity: string): boolean {
    return (this.#identities.get(directory) ?? identity) === identity
  }

  /**
   * Watches these directories and no others, the first ones if there are not enough watches.
   * Directories whose watch failed before are tried again only with `retry`.
   */
  setDirectories(directories: readonly string[], { retry }: { readonly retry: boolean }): void {
    this.#wanted = new Set(directories)
    if (retry) this.#failed.clear()
    const kept = this.#isExhausted
      ? new Set(directories.slice(0, this.#watched.size))
      : this.#wanted
    for (const path of this.#watched.keys()) if (!kept.has(path)) void this.#stop(path)
    if (retry) this.#isExhausted = false
    for (const path of this.#wanted) if (!this.#watched.has(path)) this.#pending.add(path)
    this.#startPending()
  }

  /** Watches one more directory. */
  add(directory: string): void {
    this.#wanted.add(directory)
    this.#pending.add(directory)
    this.#startPending()
  }

  /** Stops watching a directory. */
  delete(directory: string): void {
    this.#wanted.delete(directory)
    void this.#stop(directory)
  }

  /** Restarts the watches at and below a directory. */
  restartBelow(directory: string): void {
    const isBelow = (path: string): boolean => isWithin(path, directory)
    this.#restart(Array.from(this.#watched.keys()).filter(isBelow))
  }

  /** Restarts all watches, because another disk may be mounted now. */
  restartAll(): void {
    for (const directory of this.#failed) this.#pending.add(directory)
    this.#failed.clear()
    this.#restart(Array.from(this.#watched.keys()))
  }

  async close(): Promise<void> {
    this.#closing = true
    await this.#starting
    await Promise.all(Array.from(this.#watched.keys(), (directory) => this.#stop(directory)))
  }

  #restart(directories: readonly string[]): void {
    for (const path of directories) {
      void this.#stop(path)
      this.#pending.add(path)
    }
    this.#startPending()
  }

  #startPending(): void {
    if (this.#starting !== undefined || this.#closing) return
    this.#starting = this.#startAll().then(() => {
      this.#starting = undefined
      if (this.#pending.size > 0) this.#startPending()
    })
  }

  async #startAll(): Promise<void> {
    for (const path of this.#pending) {
      if (this.#closing) return
      this.#pending.delete(path)
      if (this.#mayStart(path) && !this.#failed.has(path)) await this.#start(path)
    }
  }

  #mayStart(path: string): boolean {
    return !this.#closing && this.#wanted.has(path) && !this.#watched.has(path)
  }

  async #start(directory: string): Promise<void> {
    const { archive, mostEntries = largeDirectory, startWatch = watch } = this.#options
    const { onEvent, onWatching } = this.#options
    const path = join(archive, directory)
    const isLarge = await hasMoreEntries(path, mostEntries)
    // The answer may have taken long.
    if (!this.#mayStart(directory)) return
    if (isLarge) {
      this.#wanted.delete(directory)
      return
    }
    // The identity is taken before the watch begins, so that a directory which replaces this one
    // meanwhile has another identity.
    const found = stat(path).then(identityOf, () => undefined)
    const watcher = startWatch(path, {
      ...watchOptions,
      // Of each directory in it chokidar would keep 400 bytes; its events come all the same.
      ignored: (each) => each !== path,
    })
    this.#watched.set(directory, watcher)
    watcher.on('raw', (event, name) => {
      this.#countEvent()
      // The directory itself was moved or removed, so its path may lead to another directory from
      // now on.
      if (event === 'rename' && name === basename(path)) this.restartBelow(directory)
      onEvent(directory)
    })
    this.#startingWatcher = watcher
    const [failure, identity] = await Promise.all([untilReady(watcher), found])
    this.#startingWatcher = undefined
    if (this.#watched.get(directory) !== watcher) return close(watcher) // stopped meanwhile
    this.#identities.set(directory, identity)
    if (failure === undefined && path in watcher.getWatched()) {
      onWatching(directory)
      return
    }
    await this.#stop(directory)
    if (failure !== undefined && !isDenied(failure) && !isMissing(failure))
      this.#fail(directory, failure)
    // The directory has vanished, is no directory, or may not be read. When that changes, it is
    // added again.
    else this.#wanted.delete(directory)
  }

  async #stop(directory: string): Promise<void> {
    const watcher = this.#watched.get(directory)
    this.#watched.delete(directory)
    this.#identities.delete(directory)
    // A watcher that is closed while it starts never becomes ready, so `#start` closes it
    // afterwards.
    if (watcher !== undefined && watcher !== this.#startingWatcher) await close(watcher)
  }

  #fail(directory: string, failure: Error): void {
    this.#failed.add(directory)
    // When a limit of the system is reached, the other directories fail as well.
    if (isExhaustion(failure)) {
      this.#isExhausted = true
      for (const path of this.#wanted) if (!this.#watched.has(path)) this.#failed.add(path)
    }
    this.#options.onFailure(directory, failure)
  }
}

/** Watches a directory, and nothing below it. */
const watchOptions: ChokidarOptions = {
  ignoreInitial: true,
  // If permission errors were ignored, a directory that may not be read would seem to be watched.
  ignorePermissionErrors: false,
  atomic: false,
  depth: 0,
}

/** Waits until a watcher has started; returns the error if it could not start. */
function untilReady(watcher: FSWatcher): Promise<Error | undefined> {
  return new Promise((resolve) => {
    watcher.on('ready', () => {
      resolve(undefined)
    })
    watcher.on('error', (error) => {
      resolve(error as Error)
    })
  })
}

async function close(watcher: FSWatcher): Promise<void> {
  const closed = watcher.close()
  // `close` removes the listeners; without one, an error emitted later would end the process.
  watcher.on('error', () => undefined)
  await closed
}

/** True if this user may not read a directory. */
function isDenied(error: Error): boolean {
  return ['EACCES', 'EPERM'].includes(errorCode(error))
}
