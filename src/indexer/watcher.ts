/**
 * File events as hints. chokidar watches directories only, each by an instance of its own without depth: it gives
 * back all it holds when it is closed, while an instance for many would remember every path it ever left. They
 * are started one after the other, since each reads its directory once.
 */
import { readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { watch } from 'chokidar'
import type { ChokidarOptions, FSWatcher } from 'chokidar'
import { isMissing } from './tree/links.ts'
import { identityOf } from './tree/directory-snapshot.ts'

export interface WatchDeps {
  /** Absolute path of the archive root. */
  readonly archive: string
  /** Something happened in a watched directory. */
  readonly onEvent: (directory: string) => void
  /** A directory is watched from now on: what it holds has to be read now. */
  readonly onWatching: (directory: string) => void
  /** So many events came at once that the kernel may have dropped others. */
  readonly onOverflow: () => void
  /** A directory cannot be watched. */
  readonly onFailure: (directory: string, error: Error) => void
}

export interface Watcher {
  /** Watches these directories and no others; tries those again that could not be watched if `retry` says so. */
  watchController(directories: readonly string[], options: { readonly retry: boolean }): void
  /** Watches one more directory. */
  add(directory: string): void
  /** Watches a directory no longer. */
  delete(directory: string): void
  has(directory: string): boolean
  /** Whether the directory that is watched under a name may be this one (see `identityOf`). */
  isOf(directory: string, identity: string): boolean
  /** Watches those at and below a directory anew. */
  renewBelow(directory: string): void
  /** Watches all of them anew: another disk may lie under the same names. */
  renew(): void
  readonly size: number
  close(): Promise<void>
}

export function openWatcher(deps: WatchDeps): Watcher {
  const watched = new Map<string, FSWatcher>()
  const identities = new Map<string, string | undefined>()
  const failed = new Set<string>()
  let wanted = new Set<string>()
  /** Those of them that may not be watched yet. */
  const pending = new Set<string>()
  let inStart: FSWatcher | undefined
  let starting: Promise<void> | undefined
  let closing = false
  const countEvent = openFlood(deps.onOverflow)

  const start = async (directory: string): Promise<void> => {
    const path = join(deps.archive, directory)
    // Asked for first: one that comes into its place meanwhile is told from it.
    const found = stat(path).then(identityOf, () => undefined)
    const watcher = watch(path, watchOptions)
    watched.set(directory, watcher)
    watcher.on('raw', (event, name) => {
      countEvent()
      // It was moved or removed itself: what lies under its name from now on is another directory.
      if (event === 'rename' && name === basename(directory)) restartBelow(directory)
      deps.onEvent(directory)
    })
    inStart = watcher
    const [failure, identity] = await Promise.all([beginning(watcher), found])
    inStart = undefined
    if (watched.get(directory) !== watcher) return close(watcher) // it was stopped meanwhile
    identities.set(directory, identity)
    if (failure === undefined && path in watcher.getWatched()) {
      deps.onWatching(directory)
      return
    }
    await stop(directory)
    if (failure !== undefined && !isDenied(failure) && !isMissing(failure)) fail(directory, failure)
    // It vanished, became something else, or is not ours to read; as soon as it is, somebody will ask for it again.
    else wanted.delete(directory)
  }
  const fail = (directory: string, failure: Error): void => {
    failed.add(directory)
    // Where one finds no room, the others find none either.
    if (isExhaustion(failure)) for (const path of wanted) if (!watched.has(path)) failed.add(path)
    deps.onFailure(directory, failure)
  }
  const stop = async (directory: string): Promise<void> => {
    const watcher = watched.get(directory)
    watched.delete(directory)
    identities.delete(directory)
    // One that is being started would never tell that it has if it were closed now: its start closes it.
    if (watcher !== undefined && watcher !== inStart) await close(watcher)
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
    watchController(directories, { retry }) {
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
    isOf: (directory, identity) => (identities.get(directory) ?? identity) === identity,
    renewBelow: restartBelow,
    renew() {
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

/** Directories only, and nothing below them. */
const watchOptions: ChokidarOptions = {
  ignored: (_path, stats) => stats !== undefined && !stats.isDirectory(),
  ignoreInitial: true,
  // Else one that is not watched would look as if it were.
  ignorePermissionErrors: false,
  atomic: false,
  depth: 0,
}

/** Waits until a watcher has started; gives the reason when it has not. */
function beginning(watcher: FSWatcher): Promise<Error | undefined> {
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
  // Closing takes its listeners away; an error that was on its way would end the process without one.
  watcher.on('error', () => undefined)
  await closed
}

/** Whether the kernel has no room for more watches, rather than something being wrong with one directory. */
export function isExhaustion(error: Error): boolean {
  const code = 'code' in error ? error.code : undefined
  return code === 'ENOSPC' || code === 'EMFILE'
}

/** Whether a directory is closed to us. */
function isDenied(error: Error): boolean {
  return 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM')
}

/** The kernel's queue of events; what does not fit is dropped, and Node does not tell. */
const queueLength = '/proc/sys/fs/inotify/max_queued_events'

/** Suspects an overflow when half the queue's length arrives in one turn of the event loop. */
function openFlood(onOverflow: () => void): () => void {
  const limit = (readNumber(queueLength) ?? 16_384) / 2
  let count = 0
  return () => {
    if (count === 0) setImmediate(() => (count = 0))
    if (++count === limit) onOverflow()
  }
}

/** How many directories this user may watch; `null` where the kernel's settings are hidden. */
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
