/** The command `alerts`: its configuration, its test message, and its run as a service. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t, { exact } from '../tap.ts'
import type { Test } from 'tap'
import { openWriter } from '../../src/catalogue/sqlite/writer.ts'
import { createClock } from '../../src/runtime/clock.ts'
import { openReceiver, secret } from '../alerts/receiver.ts'
import { until } from '../until.ts'
import { testFolder } from '../folder.ts'
import { kept, programLine } from '../program.ts'

function launch(folder: string, ...args: string[]) {
  const child = spawn(...programLine([...args, '--config', 'config.toml']), {
    cwd: folder,
    env: kept,
  })
  const outcome = { child, text: '' }
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece: Buffer) => (outcome.text += piece.toString()))
  return outcome
}

async function run(folder: string, ...args: string[]) {
  const outcome = launch(folder, ...args)
  const [code] = (await once(outcome.child, 'close')) as [number | null]
  return { code, text: outcome.text }
}

function folderWith(t: Test, alerts: string): string {
  const config = `database = "c.db"\nalerts_state_file = "state/alerts.json"\n${alerts}`
  return testFolder(t, { 'config.toml': config, secret: `${secret}\n` })
}

t.test('alerts --test sends a signed message and reports whether it was delivered', async (t) => {
  const receiver = await openReceiver(t, (response, count) =>
    response.writeHead(count > 1 ? 403 : 200).end(),
  )
  const folder = folderWith(
    t,
    `alerts_webhook_url = "${receiver.url}"\nalerts_secret_file = "secret"`,
  )
  const first = await run(folder, 'alerts', '--test')
  const [{ message, isSigned }] = receiver.received as [(typeof receiver.received)[0]]
  t.strictSame(first, { code: 0, text: `delivered ${message.id}\n` })
  t.match(message, { kind: 'test', state: 'open', series: exact([]) })
  t.ok(isSigned)
  const second = await run(folder, 'alerts', '--test')
  t.equal(second.code, 1)
  t.match(second.text, 'the message was not delivered: HTTP status 403')
})

t.test('the alerts service runs until a signal, also without a catalogue', async (t) => {
  const { url, received } = await openReceiver(t)
  const folder = folderWith(t, `alerts_webhook_url = "${url}"\nalerts_secret_file = "secret"`)
  const nowUs = createClock()
  const beat = async (ageSeconds: number | undefined): Promise<void> => {
    const writer = openWriter({ database: join(folder, 'c.db'), nowUs })
    if (ageSeconds !== undefined)
      await writer.heartbeat({ atUs: nowUs() - ageSeconds * 1e6, limitSeconds: 180 })
    writer.close()
  }
  for (const [expected, age] of [
    ['cannot read', undefined],
    ['the indexer is stopped', 0],
    ['the indexer is stopped', 300],
    ['alert delivered', 300],
  ] as const) {
    const outcome = launch(folder, 'alerts')
    await until(expected, () => outcome.text.includes(expected))
    outcome.child.kill('SIGTERM')
    const [code] = (await once(outcome.child, 'exit')) as [number | null]
    t.equal(code, 0)
    t.notMatch(outcome.text, /in-the-url|nobody-logs/)
    t.ok(existsSync(join(folder, 'state/alerts.json')))
    t.equal(received.length, expected === 'alert delivered' ? 1 : 0, expected)
    await beat(age)
  }
  t.match(received[0]?.message, { kind: 'not-current', reason: 'the indexer is stopped' })
})

t.test('the alerts service reports the faults of its configuration', async (t) => {
  const cases: readonly (readonly [alerts: string, faults: readonly RegExp[]])[] = [
    ['', [/default: alerts_webhook_url must be set/, /default: alerts_secret_file must be set/]],
    [
      'alerts_webhook_url = "http://example.org/t0ken"',
      [/alerts_webhook_url must be an https URL.*found another value/],
    ],
    [
      'alerts_webhook_url = "https://example.org/t0ken"\nalerts_secret_file = "nowhere"',
      [/alerts_secret_file cannot be read: ENOENT/],
    ],
    [
      'alerts_webhok_url = "https://example.org/t0ken"',
      [/"alerts_webhok_url\\?", did you mean alerts_webhook_url/],
    ],
  ]
  for (const [alerts, faults] of cases) {
    const { code, text } = await run(folderWith(t, alerts), 'alerts')
    t.equal(code, 78, alerts)
    for (const fault of faults) t.match(text, fault)
    t.notMatch(text, 't0ken')
  }
})

t.test('check-config reads the secret, and prints neither the secret nor the URL', async (t) => {
  const alerts = 'alerts_webhook_url = "https://example.org/t0ken"\nalerts_secret_file = '
  const good = await run(folderWith(t, `${alerts}"secret"`), 'check-config')
  t.equal(good.code, 0)
  t.match(good.text, /^# alerts_webhook_url has a value that is not shown # from .*config.toml$/m)
  t.match(good.text, /^alerts_secret_file = ".*secret" # from/m)
  t.notMatch(good.text, /t0ken|nobody-logs/)
  const bad = await run(folderWith(t, `${alerts}"state"`), 'check-config')
  t.equal(bad.code, 78)
  t.match(bad.text, /alerts_secret_file cannot be read: ENOENT/)
})
