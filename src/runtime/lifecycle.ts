/**
 * Ends the process in order. Each part registers when it starts. When `end` is called, or on a
 * signal that ends the process (such as SIGTERM) or an uncaught error, the parts are closed in
 * reverse order, and then `process.exit` is called. The process must not end merely because it is
 * idle: native addons would run their exit hooks, and the hook of the database driver must not run.
 */
import type { Options } from 'close-with-grace'
import closeWithGrace from 'close-with-grace'
import type { Logger } from 'pino'
import { failureFields } from './logger.ts'

/**
 * Maximum time in which each process must end (ms). In this time, the API finishes its requests,
 * and the indexer finishes its current directory and makes a checkpoint. systemd waits longer
 * before it kills a process.
 */
export const graceMs = { api: 10_000, indexer: 20_000 }

/** A part that has started and must be closed before the process ends. */
export interface Part {
  readonly name: string
  close(): void | Promise<void>
}

interface LifecycleOptions {
  readonly logger: Logger
  /** Longest time to close all parts (ms); then the process exits with 1. */
  readonly graceMs: number
  /** Handles SIGHUP; if it is not set, SIGHUP ends the process like SIGTERM. */
  readonly onHangup?: () => void
}

/**
 * Signals for which no handler is installed. A handler for the signals of a crash (SIGSEGV, SIGBUS,
 * …) would make the process hang; SIGUSR2 has no meaning here.
 */
const leftAlone = [
  'SIGILL',
  'SIGTRAP',
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGSEGV',
  'SIGUSR2',
] as const

const never = new Promise<never>(() => {})

/** The end of this process; there is one per process, made before the first part starts. */
export class Lifecycle {
  readonly #logger: Logger
  readonly #parts: Part[] = []
  readonly #grace: ReturnType<typeof closeWithGrace>
  #isEnding = false
  #failure: unknown

  /** Installs handlers for signals and uncaught errors. */
  constructor({ logger, graceMs, onHangup }: LifecycleOptions) {
    this.#logger = logger
    const options: Options = {
      delay: graceMs,
      logger: false,
      skip: onHangup === undefined ? [...leftAlone] : [...leftAlone, 'SIGHUP'],
      onSecondSignal: (signal) => {
        logger.error(`second signal ${signal}: ending without closing the remaining parts`)
      },
      onSecondError: (err) => {
        logger.fatal({ err }, 'error while ending')
      },
      onTimeout: () => {
        logger.error({ waiting_for: this.#parts.at(-1)?.name }, `not closed within ${graceMs} ms`)
      },
    }
    this.#grace = closeWithGrace(options, (why) => this.#close(why))
    if (onHangup !== undefined)
      process.on('SIGHUP', () => {
        if (!this.#isEnding) onHangup()
      })
  }

  /**
   * Registers a part that has just started. A part that starts while the process ends is closed
   * with the rest.
   */
  add(part: Part): void {
    this.#parts.push(part)
  }

  /**
   * Returns a promise that never resolves. The command of a daemon returns it, so that the daemon
   * keeps running.
   */
  untilEnd(): Promise<never> {
    return never
  }

  /**
   * Closes the parts and ends the process with exit code 0. With a failure, logs it (an error with
   * its stack) and exits with 1.
   */
  end(reason?: unknown): Promise<never> {
    if (!this.#isEnding) {
      this.#isEnding = true
      this.#failure = reason
      this.#grace.close()
    }
    return never
  }

  async #close({ err, signal }: { err?: Error; signal?: string }): Promise<void> {
    this.#isEnding = true
    this.#failure ??= err
    const failure = this.#failure
    const facts = typeof failure === 'string' ? { reason: failure } : { err: failure }
    if (failure === undefined) this.#logger.info({ signal }, 'ending')
    else this.#logger.fatal(facts, 'ending because of an error')
    const isClosed = await this.#closeParts()
    // close-with-grace exits with 1 when this function rejects.
    if (failure !== undefined || !isClosed) throw new Error('ended with a failure')
  }

  /** Closes the parts, last started first. If one fails to close, the others are still closed. */
  async #closeParts(): Promise<boolean> {
    let isClosed = true
    for (let part = this.#parts.at(-1); part !== undefined; part = this.#parts.at(-1)) {
      try {
        await part.close()
      } catch (err) {
        isClosed = false
        // A part can fail to close for example on a full disk.
        this.#logger.error({ part: part.name, ...failureFields(err) }, 'failed to close')
      }
      // The part is removed only now, so that the timeout message can name the part that is still
      // closing.
      this.#parts.splice(this.#parts.indexOf(part), 1)
    }
    return isClosed
  }
}
