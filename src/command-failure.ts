/** What is said when a command fails, and its exit code. */
import { CommanderError } from 'commander'
import type { Logger } from 'pino'
import { CatalogueUnavailable, UnusableDatabase } from './catalogue/errors.ts'
import { ConfigError, faultLine } from './config/checks.ts'
import { errorCode } from './runtime/error-code.ts'
import { createLogger, failureFields, isExpected } from './runtime/logger.ts'

const exitCodes = { failed: 1, usage: 2, configuration: 78 } as const

/** The name of each daemon in the log. */
export const daemonNames: Readonly<Record<string, string>> = {
  start: 'api',
  index: 'indexer',
  serve: 'api',
}

/** Reports an error and returns the exit code. @param command the name of the command that ran */
export function report(error: unknown, command: string): number {
  // Help and version arrive here with exit code 0; other messages were printed by the library.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage
  const logger = daemonLogger(command)
  if (logger === undefined) process.stderr.write(`rinex-catalogue: ${reasonOf(error)}\n`)
  else if (error instanceof ConfigError)
    logger.fatal({ faults: error.faults.map(faultLine) }, 'bad configuration')
  else logger.fatal(failureFields(error), 'start failed')
  const isFatal =
    error instanceof ConfigError || (command in daemonNames && needsAdministrator(error))
  return isFatal ? exitCodes.configuration : exitCodes.failed
}

/**
 * True if every start of a daemon fails until somebody corrects something; systemd then does not
 * start it again.
 */
function needsAdministrator(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = (error.cause ?? {}) as { code?: string }
  return code === undefined
    ? error instanceof UnusableDatabase
    : code === 'EACCES' || code === 'EPERM'
}

/**
 * Creates a logger that writes JSON to standard error, for a daemon without a terminal; returns
 * `undefined` for all others.
 */
function daemonLogger(command: string): Logger | undefined {
  const name = daemonNames[command]
  if (name === undefined || process.stdout.isTTY) return undefined
  return createLogger({ level: 'warn', name, output: 2 })
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { message, stack } = error
  if (!isExpected(error)) return stack ?? message
  const hint = error instanceof CatalogueUnavailable ? hints[errorCode(error.cause)] : undefined
  return hint === undefined ? message : `${message}: ${hint}`
}

/** What a user can do about a database that cannot be read, by the code of the error. */
const hints: Readonly<Record<string, string>> = {
  EACCES: 'only its user and group may; a new member of the group must log in again',
  ENOENT: 'start the indexer first, or name another one with --database or --config',
}
