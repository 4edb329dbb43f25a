/** Messages to a service manager, received on a real socket. */
import type { ChildProcess } from 'node:child_process'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pino } from 'pino'
import type { Test } from 'tap'
import { ServiceManager } from '../../src/runtime/service-manager.ts'
import { testFolder } from '../folder.ts'
import { kept, programLine } from '../program.ts'
import t, { exact } from '../tap.ts'
import { until } from '../until.ts'

const missing = ['systemd-notify', 'python3'].find(
  (program) => spawnSync(program, ['--version']).error !== undefined,
)
const skip = missing !== undefined && `no ${missing} here`

/** Prints the messages of each datagram, with a comma between them. */
const listener = `
import socket, sys
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind('\\0' + sys.argv[1])
print('listening', flush=True)
while True: print(receiver.recv(65536).decode().strip().replace('\\n', ','), flush=True)
`

/** A socket as systemd has one. */
async function startListener(t: Test) {
  const name = `rinex-catalogue-test-${process.pid}-${performance.now()}`
  const python = spawn('python3', ['-c', listener, name], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => python.kill('SIGKILL'))
  const messages: string[] = []
  createInterface(python.stdout).on('line', (line) => {
    // With BARRIER=1, systemd-notify waits until its message was read.
    if (line !== 'BARRIER=1') messages.push(...line.split(','))
  })
  await until('the listener runs', () => messages.includes('listening'))
  const count = (message: string): number => messages.filter((each) => each === message).length
  return { env: { PATH: process.env['PATH'], ...kept, NOTIFY_SOCKET: `@${name}` }, messages, count }
}

function openLog() {
  const lines: { msg: string; reason: string }[] = []
  const logger = pino({}, { write: (line) => void lines.push(JSON.parse(line) as never) })
  return { lines, logger }
}

t.test('a ready service sends its status and signs of life', { skip }, async (t) => {
  const { env, messages, count } = await startListener(t)
  const { lines, logger } = openLog()
  const watchdog = { WATCHDOG_USEC: '90000', WATCHDOG_PID: String(process.pid) }
  const manager = new ServiceManager({ ...env, ...watchdog }, logger)
  manager.ready(() => Promise.resolve('scanning:\n  1 %'))
  await until('alive', () => count('WATCHDOG=1') > 2)
  t.strictSame(messages.slice(1, 4), ['READY=1', 'STATUS=scanning: 1 %', 'WATCHDOG=1'])
  manager.ready(() => Promise.resolve('x'.repeat(9999)))
  await until('another status', () => messages.some((text) => /^STATUS=x{1000}$/.test(text)))
  await manager.close()
  await until('stopping', () => count('STOPPING=1') === 1)
  t.equal(count('READY=1'), 1)
  t.strictSame(lines, [])
})

t.test('the watchdog gets no message while the database does not answer', { skip }, async (t) => {
  const { env, count } = await startListener(t)
  const { lines, logger } = openLog()
  const manager = new ServiceManager({ ...env, WATCHDOG_USEC: '30000' }, logger)
  t.teardown(() => manager.close())
  let asked = 0
  manager.ready(async () => {
    asked++
    return Promise.reject(new Error('disk I/O error'))
  })
  await until('asked again and again', () => asked > 5)
  t.match(lines, exact([{ msg: 'systemd not notified', reason: 'disk I/O error' }]))
  t.equal(lines.length, 1, 'a failure is logged once')
  let hanging = 0
  manager.ready(() => new Promise(() => hanging++))
  await until('hanging', () => hanging > 0)
  await manager.close()
  t.equal(hanging, 1, 'not asked again')
  t.equal(count('WATCHDOG=1'), 0)
  await until('all messages', () => count('STOPPING=1') === 1)
  t.equal(count('READY=1'), 1)
})

t.test('without a watchdog, only a new status is sent', { skip }, async (t) => {
  const { env, messages, count } = await startListener(t)
  const others = { WATCHDOG_USEC: '30000', WATCHDOG_PID: '1' }
  const { logger } = openLog()
  const manager = new ServiceManager({ ...env, ...others }, logger)
  manager.ready(() => Promise.resolve('watching'))
  await until('a status', () => count('STATUS=watching') === 1)
  await manager.close()
  await until('the end', () => count('STATUS=stopping') === 1)
  t.notOk(messages.includes('WATCHDOG=1'), 'the watchdog of another process')
})

t.test('without a service manager nothing is sent; a lost manager is logged once', async (t) => {
  const { lines, logger } = openLog()
  const none = new ServiceManager({ WATCHDOG_USEC: '1000' }, logger)
  none.ready(() => Promise.reject(new Error('not asked')))
  await none.close()
  t.strictSame(lines, [])
  const env = { PATH: '/nowhere', NOTIFY_SOCKET: '/nowhere' }
  const lost = new ServiceManager(env, logger)
  lost.ready(() => Promise.resolve('watching'))
  await until('logged', () => lines.length > 0)
  await lost.close()
  t.match(lines, exact([{ msg: 'systemd not notified', reason: /systemd-notify/ }]))
  t.equal(lines.length, 1)
})

t.test('both services notify the manager and close their parts at the end', { skip }, async (t) => {
  const folder = testFolder(t)
  cpSync('fixtures/archive', join(folder, 'archive'), { recursive: true })
  const start = (command: string, env: NodeJS.ProcessEnv): ChildProcess => {
    const args = ['--archive', 'archive', '--database', 'c.db']
    const port = command === 'serve' ? ['--port', '0'] : []
    const child = spawn(...programLine([command, ...args, ...port]), {
      cwd: folder,
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    t.teardown(() => child.kill('SIGKILL'))
    return child
  }
  const expected = {
    serve:
      /^STATUS=(serving http:\/\/127\.0\.0\.1:\d+\/rinex\/api\/rinex-file\/|answering 503: .*)$/,
    index: /^STATUS=\w+: \d+ files listed/,
  }
  for (const [command, status] of Object.entries(expected)) {
    const { env, messages, count } = await startListener(t)
    const child = start(command, { ...env, WATCHDOG_USEC: '300000' })
    await until(`${command} is alive`, () => count('WATCHDOG=1') > 1)
    t.ok(
      messages.some((message) => status.test(message)),
      command,
    )
    t.equal(count('READY=1'), 1)
    if (command === 'index')
      await until('watching', () => messages.includes('STATUS=watching: 72 files listed'))
    child.kill('SIGTERM')
    t.strictSame(await once(child, 'exit'), [0, null])
    await until(`${command} stops`, () => count('STOPPING=1') === 1)
  }
  t.ok(existsSync(join(folder, 'c.db')))
})
