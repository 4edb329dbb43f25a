import { Worker } from 'node:worker_threads'
import { CatalogueUnavailable, NotBuilt, QueryTimeout, TooManyQueries } from '../reader.ts'
import type {
  ChunkQuery,
  PageQuery,
  RecordChunk,
  SeriesQuery,
  SeriesSlots,
  StationsQuery,
  Page,
  ProblemsPage,
  ProblemsQuery,
  StationsPage,
} from '../reader.ts'
import type { CatalogueSummary } from '../records.ts'

/** Queries that run at the same time, each in a thread with a connection of its own. */
const workers = 2
/** Queries that wait for a worker; one more is refused. */
const mostWaiting = 30

/** What a worker is asked, and of each kind of query its answer. */
export interface Queries {
  readonly page: { readonly query: PageQuery; readonly answer: Page }
  readonly records: { readonly query: ChunkQuery; readonly answer: RecordChunk }
  readonly stations: { readonly query: StationsQuery; readonly answer: StationsPage }
  readonly seriesSlots: {
    readonly query: SeriesQuery
    readonly answer: SeriesSlots | undefined
  }
  readonly problems: { readonly query: ProblemsQuery; readonly answer: ProblemsPage }
  readonly summary: { readonly query: undefined; readonly answer: CatalogueSummary }
}

export type QueryKind = keyof Queries

/** To a worker. */
export interface QueryRequest {
  readonly kind: QueryKind
  readonly query: unknown
}

/** From a worker: an answer, or an error by its code. */
export type QueryResponse =
  | { readonly answer: unknown }
  | { readonly code: string; readonly message: string; readonly error: Error | undefined }

/** A worker looks at this number between the slices of a query; it is 1 when nobody waits for the answer any more. */
export type CancelFlag = Int32Array

/** Runs queries that take longer in threads, so that they never hold up others. */
export interface QueryPool {
  /**
   * @param signal ends the query; it is rejected with the reason of the signal
   * @throws CatalogueUnavailable, NotBuilt, QueryTimeout, TooManyQueries
   */
  ask<Kind extends QueryKind>(
    kind: Kind,
    query: Queries[Kind]['query'],
    signal?: AbortSignal,
  ): Promise<Queries[Kind]['answer']>
  close(): void
}

interface Job {
  readonly request: QueryRequest
  readonly resolve: (answer: never) => void
  readonly reject: (error: Error) => void
}

interface Slot {
  worker: Worker | undefined
  job: Job | undefined
  readonly cancelled: CancelFlag
}

/** The file beside this one, under whichever suffix this one runs: `.ts` in tests, `.js` when built. */
const workerFile = import.meta.url.replace(/query-pool(\.[jt]s)$/, 'query-worker$1')

export function openQueryPool({ database }: { readonly database: string }): QueryPool {
  const slots = Array.from({ length: workers }, (): Slot => ({
    worker: undefined,
    job: undefined,
    cancelled: new Int32Array(new SharedArrayBuffer(4)),
  }))
  const waiting: Job[] = []
  let closed = false
  const fail = (slot: Slot, reason: string): void => {
    slot.worker = undefined
    slot.job?.reject(new CatalogueUnavailable(reason))
    slot.job = undefined
    if (!closed) startNext()
  }
  const start = (slot: Slot): Worker => {
    const worker = new Worker(new URL(workerFile), {
      workerData: { database, cancelled: slot.cancelled },
      // Rows come and go at once: a larger nursery would only hold more of what is dead.
      resourceLimits: { maxYoungGenerationSizeMb: 6 },
    })
    worker.on('message', (response: QueryResponse) => {
      // The last answer of a worker that ends: its end is still to come.
      if (slot.worker !== worker) return
      const { job } = slot
      slot.job = undefined
      worker.unref()
      if (job !== undefined) settle(job, response)
      startNext()
    })
    worker.on('error', (error) => {
      if (slot.worker === worker) fail(slot, `query worker failed: ${error.message}`)
    })
    worker.on('exit', () => {
      if (slot.worker === worker) fail(slot, 'query worker ended')
    })
    return worker
  }
  const startNext = (): void => {
    const slot = slots.find(({ job }) => job === undefined)
    const job = slot && waiting.shift()
    if (slot === undefined || job === undefined) return
    slot.job = job
    slot.worker ??= start(slot)
    slot.worker.ref()
    Atomics.store(slot.cancelled, 0, 0)
    slot.worker.postMessage(job.request)
  }
  const cancel = (job: Job): void => {
    const index = waiting.indexOf(job)
    if (index >= 0) waiting.splice(index, 1)
    const slot = slots.find((each) => each.job === job)
    if (slot !== undefined) Atomics.store(slot.cancelled, 0, 1)
  }
  return {
    ask: (kind, query, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted()
        if (closed) throw new CatalogueUnavailable('the reader is closed')
        if (waiting.length >= mostWaiting) throw new TooManyQueries('too many queries are waiting')
        const abort = (): void => {
          cancel(job)
          job.reject(signal?.reason as Error)
        }
        const ended = (): void => signal?.removeEventListener('abort', abort)
        const job: Job = {
          request: { kind, query },
          resolve: (answer) => {
            ended()
            resolve(answer)
          },
          reject: (error) => {
            ended()
            reject(error)
          },
        }
        signal?.addEventListener('abort', abort)
        waiting.push(job)
        startNext()
      }),
    close() {
      closed = true
      for (const { reject } of waiting.splice(0))
        reject(new CatalogueUnavailable('the reader is closed'))
      for (const slot of slots) {
        void slot.worker?.terminate()
        fail(slot, 'the reader is closed')
      }
    },
  }
}

function settle({ resolve, reject }: Job, response: QueryResponse): void {
  if ('answer' in response) resolve(response.answer as never)
  else reject(errorOf(response))
}

const errorClasses = [CatalogueUnavailable, NotBuilt, QueryTimeout]

/** Errors lose their classes on the way between threads. */
function errorOf({ code, message, error }: Exclude<QueryResponse, { answer: unknown }>): Error {
  for (const ErrorClass of errorClasses) {
    const made = new ErrorClass(message)
    if (made.code === code) return made
  }
  return error ?? new Error(message)
}
