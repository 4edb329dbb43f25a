/**
 * Ends the process in order. Each part registers when it starts. When `end` is called, or on a
 * signal that ends the process (such as SIGTERM) or an uncaught error, the parts are closed in
 * reverse order, and then `process.exit` is called. The process must not end merely because it is
 * idle: native addons would run their exit hooks, and the hook of the database driver must not run.
 */
import closeWithGrace from 'close-with-grace'
import type { Logger } from 'pino'
import { failureFields } from './logger.ts'

/**
 * Maximum time in which each process must end (ms). In this time, the API finishes its requests,
 * the indexer finishes its current directory and makes a checkpoint, and the alerts process
 * delivers a message. systemd waits longer before it kills a process.
 */
export const graceMs = { api: 10_000, indexer: 20_000, alerts: 15_000 }

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

export type Lifecycle = ReturnType<typeof startLifecycle>

/**
 * Installs handlers for signals and uncaught errors; call it once per process, before the first
 * part starts.
 */
export function startLifecycle({ logger, graceMs, onHangup }: LifecycleOptions) {
  const parts: Part[] = []
  let ending = false
  let failure: unknown

  const grace = closeWithGrace(
    {
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
        logger.error({ waiting_for: parts.at(-1)?.name }, `not closed within ${graceMs} ms`)
      },
    },
    async ({ err, signal }) => {
      ending = true
      failure ??= err
      const facts = typeof failure === 'string' ? { reason: failure } : { err: failure }
      if (failure === undefined) logger.info({ signal }, 'ending')
      else logger.fatal(facts, 'ending because of an error')
      const closed = await closeAll(parts, logger)
      // close-with-grace exits with 1 when this function rejects.
      if (failure !== undefined || !closed) throw new Error('ended with a failure')
    },
  )
  if (onHangup !== undefined) {
    process.on('SIGHUP', () => {
      if (!ending) onHangup()
    })
  }

  const never = new Promise<never>(() => {})
  return {
    /**
     * Registers a part that has just started. A part that starts while the process ends is closed
     * with the rest.
     */
    add(part: Part): void {
      parts.push(part)
    },
    /**
     * Returns a promise that never resolves. The command of a daemon returns it, so that the daemon
     * keeps running.
     */
    untilEnd: () => never,
    /**
     * Closes the parts and ends the process with exit code 0. With a failure, logs it (an error
     * with its stack) and exits with 1.
     */
    end(reason?: unknown): Promise<never> {
      if (!ending) {
        ending = true
        failure = reason
        grace.close()
      }
      return never
    },
  }
}

/** Closes the parts, last started first. If one fails to close, the others are still closed. */
async function closeAll(parts: Part[], logger: Logger): Promise<boolean> {
  let closed = true
  for (let part = parts.at(-1); part !== undefined; part = parts.at(-1)) {
    try {
      await part.close()
    } catch (err) {
      closed = false
      // A part can fail to close for example on a full disk.
      logger.error({ part: part.name, ...failureFields(err) }, 'failed to close')
    }
    // The part is removed only now, so that the timeout message can name the part that is still
    // closing.
    parts.splice(parts.indexOf(part), 1)
  }
  return closed
}
