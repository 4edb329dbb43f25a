/**
 * Distributes long queries to query workers. `query-worker.ts` is the program of a worker.
 */
import { Worker } from 'node:worker_threads'
import { programBeside } from '../../runtime/calls.ts'
import { CatalogueUnavailable, NotBuilt, QueryTimeout } from '../errors.ts'
import type { AnswerOf, QueryOf, QuestionName } from '../questions/reader.ts'
import type { Asker } from '../turns.ts'
import { QueryTurns } from '../turns.ts'

/**
 * Numbers of query workers. Each is a thread with a connection of its own and runs one query at a
 * time. Clients together have at most two, so that one is left for the program itself.
 */
const workers = { ofClients: 2, ofAll: 3 }

/** Message to a worker. */
export interface QueryRequest {
  readonly name: QuestionName
  readonly query: unknown
  /** True if the query may take as long as it needs. */
  readonly unlimited: boolean
}

/** Message to a worker: to end, after the query that it runs. */
export const end = 'end'

/** Message from a worker: an answer, or an error with its code. */
export type QueryResponse =
  | { readonly answer: unknown }
  | {
      readonly code: string
      readonly message: string
      readonly error: Error | undefined
    }

/** A worker checks this number while a query runs; 1 cancels the query. */
export type CancelFlag = Int32Array

interface PooledQuery {
  readonly resolve: (answer: never) => void
  readonly reject: (error: Error) => void
}

interface WorkerSlot {
  worker: Worker | undefined
  job: PooledQuery | undefined
  readonly cancelled: CancelFlag
}

/** Runs long queries in worker threads, so that they do not block the main thread. */
export class QueryPool {
  readonly #database: string
  readonly #slots = Array.from({ length: workers.ofAll }, (): WorkerSlot => ({
    worker: undefined,
    job: undefined,
    cancelled: new Int32Array(new SharedArrayBuffer(4)),
  }))
  readonly #turns = new QueryTurns(workers)
  #isClosed = false

  constructor(database: string) {
    this.#database = database
  }

  /**
   * @param asker the client; its signal cancels the query, which then rejects with the reason of
   * the signal
   * @throws CatalogueUnavailable, NotBuilt, QueryTimeout, TooManyQueries
   */
  ask<Name extends QuestionName>(
    name: Name,
    query: QueryOf<Name>,
    asker?: Asker,
  ): Promise<AnswerOf<Name>> {
    const request = { name, query, unlimited: asker === undefined }
    return this.#turns.run(asker ?? {}, (slot) => this.#answer(slot, request, asker?.signal))
  }

  close(): void {
    this.#isClosed = true
    for (const slot of this.#slots) {
      // Not terminated: if a thread is ended while it is within the driver, the process aborts.
      Atomics.store(slot.cancelled, 0, 1)
      slot.worker?.ref()
      slot.worker?.postMessage(end)
      this.#fail(slot, 'the reader is closed')
    }
  }

  async #answer<T>(index: number, request: QueryRequest, signal?: AbortSignal): Promise<T> {
    const slot = this.#slots[index]
    if (slot === undefined || this.#isClosed) throw new CatalogueUnavailable('the reader is closed')
    const cancel = (): void => void Atomics.store(slot.cancelled, 0, 1)
    signal?.addEventListener('abort', cancel)
    try {
      return await new Promise<T>((resolve, reject) => {
        slot.job = { resolve, reject }
        slot.worker ??= this.#start(slot)
        slot.worker.ref()
        Atomics.store(slot.cancelled, 0, 0)
        slot.worker.postMessage(request)
      })
    } finally {
      signal?.removeEventListener('abort', cancel)
    }
  }

  #start(slot: WorkerSlot): Worker {
    const worker = new Worker(programBeside(import.meta.url, 'query-worker'), {
      workerData: { database: this.#database, cancelled: slot.cancelled },
      // Rows are short-lived; a larger young generation would only hold more garbage.
      resourceLimits: { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 64 },
    })
    worker.on('message', (response: QueryResponse) => {
      // This is a late answer of a worker that has failed or was asked to end.
      if (slot.worker !== worker) return
      const { job } = slot
      slot.job = undefined
      worker.unref()
      if ('answer' in response) job?.resolve(response.answer as never)
      else job?.reject(errorOf(response))
    })
    worker.on('error', (error: Error) => {
      if (slot.worker === worker) this.#fail(slot, `query worker failed: ${error.message}`)
    })
    worker.on('exit', () => {
      if (slot.worker === worker) this.#fail(slot, 'query worker ended')
    })
    return worker
  }

  #fail(slot: WorkerSlot, reason: string): void {
    slot.worker = undefined
    slot.job?.reject(new CatalogueUnavailable(reason))
    slot.job = undefined
  }
}

const errorClasses = [CatalogueUnavailable, NotBuilt, QueryTimeout]

/** Restores the classes of errors, which messages between threads lose. */
function errorOf(response: Exclude<QueryResponse, { answer: unknown }>): Error {
  const { code, message, error } = response
  for (const ErrorClass of errorClasses) {
    const made = new ErrorClass(message)
    if (made.code === code) return made
  }
  return error ?? new Error(message)
}
