/** The client of the tree worker, the thread that reads the tree (`tree-worker.ts`). */
import { Worker } from 'node:worker_threads'
import type { LayoutLists } from '../../parse/layout.ts'
import { defaultLists } from '../../parse/layout.ts'
import { Calls, programBeside } from '../../runtime/calls.ts'
import type { TreeCall, TreeFunctions, TreeWorkerData } from './tree-worker.ts'

export type TreeReader = ReturnType<typeof startTreeReader>

/**
 * Reads the tree in a worker thread, so that a disk that hangs does not block the process. The
 * thread answers requests in order. If the thread ends, which is a defect of the program or a lack
 * of memory, all requests fail, also later ones.
 */
export function startTreeReader(tree: TreeWorkerData['tree'], lists: LayoutLists = defaultLists) {
  const progress = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const worker = new Worker(programBeside(import.meta.url, 'tree-worker'), {
    workerData: { tree, lists, progress } satisfies TreeWorkerData,
    // Names are short-lived, so a larger young generation would only hold more garbage.
    resourceLimits: { maxYoungGenerationSizeMb: 16 },
  })
  const calls = new Calls()
  let answeredMs = 0
  let last = { progress: 0, ms: 0 }
  let closing = false
  worker.on('message', (answer: unknown) => {
    answeredMs = performance.now()
    calls.answer(answer)
  })
  const fail = (error: Error): void => {
    // From the call of `close` on, requests stay unanswered, so that they do not look like
    // failures.
    if (!closing) calls.close(error)
  }
  // An exit follows each error, but only the error has a cause.
  worker.on('error', (error) => {
    fail(new Error('the tree worker has ended', { cause: error }))
  })
  worker.on('exit', (code) => {
    fail(new Error(`the tree worker has ended: exit code ${code}`))
  })
  const forward =
    <Name extends keyof TreeFunctions>(name: Name) =>
    (...args: Parameters<TreeFunctions[Name]>) =>
      calls.call<Awaited<ReturnType<TreeFunctions[Name]>>>(() => {
        worker.postMessage({ name, args } satisfies TreeCall)
      })
  return {
    snapshot: forward('snapshot'),
    looks: forward('looks'),
    stamps: forward('stamps'),
    startWalk: forward('startWalk'),
    steps: forward('steps'),
    inflate: forward('inflate'),
    /**
     * Returns the time for which the current request has made no progress (ms); 0 without a
     * request, or while the worker starts. Each call compares the progress with that at the call
     * before, so it must be called regularly.
     */
    waitingMs(): number {
      const ms = performance.now()
      const seen = Atomics.load(progress, 0)
      if (seen !== last.progress) last = { progress: seen, ms }
      const { sinceMs } = calls
      // A worker that is still starting is not waiting for a disk.
      if (sinceMs === undefined || seen === 0) return 0
      return ms - Math.max(sinceMs, answeredMs, last.ms)
    },
    async close(): Promise<void> {
      closing = true
      await worker.terminate()
    },
  }
}
