import {
  chmodSync,
  existsSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pino from 'pino'
import t from 'tap'
import type { Test } from 'tap'
import { askIndexer, askSettling, askStatus, openStatusReader } from '../../src/control/client.ts'
import type { ControlRequest, RescanOrder } from '../../src/control/protocol.ts'
import { openHealth } from '../../src/indexer/health.ts'
import { openControl } from '../../src/indexer/control-server.ts'
import { openService } from '../api/service.ts'
import { noProblems } from '../indexer/parts.ts'
import { until } from '../indexer/until.ts'

const logger = pino({ level: 'silent' })
const condition = openHealth({
  ...{ logger, version: 'test', lastScan: undefined },
  nowUs: () => 1,
})

/** Path of a socket: it must be short. */
function socketPath(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'control-'))
  t.teardown(() => {
    rmSync(folder, { recursive: true })
  })
  return join(folder, 'socket')
}

/** What a process leaves that was killed. */
async function leaveSocket(path: string): Promise<void> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(path, resolve))
  renameSync(path, `${path}-left`)
  await new Promise((resolve) => server.close(resolve))
  renameSync(`${path}-left`, path)
}

async function openOn(t: Test) {
  const path = socketPath(t)
  await leaveSocket(path)
  const orders: RescanOrder[] = []
  const indexer = {
    status: () => condition.status(noProblems),
    settlingFiles: () => [{ path: 'obs/a', reason: 'no-end-yet' as const, sinceUs: 5 }],
    rescan: (order: RescanOrder) => {
      orders.push(order)
      return Promise.resolve({ number: orders.length, place: 'running' as const })
    },
    register: (file: string) =>
      file === 'broken'
        ? Promise.reject(new Error('of ours'))
        : Promise.resolve({ outcome: 'created' as const, id: 7 }),
  }
  const control = await openControl({ path, logger, indexer, writer: {} as never })
  t.teardown(() => {
    control.close()
  })
  return { path, orders, control }
}

t.test('the indexer answers requests over its control socket', async (t) => {
  const { path, orders, control } = await openOn(t)
  t.equal(statSync(path).mode & 0o777, 0o660, 'by its group and nobody else')
  t.match(await askStatus(path), { state: 'starting', version: 'test', pid: process.pid })
  t.same(await askSettling(path), [{ path: 'obs/a', reason: 'no-end-yet', sinceUs: 5 }])
  t.same(await askSettling(`${path}-none`), [], 'nobody knows of any')
  const order = { path: 'obs/2026', full: true, acceptRemovals: false }
  t.same(await askIndexer(path, { command: 'rescan', ...order }), { number: 1, place: 'running' })
  t.same(orders, [order])
  t.same(await askIndexer(path, { command: 'register', path: 'x' }), { outcome: 'created', id: 7 })
  control.close()
  t.notOk(existsSync(path), 'the socket goes with it')
  t.equal(await askStatus(path), undefined)
})

t.test('an invalid request is rejected with a reason', async (t) => {
  const { path, orders } = await openOn(t)
  const cases: { request: unknown; words: RegExp; failed?: true }[] = [
    { request: {}, words: /unknown command/ },
    { request: { command: 'drop' }, words: /unknown command/ },
    { request: { command: 'rescan', path: '../etc' }, words: /not a directory below obs/ },
    { request: { command: 'rescan', path: 5 }, words: /must be text/ },
    { request: { command: 'rescan', acceptRemovals: 'no' }, words: /true or false/ },
    { request: { command: 'register' }, words: /must be text/ },
    { request: { command: 'register', path: 'broken' }, words: /see its log/, failed: true },
  ]
  for (const { request, words, failed = false } of cases)
    await t.rejects(askIndexer(path, request as ControlRequest), {
      code: 'REQUEST_REJECTED',
      message: words,
      failed,
    })
  t.same(orders, [])
  t.match(await askStatus(path), { state: 'starting' }, 'and it goes on')
})

t.test(
  'a missing socket, or an invalid answer, means that the indexer is unreachable',
  async (t) => {
    const path = socketPath(t)
    await t.rejects(askIndexer(path, { command: 'status' }), { code: 'INDEXER_UNREACHABLE' })
    t.equal(await askStatus(path), undefined)
    const server = createServer((socket) => {
      socket.resume().end()
    })
    await new Promise<void>((resolve) => server.listen(path, resolve))
    t.teardown(() => server.close())
    await t.rejects(askIndexer(path, { command: 'status' }), {
      message: /ended without an answer/,
    })
  },
)

const cannot = 'control socket of the indexer unavailable'

t.test('an indexer that does not answer has the state unknown, not stopped', async (t) => {
  const path = socketPath(t)
  await leaveSocket(path)
  t.equal(await askStatus(path), undefined, 'nobody listens')
  rmSync(path)
  let silent = true
  const server = createServer((socket) => {
    if (!silent) socket.resume().end()
  })
  await new Promise<void>((resolve) => server.listen(path, resolve))
  t.teardown(() => server.close())
  t.strictSame(await askStatus(path, 50), {
    ...{ state: 'unknown', reason: `${cannot}: timeout` },
  })
  silent = false
  t.strictSame(await askStatus(path), {
    ...{ state: 'unknown', reason: `${cannot}: the connection ended without an answer` },
  })
})

t.test('an indexer whose socket is not accessible has the state unknown', async (t) => {
  const { path } = await openOn(t)
  chmodSync(dirname(path), 0o700)
  const isRoot = process.getuid?.() === 0
  if (isRoot) process.seteuid?.(65_534)
  else chmodSync(dirname(path), 0)
  const asked = askStatus(path) // which connects before it waits for anything
  if (isRoot) process.seteuid?.(0)
  else chmodSync(dirname(path), 0o700)
  t.strictSame(await asked, { state: 'unknown', reason: `${cannot}: EACCES` })
})

t.test('an indexer that fails has the state unknown, and the metrics stay available', async (t) => {
  const path = socketPath(t)
  const status = () => {
    throw new Error('of ours')
  }
  const control = await openControl({
    path,
    logger,
    indexer: { status } as never,
    writer: {} as never,
  })
  t.teardown(() => {
    control.close()
  })
  const asked = await askStatus(path)
  t.match(asked, { state: 'unknown', reason: /: the indexer failed to answer, see its log$/ })
  const { app } = await openService(t, { deps: () => ({ indexerStatus: () => askStatus(path) }) })
  const { statusCode, body } = await app.inject('/metrics')
  t.equal(statusCode, 200)
  t.match(body, 'rinex_catalogue_available 1\n')
  t.match(body, 'rinex_indexer_up 0\n')
})

t.test('an unavailable control socket is reported once, until it is available again', async (t) => {
  const path = socketPath(t)
  const reported: string[] = []
  const ask = openStatusReader(path, (reason) => reported.push(reason))
  for (const times of [1, 2]) {
    t.equal(await ask(), undefined)
    symlinkSync(path, path)
    const unknown = { state: 'unknown', reason: `${cannot}: ELOOP` }
    t.strictSame([await ask(), await ask()], [unknown, unknown])
    t.equal(reported.length, times)
    rmSync(path)
  }
})

/** An indexer that looks at its socket all the time. */
async function openWatchful(t: Test, path: string, version: string, readMs = 5) {
  const warnings: unknown[] = []
  const stream = { write: (line: string) => warnings.push(JSON.parse(line)) }
  const reported = openHealth({
    ...{ logger, version, lastScan: undefined },
    nowUs: () => 1,
  })
  const indexer = { status: () => reported.status(noProblems) } as never
  const control = await openControl({
    path,
    logger: pino({}, stream),
    indexer,
    writer: {} as never,
    checkIntervalMs: readMs,
  })
  t.teardown(() => {
    control.close()
  })
  return { control, warnings }
}

const versionAt = async (path: string) => {
  const asked = await askStatus(path)
  return asked !== undefined && 'version' in asked ? asked.version : undefined
}

t.test('an indexer whose socket was removed listens again', async (t) => {
  const path = socketPath(t)
  const { warnings, control } = await openWatchful(t, path, 'one')
  await leaveSocket(`${path}-left`)
  for (const takeAway of [
    () => {
      rmSync(path)
    },
    () => {
      renameSync(`${path}-left`, path)
    },
  ]) {
    const before = warnings.length
    takeAway()
    await until(t, 'it is noticed', () => warnings.length > before)
    await until(t, 'it answers again', async () => (await versionAt(path)) === 'one')
    t.equal(statSync(path).mode & 0o777, 0o660)
  }
  t.match(warnings.at(-1), { msg: 'control socket removed; created again' })
  control.close()
  t.notOk(existsSync(path), 'the socket goes with it')
})

/** Another indexer's socket in the place of the one that is there. */
async function replaceSocket(t: Test, path: string) {
  const other = await openWatchful(t, `${path}-two`, 'two', 600_000)
  renameSync(`${path}-two`, path)
  return other.control
}

t.test('it does not remove the socket of another indexer', async (t) => {
  const path = socketPath(t)
  const one = await openWatchful(t, path, 'one')
  const two = await replaceSocket(t, path)
  await until(t, 'it is noticed', () => one.warnings.length > 0)
  t.match(one.warnings, [{ reason: /another indexer answers on/ }])
  t.equal(await versionAt(path), 'two')
  two.close()
  await until(t, 'it is its own again', async () => (await versionAt(path)) === 'one')
  t.equal(one.warnings.length, 2, 'which is reported, and nothing twice')
})

t.test('nor when it ends', async (t) => {
  const path = socketPath(t)
  const one = await openWatchful(t, path, 'one', 600_000)
  await replaceSocket(t, path)
  one.control.close()
  t.equal(await versionAt(path), 'two')
})

t.test('a socket that cannot be opened is an error with path and reason', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'control-'))
  t.teardown(() => {
    rmSync(folder, { recursive: true })
  })
  const path = join(folder, 'nowhere/socket')
  writeFileSync(join(folder, 'notes'), '')
  const other = openControl({
    path: join(folder, 'notes'),
    logger,
    indexer: {} as never,
    writer: {} as never,
  })
  await t.rejects(
    other,
    { code: 'UNUSABLE_SOCKET', message: /is not a socket/ },
    'a file of somebody else stays',
  )
  await t.rejects(openControl({ path, logger, indexer: {} as never, writer: {} as never }), {
    code: 'UNUSABLE_SOCKET',
    message: `cannot listen on the control socket ${path}`,
  })
})
