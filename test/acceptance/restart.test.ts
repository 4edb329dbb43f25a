/**
 * A service that is stopped or restarted under load completes its in-flight responses: no client
 * gets a partial one. With SLOW=1 it has a million records, and the times are checked.
 */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Agent, get } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import Sqlite from 'better-sqlite3'
import { programLine } from '../program.ts'
import t from '../tap.ts'
import type { LogLine, Service } from './service.ts'
import { longestMs, slow, startScanned, stop, timeoutMs, until, untilEqual } from './service.ts'
import { arrive, dayDirectory, hourDirectory, pathIn, paths, put } from './tree.ts'

const clients = 64
const rounds = slow ? 5 : 2
const records = slow ? 1_000_000 : 20_000
const stopMs = slow ? 5000 : timeoutMs
const readyMs = slow ? 2000 : timeoutMs

t.setTimeout(longestMs)

interface Outcome {
  readonly path: string
  readonly begunMs: number
  /** `refused`: no byte of a response came. */
  readonly how: 'complete' | 'partial' | 'refused'
  readonly status: number | undefined
}

/** One request; reads its response to the end. */
function request(agent: Agent, url: URL): Promise<Outcome> {
  const path = url.pathname + url.search
  const begunMs = performance.now()
  return new Promise((resolve) => {
    const asked = get(url, { agent }, (answer: IncomingMessage) => {
      const status = answer.statusCode
      const end = () => {
        resolve({ path, begunMs, status, how: answer.complete ? 'complete' : 'partial' })
      }
      answer.resume().once('close', end)
    })
    asked.once('error', () => {
      resolve({ path, begunMs, status: undefined, how: 'refused' })
    })
  })
}

/** Clients that repeat requests until the signal. */
async function load(service: Service, targets: readonly string[], signal: AbortSignal) {
  const outcomes: Outcome[] = []
  const client = async (n: number): Promise<void> => {
    // Each client has another address, so that no limit per address applies.
    const agent = new Agent({ keepAlive: true, localAddress: `127.1.0.${n + 1}` })
    for (let index = n; !signal.aborted; index++) {
      const outcome = await request(
        agent,
        new URL(targets[index % targets.length] ?? '', service.url),
      )
      outcomes.push(outcome)
      if (outcome.how === 'refused') await pause(10)
    }
    agent.destroy()
  }
  await Promise.all(Array.from({ length: clients }, (_, n) => client(n)))
  return outcomes
}

/** Adds copies of a record, and corrects the counts; the indexer must not run. */
async function addRecords({ database, folder }: Service): Promise<void> {
  const db = new Sqlite(database)
  db.exec(`INSERT INTO file (directory, name, station, kind, data_date, size, mtime_us,
      created_us, seq, change)
    WITH RECURSIVE number (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM number WHERE n < ${records})
    SELECT directory, n, station, kind, data_date, size, mtime_us, created_us, seq, 0
    FROM number CROSS JOIN (SELECT * FROM file ORDER BY id LIMIT 1)`)
  db.close()
  const [program, args] = programLine(['check', '--repair', '--database', 'catalogue.db'])
  await promisify(execFile)(program, args, { cwd: folder })
}

t.test('no client gets a partial response when the API is restarted under load', async (t) => {
  const large = pathIn(dayDirectory(2), 0)
  const service = await startScanned(t, (archive) => {
    put(archive, large, gzipSync(randomBytes(2_000_000)))
    for (const path of paths(hourDirectory(), 200)) put(archive, path)
  })
  await untilEqual(service)
  await stop(service.indexer, 'SIGTERM')
  await addRecords(service)
  const targets = [
    '/rinex/api/rinex-file/?limit=20',
    '/rinex/api/rinex-file/?limit=1000',
    `/rinex/data/${large}`,
    `/rinex/data/${pathIn(hourDirectory(), 1)}`,
    '/rinex/api/rinex-file/?format=csv&limit=2000',
    '/rinex/data/nrt/',
  ]
  for (let round = 0; round < rounds; round++) {
    const end = new AbortController()
    const loading = load(service, targets, end.signal)
    await pause(500)
    const stoppedMs = performance.now()
    t.equal(await stop(service.api, 'SIGTERM'), 0, 'exit code')
    const tookMs = performance.now() - stoppedMs
    t.ok(tookMs <= stopMs, `stopped after ${Math.round(tookMs)} ms`)
    end.abort()
    const outcomes = await loading
    const begun = outcomes.filter(({ begunMs }) => begunMs < stoppedMs)
    t.same(
      outcomes.filter(({ how }) => how === 'partial'),
      [],
      'no partial response',
    )
    const statuses = new Set(outcomes.map(({ status }) => status))
    t.ok(
      [...statuses].every((status) => [200, 503, undefined].includes(status)),
      `statuses ${[...statuses].join()}`,
    )
    t.ok(begun.some(({ how }) => how === 'complete'))
    const startedMs = performance.now()
    await service.startApi()
    await until(
      'the API answers',
      async () => (await service.get('?limit=1')).status === 200,
      readyMs,
    )
    t.pass(`answer ${Math.round(performance.now() - startedMs)} ms after the start`)
  }
})

t.test('no file is lost when the indexer is stopped while files arrive', async (t) => {
  const service = await startScanned(t, [pathIn(hourDirectory(), 0)])
  for (let round = 0; round < rounds; round++) {
    const some = paths(hourDirectory(), 500, 1 + round * 500)
    for (const path of some.slice(0, 250)) arrive(service.archive, path)
    const stopping = stop(service.indexer, 'SIGTERM')
    const stoppedMs = performance.now()
    for (const path of some.slice(250)) arrive(service.archive, path)
    t.equal(await stopping, 0, 'exit code')
    const tookMs = performance.now() - stoppedMs
    t.ok(tookMs <= stopMs, `stopped after ${Math.round(tookMs)} ms`)
    const earlier = service.log.length
    service.startIndexer()
    await untilEqual(service)
    // The list may be right before the new process has begun.
    const isCaughtUp = ({ msg }: LogLine): boolean => msg === 'caught up with the archive'
    await until('the new indexer runs', () => service.log.slice(earlier).some(isCaughtUp))
  }
})
