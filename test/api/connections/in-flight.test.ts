/** Pipelined requests, and connections of a stopping server. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { connect } from 'node:net'
import type { Test } from 'tap'
import t from '../../tap.ts'
import { until } from '../../until.ts'
import { day, dayFile, openService } from '../service.ts'
import { parseAnswer, readToEnd, runEventLoop, startSlowly } from '../wire.ts'

const large = `${day}/${dayFile}`
const request = 'GET /rinex/api/rinex-file/ HTTP/1.1\r\nHost: a\r\n\r\n'

function open(port: number): Socket {
  return connect(port, '127.0.0.1').on('error', () => undefined)
}

/** A service with a route whose responses wait until the test releases them. */
async function openWaiting(t: Test) {
  const service = await openService(t)
  const started: string[] = []
  const waiting: (() => void)[] = []
  service.app.get('/wait/:n', async (request, reply) => {
    const { n } = request.params as { n: string }
    started.push(n)
    await new Promise<void>((resolve) => waiting.push(resolve))
    return reply.send(`answer ${n}`)
  })
  return { service, started, waiting, port: await service.listen() }
}

const wait = (n: number) => `GET /wait/${n} HTTP/1.1\r\nHost: a\r\n\r\n`

t.test('pipelined requests run one after the other', async (t) => {
  const { started, waiting, port } = await openWaiting(t)
  const socket = open(port)
  t.teardown(() => socket.destroy())
  const broken = 'GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n'
  socket.write(wait(1) + broken + wait(2) + wait(3))
  let received = ''
  socket.on('data', (chunk: Buffer) => (received += chunk.toString()))
  for (const n of [1, 2, 3]) {
    await until(`request ${n}`, () => started.length === n)
    await runEventLoop()
    t.strictSame(started, ['1', '2', '3'].slice(0, n))
    waiting[n - 1]?.()
  }
  await until('the last answer', () => received.includes('answer 3'))
  t.strictSame(received.match(/answer \d|Not found/g), [
    ...['answer 1', 'Not found', 'answer 2', 'answer 3'],
  ])
})

t.test('a waiting request does not start when its client has left', async (t) => {
  const { started, waiting, port, service } = await openWaiting(t)
  const socket = open(port)
  socket.write(wait(1) + wait(2))
  await until('the first', () => started.length === 1)
  socket.destroy()
  await until('the first has ended', async () => {
    const { body } = await service.app.inject('/metrics')
    return body.includes('route="/wait/:n",status="499"} 1')
  })
  waiting[0]?.()
  await runEventLoop()
  t.strictSame(started, ['1'])
})

/** A request of so many bytes. */
const sized = (n: number, bytes: number) =>
  wait(n).replace('Host: a', `Host: ${'a'.repeat(bytes - wait(n).length + 1)}`)

t.test('a connection on which more than 16 KiB wait is closed', async (t) => {
  const { started, waiting, port } = await openWaiting(t)
  const socket = open(port).resume()
  socket.write(wait(0))
  await until('the first', () => started.length === 1)
  // A client that takes its answers may send as much as it likes.
  for (let n = 1; n <= 6; n++) {
    socket.write(sized(n, 7000))
    waiting[n - 1]?.()
    await until(`request ${n}`, () => started.length === n + 1)
  }
  for (const n of [7, 8]) socket.write(sized(n, 8192))
  await runEventLoop()
  t.notOk(socket.closed, 'with 16 KiB it is open')
  socket.write('G')
  await readToEnd(socket)
  t.equal(started.length, 7)
  const atOnce = open(port)
  atOnce.write([7, 8, 9, 10].map((n) => sized(n, 8000)).join(''))
  await readToEnd(atOnce)
  t.equal(started.length, 8, 'also when all of them are sent at once')
})

t.test('requests that wait were not parsed', async (t) => {
  const { started, waiting, port, service } = await openWaiting(t)
  let parsed = 0
  service.app.server.on('request', () => parsed++)
  const socket = open(port).resume()
  const withBody = wait(1).replace('Host: a', 'Host: a\r\nContent-Length: 9')
  socket.write(`${wait(0)}${withBody}x\r\n\r\nbody${wait(2)}${wait(3)}${wait(4)}`)
  // The end of a body is parsed together with the request after it.
  for (const [n, count] of [1, 3, 3, 4, 5].entries()) {
    await until(`request ${n}`, () => waiting.length === n + 1)
    await runEventLoop()
    t.strictSame(started.length, n + 1)
    t.equal(parsed, count)
    waiting[n]?.()
  }
  socket.destroy()
})

t.test('requests are the same however they are cut', async (t) => {
  const { started, waiting, port } = await openWaiting(t)
  const text = [0, 1, 2].map(wait).join('')
  for (let cut = 1; cut < text.length; cut += 3) {
    started.length = waiting.length = 0
    const socket = open(port).resume()
    socket.setNoDelay(true)
    await once(socket, 'connect')
    socket.write(text.slice(0, cut))
    await runEventLoop()
    socket.write(text.slice(cut))
    for (const n of [0, 1, 2]) {
      await until(`request ${n}`, () => waiting.length === n + 1)
      waiting[n]?.()
    }
    t.strictSame(started, ['0', '1', '2'], `cut at ${cut}`)
    socket.destroy()
  }
})

t.test('bytes that are not HTTP get 400 after the responses to earlier requests', async (t) => {
  const service = await openService(t)
  const bytes = randomBytes(16 * 1024 * 1024)
  await service.add(large, bytes)
  const port = await service.listen()
  const socket = open(port)
  socket.write(`GET /rinex/data/${large} HTTP/1.1\r\nHost: a\r\n\r\n${request}`)
  await once(socket, 'readable')
  socket.write('no HTTP\r\n\r\n')
  socket.write('nor this\r\n\r\n')
  const received = await readToEnd(socket)
  const { head, body } = parseAnswer(received)
  t.match(head, /^HTTP\/1.1 200 /)
  t.ok(body.subarray(0, bytes.length).equals(bytes), 'the file is complete')
  const after = body.subarray(bytes.length).toString()
  t.strictSame(after.match(/HTTP\/1.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 400'])
  t.match(after, /"detail":"Bad request."\}$/)
})

t.test('a response in progress is sent before the 400 of the next request', async (t) => {
  const { port } = await openWaiting(t)
  for (const path of [
    'rinex-file/',
    'station/',
    'status/',
    'changes/',
    'rinex-file/?format=urls',
  ]) {
    for (const invalid of ['no HTTP\r\n\r\n', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n']) {
      const socket = open(port)
      socket.write(`GET /rinex/api/${path} HTTP/1.1\r\nHost: a\r\n\r\n${invalid}`)
      const statuses = String(await readToEnd(socket)).match(/HTTP\/1.1 \d+/g)
      t.strictSame(statuses, ['HTTP/1.1 200', 'HTTP/1.1 400'], `${path} ${invalid}`)
    }
  }
})

t.test('a request with an invalid body gets 400 after the earlier responses', async (t) => {
  const { started, waiting, port } = await openWaiting(t)
  const broken =
    'POST /wait/2 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n'
  const socket = open(port)
  socket.write(wait(1) + broken)
  await until('the first', () => started.length === 1)
  await runEventLoop()
  waiting[0]?.()
  const received = String(await readToEnd(socket))
  t.match(received, /^HTTP\/1.1 200 [^]*answer 1HTTP\/1.1 400 [^]*Bad request/)
  t.equal(received.match(/HTTP\/1.1/g)?.length, 2)
  t.strictSame(started, ['1'])
})

t.test('a request that was answered before its invalid body gets no second response', async (t) => {
  const service = await openService(t)
  const port = await service.listen()
  for (const method of ['GET', 'POST']) {
    const socket = open(port)
    socket.write(`${method} /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`)
    await once(socket, 'readable')
    await runEventLoop()
    socket.write('no chunk\r\n')
    const received = String(await readToEnd(socket))
    t.strictSame(received.match(/HTTP\/1.1 \d+/g), [`HTTP/1.1 ${method === 'GET' ? 200 : 405}`])
  }
})

t.test('CONNECT gets 400, and its connection is closed', async (t) => {
  const service = await openService(t)
  const port = await service.listen()
  const socket = open(port)
  socket.write('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\ndata of the tunnel')
  t.match(String(await readToEnd(socket)), /^HTTP\/1.1 400 Bad Request\r\n[^]*"Bad request."\}$/)
  const gone = open(port)
  gone.write('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n')
  gone.destroy()
  await service.app.close()
})

t.test(
  'a stopping server finishes the responses in progress and closes all other connections',
  async (t) => {
    const service = await openService(t)
    const bytes = randomBytes(16 * 1024 * 1024)
    await service.add(large, bytes)
    const port = await service.listen()
    const silent = open(port)
    const half = open(port)
    half.write('GET / HTTP/1.1\r\nHost: a\r\n')
    const idle = open(port)
    idle.write(request)
    await once(idle, 'readable')
    const ends = [silent, half, idle].map((socket) => once(socket.resume(), 'close'))
    const download = await startSlowly(port, `/rinex/data/${large}`)
    const closed = service.app.close()
    await Promise.all(ends)
    t.pass('connections without a response in progress are closed')
    const received = await readToEnd(download)
    t.ok(parseAnswer(received).body.equals(bytes), 'the download is complete')
    await closed
    const [error] = (await once(connect(port, '127.0.0.1'), 'error')) as [NodeJS.ErrnoException]
    t.equal(error.code, 'ECONNREFUSED')
  },
)

t.test('a response of one buffer is complete when the server stops', async (t) => {
  const service = await openService(t)
  const body = randomBytes(16 * 1024 * 1024)
  service.app.get('/piece', (_request, reply) => reply.send(body))
  const port = await service.listen()
  const socket = await startSlowly(port, '/piece', 'X-A: b\r\n')
  const closed = service.app.close()
  await runEventLoop()
  t.ok(parseAnswer(await readToEnd(socket)).body.equals(body))
  await closed
})

t.test('a stopping server closes a slow download at a deadline', async (t) => {
  const service = await openService(t)
  const size = 64 * 1024 * 1024
  await service.add(large, Buffer.alloc(size))
  const port = await service.listen()
  const download = await startSlowly(port, `/rinex/data/${large}`)
  let received = 0
  // Too slow to finish.
  const timer = setInterval(() => {
    received += (download.read() as Buffer | null)?.length ?? 0
  }, 100)
  t.teardown(() => clearInterval(timer))
  const closed = service.app.close()
  await until('the connection is closed', () => download.destroyed)
  await closed
  t.ok(received > 0 && received < size, `${received} bytes arrived`)
})
