import { execFileSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { bare } from '../program.ts'
import t from '../tap.ts'

/** Runs a script that has `createLogger` and returns the lines it printed. */
function linesOf(script: string, stdout: 'pipe' | number = 'pipe'): string[] {
  const source = `import { createLogger } from './src/runtime/logger.ts'\n${script}`
  const [first, ...rest] = [...bare, process.execPath, '--input-type=module', '--eval', source]
  const output = execFileSync(first, rest, {
    encoding: 'utf8',
    stdio: ['ignore', stdout, 'inherit'],
  }) as string | null
  return (output ?? '').trimEnd().split('\n')
}

t.test('without a terminal, a log line is JSON', async (t) => {
  const [line, ...others] = linesOf(`
    const logger = createLogger({ level: 'info', name: 'api' })
    logger.debug('too quiet')
    logger.info({ url: 'http://a' }, 'listening')
    process.exit(0)`)
  t.strictSame(others, [])
  const time = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/
  const expected = {
    level: 'info',
    name: 'api',
    msg: 'listening',
    url: 'http://a',
    pid: Number,
    time,
  }
  t.match(JSON.parse(line ?? ''), expected)
})

t.test('a readable log line is text, and no line is lost at process.exit', async (t) => {
  const lines = linesOf(`
    const logger = createLogger({ level: 'debug', readable: true })
    for (let number = 1; number <= 500; number += 1) logger.debug('line ' + number)
    process.exit(0)`)
  t.equal(lines.length, 500)
  t.match(lines.at(-1), /DEBUG.*line 500/)
  t.notMatch(lines.at(-1), /[{}]/)
})

t.test('an authorization header is never logged', async (t) => {
  const text = linesOf(`
    const logger = createLogger({ level: 'info' })
    const headers = { authorization: 'Bearer hunter2', host: 'a' }
    logger.info({ headers })
    logger.info({ req: { headers } })
    logger.info({ request: { headers } })
    logger.info(headers)`).join('\n')
  t.notMatch(text, /hunter2/)
  t.equal(text.match(/\[redacted\]/g)?.length, 4)
})

t.test('a log that cannot be written does not end the process', async (t) => {
  const full = openSync('/dev/full', 'w')
  t.teardown(() => closeSync(full))
  const script = `
    const logger = createLogger({ level: 'info' })
    for (let number = 1; number <= 500; number += 1) logger.info('x'.repeat(5000))`
  t.doesNotThrow(() => linesOf(script, full))
})

t.test('in the journal of systemd, a line begins with its priority', async (t) => {
  const script = `
    import { fstatSync } from 'node:fs'
    const { dev, ino } = fstatSync(1)
    process.env.JOURNAL_STREAM = dev + ':' + ino
    const logger = createLogger({ level: 'trace' })
    for (const level of ['fatal', 'error', 'warn', 'info', 'debug', 'trace']) logger[level](level)
    logger.child({ a: 1 }).error('child')`
  const lines = linesOf(script).map((line) => {
    const [, priority, json = ''] = /^<(\d)>(\{.*\})$/.exec(line) ?? []
    return [Number(priority), (JSON.parse(json) as { msg: string }).msg]
  })
  t.strictSame(lines, [
    [2, 'fatal'],
    [3, 'error'],
    [4, 'warn'],
    [6, 'info'],
    [7, 'debug'],
    [7, 'trace'],
    [3, 'child'],
  ])
  const elsewhere = `process.env.JOURNAL_STREAM = '1:1'; createLogger({ level: 'info' }).info('a')`
  t.match(linesOf(elsewhere)[0], /^\{/)
})
