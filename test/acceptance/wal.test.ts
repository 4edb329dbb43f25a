/**
 * The WAL stays small: slow clients hold no transaction open, and the WAL is truncated after
 * another program has ended its transaction. With SLOW=1 there are as many arrivals as in a day.
 */
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { connect } from 'node:net'
import Sqlite from 'better-sqlite3'
import type { Test } from 'tap'
import t from '../tap.ts'
import { longestMs, slow, startScanned, timeoutMs, until, untilEqual } from './service.ts'
import { arrive, dayDirectory, hourDirectory, makeOldDays, pathIn, paths, put } from './tree.ts'

const megabyte = 1024 * 1024
const listed = slow ? 100 : 60
const arrivals = slow ? 27_000 : 500
const truncatedMs = slow ? 60_000 : timeoutMs

t.setTimeout(longestMs)

const service = await startScanned(t, (archive) => {
  makeOldDays(archive, listed, 300)
  put(archive, pathIn(hourDirectory(), 0))
})
await untilEqual(service)

const walSize = (): number =>
  statSync(`${service.database}-wal`, { throwIfNoEntry: false })?.size ?? 0

/** Requests a path and does not read the response. */
async function requestAndWait(t: Test, path: string, accept: string): Promise<void> {
  const { hostname, port } = service.url
  const socket = connect(Number(port), hostname).pause()
  t.teardown(() => socket.destroy())
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\naccept: ${accept}\r\n\r\n`)
}

/** Moves the WAL into the database. @returns whether a reader prevented it */
function checkpoint(): boolean {
  const db = new Sqlite(service.database)
  try {
    return db.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) !== 0
  } finally {
    db.close()
  }
}

t.test('clients that read nothing hold no transaction open', async (t) => {
  const kinds: [path: string, accept: string][] = [
    ['/rinex/api/rinex-file/?format=ndjson', '*/*'],
    ['/rinex/api/rinex-file/?format=csv&ordering=filename', '*/*'],
    ['/rinex/api/rinex-file/?limit=10000', 'application/json'],
    ['/rinex/api/changes/?wait=60', 'application/json'],
  ]
  for (const [path, accept] of kinds) await requestAndWait(t, path, accept)
  await until('the API answers', async () => (await service.get('/healthz')).status === 200)
  for (const path of paths(hourDirectory(), 50, 1)) arrive(service.archive, path)
  await untilEqual(service)
  await until('no reader prevents a checkpoint', () => !checkpoint())
  t.equal(walSize(), 0)
})

t.test(`the WAL stays small after ${arrivals} arrivals while another program reads`, async (t) => {
  const reader = new Sqlite(service.database, { readonly: true })
  t.teardown(() => reader.close())
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM file').get()
  let largest = 0
  const half = Math.ceil(arrivals / 2)
  const files = [...paths(hourDirectory(), half, 1000), ...paths(dayDirectory(), half)]
  for (const [n, path] of files.entries()) {
    arrive(service.archive, path)
    if (n % 10 === 0) await new Promise(setImmediate)
    largest = Math.max(largest, walSize())
  }
  await untilEqual(service)
  largest = Math.max(largest, walSize())
  t.ok(largest <= 128 * megabyte, `the WAL has at most ${Math.round(largest / megabyte)} MiB`)
  t.ok(checkpoint(), 'the reader prevents checkpoints')

  reader.exec('COMMIT')
  arrive(service.archive, pathIn(hourDirectory(), 1000 + half))
  const isSmall = () => walSize() <= 64 * megabyte
  const tookMs = await until('the WAL is small again', isSmall, truncatedMs)
  t.pass(`at most 64 MiB ${Math.round(tookMs)} ms after the other program`)
  await untilEqual(service)
  await until('nothing prevents a checkpoint', () => !checkpoint())
})
