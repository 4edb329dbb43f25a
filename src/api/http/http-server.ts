import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import { HttpError } from './errors.ts'

/**
 * Timeouts and size limits of requests. With Node's defaults, connections that send their headers slowly stay open for a minute,
 * and overdue ones are checked only every 30 seconds.
 */
const limits = {
  headersTimeoutMs: 5000,
  requestTimeoutMs: 10_000,
  checkIntervalMs: 1000,
  /** Idle time between two requests of a connection. */
  keepAliveMs: 5000,
  /** Idle time of a connection. A client that does not read its response is closed sooner (slow-clients.ts). */
  idleMs: 20_000,
  headerBytes: 8 * 1024,
  requestsPerConnection: 1000,
}

/** Creates the HTTP server for Fastify. @param handle Fastify's request handler */
export function createHttpServer(handle: RequestListener): Server {
  const options = {
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
    keepAliveTimeout: limits.keepAliveMs,
    maxHeaderSize: limits.headerBytes,
    // Node's own 400 has no body; `faultOf` checks it instead.
    requireHostHeader: false,
  }
  const server = createServer(options, handle)
  // Without a listener Node answers 417 without a body; `faultOf` checks it instead.
  server.on('checkExpectation', handle)
  server.setTimeout(limits.idleMs)
  server.maxRequestsPerSocket = limits.requestsPerConnection
  return server
}

/** Checks `Host` and `Expect`, which Node does not answer here. Returns the error to send, if any. */
export function faultOf({ httpVersion, headers }: IncomingMessage): HttpError | undefined {
  // HTTP/1.0 has no `Host`.
  if (httpVersion === '1.1' && headers.host === undefined)
    return new HttpError(400, 'Bad request.', { connection: 'close' })
  if (headers.expect !== undefined && !/100-continue/i.test(headers.expect))
    return new HttpError(417, 'Expectation failed.')
  return undefined
}
