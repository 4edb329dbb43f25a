/**
 * Node's HTTP server, and what Node leaves to the application: answers to malformed requests,
 * checks of `Host` and `Expect`, and a normal form of request targets.
 */
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { HttpError } from './errors.ts'

/** Longest idle time between two requests of a connection. */
export const keepAliveSeconds = 5

/** Limits of requests. By Node's defaults, slow headers keep a connection open for a minute. */
const limits = {
  headersTimeoutMs: 5000,
  requestTimeoutMs: 10_000,
  checkIntervalMs: 1000,
  /**
   * Longest idle time of a connection, for a client that reads nothing at most twice as long: Node
   * takes the bytes that the kernel buffered first for progress.
   */
  idleMs: 20_000,
  headerBytes: 8 * 1024,
  /** Lines of headers: a short line takes ten times its length in memory. */
  headerLines: 100,
  requestsPerConnection: 1000,
}

/** Creates the HTTP server for Fastify. @param handle Fastify's request handler */
export function createHttpServer(handle: RequestListener): Server {
  const options = {
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
    keepAliveTimeout: keepAliveSeconds * 1000,
    maxHeaderSize: limits.headerBytes,
    // `faultOf` checks `Host` instead, because Node's own 400 has no body.
    requireHostHeader: false,
  }
  const server = createServer(options, handle)
  // `faultOf` checks `Expect` instead. Without this listener, Node answers 417 without a body.
  server.on('checkExpectation', handle)
  server.setTimeout(limits.idleMs)
  // Node keeps no further lines; `faultOf` answers.
  server.maxHeadersCount = limits.headerLines
  server.maxRequestsPerSocket = limits.requestsPerConnection
  return server
}

/** The error for too many header lines, or a wrong `Host` or `Expect`, which Node leaves to us. */
export function faultOf(request: IncomingMessage): HttpError | undefined {
  const { httpVersion, headers, rawHeaders } = request
  // Names and values alternate.
  if (rawHeaders.length / 2 >= limits.headerLines)
    return new HttpError(431, headersTooLarge, { connection: 'close' })
  // HTTP/1.0 has no `Host`.
  if (httpVersion === '1.1' && headers.host === undefined)
    return new HttpError(400, 'Bad request.', { connection: 'close' })
  if (headers.expect !== undefined && !/100-continue/i.test(headers.expect))
    return new HttpError(417, 'Expectation failed.')
  return undefined
}

const headersTooLarge = 'Request header fields too large.'

const clientErrors: Readonly<Record<string, readonly [status: string, detail: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', headersTooLarge],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'Request timeout.'],
}

/**
 * Answers a broken request or a CONNECT, and closes the connection.
 * @param isAnswered true if a response was started on it, which a text would corrupt or follow
 */
export function answerClientError(
  error: NodeJS.ErrnoException,
  socket: Socket,
  isAnswered: boolean,
): void {
  if (!socket.writable || isAnswered) {
    socket.destroy()
    return
  }
  const [status, detail] = clientErrors[error.code ?? ''] ?? ['400 Bad Request', 'Bad request.']
  const body = JSON.stringify({ detail })
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json',
    'Cache-Control: no-cache',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** The start of a target in absolute form (RFC 9112, 3.2.2). */
const schemeAndAuthority = /^https?:\/\/[^/?#]+/i

/**
 * The path and query of a target, with empty segments below the dataset prefix merged. Nothing is
 * decoded; dot segments and the query stay.
 * @param datasetPrefix without a slash at either end; compared as text
 */
export function normaliseTarget(target: string, datasetPrefix: string): string {
  const origin = toOriginForm(target)
  const root = `/${datasetPrefix}/`
  if (!origin.startsWith(root)) return origin
  const end = origin.search(/[?#]/)
  const path = end === -1 ? origin : origin.slice(0, end)
  // The prefix itself holds no empty segment.
  return path.replaceAll(/\/{2,}/g, '/') + origin.slice(path.length)
}

function toOriginForm(target: string): string {
  const authority = schemeAndAuthority.exec(target)
  if (authority === null) return target
  const rest = target.slice(authority[0].length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

/**
 * The relative URL of a path, correct for any host and port, also behind a web server that adds a
 * path of its own.
 * @param target as the client sent it
 */
export function relativeUrl(target: string, path: string): string {
  const [from = ''] = toOriginForm(target).split('?', 1)
  let directory = from.slice(0, from.lastIndexOf('/') + 1)
  let up = ''
  while (!path.startsWith(directory)) {
    directory = directory.slice(0, directory.lastIndexOf('/', directory.length - 2) + 1)
    up += '../'
  }
  return up + path.slice(directory.length)
}
