/** Observes finished responses for metrics and log; makes client text safe for the log. */
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { Counter, Histogram } from 'prom-client'
import { printable } from '../../runtime/readable.ts'

/** A logger with the request id. It is created on demand, because most requests log nothing. */
export function requestLog({ log, id }: FastifyRequest) {
  return log.child({ reqId: id })
}

export function logAccess(logger: Logger, entry: AccessLogEntry): void {
  if (!logger.isLevelEnabled('debug')) return
  const { id, method, target, status, ms } = entry
  logger.debug({ reqId: id, method, target: printable(target), status, ms }, 'answered')
}

/** A finished response, delivered or not. */
interface AccessLogEntry {
  /** The request id, as in `X-Request-Id`. */
  readonly id: string
  readonly method: string
  /** The request target as received: escape it before writing it anywhere. */
  readonly target: string
  /** Pattern of the route, or `none`. */
  readonly route: string
  /** The status that was sent; 499, as nginx logs it, if the client left before. */
  readonly status: number
  readonly ms: number
  /** Bytes that were written to the connection for this response, with its headers. */
  readonly bytes: number
}

export type RecordAccess = (entry: AccessLogEntry) => void

/** nginx's status for a client that left before the response started. */
const clientClosedStatus = 499

/** Buckets in seconds. A page takes a fraction of a millisecond, a large download minutes. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30, 300]

/** Matches the regular expression of a path parameter in a route, which the label leaves out. */
const parameterPattern = /\(.*?\)/

/** Counts requests, with labels of limited number: our routes, and Node's methods and statuses. */
export function countRequests(registry: Registry): RecordAccess {
  const requests = new Counter({
    name: 'rinex_http_requests_total',
    help: 'HTTP requests.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  })
  const duration = new Histogram({
    name: 'rinex_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its response, in seconds.',
    labelNames: ['route'],
    buckets,
    registers: [registry],
  })
  const sent = new Counter({
    name: 'rinex_http_response_bytes_total',
    help: 'Bytes of responses with their headers, counted at the end of each response.',
    labelNames: ['route'],
    registers: [registry],
  })
  return ({ method, route: pattern, status, ms, bytes }) => {
    const route = pattern.replace(parameterPattern, '')
    requests.inc({ method, route, status })
    duration.observe({ route }, ms / 1000)
    sent.inc({ route }, bytes)
  }
}

/** Observes `close`, which is emitted when the client leaves too; `onResponse` is not. */
export function observeResponse(
  request: FastifyRequest,
  reply: FastifyReply,
  observe: RecordAccess,
): void {
  const { id, method, routeOptions, originalUrl: target } = request
  // `app.inject` has no real connection. The requests of a connection run one after the other, so
  // the bytes that are written until `close` belong to this response.
  const { socket }: { readonly socket: Partial<Socket> } = request.raw
  const { bytesWritten: before = 0 } = socket
  reply.raw.once('close', () => {
    observe({
      bytes: (socket.bytesWritten ?? 0) - before,
      id,
      method,
      target,
      route: routeOptions.url ?? 'none',
      status: reply.raw.headersSent ? reply.raw.statusCode : clientClosedStatus,
      ms: reply.elapsedTime,
    })
  })
}
