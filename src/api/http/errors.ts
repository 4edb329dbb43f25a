/** Error responses in the shape and words of Django REST framework, and their causes. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  CatalogueUnavailable,
  NotBuilt,
  QueryTimeout,
  TooManyQueries,
} from '../../catalogue/errors.ts'
import { printable } from '../../runtime/readable.ts'
import { requestLog } from './access-log.ts'
import type { HeaderFields } from './headers.ts'
import { commonHeaders } from './headers.ts'

/** The usual `Retry-After` of 503, in seconds. Some causes have a longer one. */
export const retryAfterSeconds = 5
const indexRetryAfterSeconds = 30
/** `Retry-After` of 429, in seconds. Other requests have probably ended by then. */
const tooManyRetryAfterSeconds = 10

/** An error with a status; the client reads its message as `detail`. */
export class HttpError extends Error {
  readonly statusCode: number
  readonly headers: HeaderFields
  /** Further members of the body, besides `detail`. */
  readonly further: object = {}

  constructor(statusCode: number, detail: string, headers: HeaderFields = {}) {
    super(detail)
    this.statusCode = statusCode
    this.headers = headers
  }
}

export function notFound(): HttpError {
  return new HttpError(404, 'Not found.')
}

/** 404 for a name that is not in the catalogue, with the names that were probably meant. */
export class UnknownName extends HttpError {
  readonly didYouMean: readonly string[]
  override readonly further: object

  constructor(didYouMean: readonly string[]) {
    super(404, 'Not found.')
    this.didYouMean = didYouMean
    this.further = { did_you_mean: didYouMean }
  }
}

/** The state of a collection that its form and its links repeat. */
export interface FormState {
  /** Filters and settings of the request, as far as their names are known. */
  readonly kept: readonly (readonly [name: string, value: string])[]
  readonly limit: number
  /** What was refused, by parameter. */
  readonly faults?: Readonly<Record<string, readonly string[]>>
}

/** 400 with the faults of each invalid field or parameter. */
export class BadFields extends HttpError {
  readonly fields: Readonly<Record<string, readonly string[]>>
  readonly request: FormState | undefined

  constructor(fields: BadFields['fields'], request?: FormState) {
    super(400, 'Bad request.')
    this.fields = fields
    this.request = request
  }

  /** The same faults, with what the form repeats. */
  in(request: FormState): BadFields {
    return new BadFields(this.fields, this.request ?? request)
  }
}

/** 503 for a condition that ends by itself. */
export function tryAgain(detail: string, afterSeconds = retryAfterSeconds): HttpError {
  return new HttpError(503, detail, { 'retry-after': String(afterSeconds) })
}

/** 503 on a host that does not have a change yet that the client has seen on another one. */
export function notYet(seq: number): HttpError {
  return tryAgain(`This host has not seen the change ${seq} yet.`)
}

/** `Retry-After` while a disk is unavailable, in seconds. */
const unavailableSeconds = 60

/** 503 for a file whose storage is unavailable. The caller logs this once, not for each request. */
export class StorageUnavailable extends HttpError {
  constructor() {
    const detail = 'The storage of this file is not available at this moment.'
    super(503, detail, { 'retry-after': String(unavailableSeconds) })
  }
}

/** 429 for a limit that other requests have reached; it is free again when they end. */
export function tooMany(detail: string): HttpError {
  return new HttpError(429, detail, { 'retry-after': String(tooManyRetryAfterSeconds) })
}

/** The error that a client may know. */
function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error
  if (error instanceof CatalogueUnavailable)
    return tryAgain('The catalogue cannot be read at this moment.')
  if (error instanceof NotBuilt)
    return tryAgain(
      'The index for this answer is built at the end of the first scan of the archive, or after an upgrade. Try again later.',
      indexRetryAfterSeconds,
    )
  if (error instanceof QueryTimeout)
    return tryAgain('The query takes too long. Narrow it by further filters.')
  if (error instanceof TooManyQueries) return tooMany('Too many long queries are in progress.')
  const statusCode = statusOf(error)
  if (statusCode === 404) return notFound()
  const isOurs = statusCode >= 500
  return new HttpError(statusCode, isOurs ? 'A server error occurred.' : (error as Error).message)
}

/** The status of an error of Fastify; 500 for any other error. */
function statusOf(error: unknown): number {
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
  return status >= 400 && status < 500 ? status : 500
}

/** Logs an error of the server. Returns the error that a client may know. */
export function logError(error: unknown, request: FastifyRequest): HttpError {
  const known = toHttpError(error)
  const { statusCode } = known
  // A client that has left reads no response. A request with a body is closed when that was read.
  const isLogged = !(error instanceof StorageUnavailable) && !request.socket.destroyed
  if (statusCode >= 500 && isLogged) logFailure(error, statusCode, request)
  return known
}

/** Sends an error as JSON. The log has the cause of a 5xx, with the request id of the response. */
export function sendError(error: HttpError, request: FastifyRequest, reply: FastifyReply): void {
  const { statusCode, message: detail, headers } = error
  const id = statusCode >= 500 ? { request_id: request.id } : {}
  const body = error instanceof BadFields ? error.fields : { detail, ...error.further, ...id }
  resetHeaders(reply)
  void reply
    .code(statusCode)
    .headers({ 'content-type': 'application/json', ...headers })
    // The JSON is sent as a buffer, because Fastify appends a charset to the media type of a
    // string.
    .send(Buffer.from(JSON.stringify(body)))
}

/** Headers that belong to the request and its resource, not to the body of the response. */
const lasting = ['allow', 'connection', 'ignored-parameters', 'keep-alive', 'x-request-id']

/**
 * Removes the headers of the response that the error replaces, also those of a stream that failed
 * before its first byte. An error below the API depends on `Accept`.
 */
export function resetHeaders(reply: FastifyReply): void {
  const { raw } = reply
  for (const name of raw.getHeaderNames()) raw.removeHeader(name)
  const varies = reply.hasHeader('vary')
  for (const name of Object.keys(reply.getHeaders()))
    if (!lasting.includes(name)) reply.removeHeader(name)
  reply.headers(commonHeaders)
  if (varies) reply.header('vary', 'Accept')
}

/** The reason of a 503: the message of the cause. A stack trace would add nothing. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error ? cause.message : message
}

function logFailure(error: unknown, statusCode: number, request: FastifyRequest): void {
  const facts = { method: request.method, target: printable(request.originalUrl) }
  const log = requestLog(request)
  // Every request fails with this error while there is no catalogue, so the stack is not logged.
  if (error instanceof CatalogueUnavailable)
    log.warn({ reason: error.message, ...facts }, 'catalogue unavailable')
  else if (statusCode === 503)
    log.warn({ reason: reasonOf(error), ...facts }, 'temporarily unavailable')
  else log.error({ err: error, ...facts }, 'request failed')
}
