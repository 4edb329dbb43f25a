/** A thread that runs one query at a time, on its own connection. */
import { parentPort, workerData } from 'node:worker_threads'
import type { Database } from 'better-sqlite3'
import { errorCode } from '../../runtime/error-code.ts'
import { CatalogueMigrating, QueryTimeout } from '../reader-errors.ts'
import { connectionSource } from './connection.ts'
import { prepareList } from './list.ts'
import type { CheckDeadline } from './page-ids.ts'
import type { CancelFlag, Queries, QueryKind, QueryRequest, QueryResponse } from './query-pool.ts'
import { prepareNetworkDeliveries } from './network-deliveries.ts'
import { prepareProblems } from './problems.ts'
import { prepareChangedDirectories, prepareReplacedFiles } from './replaced-files.ts'
import { prepareSeriesSlots } from './series-slots.ts'
import { prepareStations } from './stations.ts'
import { prepareCachedHead, prepareSummary } from './summary.ts'

/**
 * Maximum wall time of a query for a page, a chunk or problems, in milliseconds. Other queries have
 * no limit.
 */
const longestMs = 2000

const { database, cancelled } = workerData as {
  readonly database: string
  readonly cancelled: CancelFlag
}

type Run = (request: QueryRequest) => Queries[QueryKind]['answer']

/** Answers each kind of query. */
type Answers = {
  readonly [Kind in QueryKind]: (
    query: Queries[Kind]['query'],
    checkDeadline: CheckDeadline,
  ) => Queries[Kind]['answer']
}

function prepareRun(db: Database): Run {
  const head = prepareCachedHead(db)
  const list = prepareList(db, head)
  const stations = prepareStations(db, head)
  const series = prepareSeriesSlots(db, head)
  const answers: Answers = {
    page: (query, checkDeadline) => list.page(query).run(checkDeadline),
    records: (query, checkDeadline) => list.records(query).run(checkDeadline),
    stations: (query) => stations.page(query),
    seriesSlots: series.slots,
    seriesArrivals: series.arrivals,
    liveSlots: series.live,
    deliveries: prepareNetworkDeliveries(db, head),
    replacedFiles: prepareReplacedFiles(db),
    changedDirectories: prepareChangedDirectories(db),
    problems: prepareProblems(db),
    summary: prepareSummary(db),
  }
  // Each query has one read transaction, so that a page and its count are consistent.
  return db.transaction(({ kind, query }: QueryRequest) =>
    // The type of a query depends on its kind.
    answers[kind](query as never, deadline()),
  )
}

/** Returns a function that is called between slices. It throws if the query takes too long or was cancelled. */
function deadline(): CheckDeadline {
  const endMs = performance.now() + longestMs
  return () => {
    if (performance.now() > endMs)
      throw new QueryTimeout(`the query takes longer than ${longestMs} ms`)
    if (Atomics.load(cancelled, 0) !== 0) throw new Error('the query was cancelled')
  }
}

// A worker must never read an older file than the main thread, which keeps some of its answers until
// the catalogue changes.
const source = connectionSource(database, prepareRun, { checkMs: 0 })

function respond(request: QueryRequest): QueryResponse {
  try {
    return { answer: source.use((run) => run(request)) }
  } catch (error) {
    const { message } = error as Error
    const code = errorCode(error)
    const progress = error instanceof CatalogueMigrating ? error.progress : undefined
    return { code, message, progress, error: error instanceof Error ? error : undefined }
  }
}

parentPort?.on('message', (request: QueryRequest) => {
  parentPort?.postMessage(respond(request))
})
