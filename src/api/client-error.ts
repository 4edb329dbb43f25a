import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const clientErrors: Readonly<Record<string, readonly [status: string, detail: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'Request header fields too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'Request timeout.'],
}

/** What a connection that is not HTTP, or too slow, or too long, is told before it is closed. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  // In the middle of an answer, more text would end up inside it; Node guards its own answer in the same way.
  const { _httpMessage } = socket as { _httpMessage?: { _headerSent?: boolean } }
  if (!socket.writable || _httpMessage?._headerSent === true) {
    socket.destroy()
    return
  }
  const [status, detail] = clientErrors[error.code ?? ''] ?? ['400 Bad Request', 'Bad request.']
  const body = JSON.stringify({ detail })
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** A request that names no host ends its connection, as Node ends it, but says why. */
export function answerWithoutHost(response: ServerResponse): void {
  answerUnfit(response, 400, 'Bad request.', { connection: 'close' })
}

/** Nothing is expected here that HTTP does not know. */
export function answerExpectation(_request: IncomingMessage, response: ServerResponse): void {
  answerUnfit(response, 417, 'Expectation failed.')
}

/** For what never gets to the framework. */
function answerUnfit(
  response: ServerResponse,
  statusCode: number,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = JSON.stringify({ detail })
  response.writeHead(statusCode, {
    'content-type': 'application/json',
    'content-length': body.length,
    ...headers,
  })
  response.end(body)
}
