import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { connect } from 'node:net'
import { promisify } from 'node:util'
import type { FastifyInstance } from 'fastify'
import { Addresses } from '../../../src/api/connections/connection-limiter.ts'
import t from '../../tap.ts'
import { until } from '../../until.ts'
import { day, dayFile, openService } from '../service.ts'
import { parseAnswer, readToEnd, sendRaw, startSlowly } from '../wire.ts'

const list = '/rinex/api/rinex-file/'
const large = `${day}/${dayFile}`

/** Number of rejections, by reason, without zero counts. */
async function rejections({ app }: { app: FastifyInstance }): Promise<Record<string, number>> {
  const { body } = await app.inject('/metrics')
  const lines = body.matchAll(/^rinex_clients_turned_away_total\{reason="(\w+)"\} (\d+)$/gm)
  return Object.fromEntries(
    [...lines]
      .map(([, reason = '', count]) => [reason, Number(count)] as const)
      .filter(([, count]) => count > 0),
  )
}

/** Connects from an address of the loopback network. */
function open(port: number, localAddress: string): Socket {
  return connect({ port, host: '127.0.0.1', localAddress }).on('error', () => undefined)
}

const request = `GET ${list} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`

t.test('the connections of one address are limited', async (t) => {
  const service = await openService(t, { settings: { connectionsPerAddress: 2 } })
  const port = await service.listen()
  const first = [open(port, '127.0.0.2'), open(port, '127.0.0.2')]
  for (const socket of first) await once(socket, 'connect')
  const one = open(port, '127.0.0.2')
  one.write(request.replace('Connection: close\r\n', ''))
  t.equal((await readToEnd(one)).length, 0, 'the third is closed at once')
  const other = open(port, '127.0.0.3')
  other.write(request)
  t.equal(parseAnswer(await readToEnd(other)).status, 200, 'another address has its own limit')
  t.strictSame(await rejections(service), { address: 1 })
  first[0]?.destroy()
  await until('accepted after another one closed', async () => {
    const socket = open(port, '127.0.0.2')
    socket.write(request)
    const received = await readToEnd(socket)
    return received.length > 0 && parseAnswer(received).status === 200
  })
  first[1]?.destroy()
})

t.test('behind a proxy, the in-flight requests of each client are limited', async (t) => {
  const settings = { connectionsPerAddress: 1, trustedProxies: ['127.0.0.1'] }
  const service = await openService(t, { settings })
  await service.add(large, randomBytes(16 * 1024 * 1024))
  const port = await service.listen()
  const get = (client: string) =>
    sendRaw(port, request.replace('Host', `X-Forwarded-For: ${client}\r\nHost`))
  const slow = await startSlowly(port, `/rinex/data/${large}`, 'X-Forwarded-For: 192.0.2.1\r\n')
  t.teardown(() => slow.destroy())
  const rejected = await get('203.0.113.7, 192.0.2.1')
  t.equal(rejected.status, 429)
  t.match(rejected.head, /retry-after: \d+/i)
  t.equal((await get('192.0.2.2')).status, 200)
  t.equal((await sendRaw(port, request)).status, 200, 'a request of the proxy itself')
  t.strictSame(await rejections(service), { requests: 1 })
  slow.destroy()
  await until(
    'accepted after the download ended',
    async () => (await get('192.0.2.1')).status === 200,
  )
})

t.test('X-Forwarded-For is ignored if the peer is not a trusted proxy', async (t) => {
  const service = await openService(t, { settings: { connectionsPerAddress: 2 } })
  const port = await service.listen()
  const forwarded = request.replace('Host', 'X-Forwarded-For: 192.0.2.1\r\nHost')
  const answers = await Promise.all([sendRaw(port, forwarded), sendRaw(port, forwarded)])
  for (const { status } of answers) t.equal(status, 200)
  t.equal((await sendRaw(port, forwarded)).status, 200)
  const hints = service.log.filter(({ msg }) => /trusted_proxies/.test(String(msg)))
  t.equal(hints.length, 1, 'one hint about trusted_proxies in the log')
})

t.test('a connection above the total limit is closed at once', async (t) => {
  const service = await openService(t, { settings: { connections: 3 } })
  const port = await service.listen()
  const all = Array.from({ length: 3 }, () => open(port, '127.0.0.1'))
  t.teardown(() => {
    for (const socket of all) socket.destroy()
  })
  await Promise.all(all.map((socket) => once(socket, 'connect')))
  const oneMore = open(port, '127.0.0.1')
  oneMore.write(request)
  t.equal((await readToEnd(oneMore)).length, 0)
  t.strictSame(await rejections(service), { full: 1 })
  all[0]?.destroy()
  await until('accepted after another one closed', async () => {
    const socket = open(port, '127.0.0.1')
    socket.write(request)
    return (await readToEnd(socket)).length > 0
  })
})

t.test('a client that reads nothing is disconnected', async (t) => {
  const service = await openService(t)
  const bytes = 16 * 1024 * 1024
  await service.add(large, randomBytes(bytes))
  service.app.get('/piece', (_request, reply) => reply.send(Buffer.alloc(bytes)))
  const { server } = service.app
  server.timeout = 500
  const connectionsOf = promisify(server.getConnections.bind(server))
  const port = await service.listen()
  const targets = [`/rinex/data/${large}`, '/piece']
  const sockets = await Promise.all(targets.map((target) => startSlowly(port, target)))
  await until('both are closed', async () => (await connectionsOf()) === 0)
  for (const socket of sockets) t.ok((await readToEnd(socket)).length < bytes, 'it is cut off')
})

t.test('responses behind a proxy cause no warning of Node', async (t) => {
  const warnings: Error[] = []
  const note = (warning: Error): void => {
    warnings.push(warning)
  }
  process.on('warning', note)
  t.teardown(() => process.off('warning', note))
  const service = await openService(t, { settings: { trustedProxies: ['127.0.0.1'] } })
  await service.addNames(day, [dayFile])
  const port = await service.listen()
  const headers = 'X-Forwarded-For: 192.0.2.1\r\nAccept: text/html\r\nAccept-Encoding: gzip\r\n'
  for (const path of [list, `${list}?format=ndjson`, `/rinex/data/${day}/`]) {
    const { status } = await sendRaw(
      port,
      `GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}Connection: close\r\n\r\n`,
    )
    t.equal(status, 200, path)
  }
  t.strictSame(
    warnings.map(({ message }) => message),
    [],
  )
})

t.test('a connection counts for its peer, unless the peer is a trusted proxy', async (t) => {
  const addresses = new Addresses(['10.0.0.0/8', '2001:db8:1::/48'])
  const ofConnection = (peer: string) => addresses.ofConnection(peer)
  t.equal(ofConnection('192.0.2.1'), '192.0.2.1')
  t.equal(ofConnection('::ffff:192.0.2.1'), '192.0.2.1', 'an IPv4 address in IPv6 form')
  t.equal(ofConnection('2001:db8:0:2::1'), ofConnection('2001:db8::2:ffff:ffff:ffff:ffff'))
  t.not(ofConnection('2001:db8:0:2::1'), ofConnection('2001:db8:0:3::1'))
  for (const peer of ['10.1.2.3', '2001:db8:1::5'])
    t.equal(ofConnection(peer), undefined, `${peer} is not counted`)
  for (const peer of ['127.0.0.1', '::ffff:127.0.0.1', '127.0.0.9', '::1']) {
    t.ok(ofConnection(peer), `${peer} is counted`)
    t.ok(addresses.isLoopback(peer), peer)
  }
  for (const peer of ['10.1.2.3', '192.0.2.1', '2001:db8::1']) t.notOk(addresses.isLoopback(peer))
})

t.test('a request through a trusted proxy counts for the address of its client', async (t) => {
  const addresses = new Addresses(['10.0.0.0/8'])
  const cases = [
    ['192.0.2.1', '198.51.100.1', undefined, 'the header of an untrusted client is ignored'],
    ['10.0.0.1', '', undefined, 'a proxy that does not say'],
    ['10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['10.0.0.1', '203.0.113.9, 198.51.100.1', '198.51.100.1', 'left of it anybody wrote'],
    ['10.0.0.1', '203.0.113.9, 198.51.100.1, 10.0.0.2', '198.51.100.1', 'through two proxies'],
    ['10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3', 'a client inside'],
    ['10.0.0.1', 'x, 10.0.0.2', '10.0.0.2', 'what is no address ends the search'],
    ['10.0.0.1', 'unknown', undefined],
    ['10.0.0.1', '198.51.100.1:4711', '198.51.100.1', 'with a port'],
    ['::ffff:10.0.0.1', '[2001:db8::1]:80', '2001:db8:0:0::/64'],
  ] as const
  for (const [peer, header, expected, name = header] of cases)
    t.equal(addresses.ofRequest(peer, header), expected, name)
})
