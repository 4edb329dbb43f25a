/**
 * Reports the service to systemd (sd_notify(3)): that it is ready, alive or stopping, and a sentence about its work. Node has no
 * datagram sockets of the Unix family, so the program `systemd-notify` sends the messages. `systemd-notify` is a child process,
 * so the units need `NotifyAccess=all`.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Logger } from 'pino'

/** Longest time between two reports; a third of the watchdog's timeout if that is shorter. */
const longestIntervalMs = 20_000
/** Maximum length of a status text in characters, because systemd ignores messages of more than 4096 bytes. */
const longestStatus = 1000
/** Longest run of `systemd-notify`, which waits until systemd has processed the message. */
const sendTimeoutMs = 10_000

/** Connects to the service manager of this process; if there is none, nothing is sent. */
export function openServiceManager(parts: {
  /**
   * A service manager sets `NOTIFY_SOCKET`; if it restarts a process that hangs, it also sets `WATCHDOG_USEC` and `WATCHDOG_PID`.
   */
  readonly env: NodeJS.ProcessEnv
  readonly logger: Logger
}) {
  const { env, logger } = parts
  const { PATH, NOTIFY_SOCKET } = env
  const watchdogMs = watchdogOf(env)
  let describe: (() => Promise<string>) | undefined
  let timer: NodeJS.Timeout | undefined
  /** The status that was sent last; `undefined` until this process has reported that it is ready. */
  let lastStatus: string | undefined
  let lastFailure: string | undefined
  let reporting = false
  const send = (messages: readonly string[]): Promise<unknown> =>
    promisify(execFile)('systemd-notify', messages, {
      env: { PATH, NOTIFY_SOCKET },
      timeout: sendTimeoutMs,
    })
  /** Logs a failure; logs the same failure again only after a success. */
  const attempt = async (task: () => Promise<unknown>): Promise<void> => {
    if (NOTIFY_SOCKET === undefined) return
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
    /**
     * Reports that the service has started and, from now on, what it does. A later call replaces the description.
     * @param next returns a sentence about the work of the service; until it resolves, systemd gets no sign of life
     */
    ready(next: () => Promise<string>): void {
      describe = next
      if (timer !== undefined || NOTIFY_SOCKET === undefined) return
      timer = setInterval(
        () => void reportUnlessBusy(),
        Math.min(longestIntervalMs, watchdogMs / 3),
      ).unref()
      void reportUnlessBusy()
    },
    /** Reports that the service is stopping. */
    async close(): Promise<void> {
      clearInterval(timer)
      describe = undefined
      await attempt(() => send(['STOPPING=1', 'STATUS=stopping']))
    },
  }
}

/** Time without a sign of life after which systemd restarts this process (ms); infinite without a watchdog. */
function watchdogOf({ WATCHDOG_USEC: time, WATCHDOG_PID: pid }: NodeJS.ProcessEnv): number {
  const isForThis = pid === undefined || pid === String(process.pid)
  return isForThis && Number(time) > 0 ? Number(time) / 1000 : Infinity
}
