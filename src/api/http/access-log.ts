import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { ServerResponse } from 'node:http'

/** The log under the id of a request, made where something is to be said: most requests say nothing. */
export function requestLog({ log, id }: FastifyRequest) {
  return log.child({ reqId: id })
}

export function logAccess(logger: Logger, observation: AccessLogEntry): void {
  if (!logger.isLevelEnabled('debug')) return
  const { id, method, target, status, ms } = observation
  logger.debug({ reqId: id, method, target: printable(target), status, ms }, 'answered')
}

/** An answer that has ended, taken by its client or not, for those who count, time and log them. */
export interface AccessLogEntry {
  /** Of the request, as its answer told it. */
  readonly id: string
  readonly method: string
  /** As it came: not to be written anywhere unescaped. */
  readonly target: string
  /** Pattern of the route that answered; `none` where no route did. */
  readonly route: string
  /** As it was told; 499, as web servers write it down, when the client left before that. */
  readonly status: number
  /** Time from the request to the end of its answer; of one from memory, until it was sent off. */
  readonly ms: number
}

export type Observe = (observation: AccessLogEntry) => void

/** Of an answer whose client left before it began. */
const leftStatus = 499

/** The status that a client was told. */
export function loggedStatus({ headersSent, statusCode }: ServerResponse): number {
  return headersSent ? statusCode : leftStatus
}

/** Longest text of a client that goes into a log line. */
const maxLength = 1024

/**
 * Text from outside, fit for a log: printable ASCII, cut to a fair length. JSON escapes only some of the
 * control characters, and a terminal acts on the others.
 */
export function printable(text: string): string {
  return text
    .slice(0, maxLength)
    .replaceAll(/[^\x20-\x7e]/g, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`)
}
