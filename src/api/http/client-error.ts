import type { Socket } from 'node:net'

const clientErrors: Readonly<Record<string, readonly [status: string, detail: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'Request header fields too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'Request timeout.'],
}

/**
 * Answers bytes that are not HTTP, too large or too slow, and closes the connection.
 * @param isAnswered whether a response was started on it: more text would corrupt that response or be a second one
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
    `Content-Length: ${body.length}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
