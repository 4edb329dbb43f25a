/** The command `alerts`: sends messages about alerts, or one test message. */
import { randomUUID } from 'node:crypto'
import { runAlertLoop } from '../alerts/alert-loop.ts'
import { MemoryFile } from '../alerts/memory-file.ts'
import { createWebhook } from '../alerts/webhook.ts'
import { CurrencyReader } from '../api/series/currency-reader.ts'
import { NetworkStatusCache } from '../api/series/network-status.ts'
import { openReader } from '../catalogue/engines/open.ts'
import type { ConfigOf } from '../config/command-options.ts'
import { ConfigError } from '../config/checks.ts'
import { readExpectedFile } from '../config/expected-file.ts'
import { readToken } from '../config/named-files.ts'
import { askStatus } from '../control-socket/client.ts'
import { lostSeries, openAlerts } from '../series/alerts.ts'
import { ExpectedRules } from '../series/expectation.ts'
import { createClock } from '../runtime/clock.ts'
import { graceMs, Lifecycle } from '../runtime/lifecycle.ts'
import { createLogger } from '../runtime/logger.ts'
import { packageVersion, print } from '../runtime/program.ts'
import { controlOf } from './control.ts'

type Config = ConfigOf<'alerts'>

/** Sends messages about alerts until a signal ends the process. */
export async function alerts(config: Config): Promise<number> {
  const send = webhookOf(config)
  const expected = new ExpectedRules(readExpectedFile(config.expectedFile))
  const logger = createLogger({ level: config.logLevel, name: 'alerts' })
  const lifecycle = new Lifecycle({ logger, graceMs: graceMs.alerts })
  const reader = await openReader(config)
  const end = new AbortController()
  const nowUs = createClock()
  const control = controlOf(config)
  const indexerStatus = () => askStatus(control)
  const currency = new CurrencyReader({ indexerStatus, nowUs })
  const network = new NetworkStatusCache({ reader, nowUs, expected, currency })
  const loop = runAlertLoop(
    {
      openAlerts: async () => {
        const { states, currency } = await network.current()
        const { asOf } = currency
        const alerts = asOf === undefined ? [] : openAlerts(states, asOf)
        return { currency, alerts, lost: lostSeries(states) }
      },
      indexerStatus,
      send,
      memory: new MemoryFile(config.alertsStateFile),
      nowSeconds: () => nowUs() / 1e6,
      logger,
    },
    end.signal,
  )
  lifecycle.add({
    name: 'alerts',
    close: async () => {
      end.abort()
      await loop.catch(() => undefined)
      await reader.close()
    },
  })
  await loop.catch((error: unknown) => lifecycle.end(error))
  return lifecycle.untilEnd()
}

/** @throws ConfigError when an option is not set, or the secret cannot be read */
function webhookOf(config: Config): ReturnType<typeof createWebhook> {
  const { alertsWebhookUrl: url, alertsSecretFile } = config
  const secret = readToken('alerts_secret_file', alertsSecretFile)
  if (url !== undefined && secret !== undefined)
    return createWebhook({ url, secret, version: packageVersion() })
  const unset = url === undefined ? ['alerts_webhook_url'] : []
  if (secret === undefined) unset.push('alerts_secret_file')
  throw new ConfigError(
    unset.map((key) => ({ source: 'default', key, message: `${key} must be set` })),
  )
}

/** The receiver did not accept the message. */
class NotDelivered extends Error {
  readonly code = 'NOT_DELIVERED'
}

/** Sends one message of the kind `test`. */
export async function testAlerts(config: Config): Promise<number> {
  const send = webhookOf(config)
  const id = randomUUID()
  const at = new Date().toISOString()
  const reason = await send({ id, at, kind: 'test', state: 'open', series: [] })
  if (reason !== undefined) throw new NotDelivered(`the message was not delivered: ${reason}`)
  await print(`delivered ${id}`)
  return 0
}
