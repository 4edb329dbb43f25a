/** A thread that answers one question at a time, on its own connection. */
import { parentPort, workerData } from 'node:worker_threads'
import { errorCode } from '../../runtime/error-code.ts'
import { QueryTimeout } from '../errors.ts'
import { connectionSource } from './connection.ts'
import type { CheckTime } from './driver.ts'
import { Driver } from './driver.ts'
import type { CancelFlag, QueryRequest, QueryResponse } from './query-pool.ts'
import { end } from './query-pool.ts'

/** Maximum wall time of a client's question in milliseconds. */
const longestMs = 2000

const { database, cancelled } = workerData as {
  readonly database: string
  readonly cancelled: CancelFlag
}

/** Throws if the question takes too long or was cancelled. */
function deadline(longest: number): CheckTime {
  const endMs = performance.now() + longest
  return () => {
    if (performance.now() > endMs)
      throw new QueryTimeout(`the query takes longer than ${longest} ms`)
    throwIfCancelled()
  }
}

function throwIfCancelled(): void {
  if (Atomics.load(cancelled, 0) !== 0) throw new Error('the query was cancelled')
}

// A worker must never read an older file than the main thread, which keeps some of its answers
// until the catalogue changes.
const source = connectionSource(database, (db) => new Driver(db), { checkMs: 0 })

function respond({ name, query, unlimited }: QueryRequest): QueryResponse {
  try {
    // A thread that is ended while it starts must not open the database, which may be gone by then.
    throwIfCancelled()
    const checkTime = deadline(unlimited ? Infinity : longestMs)
    // The type of a query depends on its name.
    const answer = source.use((driver) => driver.answer(name, query as never, checkTime))
    return { answer }
  } catch (error) {
    const { message } = error as Error
    const code = errorCode(error)
    return { code, message, error: error instanceof Error ? error : undefined }
  }
}

parentPort?.on('message', (request: QueryRequest | typeof end) => {
  if (request !== end) {
    parentPort?.postMessage(respond(request))
    return
  }
  source.close()
  parentPort?.close()
})
