import { chmodSync, existsSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import pino from 'pino'
import type { Test } from 'tap'
import { answerLine, openControl } from '../../src/control-socket/answers.ts'
import {
  askIndexer,
  askMetrics,
  askSettling,
  askStatus,
  createStatusReader,
  overSocket,
} from '../../src/control-socket/client.ts'
import type { ControlRequest, RescanOrder } from '../../src/control-socket/protocol.ts'
import { NoIndexer } from '../../src/control-socket/protocol.ts'
import { Health } from '../../src/indexer/state/health.ts'
import { defaultLayout } from '../../src/parse/layout.ts'
import { openService } from '../api/service.ts'
import { commonFolder } from '../folder.ts'
import { noProblems } from '../indexer/parts.ts'
import { asOtherUser } from '../other-user.ts'
import t from '../tap.ts'
import { until } from '../until.ts'

const logger = pino({ level: 'silent' })
const health = new Health({
  logger,
  version: 'test',
  lastScan: undefined,
  nowUs: () => 1,
})

/** A short path, because the length of socket paths is limited. */
const socketPath = (t: Test): string => join(commonFolder(t), 'socket')

/** Creates the stale socket of a killed process. */
async function createStaleSocket(path: string): Promise<void> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(path, resolve))
  renameSync(path, `${path}-stale`)
  await new Promise((resolve) => server.close(resolve))
  renameSync(`${path}-stale`, path)
}

function answering() {
  const orders: RescanOrder[] = []
  const indexer = {
    status: () => health.status(noProblems),
    settlingFiles: () => [{ path: 'obs/a', reason: 'no-end-yet' as const, sinceUs: 5 }],
    rescan: (order: RescanOrder) => {
      orders.push(order)
      return Promise.resolve({ number: orders.length, place: 'running' as const })
    },
    metrics: () => Promise.resolve('rinex_indexer_watches 3\n'),
    rescanOutcome: (number: number) =>
      number === 1 ? { added: 3, modified: 2, removed: 1, problem: null } : undefined,
    register: (file: string) =>
      file === 'broken'
        ? Promise.reject(new Error('internal'))
        : Promise.resolve({ outcome: 'created' as const, id: 7 }),
  }
  return { orders, parts: { layout: defaultLayout, logger, indexer, writer: {} as never } }
}

async function openOn(t: Test) {
  const path = socketPath(t)
  await createStaleSocket(path)
  const { orders, parts } = answering()
  const control = await openControl({ path, ...parts })
  t.teardown(() => control.close())
  return { path, orders, control }
}

t.test('the indexer answers requests over its control socket', async (t) => {
  const { path, orders, control } = await openOn(t)
  t.equal(statSync(path).mode & 0o777, 0o660, 'accessible to its owner and group only')
  t.match(await askStatus(overSocket(path)), {
    state: 'starting',
    version: 'test',
    pid: process.pid,
  })
  t.same(await askSettling(overSocket(path)), [{ path: 'obs/a', reason: 'no-end-yet', sinceUs: 5 }])
  t.same(await askSettling(overSocket(`${path}-none`)), [], 'empty without an indexer')
  t.equal(await askMetrics(overSocket(path)), 'rinex_indexer_watches 3\n')
  t.equal(await askMetrics(overSocket(`${path}-none`)), '', 'empty without an indexer')
  const order = { path: 'obs/2026', acceptRemovals: false }
  t.same(await askIndexer(overSocket(path), { command: 'rescan', ...order }), {
    number: 1,
    place: 'running',
  })
  t.same(orders, [order])
  const outcome = { added: 3, modified: 2, removed: 1, problem: null }
  t.strictSame(await askIndexer(overSocket(path), { command: 'outcome', rescan: 1 }), outcome)
  t.equal(await askIndexer(overSocket(path), { command: 'outcome', rescan: 2 }), null, 'not ended')
  t.same(await askIndexer(overSocket(path), { command: 'register', path: 'x' }), {
    outcome: 'created',
    id: 7,
  })
  control.close()
  t.notOk(existsSync(path), 'closing removes the socket')
  t.equal(await askStatus(overSocket(path)), undefined)
})

t.test('an invalid request is rejected with a reason', async (t) => {
  const { path, orders } = await openOn(t)
  const cases: { request: unknown; message: RegExp; failed?: true }[] = [
    { request: {}, message: /unknown command/ },
    { request: { command: 'drop' }, message: /unknown command/ },
    { request: { command: 'rescan', path: '../etc' }, message: /not a directory below obs/ },
    { request: { command: 'rescan', path: 'pub' }, message: /pub is not a directory below obs/ },
    { request: { command: 'rescan', path: 5 }, message: /must be text/ },
    { request: { command: 'rescan', acceptRemovals: 'no' }, message: /true or false/ },
    { request: { command: 'outcome', rescan: '1' }, message: /must be a number/ },
    { request: { command: 'register' }, message: /must be text/ },
    { request: { command: 'register', path: 'broken' }, message: /see its log/, failed: true },
  ]
  for (const { request, message, failed = false } of cases)
    await t.rejects(askIndexer(overSocket(path), request as ControlRequest), {
      code: 'REQUEST_REJECTED',
      message,
      failed,
    })
  t.same(orders, [])
  t.match(await askStatus(overSocket(path)), { state: 'starting' }, 'the indexer still answers')
})

t.test('a missing socket or an invalid answer means that the indexer is unreachable', async (t) => {
  const path = socketPath(t)
  await t.rejects(askIndexer(overSocket(path), { command: 'status' }), {
    code: 'INDEXER_UNREACHABLE',
  })
  t.equal(await askStatus(overSocket(path)), undefined)
  const server = createServer((socket) => socket.resume().end())
  await new Promise<void>((resolve) => server.listen(path, resolve))
  t.teardown(() => server.close())
  await t.rejects(askIndexer(overSocket(path), { command: 'status' }), {
    message: /ended without an answer/,
  })
})

t.test('another way to the indexer has the same answers, and its own names', async (t) => {
  const { parts } = answering()
  const names = { place: 'the database of a test', publicName: 'database' }
  const direct = Object.assign(
    (request: ControlRequest) => answerLine(JSON.stringify(request), parts),
    names,
  )
  t.match(await askStatus(direct), { state: 'starting' })
  await t.rejects(askIndexer(direct, { command: 'register', path: 'x'.repeat(16_384) }), {
    code: 'REQUEST_REJECTED',
    message: 'the request is too long',
  })
  const failing = (error: Error) => Object.assign(() => Promise.reject(error), names)
  t.equal(await askStatus(failing(new NoIndexer('nobody'))), undefined)
  t.strictSame(await askStatus(failing(new Error('no answer in time'))), {
    state: 'unknown',
    reason: 'database unavailable: no answer in time',
  })
  await t.rejects(askIndexer(failing(new NoIndexer('nobody')), { command: 'status' }), {
    code: 'INDEXER_UNREACHABLE',
    message: 'no answer of the indexer on the database of a test: nobody',
  })
})

const unavailable = 'control socket of the indexer unavailable'

t.test('an indexer that does not answer has the state unknown, not stopped', async (t) => {
  const path = socketPath(t)
  await createStaleSocket(path)
  t.equal(await askStatus(overSocket(path)), undefined, 'no process listens')
  rmSync(path)
  let silent = true
  const server = createServer((socket) => {
    if (!silent) socket.resume().end()
  })
  await new Promise<void>((resolve) => server.listen(path, resolve))
  t.teardown(() => server.close())
  t.strictSame(await askStatus(overSocket(path), 50), {
    state: 'unknown',
    reason: `${unavailable}: timeout`,
  })
  silent = false
  t.strictSame(await askStatus(overSocket(path)), {
    state: 'unknown',
    reason: `${unavailable}: the connection ended without an answer`,
  })
})

t.test('an indexer whose socket is not accessible has the state unknown', async (t) => {
  const { path } = await openOn(t)
  chmodSync(dirname(path), 0)
  const status = await asOtherUser(() => askStatus(overSocket(path)))
  chmodSync(dirname(path), 0o700)
  t.strictSame(status, { state: 'unknown', reason: `${unavailable}: EACCES` })
})

t.test('an indexer that fails has the state unknown, and the metrics stay available', async (t) => {
  const path = socketPath(t)
  const failingStatus = () => {
    throw new Error('internal')
  }
  const control = await openControl({
    path,
    layout: defaultLayout,
    logger,
    indexer: { status: failingStatus } as never,
    writer: {} as never,
  })
  t.teardown(() => control.close())
  const status = await askStatus(overSocket(path))
  t.match(status, { state: 'unknown', reason: /: the indexer failed to answer, see its log$/ })
  const { app } = await openService(t, {
    deps: () => ({ indexerStatus: () => askStatus(overSocket(path)) }),
  })
  const { statusCode, body } = await app.inject('/metrics')
  t.equal(statusCode, 200)
  t.match(body, 'rinex_catalogue_available 1\n')
  t.match(body, 'rinex_indexer_up 0\n')
})

t.test('an unavailable control socket is reported once, until it is available again', async (t) => {
  const path = socketPath(t)
  const reported: string[] = []
  const ask = createStatusReader(overSocket(path), (reason) => reported.push(reason))
  for (const times of [1, 2]) {
    t.equal(await ask(), undefined)
    symlinkSync(path, path)
    const unknown = { state: 'unknown', reason: `${unavailable}: ELOOP` }
    t.strictSame([await ask(), await ask()], [unknown, unknown])
    t.equal(reported.length, times)
    rmSync(path)
  }
})

/** An indexer that checks its socket at a short interval. */
async function openChecking(t: Test, path: string, version: string, checkIntervalMs = 5) {
  const warnings: unknown[] = []
  const stream = { write: (line: string) => warnings.push(JSON.parse(line)) }
  const reported = new Health({
    logger,
    version,
    lastScan: undefined,
    nowUs: () => 1,
  })
  const indexer = { status: () => reported.status(noProblems) } as never
  const control = await openControl({
    path,
    layout: defaultLayout,
    logger: pino({}, stream),
    indexer,
    writer: {} as never,
    checkIntervalMs,
  })
  t.teardown(() => control.close())
  return { control, warnings }
}

const versionAt = async (path: string) => {
  const status = await askStatus(overSocket(path))
  return status !== undefined && 'version' in status ? status.version : undefined
}

t.test('an indexer whose socket was removed opens the socket again', async (t) => {
  const path = socketPath(t)
  const { warnings, control } = await openChecking(t, path, 'one')
  rmSync(path)
  await until('the indexer reports it', () => warnings.length > 0)
  await until('the indexer answers again', async () => (await versionAt(path)) === 'one')
  t.equal(statSync(path).mode & 0o777, 0o660)
  t.match(warnings.at(-1), { msg: 'control socket removed; created again' })
  control.close()
  t.notOk(existsSync(path), 'closing removes the socket')
})

/** Replaces the socket with that of another indexer. */
async function replaceSocket(t: Test, path: string) {
  const other = await openChecking(t, `${path}-two`, 'two', 600_000)
  renameSync(`${path}-two`, path)
  return other.control
}

t.test('an indexer that ends does not remove the socket of another indexer', async (t) => {
  const path = socketPath(t)
  const one = await openChecking(t, path, 'one', 600_000)
  await replaceSocket(t, path)
  one.control.close()
  t.equal(await versionAt(path), 'two')
})

t.test('if the socket cannot be opened, the error has its path and the reason', async (t) => {
  const folder = commonFolder(t, { notes: '' })
  const path = join(folder, 'missing/socket')
  const other = openControl({
    path: join(folder, 'notes'),
    layout: defaultLayout,
    logger,
    indexer: {} as never,
    writer: {} as never,
  })
  await t.rejects(
    other,
    { code: 'UNUSABLE_SOCKET', message: /is not a socket/ },
    'a file that is not a socket stays',
  )
  await t.rejects(
    openControl({ path, layout: defaultLayout, logger, indexer: {} as never, writer: {} as never }),
    {
      code: 'UNUSABLE_SOCKET',
      message: `cannot listen on the control socket ${path}`,
    },
  )
})
