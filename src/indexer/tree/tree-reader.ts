import { Worker } from 'node:worker_threads'
import type { DirectoryStamp } from '../../catalogue/writer.ts'
import type { Inflated } from './inflate.ts'
import type { ReadDepth, DirectorySnapshot, SnapshotRequest } from './directory-snapshot.ts'
import type { TreeAnswer, TreeRequest, TreeWorkerData } from './tree-worker.ts'
import type { WalkStep } from './walk.ts'

/**
 * Reads the tree in a thread of its own, so that a disk that hangs never holds up the process. Requests are
 * answered one after the other: what was asked later was read later.
 */
export interface TreeReader {
  snapshot(request: SnapshotRequest): Promise<DirectorySnapshot>
  /** The stamps of directories in their order; `undefined` where one cannot be relied on. */
  stamps(paths: readonly string[]): Promise<readonly (DirectoryStamp | undefined)[]>
  /** Begins a walk below the roots, oldest date first; gives up one that has not ended. */
  startWalk(roots: readonly string[], depth: ReadDepth): Promise<void>
  /** The next directory of the walk; `undefined` when there is none left. May be asked ahead. */
  step(): Promise<WalkStep | undefined>
  /** Whether files inflate to their end; `undefined` for one that is not there. */
  inflate(paths: readonly string[]): Promise<readonly (Inflated | undefined)[]>
  /**
   * How long the thread has been at the request in hand without coming on in it. It shows at the next call that it
   * has come on, so this has to be asked regularly.
   */
  waitingMs(): number
  close(): Promise<void>
}

/** The file beside this one, under whichever suffix this one runs: `.ts` in tests, `.js` when built. */
const workerFile = import.meta.url.replace(/tree-reader(\.[jt]s)$/, 'tree-worker$1')

interface Pending {
  readonly sinceMs: number
  readonly resolve: (answer: TreeAnswer) => void
  readonly reject: (error: Error) => void
}

export function startTreeReader(tree: TreeWorkerData['tree']): TreeReader {
  const progress = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const worker = new Worker(new URL(workerFile), {
    workerData: { tree, progress } satisfies TreeWorkerData,
    // Names come and go at once: a larger nursery would only hold more of what is dead.
    resourceLimits: { maxYoungGenerationSizeMb: 16 },
  })
  const waiting: Pending[] = []
  let answeredMs = 0
  let last = { progress: 0, ms: 0 }
  worker.on('message', (answer: TreeAnswer) => {
    answeredMs = performance.now()
    waiting.shift()?.resolve(answer)
  })
  let closing = false
  const fail = (error: Error): void => {
    // What is asked at the end stays without an answer: nobody is there to take it for a failure.
    if (closing) return
    for (const request of waiting.splice(0)) request.reject(error)
  }
  worker.on('error', fail)
  worker.on('exit', () => {
    fail(new Error('the thread that reads the tree has ended'))
  })
  // The kind of a request decides the type of its answer.
  const ask = async (request: TreeRequest): Promise<unknown> =>
    new Promise<TreeAnswer>((resolve, reject) => {
      waiting.push({ sinceMs: performance.now(), resolve, reject })
      worker.postMessage(request)
    })
  return {
    snapshot: (request) => ask({ kind: 'look', request }) as Promise<DirectorySnapshot>,
    stamps: (paths) => ask({ kind: 'stamps', paths }) as Promise<(DirectoryStamp | undefined)[]>,
    startWalk: async (roots, depth) => {
      await ask({ kind: 'walk', roots, depth })
    },
    step: () => ask({ kind: 'step' }) as Promise<WalkStep | undefined>,
    inflate: (paths) => ask({ kind: 'inflate', paths }) as Promise<(Inflated | undefined)[]>,
    waitingMs() {
      const ms = performance.now()
      const seen = Atomics.load(progress, 0)
      if (seen !== last.progress) last = { progress: seen, ms }
      const [first] = waiting
      // A thread that is starting waits for no disk.
      if (first === undefined || seen === 0) return 0
      return ms - Math.max(first.sinceMs, answeredMs, last.ms)
    },
    close: async () => {
      closing = true
      await worker.terminate()
    },
  }
}
