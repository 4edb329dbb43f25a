/**
 * Tells systemd how the service is (sd_notify(3)): ready, what it does in words, alive, stopping. Node has no datagram sockets of
 * the Unix family, so the program `systemd-notify` sends the messages; the units need `NotifyAccess=all` for this child process.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Logger } from 'pino'

/** Time between two reports; a third of the watchdog's time if that is shorter. */
const longestIntervalMs = 20_000
/** systemd ignores messages of more than 4096 bytes. */
const longestStatus = 1000
/** `systemd-notify` waits until systemd has processed its messages. */
const sendTimeoutMs = 10_000

export interface ServiceManagerDeps {
  /** `NOTIFY_SOCKET` is set by a service manager, `WATCHDOG_USEC` and `WATCHDOG_PID` by one that restarts a process that hangs. */
  readonly env: NodeJS.ProcessEnv
  readonly logger: Logger
}

export interface ServiceManager {
  /**
   * Reports that the service has started and, from now on, what it does. May be called again with another description.
   * @param describe says in words what the service does; resolves only when the database has answered
   */
  ready(describe: () => Promise<string>): void
  /** Reports that the service is stopping. */
  readonly close: () => Promise<void>
}

/** Opens the service manager of this process; without one, nothing is sent. */
export function openServiceManager({ env, logger }: ServiceManagerDeps): ServiceManager {
  const { PATH, NOTIFY_SOCKET } = env
  if (NOTIFY_SOCKET === undefined) return { ready: () => undefined, close: () => Promise.resolve() }
  const watchdogMs = watchdogOf(env)
  let describe: (() => Promise<string>) | undefined
  let timer: NodeJS.Timeout | undefined
  /** The status that was sent last; `undefined` until this process is reported as ready. */
  let lastStatus: string | undefined
  let lastFailure: string | undefined
  let reporting = false
  const send = (messages: readonly string[]): Promise<unknown> =>
    promisify(execFile)('systemd-notify', messages, {
      env: { PATH, NOTIFY_SOCKET },
      timeout: sendTimeoutMs,
    })
  /** Logs a failure, and the same one again only after a success. */
  const attempt = async (task: () => Promise<unknown>): Promise<void> => {
    try {
      await task()
      lastFailure = undefined
    } catch (error) {
      const { message } = error as Error
      if (message !== lastFailure) logger.warn({ reason: message }, 'systemd not notified')
      lastFailure = message
    }
  }
  const report = async (): Promise<void> => {
    if (describe === undefined) return
    if (lastStatus === undefined) await send(['READY=1'])
    lastStatus ??= ''
    const status = (await describe()).replaceAll(/\s+/g, ' ').slice(0, longestStatus)
    const isNew = status !== lastStatus
    if (!isNew && watchdogMs === Infinity) return
    await send([`STATUS=${status}`, ...(watchdogMs === Infinity ? [] : ['WATCHDOG=1'])])
    lastStatus = status
  }
  const reportUnlessBusy = async (): Promise<void> => {
    if (reporting) return
    reporting = true
    await attempt(report)
    reporting = false
  }
  return {
    ready(next) {
      describe = next
      if (timer !== undefined) return
      timer = setInterval(
        () => void reportUnlessBusy(),
        Math.min(longestIntervalMs, watchdogMs / 3),
      ).unref()
      void reportUnlessBusy()
    },
    async close() {
      clearInterval(timer)
      describe = undefined
      await attempt(() => send(['STOPPING=1', 'STATUS=stopping']))
    },
  }
}

/** The time after which this process is restarted without a sign of life (ms). */
function watchdogOf({ WATCHDOG_USEC: time, WATCHDOG_PID: pid }: NodeJS.ProcessEnv): number {
  const isForThis = pid === undefined || pid === String(process.pid)
  return isForThis && Number(time) > 0 ? Number(time) / 1000 : Infinity
}
