/** Every answer that is not the one asked for, in DRF's words and shape, and how errors become answers. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  CatalogueMigrating,
  CatalogueUnavailable,
  NotBuilt,
  QueryTimeout,
  TooManyQueries,
} from '../../catalogue/reader.ts'
import { printable, requestLog } from './access-log.ts'

type Headers = Readonly<Record<string, string>>

/** Seconds after which a client may ask again. */
export const retryAfterSeconds = 5
/** Seconds after which an index that is being built may be complete. */
const indexRetryAfterSeconds = 30
/** Seconds after which a client may ask again that was one too many. */
export const othersEndSeconds = 10

/** An answer other than the one asked for. Its message is what the client reads. */
export class HttpError extends Error {
  readonly statusCode: number
  readonly headers: Headers

  constructor(statusCode: number, detail: string, headers: Headers = {}) {
    super(detail)
    this.statusCode = statusCode
    this.headers = headers
  }
}

export function notFound(): HttpError {
  return new HttpError(404, 'Not found.')
}

export function notAcceptable(): HttpError {
  return new HttpError(406, 'Could not satisfy the request Accept header.')
}

export function methodNotAllowed(method: string): HttpError {
  return new HttpError(405, `Method "${method}" not allowed.`)
}

/** A request of which some fields, or parameters, are wrong: for each of these what is wrong with it. */
export class BadFields extends HttpError {
  readonly fields: Readonly<Record<string, readonly string[]>>

  constructor(fields: BadFields['fields']) {
    super(400, 'Bad request.')
    this.fields = fields
  }
}

export function badFields(fields: BadFields['fields']): HttpError {
  return new BadFields(fields)
}

export function forbidden(detail: string): HttpError {
  return new HttpError(403, detail)
}

/** For what will work again by itself soon. */
export function tryAgain(detail: string, afterSeconds = retryAfterSeconds): HttpError {
  return new HttpError(503, detail, { 'retry-after': String(afterSeconds) })
}

/** Seconds after which a disk that is away may be back. */
const unavailableSeconds = 60

/** The storage of a file is away. The state is logged once by whoever finds it, not with each request. */
export class StorageUnavailable extends HttpError {
  constructor() {
    const detail = 'The storage of this file is not available at this moment.'
    super(503, detail, { 'retry-after': String(unavailableSeconds) })
  }
}

/** For what there is room for again when others have ended. */
export function tooMany(detail: string): HttpError {
  return new HttpError(429, detail, { 'retry-after': String(othersEndSeconds) })
}

/** What the error handler needs to know of an error. */
interface Answer {
  readonly statusCode: number
  readonly detail: string
  readonly headers: Headers
}

function toAnswer(error: unknown): Answer {
  if (error instanceof HttpError) {
    return { statusCode: error.statusCode, detail: error.message, headers: error.headers }
  }
  if (error instanceof CatalogueMigrating)
    return toAnswer(tryAgain(`The catalogue is being migrated ${error.progress}.`))
  if (error instanceof CatalogueUnavailable) {
    return toAnswer(tryAgain('The catalogue cannot be read at this moment.'))
  }
  if (error instanceof NotBuilt)
    return toAnswer(
      tryAgain('The index for this query is being built. Try again later.', indexRetryAfterSeconds),
    )
  if (error instanceof QueryTimeout)
    return toAnswer(tryAgain('The query takes too long. Narrow it by further filters.'))
  if (error instanceof TooManyQueries)
    return toAnswer(tooMany('Too many long queries are in progress.'))
  const statusCode = statusOf(error)
  if (statusCode === 404) return toAnswer(notFound())
  if (statusCode < 500) return { statusCode, detail: (error as Error).message, headers: {} }
  return { statusCode: 500, detail: 'A server error occurred.', headers: {} }
}

/** The status an error of the framework stands for; anything else is our own fault. */
function statusOf(error: unknown): number {
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
  return status >= 400 && status < 500 ? status : 500
}

/** Answers an error. The cause of a 5xx goes to the log only, under the id that the answer carries. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { statusCode } = toAnswer(error)
  // Nobody reads the answer to a client that has gone.
  const isLogged = !(error instanceof StorageUnavailable) && !request.signal.aborted
  if (statusCode >= 500 && isLogged) logFailure(error, statusCode, request)
  sendError(error, request, reply)
}

/** The same, without a line in the log. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { statusCode, detail, headers } = toAnswer(error)
  const fields = error instanceof BadFields ? error.fields : undefined
  const body = fields ?? (statusCode >= 500 ? { detail, request_id: request.id } : { detail })
  // What was said of the answer that does not come.
  for (const name of ['etag', 'link']) reply.removeHeader(name)
  void reply
    .code(statusCode)
    .headers({ 'content-type': 'application/json', ...headers })
    // A buffer, because the framework adds a charset to the media type of a string.
    .send(Buffer.from(JSON.stringify(body)))
}

/** What is to be tried again is so by our own words, behind which lies what was expected to happen: no stack tells more. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error ? cause.message : message
}

function logFailure(error: unknown, statusCode: number, request: FastifyRequest): void {
  const facts = { method: request.method, target: printable(request.originalUrl) }
  const log = requestLog(request)
  // Every request meets it while there is no catalogue, and where it was met tells nothing.
  if (error instanceof CatalogueUnavailable)
    log.warn({ reason: error.message, ...facts }, 'the catalogue is not available')
  else if (statusCode === 503) log.warn({ reason: reasonOf(error), ...facts }, 'not available')
  else log.error({ err: error, ...facts }, 'request failed')
}
