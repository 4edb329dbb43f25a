import { createServer } from 'node:http'
import type { RequestListener, Server } from 'node:http'
import type { Door } from './door.ts'

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
  /** Of a connection on which nothing moves. A download that nobody reads ends after once or twice as long. */
  idleMs: 20_000,
  headerBytes: 8 * 1024,
  requestsPerConnection: 1000,
  connections: 2048,
}

/**
 * The server below the framework. What was answered before and still holds is answered at its door.
 * @param handle what answers all other requests
 */
export function createHttpServer(handle: RequestListener, door: Door): Server {
  const options = {
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
    keepAliveTimeout: limits.keepAliveMs,
    maxHeaderSize: limits.headerBytes,
  }
  const server = createServer(options, (request, response) => {
    // While the server closes, the framework tells clients that the connection ends.
    if (!server.listening || !door.has(request)) handle(request, response)
    else
      void door.repeat(request, response).then((isAnswered) => {
        if (!isAnswered) handle(request, response)
      })
  })
  server.setTimeout(limits.idleMs)
  server.maxRequestsPerSocket = limits.requestsPerConnection
  server.maxConnections = limits.connections
  return server
}
