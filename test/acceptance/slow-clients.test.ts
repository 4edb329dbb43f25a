/** Clients that send or read slowly delay no other client, and their connections are closed. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import t from '../tap.ts'
import type { Test } from 'tap'
import { percentile, startScanned, longestMs, slow, until, untilEqual } from './service.ts'
import type { Service } from './service.ts'
import { dayDirectory, makeOldDays, pathIn, put } from './tree.ts'

const figures = slow
  ? { dribbling: 1000, reading: 200, files: 30_000 }
  : { dribbling: 50, reading: 12, files: 3000 }

/** More than the socket buffers of two processes. */
const largeBytes = 32 * 1024 * 1024
const headersEvery = 1000
/** Bytes per second of a slow line that is not a stalled client. */
const lineBytes = 100_000

t.setTimeout(longestMs)

interface Started {
  readonly service: Service
  /** Path of the download of a large file. */
  readonly large: string
}

async function startWithFiles(): Promise<Started> {
  const large = pathIn(dayDirectory(90), 0)
  const service = await startScanned(t, (archive) => {
    makeOldDays(archive, 3, figures.files / 3)
    put(archive, large, gzipSync(randomBytes(largeBytes), { level: 0 }))
  })
  await untilEqual(service)
  return { service, large: `/rinex/data/${large}` }
}

/** A client, and when its connection was closed. */
interface Client {
  readonly socket: Socket
  /** When it began, or last received something. */
  sinceMs: number
  endedMs?: number
}

function open({ url }: Service, request: string): Client {
  const socket = connect(Number(url.port), url.hostname)
  const client: Client = { socket, sinceMs: performance.now() }
  socket.on('error', () => undefined)
  socket.once('close', () => (client.endedMs = performance.now()))
  socket.write(request)
  return client
}

const start = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`

/** Sends a header each second and never ends the request. */
function dribble(t: Test, service: Service): Client {
  const client = open(service, 'GET /rinex/api/rinex-file/ HTTP/1.1\r\nhost: a\r\n')
  client.socket.resume()
  const timer = setInterval(() => client.socket.write('x-a: b\r\n'), headersEvery)
  client.socket.once('close', () => clearInterval(timer))
  t.teardown(() => client.socket.destroy())
  return client
}

/** Reads one byte per second. Node notices the end of an unread connection only when it writes. */
function readSlowly(t: Test, service: Service, path: string): Client {
  const client = open(service, start(path))
  const { socket } = client
  socket.pause()
  let n = 0
  let read = 0
  const timer = setInterval(() => {
    if (socket.bytesRead !== read) client.sinceMs = performance.now()
    read = socket.bytesRead
    if (n++ % 5 === 0) socket.read(1)
    socket.write('\r\n')
  }, 200)
  socket.once('close', () => clearInterval(timer))
  t.teardown(() => socket.destroy())
  return client
}

const pages = ['?limit=20', '?limit=20&offset=1000', '/readyz', '/rinex/data/?format=json']

/** Requests pages, one after the other, until stopped. */
async function requestPages(service: Service, end: AbortSignal) {
  const times: number[] = []
  const statuses = new Set<number>()
  for (let n = 0; !end.aborted; n++) {
    const startedMs = performance.now()
    const { status } = await service.get(pages[n % pages.length] ?? '')
    times.push(performance.now() - startedMs)
    statuses.add(status)
    await pause(5)
  }
  return { times, statuses: [...statuses] }
}

const { service, large } = await startWithFiles()

t.test('slow clients do not delay other clients, and their connections are closed', async (t) => {
  const streams = ['/rinex/api/rinex-file/?format=ndjson', large, large, large]
  const end = new AbortController()
  const others = requestPages(service, end.signal)
  const clients = [
    ...Array.from({ length: figures.dribbling }, () => dribble(t, service)),
    ...Array.from({ length: figures.reading }, (_, n) =>
      readSlowly(t, service, streams[n % streams.length] ?? ''),
    ),
  ]
  await until('each is closed', () => clients.every(({ endedMs }) => endedMs !== undefined))
  end.abort()
  const { times, statuses } = await others
  t.strictSame(statuses, [200], `${times.length} normal requests succeed`)
  const lasted = clients.map(({ sinceMs, endedMs = 0 }) => endedMs - sinceMs)
  const p99 = percentile(times, 0.99)
  const last = Math.max(...lasted)
  const result = `p99 ${p99.toFixed(0)} ms, the last was closed after ${last.toFixed(0)} ms`
  t.comment(result)
  if (slow) t.ok(p99 <= 100 && last <= 10_000, result)
})

t.test('a client with a slow connection gets its complete file', async (t) => {
  const client = open(service, start(large).replace('host', 'connection: close\r\nhost'))
  // It reads slowly for longer than the timeout of a stalled client, and then the rest at once.
  let received = 0
  const { socket } = client
  const chunkBytes = lineBytes / 10
  const endMs = performance.now() + 15_000
  const timer = setInterval(() => {
    if (performance.now() <= endMs) {
      const most = Math.min(chunkBytes, socket.readableLength)
      received += (socket.read(most) as Buffer | null)?.length ?? 0
      return
    }
    clearInterval(timer)
    socket.on('data', (chunk: Buffer) => (received += chunk.length))
  }, 100)
  t.teardown(() => {
    clearInterval(timer)
    socket.destroy()
  })
  if (client.endedMs === undefined) await once(socket, 'close')
  t.ok(received > largeBytes, `${received} bytes`)
})
