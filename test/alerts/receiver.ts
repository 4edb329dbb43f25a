/** A receiver of messages on this host, which checks signatures as operate.md shows. */
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import type { Message } from '../../src/alerts/announcements.ts'

export const secret = 'a-secret-that-nobody-logs'

export interface Received {
  readonly request: IncomingMessage
  readonly body: string
  readonly message: Message
  readonly isSigned: boolean
}

/** @param answer responds to a request; 204 by default */
export async function openReceiver(
  t: Test,
  answer: (response: ServerResponse, count: number) => void = (response) =>
    response.writeHead(204).end(),
) {
  const received: Received[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
      const isSigned = request.headers['x-signature-256'] === expected
      received.push({ request, body, message: JSON.parse(body) as Message, isSigned })
      answer(response, received.length)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return { received, server, url: `http://127.0.0.1:${port}/hook?token=in-the-url` }
}
