/** Chooses the directory that the tree worker reads next, and numbers the reads in their order. */
import type { DirtyDirectories } from './state/dirty-directories.ts'
import type { DirectorySnapshot } from './tree/directory-snapshot.ts'
import type { TreeReader } from './tree/tree-reader.ts'
import type { WalkStep } from './tree/walk.ts'

/** One directory that the tree worker reads. Jobs are numbered in the order of their reads. */
export type Job = DirectoryJob | WalkJob

export interface DirectoryJob {
  readonly kind: 'directory'
  readonly number: number
  readonly arrived: boolean
  readonly snapshot: Promise<DirectorySnapshot>
  /** Callers of `readNow` who wait for this directory. */
  readonly requesters: readonly Requester[]
}

export interface WalkJob {
  readonly kind: 'walk'
  readonly number: number
  readonly step: Promise<WalkStep | undefined>
}

export type Requester = (answer: ReadNowResult) => void

export interface ReadNowResult {
  readonly snapshot: DirectorySnapshot
  /** True if everything in the snapshot that may be applied now is in the catalogue. */
  readonly written: boolean
}

/** Chooses the next directory to read: requested directories, dirty directories and a running walk take turns. */
export interface JobQueue {
  /** Starts the next read; `undefined` when there is nothing to read. */
  next(): Job | undefined
  /** Requests a directory by its path. Requests for the same directory share one read. */
  request(path: string, requesters: readonly Requester[]): void
  /** True while a walk has steps left. The reconcile loop sets it. */
  walking: boolean
  /** Number of the job that was started last; 0 before the first job. */
  readonly lastNumber: number
}

export function openJobQueue(deps: {
  readonly tree: TreeReader
  readonly dirty: DirtyDirectories
}): JobQueue {
  const { tree, dirty } = deps
  const requested = new Map<string, Requester[]>()
  let lastNumber = 0
  let nextSource = 0
  const nextRequested = (): Job | undefined => {
    const first = requested.entries().next()
    if (first.done === true) return undefined
    const [path, requesters] = first.value
    requested.delete(path)
    const snapshot = tree.snapshot({ path, depth: 'facts' })
    return { kind: 'directory', number: ++lastNumber, arrived: true, snapshot, requesters }
  }
  const nextDirty = (): Job | undefined => {
    const next = dirty.take(performance.now())
    if (next === undefined) return undefined
    const { arrived } = next
    const snapshot = tree.snapshot(next)
    return { kind: 'directory', number: ++lastNumber, arrived, snapshot, requesters: [] }
  }
  const nextStep = (): Job | undefined =>
    queue.walking ? { kind: 'walk', number: ++lastNumber, step: tree.step() } : undefined
  const sources = [nextRequested, nextDirty, nextStep]
  const queue: JobQueue = {
    next() {
      for (let tried = 0; tried < sources.length; tried++) {
        const job = sources[nextSource++ % sources.length]?.()
        if (job !== undefined) return job
      }
      return undefined
    },
    request(path, requesters) {
      requested.set(path, [...(requested.get(path) ?? []), ...requesters])
    },
    walking: false,
    get lastNumber() {
      return lastNumber
    },
  }
  return queue
}
