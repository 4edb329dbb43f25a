/** Reads the command line, runs one command and returns its exit code. */
import { Argument, Command, Option } from 'commander'
import { daemonNames, report } from './command-failure.ts'
import type { CheckedCommand } from './config/command-options.ts'
import { checkedCommands, commandOptions } from './config/command-options.ts'
import type { FurtherCheck, LoadedConfig } from './config/load.ts'
import { draftConfig, loadConfig } from './config/load.ts'
import { checkAllFiles, daemonChecks } from './config/named-files.ts'
import type { Config, OptionKey } from './config/options.ts'
import { optionKeys, optionOf } from './config/options.ts'
import type { ConfigSources, Flags } from './config/sources.ts'
import { fileVariable, flagName, variableName } from './config/sources.ts'
import { isJournal } from './runtime/logger.ts'
import { versionLine } from './runtime/program.ts'

/** Prefix that gives a line the priority of an error in the journal of systemd. */
const errorPriority = '<3>'

/** Runs a command line and returns its exit code; prints errors to standard error. */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  let exitCode = 0
  let running = ''
  const program = buildProgram((code) => {
    exitCode = code
  })
  program.hook('preAction', (_program, command) => {
    running = command.name()
    // What `ps`, `ss` and `systemctl status` show; Node would call itself MainThread.
    if (running in daemonNames) process.title = `rinex-catalogue ${running}`
  })
  try {
    await program.parseAsync(argv)
    return exitCode
  } catch (error) {
    return report(error, running)
  }
}

function buildProgram(done: (exitCode: number) => void): Command {
  // Settings made before the first command apply to all commands.
  const program = new Command('rinex-catalogue')
    .description('A catalogue of the RINEX files of a GNSS archive')
    .version(versionLine())
    .option('--config <file>', `configuration file (TOML) [${fileVariable}]`)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      outputError: (text, write) => {
        write(isJournal(2) ? text.replaceAll(/^(?=.)/gm, errorPriority) : text)
      },
    })
    .exitOverride()
  addDaemons(program, done)
  addRequestCommands(program, done)
  addReadingCommands(program, done)
  addLookingCommands(program, done)
  addBackupCommands(program, done)
  return program
}

function addDaemons(program: Command, done: (exitCode: number) => void): void {
  asDaemon(program.command('start'), commandOptions.start)
    .description('run indexer and API together, for a trial or a small archive')
    .action(async (_flags: unknown, command: Command) => {
      const { start, startDemo } = await import('./commands/start.ts')
      const flags = command.optsWithGlobals<Readonly<Record<string, string>>>()
      const { config } = configOf(command, daemonChecks.start)
      const load = (place: Flags) => daemonConfigOf(command, 'start', place)
      if (config.archive === undefined) done(await startDemo(load, flags))
      else done(await start(load({}), flags))
    })
  asDaemon(program.command('index'), commandOptions.index)
    .description('run the indexer: scan the archive, then watch it for changes')
    .option('--once', 'scan once, print a summary and exit')
    .action(async ({ once }: { once?: boolean }, command: Command) => {
      const { index } = await import('./commands/index.ts')
      done(await index(daemonConfigOf(command, 'index'), { once: once === true }))
    })
  asDaemon(program.command('serve'), commandOptions.serve)
    .description('run the API')
    .action(async (_flags: unknown, command: Command) => {
      const { serve } = await import('./commands/serve.ts')
      done(await serve(daemonConfigOf(command, 'serve')))
    })
}

function addRequestCommands(program: Command, done: (exitCode: number) => void): void {
  withOptions(program.command('rescan'), commandOptions.rescan)
    .description('make the running indexer read the archive again')
    .argument('[path...]', 'directories such as obs/2026; without any, the whole archive')
    .option('--full', 'without effect: every rescan reads sizes and times')
    .option('--accept-removals', 'confirm withheld removals')
    .option('--wait', 'wait until it has ended, show its progress, and print what changed')
    .action(async (paths: string[], flags: RescanFlags, command: Command) => {
      const { rescan } = await import('./commands/rescan.ts')
      const { acceptRemovals = false, wait = false } = flags
      done(await rescan(configOf(command).config, { paths, acceptRemovals, wait }))
    })
}

interface RescanFlags {
  readonly acceptRemovals?: true
  readonly wait?: true
}

function addReadingCommands(program: Command, done: (exitCode: number) => void): void {
  withOptions(program.command('status'), commandOptions.status)
    .description('print the state of the indexer and a summary of the catalogue')
    .option('--json', 'print one JSON object; with --problems one for each problem')
    .option('--problems', 'list the files with problems, one line each')
    .option(
      '--check',
      'print one line for monitoring; exit code 0, 1, 2 or 3 as monitoring plugins',
    )
    .action(async (flags: { json?: true; problems?: true; check?: true }, command: Command) => {
      const { check, problems, status } = await import('./commands/status.ts')
      const { config } = configOf(command)
      const run = flags.problems === true ? problems : status
      const options = { json: flags.json === true }
      done(flags.check === true ? await check(config) : await run(config, options))
    })
  withOptions(program.command('check'), commandOptions.check)
    .description('compare the counts of the catalogue with its records, and check the database')
    .option('--repair', 'recompute wrong counts')
    .action(async ({ repair }: { repair?: boolean }, command: Command) => {
      const { check } = await import('./commands/check.ts')
      done(await check(configOf(command).config, { repair: repair === true }))
    })
  withOptions(program.command('check-config'), commandOptions['check-config'])
    .description('print the effective configuration and the source of each value, or all faults')
    .addArgument(
      new Argument('[command]', 'check what this user needs for this command').choices(
        checkedCommands,
      ),
    )
    .action(async (checked: CheckedCommand | undefined, _flags: unknown, command: Command) => {
      const { checkConfig } = await import('./commands/checks/check-config.ts')
      done(await checkConfig(draftConfig(sourcesOf(command), filesToCheck(checked)), checked))
    })
}

/** Commands that read no configuration, so their help does not list `--config`. */
function addLookingCommands(program: Command, done: (exitCode: number) => void): void {
  program
    .command('parse')
    .configureHelp({ showGlobalOptions: false })
    .description('parse file names and print one JSON object for each')
    .argument('[name...]', 'base names; without any, the lines of standard input')
    .action(async (names: string[], _flags: unknown, command: Command) => {
      if (names.length === 0 && process.stdin.isTTY) command.error('error: no name to parse')
      const { parse } = await import('./commands/parse.ts')
      done(await parse(names))
    })
  program
    .command('describe')
    .configureHelp({ showGlobalOptions: false })
    .description('read RINEX files and print what is inside each as one JSON object')
    .argument('<file...>', 'files with RINEX names: .gz, .Z or plain')
    .action(async (files: string[]) => {
      const { describe } = await import('./commands/describe.ts')
      done(await describe(files))
    })
  program
    .command('survey')
    .configureHelp({ showGlobalOptions: false })
    .description('read the names in a directory, and print what the catalogue would list')
    .argument('<directory>', 'the root of an archive, or of a part of it')
    .option('--json', 'print one JSON object')
    .action(async (directory: string, { json }: { json?: true }) => {
      const { survey } = await import('./commands/survey/survey.ts')
      done(await survey(directory, { json: json === true }))
    })
}

function addBackupCommands(program: Command, done: (exitCode: number) => void): void {
  withOptions(program.command('backup'), commandOptions.backup)
    .description('copy the database to a file; indexer and API may run')
    .argument('<file>', 'the copy; it gets this name when it is complete and checked')
    .option('--force', 'replace an existing file')
    .action(async (file: string, { force }: { force?: boolean }, command: Command) => {
      const { backup } = await import('./commands/backup.ts')
      done(await backup(configOf(command).config, { file, force: force === true }))
    })
  withOptions(program.command('restore'), commandOptions.restore)
    .description('replace the database by a copy of it; the indexer must be stopped')
    .argument('<file>', 'a file that backup made, or a backup beside the database')
    .action(async (file: string, _flags: unknown, command: Command) => {
      const { restore } = await import('./commands/restore.ts')
      done(await restore(configOf(command).config, file))
    })
  withOptions(program.command('copy'), commandOptions.copy)
    .description('copy the catalogue to another database; no indexer may use either of them')
    .requiredOption('--from <database>', 'an SQLite file, or the URL of a PostgreSQL server')
    .requiredOption('--to <database>', 'an empty database, or an unfinished copy to be continued')
    .action(async (addresses: { from: string; to: string }, command: Command) => {
      const { copy } = await import('./commands/copy.ts')
      done(await copy(configOf(command).config, addresses))
    })
}

/**
 * Adds the flags of these options to a command. The flags have no defaults, because the
 * configuration has them.
 */
function withOptions(command: Command, listed: readonly OptionKey[]): Command {
  for (const flag of flagsOf(listed)) command.addOption(flag)
  return command
}

/**
 * Adds the flags of all options, so that `start`, `index` and `serve` accept the same flags. The
 * help lists only the flags of the options that the command uses.
 */
function asDaemon(command: Command, listed: readonly OptionKey[]): Command {
  const others = optionKeys.filter((key) => !listed.includes(key))
  for (const flag of flagsOf(others)) command.addOption(flag.hideHelp())
  return withOptions(command, listed)
}

/**
 * Returns the flags of these options, in the order of the option table. Some options have no flag.
 */
function flagsOf(keys: readonly OptionKey[]): Option[] {
  return optionKeys.flatMap((key) => {
    const { flag, meaning, defaultText, default: value } = optionOf(key)
    if (flag === undefined || !keys.includes(key)) return []
    const notes = `(default: ${defaultText ?? String(value)}) [${variableName(key)}]`
    return [new Option(`${flagName(key)} <${flag.toLowerCase()}>`, `${meaning} ${notes}`)]
  })
}

/** The files whose content `check-config` checks: those that the command reads, or all of them. */
function filesToCheck(checked: CheckedCommand | undefined): FurtherCheck {
  return checked === undefined ? checkAllFiles : daemonChecks[checked]
}

function configOf(command: Command, further?: FurtherCheck): LoadedConfig {
  return loadConfig(sourcesOf(command), further)
}

/** The configuration of a daemon with an archive. @param place flags that override all others */
function daemonConfigOf(
  command: Command,
  name: CheckedCommand,
  place: Flags = {},
): Config & { readonly archive: string } {
  const sources = sourcesOf(command)
  const flags = { ...sources.flags, ...place }
  // The cast is safe, because a configuration without an archive does not pass the check.
  return loadConfig({ ...sources, flags }, daemonChecks[name]).config as Config & {
    readonly archive: string
  }
}

function sourcesOf(command: Command): ConfigSources {
  const { config: file, ...flags } = command.optsWithGlobals<Flags & { config?: string }>()
  return { file, flags, env: process.env, cwd: process.cwd() }
}
