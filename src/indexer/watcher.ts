/**
 * Watches directories with chokidar: one instance for each directory, without depth. A closed instance releases all its memory,
 * while one instance for many directories would keep every path that it ever watched. Instances are started one after the other,
 * because each reads its directory at its start.
 */
import { readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { watch } from 'chokidar'
import type { ChokidarOptions, FSWatcher } from 'chokidar'
import { errorCode, isMissing } from '../runtime/error-code.ts'
import { identityOf, largeDirectory } from './tree/directory-snapshot.ts'
import { hasMoreEntries } from './tree/entries.ts'

export interface WatchDeps {
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
  /** Called when a directory cannot be watched, except if it is missing or large, or this user may not read it. */
  readonly onFailure: (directory: string, error: Error) => void
}

export interface Watcher {
  /** Watches these directories and no others. Directories whose watch failed before are tried again only with `retry`. */
  setDirectories(directories: readonly string[], options: { readonly retry: boolean }): void
  /** Watches one more directory. */
  add(directory: string): void
  /** Stops watching a directory. */
  delete(directory: string): void
  has(directory: string): boolean
  /** True if the directory that is watched at this path may be the one with this identity (see `identityOf`). */
  hasIdentity(directory: string, identity: string): boolean
  /** Restarts the watches at and below a directory. */
  restartBelow(directory: string): void
  /** Restarts all watches, because another disk may be mounted now. */
  restartAll(): void
  readonly size: number
  close(): Promise<void>
}

export function openWatcher(deps: WatchDeps): Watcher {
  const watched = new Map<string, FSWatcher>()
  const identities = new Map<string, string | undefined>()
  const failed = new Set<string>()
  let wanted = new Set<string>()
  /** Directories of `wanted` whose watch has to be started. */
  const pending = new Set<string>()
  let startingWatcher: FSWatcher | undefined
  let starting: Promise<void> | undefined
  let closing = false
  const countEvent = openOverflowDetector(deps.onOverflow, readNumber(queueLength))

  const start = async (directory: string): Promise<void> => {
    const path = join(deps.archive, directory)
    const isLarge = await hasMoreEntries(path, deps.mostEntries ?? largeDirectory)
    // The answer may have taken long.
    if (closing || !wanted.has(directory) || watched.has(directory)) return
    if (isLarge) {
      wanted.delete(directory)
      return
    }
    // The identity is taken before the watch begins, so that a directory which replaces this one meanwhile has another identity.
    const found = stat(path).then(identityOf, () => undefined)
    const watcher = watch(path, watchOptions)
    watched.set(directory, watcher)
    watcher.on('raw', (event, name) => {
      countEvent()
      // The directory itself was moved or removed, so its path may lead to another directory from now on.
      if (event === 'rename' && name === basename(directory)) restartBelow(directory)
      deps.onEvent(directory)
    })
    startingWatcher = watcher
    const [failure, identity] = await Promise.all([untilReady(watcher), found])
    startingWatcher = undefined
    if (watched.get(directory) !== watcher) return close(watcher) // stopped meanwhile
    identities.set(directory, identity)
    if (failure === undefined && path in watcher.getWatched()) {
      deps.onWatching(directory)
      return
    }
    await stop(directory)
    if (failure !== undefined && !isDenied(failure) && !isMissing(failure)) fail(directory, failure)
    // The directory has vanished, is no directory, or may not be read. When that changes, it is added again.
    else wanted.delete(directory)
  }
  const fail = (directory: string, failure: Error): void => {
    failed.add(directory)
    // When a limit of the system is reached, the other directories fail as well.
    if (isExhaustion(failure)) for (const path of wanted) if (!watched.has(path)) failed.add(path)
    deps.onFailure(directory, failure)
  }
  const stop = async (directory: string): Promise<void> => {
    const watcher = watched.get(directory)
    watched.delete(directory)
    identities.delete(directory)
    // A watcher that is closed while it starts never becomes ready, so `start` closes it afterwards.
    if (watcher !== undefined && watcher !== startingWatcher) await close(watcher)
  }
  const restartBelow = (directory: string): void => {
    restart(
      Array.from(watched.keys()).filter(
        (path) => path === directory || path.startsWith(`${directory}/`),
      ),
    )
  }
  const restart = (directories: Iterable<string>): void => {
    for (const path of directories) {
      void stop(path)
      pending.add(path)
    }
    startPending()
  }
  const startPending = (): void => {
    if (starting !== undefined || closing) return
    starting = startAll().then(() => {
      starting = undefined
      if (pending.size > 0) startPending()
    })
  }
  const startAll = async (): Promise<void> => {
    for (const path of pending) {
      if (closing) return
      pending.delete(path)
      if (wanted.has(path) && !watched.has(path) && !failed.has(path)) await start(path)
    }
  }
  return {
    setDirectories(directories, { retry }) {
      wanted = new Set(directories)
      if (retry) failed.clear()
      for (const directory of watched.keys()) if (!wanted.has(directory)) void stop(directory)
      for (const directory of wanted) if (!watched.has(directory)) pending.add(directory)
      startPending()
    },
    add(directory) {
      wanted.add(directory)
      pending.add(directory)
      startPending()
    },
    delete(directory) {
      wanted.delete(directory)
      void stop(directory)
    },
    has: (directory) => watched.has(directory),
    hasIdentity: (directory, identity) => (identities.get(directory) ?? identity) === identity,
    restartBelow: restartBelow,
    restartAll() {
      for (const directory of failed) pending.add(directory)
      failed.clear()
      restart(Array.from(watched.keys()))
    },
    get size() {
      return watched.size
    },
    async close() {
      closing = true
      await starting
      await Promise.all(Array.from(watched.keys(), stop))
    },
  }
}

/** Watches directories only, and nothing below them. */
const watchOptions: ChokidarOptions = {
  ignored: (_path, stats) => stats !== undefined && !stats.isDirectory(),
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

/**
 * True if no directory can be watched any more, because this user has no watch (ENOSPC), or no inotify instance or open file
 * (EMFILE) left. False if the problem is that of one directory.
 */
export function isExhaustion(error: Error): boolean {
  return ['ENOSPC', 'EMFILE'].includes(errorCode(error))
}

/** True if this user may not read a directory. */
function isDenied(error: Error): boolean {
  return ['EACCES', 'EPERM'].includes(errorCode(error))
}

/** File with the length of the kernel's event queue. The kernel drops further events, and Node does not report this. */
const queueLength = '/proc/sys/fs/inotify/max_queued_events'

/**
 * Returns a function that counts the events. It assumes that the kernel's event queue overflowed when as many events as half its
 * length arrive within one tick of the event loop.
 */
export function openOverflowDetector(onOverflow: () => void, length = 16_384): () => void {
  const limit = Math.ceil(length / 2)
  let count = 0
  return () => {
    if (count === 0) setImmediate(() => (count = 0))
    if (++count === limit) onOverflow()
  }
}

/** Returns the number of directories that this user may watch; `null` if the settings of the kernel are hidden. */
export function watchLimit(): number | null {
  return readNumber('/proc/sys/fs/inotify/max_user_watches') ?? null
}

function readNumber(path: string): number | undefined {
  try {
    return Number(readFileSync(path, 'utf8'))
  } catch {
    return undefined // hidden by a sandbox
  }
}
