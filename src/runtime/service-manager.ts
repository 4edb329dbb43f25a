/**
 * Reports the service to systemd (sd_notify(3)): that it is ready, alive or stopping, and a
 * sentence about its work. Node has no datagram sockets of the Unix family, so the program
 * `systemd-notify` sends the messages. `systemd-notify` is a child process, so the units need
 * `NotifyAccess=all`.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Logger } from 'pino'

/** Longest time between two reports; a third of the watchdog's timeout if that is shorter. */
const longestIntervalMs = 20_000
/**
 * Maximum length of a status text in characters, because systemd ignores messages of more than 4096
 * bytes.
 */
const longestStatus = 1000
/** Longest run of `systemd-notify`, which waits until systemd has processed the message. */
const sendTimeoutMs = 10_000

/** The service manager of this process; if there is none, nothing is sent. */
export class ServiceManager {
  readonly #env: NodeJS.ProcessEnv
  readonly #logger: Logger
  readonly #watchdogMs: number
  #describe: (() => Promise<string>) | undefined
  #timer: NodeJS.Timeout | undefined
  /**
   * The status that was sent last; `undefined` until this process has reported that it is ready.
   */
  #lastStatus: string | undefined
  #lastFailure: string | undefined
  #reporting = false

  /**
   * @param env a service manager sets `NOTIFY_SOCKET`; if it restarts a process that hangs, it also
   * sets `WATCHDOG_USEC` and `WATCHDOG_PID`
   */
  constructor(env: NodeJS.ProcessEnv, logger: Logger) {
    this.#env = env
    this.#logger = logger
    this.#watchdogMs = watchdogOf(env)
  }

  /**
   * Reports that the service has started and, from now on, what it does. A later call replaces the
   * description.
   * @param describe returns a sentence about the work of the service; until it resolves, systemd
   * gets no sign of life
   */
  ready(describe: () => Promise<string>): void {
    this.#describe = describe
    if (this.#timer !== undefined || this.#env['NOTIFY_SOCKET'] === undefined) return
    const intervalMs = Math.min(longestIntervalMs, this.#watchdogMs / 3)
    this.#timer = setInterval(() => void this.#reportUnlessBusy(), intervalMs).unref()
    void this.#reportUnlessBusy()
  }

  /** Reports that the service is stopping. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#describe = undefined
    await this.#attempt(() => this.#send(['STOPPING=1', 'STATUS=stopping']))
  }

  async #reportUnlessBusy(): Promise<void> {
    if (this.#reporting) return
    this.#reporting = true
    await this.#attempt(() => this.#report())
    this.#reporting = false
  }

  async #report(): Promise<void> {
    if (this.#describe === undefined) return
    if (this.#lastStatus === undefined) await this.#send(['READY=1'])
    this.#lastStatus ??= ''
    const status = (await this.#describe()).replaceAll(/\s+/g, ' ').slice(0, longestStatus)
    const hasWatchdog = this.#watchdogMs !== Infinity
    if (status === this.#lastStatus && !hasWatchdog) return
    await this.#send([`STATUS=${status}`, ...(hasWatchdog ? ['WATCHDOG=1'] : [])])
    this.#lastStatus = status
  }

  /** Logs a failure; logs the same failure again only after a success. */
  async #attempt(task: () => Promise<void>): Promise<void> {
    try {
      await task()
      this.#lastFailure = undefined
    } catch (error) {
      const { message } = error as Error
      if (message !== this.#lastFailure)
        this.#logger.warn({ reason: message }, 'systemd not notified')
      this.#lastFailure = message
    }
  }

  async #send(messages: readonly string[]): Promise<void> {
    const { PATH, NOTIFY_SOCKET } = this.#env
    if (NOTIFY_SOCKET === undefined) return
    const options = { env: { PATH, NOTIFY_SOCKET }, timeout: sendTimeoutMs }
    await promisify(execFile)('systemd-notify', messages, options)
  }
}

/**
 * Time without a sign of life after which systemd restarts this process (ms); infinite without a
 * watchdog.
 */
function watchdogOf({ WATCHDOG_USEC: time, WATCHDOG_PID: pid }: NodeJS.ProcessEnv): number {
  const isForThis = pid === undefined || pid === String(process.pid)
  return isForThis && Number(time) > 0 ? Number(time) / 1000 : Infinity
}
