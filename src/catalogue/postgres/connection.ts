/** Connections to a server of PostgreSQL. */
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { parseUrl } from '../database-url.ts'

/** A database on a server. */
export interface ServerAddress {
  /**
   * `postgresql://user@host:port/name?parameters`. Parameters are those of libpq, and
   * `prepare=false` for a pooler that cannot carry named statements.
   */
  readonly url: string
  /** File with the password. Without it, the password is that of PGPASSFILE or ~/.pgpass. */
  readonly passwordFile: string | undefined
}

/**
 * A host that loses its power closes no connection: the server notices it after 11 seconds, and a
 * client that ended while a statement runs after one.
 */
const noticeLoss = {
  tcp_keepalives_idle: 5,
  tcp_keepalives_interval: 2,
  tcp_keepalives_count: 3,
  client_connection_check_interval: 1000,
}

/**
 * What our statements rely on, whatever server, database or role have set for other programs. The
 * time limits of single connections are set by their owners.
 */
const reliedOn = {
  standard_conforming_strings: 'on',
  backslash_quote: 'safe_encoding',
  transform_null_equals: 'off',
  array_nulls: 'on',
  DateStyle: 'ISO',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  bytea_output: 'hex',
  extra_float_digits: 1,
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  row_security: 'on',
  statement_timeout: 0,
  lock_timeout: 0,
  idle_in_transaction_session_timeout: 0,
  idle_session_timeout: 0,
}

/** Longest time of connecting, and of waiting for a free connection of a pool (ms). */
const connectMs = 2000

/** @param settings of the server, for these connections */
export function clientConfig(
  { url, passwordFile }: ServerAddress,
  settings: Readonly<Record<string, string | number>> = {},
): pg.ClientConfig {
  const parsed = parseUrl(url)
  const own = Object.entries({ ...noticeLoss, ...reliedOn, ...settings }).map(
    ([key, value]) => `-c ${key}=${String(value).replaceAll(' ', '\\ ')}`,
  )
  const given = parsed.searchParams.get('options') ?? ''
  parsed.searchParams.set('options', [...own, given].join(' ').trim())
  parsed.searchParams.delete('prepare')
  // The driver prefers the URL to the other options, also for a password that it lacks.
  if (passwordFile !== undefined) parsed.searchParams.set('password', readPassword(passwordFile))
  return {
    // Spaces as `%20`: the parser of the driver does not know `+`.
    connectionString: parsed.href.replaceAll('+', '%20'),
    application_name: 'rinex-catalogue',
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    pipeline: true,
  }
}

/** False for a pooler that cannot carry named statements. */
export function mayPrepare({ url }: ServerAddress): boolean {
  return parseUrl(url).searchParams.get('prepare') !== 'false'
}

function readPassword(file: string): string {
  return readFileSync(file, 'utf8').trim()
}

/** Without a listener, the loss of a connection would end the process. Its queries fail anyway. */
export function ignoreLoss(client: pg.ClientBase): void {
  client.on('error', () => undefined)
}

/** What an administrator can do, by the beginning of the SQLSTATE. */
const remedies = {
  '28P01': 'refuses the password: correct database_password_file or ~/.pgpass',
  28: 'refuses this user: check the user in the URL (without one it is PGUSER, or the name of the user who runs the command), and pg_hba.conf of the server',
  '3D': 'has no such database: create it, or correct the URL',
  '3F': 'has no schema for this user: create one, or grant USAGE on it',
  42501: 'denies this user a privilege: grant it, see docs/postgresql.md',
  '42P01': 'has no tables for this user: start the indexer, or set search_path',
  42704: 'lacks a setting: install PostgreSQL 15 or newer, or correct options in the URL',
  53300: 'has no free connection: raise max_connections, or end other clients',
}

/**
 * Says why a server does not do what we ask; ends the sentence that begins with its name. The
 * driver's own words may name the user, which must not be shown.
 */
export function serverFault(error: unknown): string {
  const { message } = error as Error
  if (message.startsWith('SASL'))
    return 'needs a password: set database_password_file, or write ~/.pgpass'
  if (!(error instanceof pg.DatabaseError)) return `does not answer: ${message}`
  const { code = '' } = error
  const known = Object.entries(remedies)
    .toSorted(([one], [other]) => other.length - one.length)
    .find(([begin]) => code.startsWith(begin))
  return known?.[1] ?? `answers with an error: ${message}`
}

/**
 * True for errors of the server that may end by themselves: it has no connection or no resources
 * left, restarts, or lacks what an administrator can give it.
 */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false
  // Connection, resources, operator, the recovery of a standby, login, database, privilege, table.
  return /^(08|53|57|40|28|3D|3F|42501|42P01)/.test(error.code ?? '')
}
