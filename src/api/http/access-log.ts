/** The access log, and text from clients in a form that is safe for the log. */
import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { ServerResponse } from 'node:http'

/** A logger with the request id. It is created on demand, because most requests log nothing. */
export function requestLog({ log, id }: FastifyRequest) {
  return log.child({ reqId: id })
}

export function logAccess(logger: Logger, entry: AccessLogEntry): void {
  if (!logger.isLevelEnabled('debug')) return
  const { id, method, target, status, ms } = entry
  logger.debug({ reqId: id, method, target: printable(target), status, ms }, 'answered')
}

/** A finished response, delivered or not, for metrics and the log. */
export interface AccessLogEntry {
  /** The request id, as in `X-Request-Id`. */
  readonly id: string
  readonly method: string
  /** The request target as received: escape it before writing it anywhere. */
  readonly target: string
  /** Pattern of the route, or `none`. */
  readonly route: string
  /** The status that was sent; 499, as nginx logs it, if the client left before. */
  readonly status: number
  /** Milliseconds from the request to the end of the response. */
  readonly ms: number
  /** Bytes that were written to the connection for this response, with its headers. */
  readonly bytes: number
}

export type RecordAccess = (entry: AccessLogEntry) => void

/** nginx's status for a client that left before the response started. */
const clientClosedStatus = 499

/** The status for the log: the one that was sent to the client, or 499. */
export function loggedStatus({ headersSent, statusCode }: ServerResponse): number {
  return headersSent ? statusCode : clientClosedStatus
}

/** Maximum length of client text in a log line. */
const maxLength = 1024

/**
 * Makes client text safe for the log: cuts it to 1,024 characters, then escapes all characters that
 * are not printable ASCII. JSON escapes only some control characters, and a terminal would act on
 * all others.
 */
export function printable(text: string): string {
  return text
    .slice(0, maxLength)
    .replaceAll(/[^\x20-\x7e]/g, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`)
}
