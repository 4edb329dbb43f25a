/** What those get for whom there is no place: a few bytes, made once, and the end of the connection. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const retryAfterSeconds = 10

/** A client that is refused gets its answer in this time, or none. */
const lingerMs = 1000

export const refusals = {
  full: rawAnswer('503 Service Unavailable', 'Too many connections are open.'),
  address: rawAnswer('429 Too Many Requests', 'Too many connections of your address are open.'),
}

function bodyOf(detail: string): string {
  return JSON.stringify({ detail })
}

function rawAnswer(status: string, detail: string): string {
  const body = bodyOf(detail)
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    `Retry-After: ${retryAfterSeconds}`,
    'Connection: close',
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

/** Answers before anything was asked. What arrives is thrown away: closing on it would take the answer back. */
export function refuseConnection(socket: Socket, answer: string): void {
  socket.on('error', () => undefined).resume()
  socket.end(answer)
  const linger = setTimeout(() => socket.destroy(), lingerMs).unref()
  socket.once('close', () => {
    clearTimeout(linger)
  })
}

/** Answers a request of somebody behind a proxy, whose connection others use too. */
export function refuseRequest(response: ServerResponse): void {
  const body = bodyOf('Too many requests of your address are under way.')
  response.writeHead(429, {
    'content-type': 'application/json',
    'content-length': body.length,
    'retry-after': String(retryAfterSeconds),
  })
  response.end(body)
}
