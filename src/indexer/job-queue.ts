/** Chooses the directory that the tree worker reads next, and numbers the reads in their order. */
import type { DirectorySnapshot } from './read/directory-snapshot.ts'
import type { TreeReader } from './read/tree-reader.ts'
import type { WalkStep } from './read/walk.ts'
import type { DirtyDirectories } from './state/dirty-directories.ts'

/** One directory that the tree worker reads. Jobs are numbered in the order of their reads. */
export type Job = DirectoryJob | WalkJob

export interface DirectoryJob {
  readonly kind: 'directory'
  readonly number: number
  /** Time of the request, on the steady clock (ms). */
  readonly requestedMs: number
  readonly snapshot: Promise<DirectorySnapshot>
  /** Callers of `readNow` who wait for this directory. */
  readonly requesters: readonly ReadNowCaller[]
}

export interface WalkJob {
  readonly kind: 'walk'
  readonly number: number
  readonly requestedMs: number
  /** None at the end of the walk. */
  readonly steps: Promise<readonly WalkStep[]>
}

export type ReadNowCaller = (answer: ReadNowResult) => void

export interface ReadNowResult {
  readonly snapshot: DirectorySnapshot
  /** True if everything in the snapshot that may be applied now is in the catalogue. */
  readonly written: boolean
}

/**
 * Chooses the next directory to read: requested directories, dirty directories and a running walk
 * take turns.
 */
export class JobQueue {
  readonly #tree: TreeReader
  readonly #dirty: DirtyDirectories
  readonly #requested = new Map<string, ReadNowCaller[]>()
  readonly #sources = [() => this.#requestedJob(), () => this.#dirtyJob(), () => this.#walkJob()]
  #nextSource = 0
  #lastNumber = 0
  /** True while a walk has steps left. The reconcile loop sets it. */
  walking = false

  constructor({ tree, dirty }: { readonly tree: TreeReader; readonly dirty: DirtyDirectories }) {
    this.#tree = tree
    this.#dirty = dirty
  }

  /** Number of the job that was started last; 0 before the first job. */
  get lastNumber(): number {
    return this.#lastNumber
  }

  /** Requests a directory by its path. Requests for the same directory share one read. */
  request(path: string, requesters: readonly ReadNowCaller[]): void {
    this.#requested.set(path, [...(this.#requested.get(path) ?? []), ...requesters])
  }

  /** Starts the next read; `undefined` when there is nothing to read. */
  next(): Job | undefined {
    for (let tried = 0; tried < this.#sources.length; tried++) {
      const job = this.#sources[this.#nextSource++ % this.#sources.length]?.()
      if (job !== undefined) return job
    }
    return undefined
  }

  #requestedJob(): Job | undefined {
    const first = this.#requested.entries().next()
    if (first.done === true) return undefined
    const [path, requesters] = first.value
    this.#requested.delete(path)
    return this.#read(path, requesters)
  }

  #dirtyJob(): Job | undefined {
    const path = this.#dirty.take(performance.now())
    return path === undefined ? undefined : this.#read(path, [])
  }

  #walkJob(): Job | undefined {
    if (!this.walking) return undefined
    const requestedMs = performance.now()
    return { kind: 'walk', number: ++this.#lastNumber, requestedMs, steps: this.#tree.steps() }
  }

  #read(path: string, requesters: readonly ReadNowCaller[]): Job {
    const requestedMs = performance.now()
    const snapshot = this.#tree.snapshot(path)
    return { kind: 'directory', number: ++this.#lastNumber, requestedMs, snapshot, requesters }
  }
}
