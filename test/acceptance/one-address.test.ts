/**
 * One client address cannot delay others, with more unread pages, streams and polls than its limits
 * allow, and several addresses cannot together. Reports the response times of another address and
 * the memory of the API. With SLOW=1 ten rounds of each attack.
 */
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import type { Socket } from 'node:net'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import t from '../tap.ts'
import type { Service } from './service.ts'
import {
  longestMs,
  memoryOf,
  percentile,
  slow,
  startScanned,
  until,
  untilEqual,
} from './service.ts'
import { makeOldDays } from './tree.ts'

const figures = slow
  ? { rounds: 10, files: 60_000, attackMs: 20_000 }
  : { rounds: 1, files: 6000, attackMs: 2000 }
/** Far above the 300 MB of the contract, so that only a heap that grows with the requests fails. */
const maxBytes = 600e6

t.setTimeout(longestMs)

/** The line `NODE_OPTIONS=…` of the unit of the API. */
const [, unitEnvironment = ''] =
  /^Environment="(NODE_OPTIONS=[^"]+)"$/m.exec(
    readFileSync('systemd/rinex-catalogue-api.service', 'utf8'),
  ) ?? []

const attacker = '127.0.0.66'
const list = '/rinex/api/rinex-file/'

interface Attack {
  readonly connections: number
  /** The pipelined targets of a connection, all different. */
  readonly targets: (connection: number) => readonly string[]
  readonly accept?: string
  /** The client reads the responses. */
  readonly reads?: boolean
  /** Number of short header lines in each request. */
  readonly headerLines?: number
  /** Number of addresses that do this. */
  readonly addresses?: number
}

const many = (count: number, target: (n: number) => string) => (connection: number) =>
  Array.from({ length: count }, (_, n) => target(connection * count + n))
const page = (n: number): string => `${list}?limit=1000&offset=${n % 5000}&id__gt=-${n}`

const attacks: Readonly<Record<string, Attack>> = {
  'unread pages': { connections: 200, targets: many(30, page) },
  'large HTML pages': {
    connections: 256,
    targets: many(8, page),
    accept: 'text/html',
    reads: true,
  },
  'pipelined polls': {
    connections: 70,
    targets: many(8, () => '/rinex/api/changes/?wait=60'),
  },
  'unread streams': { connections: 60, targets: () => [`${list}?format=ndjson`] },
  'expensive searches': {
    connections: 200,
    targets: many(4, (n) => `${list}?filename__contains=${n}zz`),
  },
  'many header lines of eight addresses': {
    connections: 1600,
    targets: many(20, page),
    headerLines: 90,
    addresses: 8,
  },
}

function strike(port: number, attack: Attack) {
  const { connections, targets, accept = '*/*', reads = false } = attack
  const { headerLines = 0, addresses = 1 } = attack
  const lines = Array.from({ length: headerLines }, (_, n) => `a${n}:b\r\n`).join('')
  const head = `HTTP/1.1\r\nHost: a\r\nAccept: ${accept}\r\n${lines}\r\n`
  return Array.from({ length: connections }, (_, connection): Socket => {
    const bytes = targets(connection).map((target) => `GET ${target} ${head}`)
    const localAddress = addresses === 1 ? attacker : `127.0.1.${1 + (connection % addresses)}`
    const socket = connect({ port, host: '127.0.0.1', localAddress })
    socket.on('error', () => undefined)
    socket.write(bytes.join(''))
    if (reads) socket.resume()
    return socket
  })
}

/** Sends a request from another address. @returns status and milliseconds */
function requestFromOther(port: number, path: string) {
  const began = performance.now()
  return new Promise<{ status: number; ms: number }>((resolve, reject) => {
    const options = { port, host: '127.0.0.1', localAddress: '127.0.0.77', path, agent: false }
    request(options, (answer) => {
      answer.resume().once('end', () => {
        resolve({ status: answer.statusCode ?? 0, ms: performance.now() - began })
      })
    })
      .once('error', reject)
      .end()
  })
}

/** Response times of another address while an attack runs. */
async function attackFor(service: Service, all: readonly Attack[]) {
  const port = Number(service.url.port)
  const sockets = all.flatMap((attack) => strike(port, attack))
  const times: Record<'/healthz' | 'list', number[]> = { '/healthz': [], list: [] }
  const statuses = new Set<number>()
  let peak = 0
  const endMs = performance.now() + figures.attackMs
  while (performance.now() < endMs) {
    const health = await requestFromOther(port, '/healthz')
    const page = await requestFromOther(port, `${list}?limit=20`)
    times['/healthz'].push(health.ms)
    times.list.push(page.ms)
    statuses.add(health.status).add(page.status)
    peak = Math.max(peak, memoryOf(service.api, 'VmRSS'))
    await pause(20)
  }
  for (const socket of sockets) socket.destroy()
  return { times, statuses: [...statuses], peak }
}

t.test('attacks from one address do not delay another address', async (t) => {
  const fill = (archive: string) => makeOldDays(archive, 3, figures.files / 3)
  // With the heap that its unit gives it.
  const wrapApi = ['env', unitEnvironment]
  const service = await startScanned(t, fill, { wrapApi, options: { MAX_LIMIT: '1000' } })
  await untilEqual(service)
  const port = Number(service.url.port)
  const cases = [
    ...Object.entries(attacks).map(([name, attack]) => [name, [attack]] as const),
    ['all together', Object.values(attacks)] as const,
  ]
  for (let round = 0; round < figures.rounds; round++)
    for (const [name, all] of cases) {
      const { times, statuses, peak } = await attackFor(service, all)
      const message = Object.entries(times).map(([what, values]) => {
        const [half, most] = [0.5, 0.99].map((share) => percentile(values, share).toFixed(0))
        return `${what} p50 ${half ?? ''}, p99 ${most ?? ''} ms (${values.length})`
      })
      t.comment(`${name}: ${message.join('; ')}; ${(peak / 1e6).toFixed(0)} MB`)
      t.strictSame(statuses, [200], `${name}: another address is answered`)
      t.ok(peak < maxBytes, `${name}: ${(peak / 1e6).toFixed(0)} MB`)
      await until('the attack is over', async () => {
        return (await requestFromOther(port, '/rinex/api/changes/?since=0')).status === 200
      })
    }
  t.equal(service.api.exitCode, null, 'the API runs')
})
