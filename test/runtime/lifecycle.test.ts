import { spawn } from 'node:child_process'
import { bare } from '../program.ts'
import t from '../tap.ts'

interface Outcome {
  readonly code: number | null
  /** Messages of the log, and what the script printed. */
  readonly lines: readonly string[]
}

/**
 * Runs a script that has a lifecycle and two parts; sends each signal once `ready` has been printed
 * again.
 */
function run(script: string, signals: readonly NodeJS.Signals[] = []): Promise<Outcome> {
  const source = `
    import { createLogger } from './src/runtime/logger.ts'
    import { Lifecycle } from './src/runtime/lifecycle.ts'
    const say = (text) => process.stdout.write(JSON.stringify({ msg: text }) + '\\n')
    const logger = createLogger({ level: 'info' })
    const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
    const stay = () => setInterval(() => {}, 1000)
    ${script}`
  const [first, ...rest] = [...bare, process.execPath, '--input-type=module', '--eval', source]
  const child = spawn(first, rest)
  const left = [...signals]
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
    const ready = output.split('"ready"').length - 1
    while (signals.length - left.length < ready && left.length > 0) child.kill(left.shift())
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      const lines = output.trimEnd().split('\n')
      resolve({ code, lines: lines.map((line) => (JSON.parse(line) as { msg: string }).msg) })
    })
  })
}

const twoParts = `
  lifecycle.add({ name: 'a', close: () => say('a closed') })
  lifecycle.add({ name: 'b', close: async () => { await sleep(20); say('b closed') } })`

const plain = `const lifecycle = new Lifecycle({ logger, graceMs: 120000 })\n${twoParts}`

t.test('a signal closes the parts, the part that was started last first', async (t) => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    const { code, lines } = await run(`${plain}; stay(); say('ready')`, [signal])
    t.strictSame({ code, lines }, { code: 0, lines: ['ready', 'ending', 'b closed', 'a closed'] })
  }
})

t.test('an idle process closes its parts in the same way', async (t) => {
  const { code, lines } = await run(`${plain}; await lifecycle.untilEnd()`)
  t.strictSame({ code, lines }, { code: 0, lines: ['ending', 'b closed', 'a closed'] })
})

t.test('a command that is done ends the process and runs its exit handlers', async (t) => {
  const script = `${plain}; stay(); process.on('exit', () => say('exit')); lifecycle.end(); await lifecycle.end()`
  const { code, lines } = await run(script)
  t.strictSame({ code, lines }, { code: 0, lines: ['ending', 'b closed', 'a closed', 'exit'] })
})

t.test('every kind of failure is logged and exits with 1', async (t) => {
  const ways = [
    `lifecycle.end(new Error('x'))`,
    `setTimeout(() => { throw new Error('x') })`,
    `void Promise.reject(new Error('x'))`,
  ]
  for (const way of ways) {
    const { code, lines } = await run(`${plain}; stay(); ${way}`)
    const expected = ['ending because of an error', 'b closed', 'a closed']
    t.strictSame({ code, lines }, { code: 1, lines: expected }, way)
  }
})

t.test('a part that fails to close does not keep the other parts open', async (t) => {
  const script = `${plain}
    lifecycle.add({ name: 'c', close: () => { throw new Error('x') } })
    lifecycle.end()`
  const { code, lines } = await run(script)
  const expected = ['ending', 'failed to close', 'b closed', 'a closed']
  t.strictSame({ code, lines }, { code: 1, lines: expected })
})

t.test('a second signal ends the process without waiting', async (t) => {
  const script = `${plain}; stay()
    lifecycle.add({ name: 'c', close: () => { say('ready'); return new Promise(() => {}) } })
    say('ready')`
  const { code, lines } = await run(script, ['SIGTERM', 'SIGINT'])
  const expected = [
    'ready',
    'ending',
    'ready',
    'second signal SIGINT: ending without closing the remaining parts',
  ]
  t.strictSame({ code, lines }, { code: 1, lines: expected })
})

t.test('the process does not wait for a hanging part after the deadline', async (t) => {
  const script = `const lifecycle = new Lifecycle({ logger, graceMs: 50 })
    lifecycle.add({ name: 'a', close: () => new Promise(() => {}) })
    lifecycle.end()`
  const { code, lines } = await run(script)
  t.strictSame({ code, lines }, { code: 1, lines: ['ending', 'not closed within 50 ms'] })
})

t.test('a part that starts during the end is closed as well', async (t) => {
  const script = `${plain}
    lifecycle.end()
    lifecycle.add({ name: 'c', close: () => say('c closed') })`
  const { code, lines } = await run(script)
  t.equal(code, 0)
  t.ok(lines.includes('c closed'))
})

t.test('SIGHUP can have a handler, but not during the end', async (t) => {
  const script = `
    const onHangup = () => { say('hangup'); say('ready') }
    const lifecycle = new Lifecycle({ logger, graceMs: 120000, onHangup })
    const closed = async () => {
      const hungUp = new Promise((resolve) => process.once('SIGHUP', resolve))
      say('ready')
      await hungUp
      say('closed')
    }
    lifecycle.add({ name: 'a', close: closed })
    stay(); say('ready')`
  const { code, lines } = await run(script, ['SIGHUP', 'SIGTERM', 'SIGHUP'])
  const expected = ['ready', 'hangup', 'ready', 'ending', 'ready', 'closed']
  t.strictSame({ code, lines }, { code: 0, lines: expected })
})

t.test('a full disk at the end of the process is logged as one line without a stack', async (t) => {
  const script = `${plain}
    logger.error = (fields, msg) => say([msg, Object.keys(fields).join(), fields.reason].join(' '))
    const full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
    lifecycle.add({ name: 'c', close: () => { throw full } })
    lifecycle.end()`
  const { code, lines } = await run(script)
  const message = 'failed to close part,reason database or disk is full'
  t.strictSame({ code, lines }, { code: 1, lines: ['ending', message, 'b closed', 'a closed'] })
})
