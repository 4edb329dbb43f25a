/** Creates the logger of a process, and decides what the log shows of an error. */
import { fstatSync } from 'node:fs'
import type { DestinationStream, Logger } from 'pino'
import { destination, pino, stdTimeFunctions, symbols } from 'pino'
import pretty from 'pino-pretty'

/** Log fields in which HTTP libraries and this program may put a token. */
const secrets = [
  'authorization',
  'headers.authorization',
  'req.headers.authorization',
  'request.headers.authorization',
]

/** Maximum number of bytes of log lines that are kept in memory while the log cannot be written. */
const maxWaitingBytes = 1024 * 1024

interface LoggerOptions {
  readonly level: LogLevel
  /** Name of the process, for example `indexer` or `api`. */
  readonly name?: string
  /** Writes text for people instead of JSON; by default only if standard output is a terminal. */
  readonly readable?: boolean
  /** 1 for standard output, 2 for standard error. */
  readonly output?: Output
}

type Output = 1 | 2

/**
 * Creates a logger. It writes synchronously, because processes end with `process.exit` and the last
 * lines give the reason.
 */
export function createLogger({ level, name, readable, output = 1 }: LoggerOptions): Logger {
  const options = {
    level,
    base: { pid: process.pid },
    ...(name === undefined ? {} : { name }),
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: secrets, censor: '[redacted]' },
  }
  return pino(
    options,
    (readable ?? process.stdout.isTTY) ? readableLines(output) : jsonLines(output),
  )
}

function readableLines(destination: number): DestinationStream {
  return pretty({ destination, sync: true, ignore: 'pid', translateTime: 'SYS:HH:MM:ss.l' })
}

function jsonLines(output: Output): DestinationStream {
  const lines = destination({ dest: output, sync: true, maxLength: maxWaitingBytes })
  // A full disk must not end the service. Until there is room, lines are kept in memory; lines
  // beyond the limit are dropped.
  lines.on('error', () => {})
  return isJournal(output) ? withPriorities(lines) : lines
}

/**
 * True if an output leads directly into the journal of systemd (see `JOURNAL_STREAM` in
 * systemd.exec(5)).
 */
export function isJournal(output: Output): boolean {
  const stream = process.env['JOURNAL_STREAM']
  if (stream === undefined) return false
  const { dev, ino } = fstatSync(output)
  return stream === `${dev}:${ino}`
}

/** Priorities of syslog(3), each with the lowest level of pino to which it applies. */
const priorities: readonly (readonly [fromLevel: number, priority: number])[] = [
  [60, 2],
  [50, 3],
  [40, 4],
  [30, 6],
  [0, 7],
]

/** Puts the priority before each line, as sd-daemon(3) describes; the journal removes it. */
function withPriorities(lines: DestinationStream): DestinationStream {
  const stream = {
    // With this symbol, pino sets `lastLevel` before each line.
    [symbols.needsMetadataGsym]: true as const,
    lastLevel: 0,
    write(line: string): void {
      const [, priority = 7] = priorities.find(([level]) => stream.lastLevel >= level) ?? []
      lines.write(`<${priority}>${line}`)
    },
  }
  return stream
}

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

export type LogLevel = (typeof logLevels)[number]

/**
 * True if the log needs only the message of an error, not its stack. An error with a code comes
 * from the environment or was thrown on purpose. Any other error is a defect of the program, and so
 * is a TypeError of Node about wrong arguments; the stack of a defect is needed.
 */
export function isExpected(error: unknown): boolean {
  return error instanceof Error && 'code' in error && !(error instanceof TypeError)
}

/** Returns the log fields of a failure: its message, or for a defect the error with its stack. */
export function failureFields(failure: unknown): { reason: string } | { err: unknown } {
  if (typeof failure === 'string') return { reason: failure }
  return failure instanceof Error && isExpected(failure)
    ? { reason: failure.message }
    : { err: failure }
}
