import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { guardDoor } from '../../../src/api/connections/door.ts'
import { day, dayFile, openService } from '../service.ts'
import { parseAnswer, readToEnd, sendRaw, startSlowly, until } from '../wire.ts'

const list = '/rinex/api/rinex-file/'
const large = `${day}/${dayFile}`

/** How many were turned away so far, and why. */
async function turnedAway({ app }: { app: FastifyInstance }): Promise<Record<string, number>> {
  const { body } = await app.inject('/metrics')
  const lines = body.matchAll(/^rinex_clients_turned_away_total\{reason="(\w+)"\} (\d+)$/gm)
  return Object.fromEntries([...lines].map(([, reason = '', count]) => [reason, Number(count)]))
}

/** 127.0.0.1 is the machine itself, and not limited; the other addresses of the loopback network are. */
function open(port: number, localAddress: string): Socket {
  return connect({ port, host: '127.0.0.1', localAddress }).on('error', () => undefined)
}

const ask = `GET ${list} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`

t.test('an address has so many connections', async (t) => {
  const service = await openService(t, { settings: { connectionsPerAddress: 2 } })
  const port = await service.listen()
  const first = [open(port, '127.0.0.2'), open(port, '127.0.0.2')]
  for (const socket of first) await once(socket, 'connect')
  const third = parseAnswer(await readToEnd(open(port, '127.0.0.2')))
  t.equal(third.status, 429)
  t.match(third.head, /retry-after: \d+/i)
  t.match(third.head, /connection: close/i)
  t.match(JSON.parse(third.body.toString()), { detail: /^Too many connections/ })
  const other = open(port, '127.0.0.3')
  other.write(ask)
  t.equal(parseAnswer(await readToEnd(other)).status, 200, 'others have theirs')
  const own = Array.from({ length: 3 }, () => sendRaw(port, ask))
  for (const { status } of await Promise.all(own)) t.equal(status, 200, 'as has the machine itself')
  t.strictSame(await turnedAway(service), { address: 1 })
  first[0]?.destroy()
  await until(async () => {
    const socket = open(port, '127.0.0.2')
    socket.write(ask)
    return parseAnswer(await readToEnd(socket)).status === 200
  }, 'a place becomes free')
  first[1]?.destroy()
})

t.test('behind a proxy, requests under way are counted', async (t) => {
  const settings = { connectionsPerAddress: 1, trustedProxies: ['127.0.0.1'] }
  const service = await openService(t, { settings })
  await service.add(large, randomBytes(16 * 1024 * 1024))
  const port = await service.listen()
  const get = (client: string) =>
    sendRaw(port, ask.replace('Host', `X-Forwarded-For: ${client}\r\nHost`))
  const slow = await startSlowly(port, `/rinex/data/${large}`, 'X-Forwarded-For: 192.0.2.1\r\n')
  t.teardown(() => slow.destroy())
  const refused = await get('203.0.113.7, 192.0.2.1')
  t.equal(refused.status, 429)
  t.match(refused.head, /retry-after: \d+/i)
  t.equal((await get('192.0.2.2')).status, 200)
  t.equal((await sendRaw(port, ask)).status, 200, 'what the proxy asks itself')
  t.strictSame(await turnedAway(service), { requests: 1 })
  slow.destroy()
  await until(async () => (await get('192.0.2.1')).status === 200, 'it is over')
})

t.test('nobody else is believed', async (t) => {
  const service = await openService(t, { settings: { connectionsPerAddress: 1 } })
  const port = await service.listen()
  const forwarded = ask.replace('Host', 'X-Forwarded-For: 192.0.2.1\r\nHost')
  const answers = await Promise.all([sendRaw(port, forwarded), sendRaw(port, forwarded)])
  for (const { status } of answers) t.equal(status, 200)
})

t.test('a server that stops finishes what is under way and nothing else', async (t) => {
  const service = await openService(t)
  const bytes = randomBytes(16 * 1024 * 1024)
  await service.add(large, bytes)
  const port = await service.listen()
  const silent = open(port, '127.0.0.1')
  const half = open(port, '127.0.0.1')
  half.write('GET / HTTP/1.1\r\nHost: a\r\n')
  const idle = open(port, '127.0.0.1')
  idle.write(ask.replace('Connection: close\r\n', ''))
  await once(idle, 'readable')
  const ends = [silent, half, idle].map((socket) => once(socket.resume(), 'close'))
  const download = await startSlowly(port, `/rinex/data/${large}`)
  const closed = service.app.close()
  await Promise.all(ends)
  t.pass('those that ask nothing are closed while a download goes on')
  const received = await readToEnd(download)
  t.ok(parseAnswer(received).body.equals(bytes), 'which arrives whole')
  await closed
  const [error] = (await once(connect(port, '127.0.0.1'), 'error')) as [NodeJS.ErrnoException]
  t.equal(error.code, 'ECONNREFUSED')
})

t.test('more connections than there is room for are told so', async (t) => {
  const server = createServer((request, response) => {
    door.admit(request, response, () => response.end())
  })
  const told: string[] = []
  const limits = { connections: 3, connectionsPerAddress: 2, trustedProxies: [] }
  const door = guardDoor(server, limits, (why) => told.push(why))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const all = Array.from({ length: 3 }, () => open(port, '127.0.0.1'))
  t.teardown(() => {
    for (const socket of all) socket.destroy()
    server.close()
  })
  await Promise.all(all.map((socket) => once(socket, 'connect')))
  const oneMore = await sendRaw(port, ask)
  t.equal(oneMore.status, 503)
  t.match(oneMore.head, /retry-after: \d+/i)
  t.strictSame(told, ['full'])
  all[0]?.destroy()
  await until(async () => (await sendRaw(port, ask)).status === 200, 'a place becomes free')
})

t.test('who asks for more and more, and reads nothing, is sent away', async (t) => {
  const service = await openService(t)
  // The kernel takes all of it, so that the server has nothing left to send.
  await service.add(large, randomBytes(600 * 1024))
  const port = await service.listen()
  const client = open(port, '127.0.0.1')
  client.write(`GET /rinex/data/${large} HTTP/1.1\r\nHost: a\r\n\r\n`)
  await once(client, 'readable')
  const timer = setInterval(() => {
    client.write('HEAD /healthz HTTP/1.1\r\nHost: a\r\n\r\n')
  }, 200)
  t.teardown(() => {
    clearInterval(timer)
    client.destroy()
  })
  await until(async () => (await turnedAway(service))['slow'] === 1, 'the connection is ended')
})

t.test('a server that stops does not wait for ever', async (t) => {
  const service = await openService(t)
  const size = 64 * 1024 * 1024
  await service.add(large, Buffer.alloc(size))
  const port = await service.listen()
  const download = await startSlowly(port, `/rinex/data/${large}`)
  let received = 0
  // Fast enough to be borne, and too slow to come to the end.
  const timer = setInterval(() => {
    received += (download.read() as Buffer | null)?.length ?? 0
  }, 100)
  t.teardown(() => {
    clearInterval(timer)
  })
  const closed = service.app.close()
  await until(() => download.destroyed, 'the connection is ended')
  await closed
  t.ok(received > 0 && received < size, `${received} bytes have arrived by then`)
})
