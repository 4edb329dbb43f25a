/**
 * The options that each command uses. The help of a command lists its options, and the type of its
 * configuration contains only these options.
 */
import type { CamelCase, OptionKey, OptionValue } from './options.ts'
import { optionKeys } from './options.ts'

/** Options that indexer and API use. */
const common = [
  'archive',
  'areas',
  'suffixes',
  'exclude',
  'linked_directories',
  'database',
  'database_password_file',
  'control_socket',
  'keep_removals_days',
  'checksums',
  'log_level',
] as const

const indexer = [
  'facts',
  'damaged_by',
  'purged_after_days',
  'backup_interval_hours',
  'watch_days',
  'watch_hours_days',
  'sweep_interval_seconds',
  'full_look_hours',
] as const

const api = [
  'database_read',
  'host',
  'port',
  'connections_per_address',
  'trusted_proxies',
  'base_url',
  'dataset_prefix',
  'archive_title',
  'archive_operator',
  'archive_contact',
  'archive_licence',
  'station_link',
  'internal_prefix',
  'max_limit',
  'problems',
  'admin_token_file',
  'expected_file',
  'stations_file',
] as const

export const commandOptions = {
  start: [...common, ...indexer, ...api],
  index: [...common, ...indexer],
  serve: [...common, ...api],
  rescan: ['archive', 'database', 'database_password_file', 'control_socket', 'log_level'],
  status: ['database', 'database_read', 'database_password_file', 'control_socket'],
  check: ['database', 'database_password_file', 'control_socket'],
  backup: ['database'],
  restore: ['database'],
  copy: ['database_password_file'],
  parse: [],
  describe: [],
  survey: [],
  'check-config': optionKeys,
} as const satisfies Readonly<Record<string, readonly OptionKey[]>>

export type CommandName = keyof typeof commandOptions

/**
 * The commands for which `check-config` checks the machine; `start` needs what the other two need.
 */
export const checkedCommands = ['start', 'index', 'serve'] as const satisfies readonly CommandName[]
export type CheckedCommand = (typeof checkedCommands)[number]

/**
 * The configuration that a command may read. A daemon has an archive: it does not start without one
 * (`daemonChecks`), or it has made a demo.
 */
export type ConfigOf<Name extends CommandName> = {
  readonly [Key in (typeof commandOptions)[Name][number] as CamelCase<Key>]: Key extends 'archive'
    ? Name extends CheckedCommand
      ? string
      : string | undefined
    : OptionValue<Key>
}
