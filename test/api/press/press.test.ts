/** Answers in one piece, over real connections: no client can tell them from those that Node puts together. */
import { randomBytes, randomUUID } from 'node:crypto'
import { Agent, createServer, get } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import type { Test } from 'tap'
import { openPress } from '../../../src/api/press/press.ts'
import type { Exchange, Sheet } from '../../../src/api/press/press.ts'
import { fc } from '../../random.ts'
import { sendRaw, until } from '../wire.ts'

/** A server that answers so many requests of a connection so, and the ids that it gave them. */
async function openServer(t: Test, answer: (exchange: Exchange) => void, requests = 2000) {
  const ids: string[] = []
  const server = createServer((request, response) => {
    const id = randomUUID()
    ids.push(id)
    answer({ request, response, id })
  })
  server.maxRequestsPerSocket = requests
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  return { port: (server.address() as AddressInfo).port, ids }
}

interface Answer {
  readonly head: unknown
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** Asks over one connection, again and again. */
function openClient(t: Test, port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => {
    agent.destroy()
  })
  return (path = '/', method = 'GET') =>
    new Promise<Answer>((resolve, reject) => {
      get({ port, path, method, agent }, (response) => {
        const { statusCode, statusMessage, httpVersion, headers } = response
        const lines = response.rawHeaders.map((text, index, all) =>
          /^(?:date|x-request-id)$/i.test(all[index - 1] ?? '') ? 'of its own' : text,
        )
        const head = [statusCode, statusMessage, httpVersion, lines]
        const pieces: Buffer[] = []
        response.on('data', (piece: Buffer) => pieces.push(piece))
        response.on('end', () => {
          resolve({ head, headers, body: Buffer.concat(pieces) })
        })
      }).on('error', reject)
    })
}

function sheetOf(body: string | Buffer, headers: readonly string[] = []): Sheet {
  return { status: 200, headers: [...headers, 'content-length', String(body.length)], body }
}

const printable = fc.stringMatching(/^[!-~]([ -~]{0,200}[!-~])?$/)
const body = fc.oneof(
  fc.stringMatching(/^[\n -~]*$/),
  fc.constant('a long text '.repeat(5000)),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc.constant(randomBytes(100_000)),
)
/** Headers of many sheets; the accent has them sent the long way. */
const common = fc.constantFrom(undefined, [], ['x-b', 'c'], ['x-b', 'caf\u00e9', 'x-c', 'd'])
const sheet = fc
  .oneof(
    fc.tuple(body, printable).map(([body, value]) => sheetOf(body, ['x-a', value, 'etag', '"1"'])),
    printable.map((value): Sheet => ({ status: 304, headers: ['etag', value], body: '' })),
  )
  .chain((sheet) => common.map((common): Sheet => ({ ...sheet, common })))

t.test('an answer is what Node would make of it, each time', async (t) => {
  const press = openPress()
  let given: Sheet = sheetOf('')
  let send = press(given)
  const { port, ids } = await openServer(t, (exchange) => {
    const { request, response, id } = exchange
    if (request.url === '/press') {
      send(exchange)
      return
    }
    const { status, common = [], headers } = given
    response.writeHead(status, [...common, ...headers, 'x-request-id', id])
    response.end(given.body, 'latin1')
  })
  const ask = openClient(t, port)
  await fc.assert(
    fc.asyncProperty(sheet, async (sheet) => {
      given = sheet
      send = press(sheet)
      const expected = await ask('/node')
      for (let times = 0; times < 4; times++) {
        const { head, headers, body } = await ask('/press')
        t.strictSame(head, expected.head)
        t.ok(body.equals(expected.body))
        t.equal(headers['x-request-id'], ids.at(-1))
        const ageMs = Date.now() - Date.parse(headers.date ?? '')
        t.ok(ageMs >= 0 && ageMs < 60_000)
      }
    }),
    { numRuns: 50 },
  )
})

t.test('a connection ends with the answer that says so', async (t) => {
  const send = openPress()(sheetOf('text'))
  const requests = 20
  const { port } = await openServer(t, send, requests)
  const ask = openClient(t, port)
  for (let n = 1; n <= 2 * requests; n++) {
    const { headers, body } = await ask()
    t.equal(headers.connection, n % requests === 0 ? 'close' : 'keep-alive')
    t.equal(body.toString(), 'text')
  }
  const closing = await sendRaw(port, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  t.match(closing.head, /^Connection: close\r?$/m)
  t.equal(closing.body.toString(), 'text')
  const old = await sendRaw(port, 'GET / HTTP/1.0\r\n\r\n')
  t.match(old.head, /^Connection: close\r?$/m)
  t.equal(old.body.toString(), 'text')
})

t.test('the answer to a HEAD has no body', async (t) => {
  const press = openPress()
  const text = sheetOf('text')
  const [whole, head] = [press(text), press({ ...text, body: '' })]
  const { port } = await openServer(t, (exchange) => {
    if (exchange.request.url === '/head') head(exchange)
    else whole(exchange)
  })
  const ask = openClient(t, port)
  for (let times = 0; times < 4; times++)
    for (const path of ['/', '/head']) {
      t.match((await ask()).body.toString(), 'text')
      const { headers, body } = await ask(path, 'HEAD')
      t.equal(headers['content-length'], '4')
      t.equal(headers.connection, 'keep-alive')
      t.equal(body.length, 0)
    }
})

t.test('answers to requests that came together keep their order', async (t) => {
  const send = openPress()(sheetOf('text'))
  const { port, ids } = await openServer(t, send)
  const request = 'GET / HTTP/1.1\r\nHost: a\r\n'
  const all = `${request}\r\n`.repeat(5) + `${request}Connection: close\r\n\r\n`
  for (let times = 0; times < 3; times++) {
    const { head, body } = await sendRaw(port, all)
    const told = `${head}${body.toString()}`.match(/(?<=x-request-id: )\S+/g)
    t.strictSame(told, ids.splice(0))
  }
})

t.test('an answer that ends its connection by a header of its own does so', async (t) => {
  const press = openPress()
  const [usual, closing] = [press(sheetOf('text')), press(sheetOf('end', ['connection', 'close']))]
  const { port } = await openServer(t, (exchange) => {
    if (exchange.request.url === '/end') closing(exchange)
    else usual(exchange)
  })
  const ask = openClient(t, port)
  for (let times = 0; times < 3; times++) {
    t.equal((await ask()).headers.connection, 'keep-alive')
    const { headers, body } = await ask('/end')
    t.match({ ...headers, body: body.toString() }, { connection: 'close', body: 'end' })
    t.notOk(headers['keep-alive'])
  }
})

t.test('an older client is told of its connection what Node tells it', async (t) => {
  const press = openPress()
  const [whole, known] = [press(sheetOf('text')), press({ status: 304, headers: [], body: '' })]
  const { port } = await openServer(t, (exchange) => {
    if (exchange.request.url === '/known') known(exchange)
    else whole(exchange)
  })
  const ask = openClient(t, port)
  for (let times = 0; times < 2; times++) {
    await ask()
    await ask('/known')
  }
  const { head } = await sendRaw(port, 'GET /known HTTP/1.0\r\nConnection: keep-alive\r\n\r\n')
  t.match(head, /^Connection: close\r?$/m)
})

t.test('whoever counts is told once an answer is sent, or has nobody to go to', async (t) => {
  const send = openPress()(sheetOf('text'))
  const told: boolean[] = []
  const { port } = await openServer(t, (exchange) => {
    const { request, response } = exchange
    if (request.url === '/gone') request.socket.destroy()
    send({ ...exchange, sent: () => told.push(response.headersSent) })
  })
  const ask = openClient(t, port)
  for (let times = 0; times < 3; times++) await ask()
  t.strictSame(told, [true, true, true])
  await t.rejects(ask('/gone'))
  await until(() => told.length > 3, 'word of the one that has gone')
  t.strictSame(told, [true, true, true, false])
})

for (const odd of [
  ['x-a', 'a\r\nx-b: b'],
  ['date: x', 'a'],
])
  t.test(
    `headers that cannot be sent throw, also when others were sent before: ${JSON.stringify(odd)}`,
    async (t) => {
      const press = openPress()
      const [good, bad] = [press(sheetOf('text')), press(sheetOf('text', odd))]
      const thrown: unknown[] = []
      const { port } = await openServer(t, (exchange) => {
        try {
          if (exchange.request.url === '/bad') bad(exchange)
          else good(exchange)
        } catch (error) {
          thrown.push(error)
          exchange.response.destroy()
        }
      })
      const ask = openClient(t, port)
      await ask()
      for (let times = 1; times <= 2; times++) {
        await t.rejects(ask('/bad'))
        t.equal(thrown.length, times)
        t.match((await ask()).body.toString(), 'text')
      }
    },
  )

t.test('an accent in a header is sent as Node sends it', async (t) => {
  const send = openPress()(sheetOf('text', ['x-a', 'caf\u00e9']))
  const { port } = await openServer(t, send)
  const ask = openClient(t, port)
  for (let times = 0; times < 3; times++) t.equal((await ask()).headers['x-a'], 'caf\u00e9')
})
