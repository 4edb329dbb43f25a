import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import { HttpError } from './errors.ts'

/**
 * How long and how much a client may take. Node's own defaults let a thousand connections that dribble their
 * headers stay for a minute, and look for overdue ones only every half a minute.
 */
const limits = {
  headersTimeoutMs: 5000,
  requestTimeoutMs: 10_000,
  checkIntervalMs: 1000,
  /** Between two requests of a connection. */
  keepAliveMs: 5000,
  /** Of a connection on which nothing moves. A client that does not read its answer is closed sooner. */
  idleMs: 20_000,
  headerBytes: 8 * 1024,
  requestsPerConnection: 1000,
}

/** Makes the server of the framework. @param handle answers all requests */
export function createHttpServer(handle: RequestListener): Server {
  const options = {
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
    keepAliveTimeout: limits.keepAliveMs,
    maxHeaderSize: limits.headerBytes,
    // Node's own rejection has no body; see `faultOf`.
    requireHostHeader: false,
  }
  const server = createServer(options, handle)
  // Without a listener Node answers 417 without a body; see `faultOf`.
  server.on('checkExpectation', handle)
  server.setTimeout(limits.idleMs)
  server.maxRequestsPerSocket = limits.requestsPerConnection
  return server
}

/** What is wrong with the head of a request, in HTTP's own terms, that Node left to us to answer. */
export function faultOf({ httpVersion, headers }: IncomingMessage): HttpError | undefined {
  // HTTP/1.0 has no `Host`.
  if (httpVersion === '1.1' && headers.host === undefined)
    return new HttpError(400, 'Bad request.', { connection: 'close' })
  if (headers.expect !== undefined && !/100-continue/i.test(headers.expect))
    return new HttpError(417, 'Expectation failed.')
  return undefined
}
