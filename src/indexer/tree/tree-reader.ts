/** The client of the tree worker, the thread that reads the tree (`tree-worker.ts`). */
import { Worker } from 'node:worker_threads'
import type { DirectoryStamp } from '../../catalogue/writer.ts'
import type { Inflated } from './inflate.ts'
import type { ReadDepth, DirectorySnapshot, SnapshotRequest } from './directory-snapshot.ts'
import type { TreeCall, TreeFunctions, TreeWorkerData } from './tree-worker.ts'
import type { WalkStep } from './walk.ts'

/**
 * Reads the tree in a worker thread, so that a disk that hangs does not block the process. The thread answers requests in order.
 * If the thread ends, which is a defect of the program or a lack of memory, all requests fail, also later ones.
 */
export interface TreeReader {
  snapshot(request: SnapshotRequest): Promise<DirectorySnapshot>
  /**
   * Returns the stamps of directories in the order of the paths; `undefined` for a stamp that is not reliable, or a directory
   * that cannot be read.
   */
  stamps(paths: readonly string[]): Promise<readonly (DirectoryStamp | undefined)[]>
  /** Starts a walk below the roots, oldest date first. An earlier walk that has not ended is abandoned. */
  startWalk(roots: readonly string[], depth: ReadDepth): Promise<void>
  /** Returns the next directory of the walk; `undefined` at its end. Several steps may be requested ahead. */
  step(): Promise<WalkStep | undefined>
  /**
   * Inflates files to check that their gzip streams are complete; returns `undefined` for a file that does not exist or cannot be
   * read.
   */
  inflate(paths: readonly string[]): Promise<readonly (Inflated | undefined)[]>
  /**
   * Returns the time for which the current request has made no progress (ms); 0 without a request, or while the worker starts.
   * Each call compares the progress with that at the call before, so it must be called regularly.
   */
  waitingMs(): number
  close(): Promise<void>
}

/** The file of the tree worker. It is in the folder of this file and has the same suffix: `.ts` in tests, `.js` when built. */
const workerFile = import.meta.url.replace(/tree-reader(\.[jt]s)$/, 'tree-worker$1')

interface PendingRequest {
  readonly sinceMs: number
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: Error) => void
}

export function startTreeReader(tree: TreeWorkerData['tree']): TreeReader {
  const progress = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const worker = new Worker(new URL(workerFile), {
    workerData: { tree, progress } satisfies TreeWorkerData,
    // Names are short-lived, so a larger young generation would only hold more garbage.
    resourceLimits: { maxYoungGenerationSizeMb: 16 },
  })
  const waiting: PendingRequest[] = []
  let answeredMs = 0
  let last = { progress: 0, ms: 0 }
  worker.on('message', (answer: unknown) => {
    answeredMs = performance.now()
    waiting.shift()?.resolve(answer)
  })
  let closing = false
  let failure: Error | undefined
  const fail = (error: Error): void => {
    // From the call of `close` on, requests stay unanswered, so that they do not look like failures.
    if (closing) return
    // An exit follows each error, but only the error has a cause.
    failure ??= error
    for (const request of waiting.splice(0)) request.reject(failure)
  }
  worker.on('error', (error) => {
    fail(new Error('the tree worker has ended', { cause: error }))
  })
  worker.on('exit', (code) => {
    fail(new Error(`the tree worker has ended: exit code ${code}`))
  })
  const forward =
    <Name extends keyof TreeFunctions>(name: Name) =>
    (...args: Parameters<TreeFunctions[Name]>) => {
      const answer = new Promise<Awaited<ReturnType<TreeFunctions[Name]>>>((resolve, reject) => {
        if (failure !== undefined) {
          reject(failure)
          return
        }
        waiting.push({ sinceMs: performance.now(), resolve: resolve as () => void, reject })
        worker.postMessage({ name, args } satisfies TreeCall)
      })
      // Several requests may fail at once. The first one ends the process in order; the others must
      // not count as unhandled errors, which would end it at once.
      answer.catch(() => undefined)
      return answer
    }
  return {
    snapshot: forward('snapshot'),
    stamps: forward('stamps'),
    startWalk: forward('startWalk'),
    step: forward('step'),
    inflate: forward('inflate'),
    waitingMs() {
      const ms = performance.now()
      const seen = Atomics.load(progress, 0)
      if (seen !== last.progress) last = { progress: seen, ms }
      const [first] = waiting
      // A worker that is still starting is not waiting for a disk.
      if (first === undefined || seen === 0) return 0
      return ms - Math.max(first.sinceMs, answeredMs, last.ms)
    },
    close: async () => {
      closing = true
      await worker.terminate()
    },
  }
}
