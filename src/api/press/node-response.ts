/**
 * What Node's responses know of themselves and its documentation does not tell. The names are as old as its HTTP; were one of
 * them another, nothing would be found here, and each answer be sent the long way.
 */
import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'

interface Undocumented {
  /** All that stands before the body. */
  _header?: unknown
  _headerSent?: unknown
  readonly shouldKeepAlive?: unknown
  readonly maxRequestsOnConnectionReached?: unknown
}

/** What Node adds behind the headers of an answer after which the connection goes on, without the date that comes first. */
const connectionLines = /\r\nDate: [^\r]*\r\n(Connection: keep-alive\r\n(?:.*\r\n)*\r\n)$/

/** Whether its connection is free to take an answer, and goes on after it. */
export function isFirstOfMore(response: ServerResponse): boolean {
  const { _headerSent, shouldKeepAlive, maxRequestsOnConnectionReached } = response as Undocumented
  const mayGoOn = shouldKeepAlive === true && maxRequestsOnConnectionReached === false
  // With an older client the connection goes on, or does not, by what is sent.
  const goesOn = mayGoOn && response.req.httpVersion === '1.1'
  // A response that waits for others has no socket yet, one that is asked for without a connection has something else.
  return goesOn && _headerSent === false && response.socket instanceof Socket
}

/** The lines at the end of its headers that tell of the connection, and the empty one; of one after which it goes on. */
export function connectionLinesOf(response: ServerResponse): string | undefined {
  const { _header } = response as Undocumented
  return connectionLines.exec(String(_header))?.[1]
}

/** From here on the response takes it that its headers have been sent. */
export function headersAreSent(response: ServerResponse, status: number): void {
  response.statusCode = status
  const sent: Undocumented = response
  sent._header = 'sent'
  sent._headerSent = true
}
