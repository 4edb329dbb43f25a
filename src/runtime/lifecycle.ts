/**
 * The end of a process. Parts are handed over as they start; on SIGTERM or SIGINT, or when an error escapes,
 * they are closed in reverse order and the process ends by `process.exit`. It never ends just because nothing
 * is left to do: native addons would then run their own clean-up, and that of the database must not run.
 */
import closeWithGrace from 'close-with-grace'
import type { Logger } from 'pino'

/**
 * The longest that the end of each process may take: for the requests in hand, and for the directory in hand and the
 * database. systemd waits longer.
 */
export const graceMs = { api: 10_000, indexer: 20_000 }

/** Something that has started and must be closed before the process ends. */
export interface Part {
  readonly name: string
  close(): void | Promise<void>
}

export interface LifecycleOptions {
  readonly logger: Logger
  /** Longest time that all closing together may take; then the process exits 1. */
  readonly graceMs: number
  /** What SIGHUP means; without it SIGHUP ends the process like SIGTERM. */
  readonly onHangup?: () => void
}

export interface Lifecycle {
  /** Hands over a part that has just started; one that starts during the end is closed with the rest. */
  add(part: Part): void
  /** Waits for the end. What a daemon's command returns. */
  untilEnd(): Promise<never>
  /**
   * Closes the parts and ends the process: exit code 0, or 1 with a failure, which is logged: text as it is, an error with
   * its stack.
   */
  end(failure?: unknown): Promise<never>
}

/**
 * The signals that ask for an end. A handler for those a broken process sends itself (SIGSEGV, SIGBUS, …)
 * would keep it hanging instead of dying, and SIGUSR2 means nothing here.
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

/** Takes over signals and escaped errors, once per process and before the first part starts. */
export function startLifecycle({ logger, graceMs, onHangup }: LifecycleOptions): Lifecycle {
  const parts: Part[] = []
  let ending = false
  let failure: unknown

  const grace = closeWithGrace(
    {
      delay: graceMs,
      logger: false,
      skip: onHangup === undefined ? [...leftAlone] : [...leftAlone, 'SIGHUP'],
      onSecondSignal: (signal) => {
        logger.error(`second signal ${signal}, not waiting for the rest`)
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
      if (failure === undefined) logger.info({ signal }, 'ending')
      else logger.fatal(factsOf(failure), 'ending because of an error')
      const closed = await closeAll(parts, logger)
      // Rejecting is how the library is told to exit 1.
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
    add: (part) => void parts.push(part),
    untilEnd: () => never,
    end(reason) {
      if (!ending) {
        ending = true
        failure = reason
        grace.close()
      }
      return never
    },
  }
}

function factsOf(failure: unknown) {
  return typeof failure === 'string' ? { reason: failure } : { err: failure }
}

/** Last started, first closed. A part that fails to close does not keep the others from it. */
async function closeAll(parts: Part[], logger: Logger): Promise<boolean> {
  let closed = true
  for (let part = parts.at(-1); part !== undefined; part = parts.at(-1)) {
    try {
      await part.close()
    } catch (err) {
      closed = false
      logger.error({ err, part: part.name }, 'failed to close')
    }
    // Taken out only now: the deadline's message names the part that is being waited for.
    parts.splice(parts.indexOf(part), 1)
  }
  return closed
}
