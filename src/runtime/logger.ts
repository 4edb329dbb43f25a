import { destination, pino, stdTimeFunctions } from 'pino'
import type { DestinationStream, Logger } from 'pino'
import pretty from 'pino-pretty'

/** Where HTTP libraries and our own code put a token when they log a request. */
const secrets = [
  'authorization',
  'headers.authorization',
  'req.headers.authorization',
  'request.headers.authorization',
]

/** What is kept in memory of a log that cannot be written. */
const maxWaitingBytes = 1024 * 1024

export interface LoggerOptions {
  readonly level: LogLevel
  /** The part that speaks: `indexer`, `api`. */
  readonly name?: string
  /** Write for people instead of programs; by default when standard output is a terminal. */
  readonly readable?: boolean
}

/**
 * The one way to a logger. Both forms write synchronously, because processes here end by `process.exit` and
 * the last lines are the ones that say why.
 */
export function createLogger({ level, name, readable }: LoggerOptions): Logger {
  const options = {
    level,
    base: { pid: process.pid },
    ...(name === undefined ? {} : { name }),
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: secrets, censor: '[redacted]' },
  }
  return pino(options, (readable ?? process.stdout.isTTY) ? readableLines() : jsonLines())
}

function readableLines(): DestinationStream {
  return pretty({ sync: true, ignore: 'pid', translateTime: 'SYS:HH:MM:ss.l' })
}

function jsonLines(): DestinationStream {
  const lines = destination({ dest: 1, sync: true, maxLength: maxWaitingBytes })
  // A full disk under the log must not end the service. Lines wait, then are dropped, until there is room.
  return lines.on('error', () => {})
}

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

export type LogLevel = (typeof logLevels)[number]
