/**
 * The command `check-config`: prints the effective configuration, and checks that this user can run
 * a command with it.
 */
import { stringify } from 'smol-toml'
import { isServer, serverName } from '../../catalogue/database-url.ts'
import { sqliteProblem, sqliteVersion } from '../../catalogue/sqlite/open.ts'
import type { Fault } from '../../config/checks.ts'
import { baseUrlFor, ConfigError, faultsOf } from '../../config/checks.ts'
import type { CheckedCommand } from '../../config/command-options.ts'
import type { DraftConfig } from '../../config/load.ts'
import type { OptionKey } from '../../config/options.ts'
import { optionKeys, optionOf } from '../../config/options.ts'
import { readStationsFile } from '../../config/stations-file.ts'
import { print } from '../../runtime/program.ts'
import type { LayoutChoice } from './layout-choice.ts'
import { chooseLayout, layoutChoice } from './layout-choice.ts'
import { checkMachine, checkServers, usualCommand } from './machine-check.ts'
import type { Finding } from './place-check.ts'
import { checkPlaces } from './place-check.ts'
import { unitDirectories } from './unit-directories.ts'

/**
 * Prints the effective configuration in the form of a configuration file, with the source of each
 * value, and what was checked on this machine. Prints nothing if the configuration has a fault.
 * @throws ConfigError with all faults of the configuration and of the machine
 */
export async function checkConfig(
  draft: DraftConfig,
  command: CheckedCommand = usualCommand(draft.values),
): Promise<number> {
  const { values, origins, faults } = draft
  // Without its password, nothing else would be said of a server.
  const lacksPassword = faults.some(({ key }) => key === 'database_password_file')
  const servers = await checkServers(lacksPassword ? {} : values, command)
  const choice = await choiceOf(draft, command)
  const findings = [
    ...checkMachine(values, command, unitDirectories()),
    ...(await checkPlaces({ ...values, areas: choice.lists.areas })),
    ...servers.findings,
    ...(command === 'index' ? [] : checkStations(values)),
  ]
  const isFile = !isServer(values.database ?? '')
  const version = sqliteVersion()
  if (faults.length === 0) {
    for (const line of configLines(draft, choice)) await print(line)
    await print(
      `\n# checked for ${command}, as the user with the id ${process.geteuid?.() ?? '?'}:`,
    )
    for (const { key, words, level } of findings)
      if (level !== 'fault')
        await print(`# ${level === 'warning' ? 'WARNING: ' : ''}${key} ${words}`)
    for (const engine of isFile ? [`SQLite ${version}`] : servers.engines)
      await print(`# ${engine}`)
  }
  const unsafe = isFile ? sqliteProblem(version) : undefined
  const all: Fault[] = [
    ...faults,
    ...prefixFaults(draft),
    ...findings
      .filter(({ level }) => level === 'fault')
      .map(({ key, words }) => ({ source: origins[key], key, message: `${key} ${words}` })),
    ...(unsafe === undefined ? [] : [{ source: 'program', key: undefined, message: unsafe }]),
  ]
  if (all.length > 0) throw new ConfigError(all)
  return 0
}

/** The lines of `stations_file` that are left out; other checks report an unreadable file. */
function checkStations({ stations_file: path }: DraftConfig['values']): readonly Finding[] {
  let faults: readonly string[] = []
  const unreadable = faultsOf(() => ({ faults } = readStationsFile(path)))
  if (path === undefined || unreadable.length > 0) return []
  return faults.map((fault) => ({
    key: 'stations_file',
    words: `${JSON.stringify(path)} ${fault}`,
    level: 'warning',
  }))
}

/** The layout as the command would choose it. */
async function choiceOf({ values, faults }: DraftConfig, command: CheckedCommand) {
  const { areas, suffixes, exclude, archive, database } = values
  const configured = {
    areas,
    suffixes,
    exclude,
    archive,
    purgedAfterDays: values.purged_after_days,
  }
  if (faults.length > 0 || database === undefined)
    return layoutChoice(configured, { isNew: false }, () => Promise.resolve(false))
  const address = { database, databasePasswordFile: values.database_password_file }
  return chooseLayout({ ...configured, ...address }, command)
}

const choosers = {
  configuration: 'default',
  default: 'default',
  database: 'the choice of start in the database',
  start: 'start, because archive has neither obs/ nor nrt/',
} as const satisfies Readonly<Record<LayoutChoice['by'], string>>

function configLines(
  { values, origins }: DraftConfig,
  { by, lists }: LayoutChoice,
): readonly string[] {
  const known = { ...values, ...lists, base_url: knownBaseUrl(values) }
  return optionKeys.map((key) => {
    const value = known[key]
    const isChosen = values[key] === undefined && key in lists
    const line = value === undefined ? `# ${key} has no value` : lineOf(key, shown(key, value))
    return `${line} # from ${isChosen ? choosers[by] : origins[key]}`
  })
}

/** A value as a line of a configuration file; a table in braces. */
function lineOf(key: OptionKey, value: unknown): string {
  if (optionOf(key).kind !== 'table') return stringify({ [key]: value }).trim()
  const members = stringify(value).trim().replaceAll('\n', ', ')
  return `${key} = ${members === '' ? '{}' : `{ ${members} }`}`
}

function shown(key: OptionKey, value: unknown): unknown {
  return optionOf(key).kind === 'database' ? serverName(String(value)) : value
}

/**
 * Returns the configured base URL, or else the one that follows from host and port. Without a
 * configured base URL and with port 0, the base URL is known only when the API listens, so the
 * result is `undefined`.
 */
function knownBaseUrl({
  base_url: baseUrl,
  host,
  port,
}: DraftConfig['values']): string | undefined {
  if (baseUrl !== undefined || host === undefined || port === undefined || port === 0)
    return baseUrl
  return baseUrlFor({ baseUrl, host }, port)
}

function prefixFaults({ values, origins }: DraftConfig): readonly Fault[] {
  const { base_url: baseUrl, dataset_prefix: prefix } = values
  if (baseUrl === undefined || prefix === undefined) return []
  if (!new URL(baseUrl).pathname.endsWith(`/${prefix}`)) return []
  const message = `base_url ends with dataset_prefix ${prefix}, which every link repeats: remove it here`
  return [{ source: origins.base_url, key: 'base_url', message }]
}
