/**
 * The table of all options, one row each. The keys of the configuration file, the environment
 * variables, the flags, their help and the type of the configuration follow from this table. For a
 * new option, add a row here and document it in config/rinex-catalogue.toml, docs/configuration.md
 * and the manual page; a test names what is missing.
 */
import { join } from 'node:path'
import { isServer } from '../catalogue/database-url.ts'
import { defaultLists } from '../parse/layout.ts'
import { flagNames } from '../rinex/facts.ts'
import { logLevels } from '../runtime/logger.ts'
import { packageRoot } from '../runtime/program.ts'
import type { Check, Checked } from './checks.ts'
import {
  integer,
  isBaseUrl,
  isHost,
  isLine,
  isNetwork,
  isStationLink,
  list,
  numbersByName,
  oneOf,
  optional,
  text,
} from './checks.ts'

/**
 * Decides how a value is read from text and normalised. An empty text is no text of `texts`, and
 * one empty entry of `entries`; `table` has whole numbers by name; `path` and `paths` become
 * absolute, and so does a `database` that is no URL.
 */
export type OptionKind =
  'text' | 'texts' | 'entries' | 'integer' | 'table' | 'path' | 'paths' | 'url' | 'database'

interface Option {
  readonly kind: OptionKind
  readonly check: Check<unknown>
  /**
   * `undefined` if the option has no default, or if its default follows from other options (see
   * load.ts).
   */
  readonly default: unknown
  /** Describes the default if its value is not clear by itself. */
  readonly defaultText?: string
  /** Describes the values that are allowed; it ends the sentence "… must be". */
  readonly expects: string
  readonly meaning: string
  /** The placeholder for the flag's value in the help; `undefined` if there is no flag. */
  readonly flag?: string
}

const problemsChoices = ['public', 'command-line'] as const

const checksumChoices = ['all', 'arriving', 'none'] as const

const path = text((value) => value !== '' && !value.includes('\0'))
const file = { kind: 'path', check: path, expects: 'a file' } as const
const line = {
  kind: 'text',
  check: optional(text(isLine)),
  default: undefined,
  defaultText: 'none',
  expects: 'a line of at most 200 characters',
  flag: 'TEXT',
} as const
const optionalFile = { ...file, check: optional(path) } as const
const directory = { ...file, expects: 'a directory' } as const

function wholeNumber(least: number, most: number) {
  const expects = `a whole number from ${least} to ${most}`
  return { kind: 'integer', check: integer(least, most), expects } as const
}

function oneWordOf<const Word extends string>(words: readonly Word[]) {
  return { kind: 'text', check: oneOf(words), expects: `one of ${words.join(', ')}` } as const
}

export const options = {
  archive: {
    ...directory,
    check: optional(path),
    default: undefined,
    defaultText: 'none: start makes a demo in a temporary folder',
    meaning: 'Root directory of the archive, which holds its areas.',
    flag: 'DIR',
  },
  areas: {
    kind: 'texts',
    check: optional(list(text())),
    default: undefined,
    defaultText: 'obs,nrt, or what start chose for this database',
    expects: 'a list of directories below archive, such as ["obs", "nrt"], or ["."]',
    meaning: 'Directories below the archive root whose files are listed; "." is all of it.',
    flag: 'DIR,...',
  },
  suffixes: {
    kind: 'entries',
    check: optional(list(text())),
    default: undefined,
    defaultText: '.gz, or what start chose for this database',
    expects: 'a list of suffixes, such as [".gz", ".Z"]; "" is for plain files',
    meaning: 'What follows the RINEX name of a file that is listed: .gz, .Z, or nothing.',
    flag: 'SUFFIX,...',
  },
  exclude: {
    kind: 'texts',
    check: list(text()),
    default: Object.freeze([...defaultLists.exclude]),
    defaultText: 'none',
    expects: 'a list of patterns as in .gitignore, such as ["raw/", "**/products/**"]',
    meaning: 'Patterns of paths below the archive root that are not listed, as in .gitignore.',
    flag: 'PATTERN,...',
  },
  database: {
    kind: 'database',
    check: path,
    default: join(packageRoot, 'var/catalogue.db'),
    defaultText: 'var/catalogue.db where the program is installed',
    expects: 'a file, or a URL such as postgresql://USER@HOST:PORT/NAME',
    meaning: 'Database of the catalogue: an SQLite file, or a database of a PostgreSQL server.',
    flag: 'DATABASE',
  },
  database_read: {
    kind: 'database',
    check: optional(text(isServer)),
    default: undefined,
    defaultText: 'none: the API reads from database',
    expects: 'a URL such as postgresql://USER@HOST:PORT/NAME',
    meaning: 'Hot standby of the PostgreSQL server, from which the API reads.',
    flag: 'URL',
  },
  database_password_file: {
    ...optionalFile,
    default: undefined,
    defaultText: 'none: PGPASSFILE or ~/.pgpass',
    meaning: 'File with the password of the user of the PostgreSQL server.',
    flag: 'FILE',
  },
  control_socket: {
    ...optionalFile,
    default: undefined,
    defaultText: 'the path of the database with the extension .sock; none for a server',
    meaning: 'Unix socket on which the indexer answers other commands and the API.',
    flag: 'FILE',
  },
  host: {
    kind: 'text',
    check: text(isHost),
    default: '127.0.0.1',
    expects: 'a host name, or an address without brackets',
    meaning: 'Host name or address on which the API listens.',
    flag: 'HOST',
  },
  port: {
    ...wholeNumber(0, 65535),
    default: 8080,
    meaning: 'Port on which the API listens; 0 takes a free port and prints it.',
    flag: 'PORT',
  },
  connections_per_address: {
    ...wholeNumber(1, 2048),
    default: 256,
    meaning:
      'Maximum number of connections that one client address may have open at the same time.',
    flag: 'N',
  },
  trusted_proxies: {
    kind: 'texts',
    check: list(text(isNetwork)),
    default: Object.freeze([]),
    defaultText: 'none',
    expects: 'a list of addresses, or of networks such as 10.0.0.0/8',
    meaning: 'Proxies whose X-Forwarded-For header gives the client address.',
    flag: 'ADDRESS,...',
  },
  base_url: {
    kind: 'url',
    check: optional(text(isBaseUrl)),
    default: undefined,
    defaultText: 'from host and port',
    expects: 'an absolute http or https URL without user, query and fragment',
    meaning:
      'URL with which clients reach the service, the beginning of every link; needed behind a proxy.',
    flag: 'URL',
  },
  dataset_prefix: {
    kind: 'text',
    // No segment may begin with a dot, so `..` and hidden names are excluded.
    check: text(/^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/),
    default: 'rinex',
    expects:
      'one or more names of letters, digits, ".", "_" and "-", none beginning with a dot, with a slash between them',
    meaning: 'Path below the base URL under which everything is served, for example at.gv.bev.dc.',
    flag: 'PREFIX',
  },
  archive_title: {
    ...line,
    defaultText: 'RINEX file catalogue',
    meaning: 'Name of the archive, at the top of every page.',
  },
  archive_operator: { ...line, meaning: 'Operator of the archive, shown on every page.' },
  archive_contact: {
    ...line,
    meaning: 'Contact of the operator, shown on every page: a mail address, a URL or a text.',
  },
  archive_licence: {
    ...line,
    meaning: 'Licence of the files, shown on every page: a URL or a text.',
  },
  station_link: {
    kind: 'text',
    check: optional(text(isStationLink)),
    default: undefined,
    defaultText: 'none',
    expects: 'an http or https URL without user, with {code} after its host',
    meaning: 'URL of a page about a station, such as its site log: {code} becomes its code.',
    flag: 'URL',
  },
  internal_prefix: {
    kind: 'text',
    check: optional(text(/^\/([A-Za-z0-9_-]+\/)+$/)),
    default: undefined,
    defaultText: 'none',
    expects:
      'a path of letters, digits, _ and - that begins and ends with a slash, such as /internal/archive/',
    meaning: 'Internal location of the archive in nginx, which then sends the files.',
    flag: 'PATH',
  },
  log_level: {
    ...oneWordOf(logLevels),
    default: 'info',
    meaning: 'Lowest level of messages that are logged.',
    flag: 'LEVEL',
  },
  max_limit: {
    ...wholeNumber(1, 10000),
    default: 1000,
    meaning:
      'Maximum number of records on a page of the list; a larger limit is reduced to this number.',
    flag: 'N',
  },
  admin_token_file: {
    ...optionalFile,
    default: undefined,
    defaultText: 'none: administration is off',
    meaning: 'File with the token that allows administrators to register files and order rescans.',
    flag: 'FILE',
  },
  expected_file: {
    ...optionalFile,
    default: undefined,
    defaultText: 'none: expectations are learned',
    meaning: 'TOML file with the series that must arrive, whatever was delivered before.',
    flag: 'FILE',
  },
  stations_file: {
    ...optionalFile,
    default: undefined,
    defaultText: 'none: headers of files say where stations are',
    meaning: 'CSV file with positions of stations, for those whose headers say none.',
    flag: 'FILE',
  },
  linked_directories: {
    kind: 'paths',
    check: list(text((value) => value.startsWith('/') && !value.includes('\0'))),
    default: Object.freeze([]),
    defaultText: 'none',
    expects: 'a list of absolute directories',
    meaning: 'Directories outside the archive to which symbolic links in the archive may lead.',
    flag: 'DIR,...',
  },
  problems: {
    ...oneWordOf(problemsChoices),
    default: 'public',
    meaning: 'Audience of the paths of files with problems: everybody, or only the command line.',
    // There is no flag, because `--problems` is a flag of `status`.
  },
  keep_removals_days: {
    ...wholeNumber(1, 36500),
    default: 90,
    meaning: 'Days for which the catalogue keeps the records of removed files.',
    flag: 'DAYS',
  },
  purged_after_days: {
    kind: 'table',
    check: numbersByName(integer(0, 36500)),
    default: Object.freeze({}),
    defaultText: 'none',
    expects: 'a table of areas and whole numbers of days from 0 to 36500, such as { nrt = 3 }',
    meaning: 'Days after the end of their data after which the archive purges files, by area.',
    flag: 'AREA=DAYS,...',
  },
  backup_interval_hours: {
    ...wholeNumber(0, 8760),
    default: 24,
    meaning: 'Hours between two backups of the database; 0 turns backups off.',
    flag: 'HOURS',
  },
  sweep_interval_seconds: {
    ...wholeNumber(1, 86400),
    default: 60,
    meaning:
      'Seconds between two sweeps, which compare the mtime, ctime and inode of all directories, and the names in the newest ones.',
    flag: 'SECONDS',
  },
  full_look_hours: {
    ...wholeNumber(1, 8760),
    default: 24,
    meaning: 'Hours in which the size and mtime of every file are read once.',
    flag: 'HOURS',
  },
  checksums: {
    ...oneWordOf(checksumChoices),
    default: 'all',
    meaning: 'Files whose checksums are computed: all files, new and changed files only, or none.',
    flag: 'FILES',
  },
  facts: {
    ...oneWordOf(checksumChoices),
    default: 'all',
    meaning:
      'Files of which is stored what is inside, of those that are read for their checksums: all, those that are read anyway, or none.',
    flag: 'FILES',
  },
  damaged_by: {
    kind: 'texts',
    check: list(oneOf(flagNames)),
    default: Object.freeze(['cut', 'empty', 'no-header'] as const),
    defaultText: 'cut,empty,no-header',
    expects: `a list of flags: ${flagNames.join(', ')}`,
    meaning: 'Flags of what is inside a file that make it damaged.',
    flag: 'FLAG,...',
  },
  watch_days: {
    ...wholeNumber(0, 366),
    default: 14,
    meaning: 'Number of past days whose directories are watched by file events.',
    flag: 'DAYS',
  },
  watch_hours_days: {
    ...wholeNumber(0, 366),
    default: 3,
    meaning: 'Number of past days whose directories of hours are watched by file events.',
    flag: 'DAYS',
  },
} as const satisfies Record<string, Option>

/** Name of an option in the configuration file: `base_url`. */
export type OptionKey = keyof typeof options

/** The type of an option's checked value. */
export type OptionValue<Key extends OptionKey> = Checked<(typeof options)[Key]['check']>

/** Name of an option as a property of `Config`: `base_url` becomes `baseUrl`. */
export type CamelCase<Key extends string> = Key extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Key

/**
 * The checked configuration, frozen. Paths are absolute; only the control socket gets a relative
 * path if its absolute path is too long for a socket, and is `undefined` if the database is on a
 * server. `baseUrl` is `undefined` if it is not configured: see `baseUrlFor`.
 */
export type Config = { readonly [Key in OptionKey as CamelCase<Key>]: OptionValue<Key> }

export const optionKeys = Object.keys(options) as readonly OptionKey[]

/** Returns the row of an option, typed as the row of any option. */
export function optionOf(key: OptionKey): Option {
  return options[key]
}
