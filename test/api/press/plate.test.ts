/** One answer, printed with what each response has of its own. */
import { randomUUID } from 'node:crypto'
import { createServer, get } from 'node:http'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import type { Test } from 'tap'
import { openPlate } from '../../../src/api/press/plate.ts'
import type { Own, Plate } from '../../../src/api/press/plate.ts'
import { letHappen, readToEnd, until } from '../wire.ts'

const [earlier, later] = ['Sun, 06 Nov 1994 08:49:37 GMT', 'Sun, 06 Nov 1994 08:49:38 GMT']

function plateOf(body: string | Buffer, first: Own, padding = ''): Plate {
  const begin = `HTTP/1.1 200 OK\r\npadding: ${padding}\r\nid: `
  const end = `\r\ncontent-length: ${body.length}\r\n\r\n`
  return openPlate({ status: 200, begin, middle: '\r\ndate: ', end, body }, first)
}

async function openServer(t: Test, answer: (response: ServerResponse) => void): Promise<number> {
  const server = createServer((_request, response) => {
    answer(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return (server.address() as AddressInfo).port
}

function ask(port: number): Promise<{ headers: IncomingHttpHeaders; body: string }> {
  return new Promise((resolve, reject) => {
    get({ port, agent: false, maxHeaderSize: 1_000_000 }, (response) => {
      let body = ''
      response.setEncoding('latin1').on('data', (text: string) => (body += text))
      response.on('end', () => {
        resolve({ headers: response.headers, body })
      })
    }).on('error', reject)
  })
}

for (const [what, body] of [
  ['a short body', 'text'],
  ['a long one', Buffer.alloc(100_000, 'a')],
] as const)
  t.test(`each has its own id and date: ${what}`, async (t) => {
    const first = { id: 'one', date: earlier }
    const plate = plateOf(body, first)
    let own: Own = first
    const port = await openServer(t, (response) => {
      plate.print(response, own)
    })
    for (own of [first, { id: 'two', date: later }, { id: 'two', date: earlier }, first]) {
      const answer = await ask(port)
      t.match(answer.headers, own)
      t.ok(answer.body === body.toString())
    }
  })

t.test('what one client has not taken yet is not written over for another', async (t) => {
  const ids: string[] = []
  const ownOf = (): Own => ({ id: randomUUID(), date: later })
  // So much stands before the id that it is not among what a full connection may still take.
  const plate = plateOf('text', ownOf(), 'a'.repeat(500_000))
  let latest: ServerResponse | undefined
  const port = await openServer(t, (response) => {
    const own = ownOf()
    ids.push(own.id)
    latest = response
    plate.print(response, own)
  })
  const slow = connect(port, '127.0.0.1')
  // One request after the other, until the connection holds no more of what comes.
  do {
    const known = ids.length
    slow.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await until(() => ids.length > known, 'the next request')
    await letHappen()
  } while (latest?.writableFinished === true)
  const before = [...ids]
  for (let times = 0; times < 3; times++) await ask(port)
  const received = await readToEnd(slow.end())
  t.strictSame(received.toString('latin1').match(/(?<=\r\nid: )\S+/g), before)
})
