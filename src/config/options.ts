/**
 * Every option there is, a row each. The keys of the configuration file, the environment variables, the flags,
 * their help and the type of the configuration all follow from this table. A new option is a row here, a line
 * in config/rinex-catalogue.toml and one in README.md; tests name what was forgotten.
 */
import { join } from 'node:path'
import { packageRoot } from '../package.ts'
import { isBaseUrl, isHost, isNetwork } from './address.ts'
import { integer, list, oneOf, optional, text } from './checks.ts'
import type { Check, Checked } from './checks.ts'

/** How a value is read from text and brought to its one form; `path` and `paths` become absolute. */
export type Kind = 'text' | 'texts' | 'integer' | 'path' | 'paths' | 'url'

interface Option {
  readonly kind: Kind
  readonly check: Check<unknown>
  /** `undefined` where the value follows from other options, see load.ts. */
  readonly default: unknown
  /** The default in words, where its value alone says little. */
  readonly defaultText?: string
  /** What a value must be, as the end of a sentence. */
  readonly expects: string
  readonly meaning: string
  /** What stands for the value in the help; only options with it have a flag. */
  readonly flag?: string
}

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

const problemsChoices = ['public', 'command-line'] as const
export const sendingChoices = ['self', 'x-accel-redirect', 'x-sendfile'] as const

export const checksumChoices = ['arriving', 'all', 'none'] as const

const path = text((value) => value !== '' && !value.includes('\0'))

export const options = {
  archive: {
    kind: 'path',
    check: path,
    default: join(packageRoot, 'fixtures/archive'),
    defaultText: 'the small archive that comes with the program',
    expects: 'a directory',
    meaning: 'Root of the archive tree, the directory that holds obs/ and nrt/.',
    flag: 'DIR',
  },
  database: {
    kind: 'path',
    check: path,
    default: join(packageRoot, 'var/catalogue.db'),
    defaultText: 'var/catalogue.db where the program is installed',
    expects: 'a file',
    meaning: 'Database of the catalogue; the indexer creates it.',
    flag: 'FILE',
  },
  control_socket: {
    kind: 'path',
    check: path,
    default: undefined,
    defaultText: 'the database with the extension .sock',
    expects: 'a file',
    meaning: 'Unix socket over which the other commands reach the indexer.',
    flag: 'FILE',
  },
  host: {
    kind: 'text',
    check: text(isHost),
    default: '127.0.0.1',
    expects: 'a host name, or an address without brackets',
    meaning: 'Address the API listens on.',
    flag: 'HOST',
  },
  port: {
    kind: 'integer',
    check: integer(0, 65535),
    default: 8080,
    expects: 'a whole number from 0 to 65535',
    meaning: 'Port the API listens on; 0 takes a free one and prints it.',
    flag: 'PORT',
  },
  connections_per_address: {
    kind: 'integer',
    check: integer(1, 2048),
    default: 256,
    expects: 'a whole number from 1 to 2048',
    meaning: 'Most connections that one client address may have open at the same time.',
  },
  trusted_proxies: {
    kind: 'texts',
    check: list(text(isNetwork)),
    default: Object.freeze([]),
    defaultText: 'none',
    expects: 'a list of addresses, or of networks such as 10.0.0.0/8',
    meaning: 'Proxies whose X-Forwarded-For tells the client address that is counted.',
  },
  base_url: {
    kind: 'url',
    check: optional(text(isBaseUrl)),
    default: undefined,
    defaultText: 'from host and port',
    expects: 'an absolute http or https URL without user, query and fragment',
    meaning: 'What every link begins with, as clients reach the service; needed behind a proxy.',
    flag: 'URL',
  },
  dataset_prefix: {
    kind: 'text',
    // No segment begins with a dot, so none is `..` and none is hidden.
    check: text(/^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/),
    default: 'rinex',
    expects:
      'one or more names of letters, digits, ".", "_" and "-", none beginning with a dot, with a slash between them',
    meaning: 'Path below the base URL under which everything is served, for example at.gv.bev.dc.',
    flag: 'PREFIX',
  },
  send_files: {
    kind: 'text',
    check: oneOf(sendingChoices),
    default: 'self',
    expects: `one of ${sendingChoices.join(', ')}`,
    meaning: 'Who sends files that are downloaded: the API, or the web server in front of it.',
  },
  internal_prefix: {
    kind: 'text',
    check: text(/^\/([A-Za-z0-9_-]+\/)+$/),
    default: '/internal/archive/',
    expects: 'names of letters, digits, _ and - with a slash around each',
    meaning: 'Location under which nginx has the archive, for send_files = "x-accel-redirect".',
  },
  log_level: {
    kind: 'text',
    check: oneOf(logLevels),
    default: 'info',
    expects: `one of ${logLevels.join(', ')}`,
    meaning: 'The least important kind of message that is logged.',
    flag: 'LEVEL',
  },
  max_limit: {
    kind: 'integer',
    check: integer(1, 10000),
    default: 1000,
    expects: 'a whole number from 1 to 10000',
    meaning: 'Most records a page of the list holds, whatever limit a request asks for.',
  },
  admin_token_file: {
    kind: 'path',
    check: optional(path),
    default: undefined,
    defaultText: 'none: nobody may write',
    expects: 'a file',
    meaning: 'File with the token by which administrators may register files and order rescans.',
  },
  linked_directories: {
    kind: 'paths',
    check: list(text((value) => value.startsWith('/') && !value.includes('\0'))),
    default: Object.freeze([]),
    defaultText: 'none',
    expects: 'a list of absolute directories',
    meaning: 'Directories outside the archive to which symbolic links in it may lead.',
  },
  problems: {
    kind: 'text',
    check: oneOf(problemsChoices),
    default: 'public',
    expects: `one of ${problemsChoices.join(', ')}`,
    meaning:
      'Who sees the paths of files with problems: everybody, or only the users of this machine.',
  },
  keep_removals_days: {
    kind: 'integer',
    check: integer(1, 36500),
    default: 90,
    expects: 'a whole number from 1 to 36500',
    meaning: 'How long removed files are remembered, for the change feed and for their ids.',
  },
  backup_interval_hours: {
    kind: 'integer',
    check: integer(0, 8760),
    default: 24,
    expects: 'a whole number from 0 to 8760',
    meaning:
      'Time between two backups of the database, which replace it should it be ruined; 0 for none.',
  },
  sweep_interval_seconds: {
    kind: 'integer',
    check: integer(1, 86400),
    default: 60,
    expects: 'a whole number from 1 to 86400',
    meaning: 'Time between two looks at the modification times of all directories.',
  },
  full_look_hours: {
    kind: 'integer',
    check: integer(1, 8760),
    default: 24,
    expects: 'a whole number from 1 to 8760',
    meaning: 'Time in which the indexer comes by the size and time of every file of the tree.',
  },
  checksums: {
    kind: 'text',
    check: oneOf(checksumChoices),
    default: 'arriving',
    expects: `one of ${checksumChoices.join(', ')}`,
    meaning: 'Which files are read for their checksums: those that arrive or change, all, or none.',
  },
  watch_obs_days: {
    kind: 'integer',
    check: integer(0, 366),
    default: 14,
    expects: 'a whole number from 0 to 366',
    meaning: 'How many days back the directories of obs/ are watched by file events.',
  },
  watch_nrt_days: {
    kind: 'integer',
    check: integer(0, 366),
    default: 3,
    expects: 'a whole number from 0 to 366',
    meaning: 'How many days back the directories of nrt/ are watched by file events.',
  },
} as const satisfies Record<string, Option>

/** Options of earlier releases: each is still accepted, does nothing, and is answered with a warning that says why. */
export const retiredOptions: ReadonlyMap<string, string> = new Map([
  ['hot_files_mb', 'small files have a cache of fixed size'],
])

/** Name of an option in the configuration file. */
export type OptionKey = keyof typeof options

/** What the value of an option is once it was checked. */
export type OptionValue<Key extends OptionKey> = Checked<(typeof options)[Key]['check']>

type CamelCase<Key extends string> = Key extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Key

/**
 * The checked configuration, frozen. Paths are absolute, but for a control socket that only fits when it is
 * named from the working directory. `baseUrl` is `undefined` when none is configured: see `baseUrlFor`.
 */
export type Config = { readonly [Key in OptionKey as CamelCase<Key>]: OptionValue<Key> }

export const optionKeys = Object.keys(options) as readonly OptionKey[]

/** The row of an option, for those who walk through all of them. */
export function optionOf(key: OptionKey): Option {
  return options[key]
}

export const variablePrefix = 'RINEX_CATALOGUE_'
/** Names the configuration file, and is therefore no option itself. */
export const fileVariable = `${variablePrefix}CONFIG`

/** `base_url` in the environment: `RINEX_CATALOGUE_BASE_URL`. */
export function variableName(key: string): string {
  return variablePrefix + key.toUpperCase()
}

/** `base_url` on the command line: `--base-url`. */
export function flagName(key: OptionKey): string {
  return `--${key.replaceAll('_', '-')}`
}

/** `base_url` in the configuration: `baseUrl`. */
export function propertyName(key: OptionKey): keyof Config {
  const name = key.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())
  return name as keyof Config
}
