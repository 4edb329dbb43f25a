import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import { answerExpectation, answerWithoutHost } from './client-error.ts'
import { guardDoor } from './connections/door.ts'
import type { ClientLimits, TurnedAway } from './connections/door.ts'
import type { answerAgain } from './ready-answers.ts'

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
  /** Of a connection on which nothing moves. Who does not read what is to be sent is told apart, and ends sooner. */
  idleMs: 20_000,
  headerBytes: 8 * 1024,
  requestsPerConnection: 1000,
}

/**
 * The server below the framework. What was answered before, and still holds, is answered before it.
 * @param handle what answers all other requests
 */
export function createHttpServer(
  handle: RequestListener,
  again: ReturnType<typeof answerAgain>,
  clients: { readonly limits: ClientLimits; readonly turnedAway: (why: TurnedAway) => void },
): Server {
  const options = {
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
    keepAliveTimeout: limits.keepAliveMs,
    maxHeaderSize: limits.headerBytes,
    // Node's own refusal has no body.
    requireHostHeader: false,
  }
  const server = createServer(options, (request, response) => {
    if (lacksHost(request)) {
      answerWithoutHost(response)
      return
    }
    door.admit(request, response, () => {
      // While the server closes, the framework tells clients that the connection ends.
      if (server.listening) again(request, response, handle)
      else handle(request, response)
    })
  })
  server.on('checkExpectation', answerExpectation)
  const door = guardDoor(server, clients.limits, clients.turnedAway)
  server.setTimeout(limits.idleMs)
  server.maxRequestsPerSocket = limits.requestsPerConnection
  return server
}

/** HTTP/1.0 knows no host. */
function lacksHost({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.1' && headers.host === undefined
}
