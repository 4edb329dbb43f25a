/** Clients that send or read slowly delay no other client; those that stop are disconnected. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Test } from 'tap'
import t from '../tap.ts'
import type { Service } from './service.ts'
import { longestMs, percentile, slow, startScanned, untilEqual } from './service.ts'
import { dayDirectory, makeOldDays, pathIn, put } from './tree.ts'

const figures = slow
  ? { dribbling: 1000, stopped: 200, files: 30_000 }
  : { dribbling: 50, stopped: 10, files: 3000 }

/** More than the socket buffers of two processes. */
const largeBytes = 32 * 1024 * 1024
const headersEvery = 1000
/** More than twice the idle timeout of connections: 20 s. */
const stoppedMs = 45_000
/** Bytes per second of a slow line. */
const lineBytes = 100_000

t.setTimeout(longestMs)

interface Started {
  readonly service: Service
  /** Path of the download of a large file. */
  readonly large: string
}

async function startWithFiles(): Promise<Started> {
  const large = pathIn(dayDirectory(90), 0)
  const fill = (archive: string) => {
    makeOldDays(archive, 3, figures.files / 3)
    put(archive, large, gzipSync(randomBytes(largeBytes), { level: 0 }))
  }
  // All clients of this test have one address.
  const service = await startScanned(t, fill, { options: { CONNECTIONS_PER_ADDRESS: '2048' } })
  await untilEqual(service)
  return { service, large: `/rinex/data/${large}` }
}

function open({ url }: Service, request: string): Socket {
  const socket = connect(Number(url.port), url.hostname)
  socket.on('error', () => undefined)
  socket.write(request)
  return socket
}

const start = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`

/** Sends a header each second and never ends the request. */
function dribble(t: Test, service: Service): Promise<unknown> {
  const socket = open(service, 'GET /rinex/api/rinex-file/ HTTP/1.1\r\nhost: a\r\n').resume()
  const timer = setInterval(() => socket.write('x-a: b\r\n'), headersEvery)
  t.teardown(() => socket.destroy())
  return once(socket, 'close').finally(() => clearInterval(timer))
}

/** Reads nothing for longer than the idle timeout, and then what is left. */
async function stopReading(t: Test, service: Service, path: string): Promise<number> {
  const socket = open(service, start(path)).pause()
  t.teardown(() => socket.destroy())
  await pause(stoppedMs)
  socket.resume()
  if (!socket.closed) await once(socket, 'close')
  return socket.bytesRead
}

/** Reads slowly for longer than the idle timeout, and then the rest at once. */
async function readSlowly(t: Test, service: Service, path: string): Promise<number> {
  const socket = open(service, start(path).replace('host', 'connection: close\r\nhost')).pause()
  t.teardown(() => socket.destroy())
  for (const endMs = performance.now() + stoppedMs; performance.now() < endMs;) {
    socket.read(Math.min(lineBytes / 10, socket.readableLength))
    await pause(100)
  }
  socket.resume()
  if (!socket.closed) await once(socket, 'close')
  return socket.bytesRead
}

const pages = ['?limit=20', '?limit=20&offset=1000', '/readyz', '/rinex/data/?format=json']

/** Requests pages, one after the other, until stopped; seldom where no time is checked. */
async function requestPages(service: Service, end: AbortSignal) {
  const times: number[] = []
  const statuses = new Set<number>()
  for (let n = 0; !end.aborted; n++) {
    const startedMs = performance.now()
    const { status } = await service.get(pages[n % pages.length] ?? '')
    times.push(performance.now() - startedMs)
    statuses.add(status)
    await pause(slow ? 5 : 50)
  }
  return { times, statuses: [...statuses] }
}

const { service, large } = await startWithFiles()

t.test('slow clients do not delay others, and those that stop are disconnected', async (t) => {
  const end = new AbortController()
  const others = requestPages(service, end.signal)
  const slowly = readSlowly(t, service, large)
  const stopped = Array.from({ length: figures.stopped }, () => stopReading(t, service, large))
  await Promise.all(Array.from({ length: figures.dribbling }, () => dribble(t, service)))
  t.pass('clients that send headers slowly are disconnected')
  for (const received of await Promise.all(stopped))
    t.ok(received < largeBytes, `a client that reads nothing is cut off after ${received} bytes`)
  const received = await slowly
  t.ok(received > largeBytes, `a client with a slow line gets its whole file: ${received} bytes`)
  end.abort()
  const { times, statuses } = await others
  t.strictSame(statuses, [200], `${times.length} normal requests succeed`)
  const p99 = percentile(times, 0.99)
  const result = `p99 ${p99.toFixed(0)} ms`
  t.comment(result)
  if (slow) t.ok(p99 <= 100, result)
})
