import { destination, pino, stdTimeFunctions } from 'pino'
import type { DestinationStream, Logger } from 'pino'
import pretty from 'pino-pretty'

/** Log fields in which HTTP libraries and this program may put a token. */
const secrets = [
  'authorization',
  'headers.authorization',
  'req.headers.authorization',
  'request.headers.authorization',
]

/** Log lines kept in memory while the log cannot be written (bytes). */
const maxWaitingBytes = 1024 * 1024

export interface LoggerOptions {
  readonly level: LogLevel
  /** The process: `indexer`, `api`. */
  readonly name?: string
  /** Text for people instead of JSON; by default when standard output is a terminal. */
  readonly readable?: boolean
  /** 1 for standard output, 2 for standard error. */
  readonly output?: 1 | 2
}

/** Creates a logger. It writes synchronously, because processes end with `process.exit` and the last lines give the reason. */
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

function jsonLines(output: number): DestinationStream {
  const lines = destination({ dest: output, sync: true, maxLength: maxWaitingBytes })
  // A full disk must not end the service. Lines are kept in memory up to the limit, then dropped, until there is room.
  return lines.on('error', () => {})
}

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

export type LogLevel = (typeof logLevels)[number]
