import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { baseUrlFor } from '../../src/config/checks.ts'
import type { CommandName } from '../../src/config/command-options.ts'
import { commandOptions } from '../../src/config/command-options.ts'
import { loadConfig } from '../../src/config/load.ts'
import type { OptionKey } from '../../src/config/options.ts'
import { optionKeys, optionOf, options } from '../../src/config/options.ts'
import { flagName, variableName } from '../../src/config/sources.ts'
import { packageRoot } from '../../src/runtime/program.ts'
import { testFolder } from '../folder.ts'
import t from '../tap.ts'

const example = readFileSync('config/rinex-catalogue.toml', 'utf8')
const commands = Object.keys(commandOptions) as CommandName[]

function uses(command: CommandName, key: OptionKey): boolean {
  return (commandOptions[command] as readonly OptionKey[]).includes(key)
}

const sources = { env: {}, flags: {}, cwd: '/' }

t.test('the example configuration sets nothing', async (t) => {
  const { config } = loadConfig({
    ...sources,
    file: 'config/rinex-catalogue.toml',
    cwd: process.cwd(),
  })
  t.strictSame(config, loadConfig(sources).config)
})

t.test('the example configuration shows every option at its default', async (t) => {
  // Only a server may have a standby, see below.
  const text = example.replaceAll(/^# (?!database_read )(\w+ = )/gm, '$1')
  const home = testFolder(t, { config: { 'a.toml': text } })
  const { config, origins } = loadConfig({ ...sources, file: 'config/a.toml', cwd: home })
  for (const key of optionKeys)
    t.match(origins[key], key === 'database_read' ? 'default' : 'a.toml', key)
  const defaults = loadConfig(sources).config
  const expected = {
    ...defaults,
    baseUrl: baseUrlFor(defaults, defaults.port),
    // The options without a default: the example shows the usual paths.
    archive: '/srv/gnss',
    // Without these, `start` may choose.
    areas: ['obs', 'nrt'],
    suffixes: ['.gz'],
    archiveTitle: 'GNSS archive of the Example Institute',
    archiveOperator: 'Example Institute of Geodesy',
    archiveContact: 'gnss@example.org',
    archiveLicence: 'https://creativecommons.org/licenses/by/4.0/',
    stationLink: 'https://sites.example.org/{code}/',
    databasePasswordFile: '/etc/rinex-catalogue/database-password',
    adminTokenFile: '/etc/rinex-catalogue/admin-token',
    internalPrefix: '/internal/archive/',
    expectedFile: '/etc/rinex-catalogue/expected.toml',
    stationsFile: '/etc/rinex-catalogue/stations.csv',
  }
  const moved = JSON.stringify(expected).replaceAll(packageRoot, home)
  // In a deep checkout, the path of the socket is relative to the working directory.
  const controlSocket = resolve(home, config.controlSocket ?? '')
  t.equal(JSON.stringify({ ...config, controlSocket }), moved)
})

t.test('the example configuration shows a standby beside a server', async (t) => {
  const text = example.replaceAll(/^# (database_read = )/gm, '$1')
  const home = testFolder(t, { 'a.toml': text })
  const flags = { database: 'postgresql://a/b' }
  const { config } = loadConfig({ ...sources, flags, file: 'a.toml', cwd: home })
  t.equal(config.databaseRead, 'postgresql://rinex_api@standby.example.org:5432/rinex')
})

t.test('the example configuration gives the range of each number', async (t) => {
  const paragraphs = example.split('\n\n')
  let ranges = 0
  for (const key of optionKeys) {
    const [range] = /from \d+ to \d+/.exec(optionOf(key).expects) ?? []
    if (range === undefined) continue
    ranges++
    const paragraph = paragraphs.find((text) => text.includes(`\n# ${key} = `)) ?? ''
    t.match(paragraph.replaceAll('\n# ', ' '), range, key)
  }
  t.ok(ranges > 0, 'some options have a range')
})

t.test('the example configuration has every option under a heading that fits it', async (t) => {
  const [, ...sections] = example.split(/^# --- /m)
  const found = sections.flatMap((section) => {
    const heading = section.slice(0, section.indexOf(' ---'))
    return Array.from(section.matchAll(/^# (\w+) = /gm), ([, key = '']) => [key, heading] as const)
  })
  const headingOf = new Map<string, string>(found)
  t.strictSame([...headingOf.keys()].sort(), [...optionKeys].sort())
  const headings = {
    'The archive and its catalogue': ['archive', 'areas', 'database'],
    'Keeping up with the archive': ['watch_days', 'sweep_interval_seconds', 'checksums'],
    'The API': ['host', 'port'],
    'The log': ['log_level'],
  }
  for (const [heading, keys] of Object.entries(headings))
    for (const key of keys) t.equal(headingOf.get(key), heading, key)
})

/** The description of a key in docs/configuration.md, without backquotes. */
interface Described {
  readonly meaning: string
  /** Value, default, environment and so on. */
  readonly facts: Readonly<Record<string, string>>
}

/**
 * The reference by its headings `### key`: a paragraph that begins with the meaning, and a list of
 * facts.
 */
function readReference(): Map<string, Described> {
  const [, ...sections] = readFileSync('docs/configuration.md', 'utf8').split(/^### /m)
  return new Map(
    sections.map((section): [string, Described] => {
      const [heading = '', meaning = '', list = ''] = section.replaceAll('`', '').split('\n\n')
      const lines = Array.from(list.matchAll(/^- (.+?): (.+)$/gm))
      const facts = Object.fromEntries(lines.map(([, name = '', fact = '']) => [name, fact]))
      return [heading, { meaning: meaning.replaceAll('\n', ' '), facts }]
    }),
  )
}

t.test('docs/configuration.md describes every option as the table of options does', async (t) => {
  const reference = readReference()
  t.strictSame([...reference.keys()].toSorted(), optionKeys.toSorted(), 'the same keys')
  for (const key of optionKeys) {
    const { meaning = '', facts } = reference.get(key) ?? {}
    const { meaning: expected, expects, flag, defaultText, default: value } = optionOf(key)
    t.ok(meaning.startsWith(expected), `${key}: begins with ${expected}`, { found: meaning })
    const users = commands.filter((name) => name !== 'check-config' && uses(name, key))
    t.strictSame(
      facts,
      {
        Value: expects,
        Default: defaultText ?? String(value),
        Environment: variableName(key),
        Flag: flag === undefined ? 'none' : `${flagName(key)} <${flag.toLowerCase()}>`,
        'Used by': users.join(', '),
      },
      key,
    )
  }
})

t.test('README.md links to the reference, which names the first keys to set', async (t) => {
  t.match(readFileSync('README.md', 'utf8'), '](docs/configuration.md)')
  const reference = readFileSync('docs/configuration.md', 'utf8')
  const [, sentence = ''] = /Set these first: ([^.]+)\./.exec(reference) ?? []
  // The words in parentheses are explanations and values.
  const words = sentence.replaceAll(/\([^)]*\)/g, '').matchAll(/`(\w+)`/g)
  const keys = Array.from(words, ([, key = '']) => key)
  t.ok(keys.length > 3, 'the section names keys', { found: keys })
  for (const key of keys) t.ok(Object.hasOwn(options, key), key)
})

t.test('the help of a command lists exactly the options that it uses', async (t) => {
  for (const command of commands) {
    const line = ['src/cli.js', command, '--help']
    const { status, stdout, stderr } = spawnSync(process.execPath, line, { encoding: 'utf8' })
    t.strictSame({ status, stderr }, { status: 0, stderr: '' }, command)
    const help = stdout.replaceAll(/\s+/g, ' ')
    t.equal(
      help.includes('--config <file>'),
      !['parse', 'describe', 'survey'].includes(command),
      command,
    )
    for (const key of optionKeys) {
      const { flag, meaning, defaultText, default: value } = optionOf(key)
      // A key without a flag may share its name with an option of a command.
      if (flag === undefined) continue
      const notes = `(default: ${defaultText ?? String(value)}) [${variableName(key)}]`
      const line = ` ${flagName(key)} <${flag.toLowerCase()}> ${meaning} ${notes} `
      if (uses(command, key)) t.ok(help.includes(line), `${command}: ${line}`, { help })
      else t.notMatch(help, `${flagName(key)} `, `${command}: no ${flagName(key)}`)
    }
  }
})

t.test(
  'every option is used by a process, and `start` has those of the indexer and the API',
  async (t) => {
    for (const key of optionKeys) {
      t.equal(uses('start', key), uses('index', key) || uses('serve', key), key)
      t.ok(uses('start', key), key)
    }
  },
)

t.test('the manual page lists every flag, under the commands that use it', async (t) => {
  const page = readFileSync('docs/man/rinex-catalogue.1', 'utf8')
  const [, ...subsections] = page.split(/^\.Ss Options of /m)
  const listed = new Map(
    subsections.flatMap((subsection): [string, string[]][] => {
      const heading = subsection.slice(0, subsection.indexOf('\n'))
      const flags = subsection.matchAll(/^\.It Fl \\-([\w-]+) Ar (\S+)$/gm)
      return Array.from(flags, ([, name, value]) => [
        `--${name ?? ''} <${value ?? ''}>`,
        heading.split(/, | and /),
      ])
    }),
  )
  listed.delete('--config <file>')
  const expected = optionKeys.flatMap((key): [string, string[]][] => {
    const { flag } = optionOf(key)
    if (flag !== undefined) {
      const users = (['start', 'index', 'serve'] as const).filter((command) => uses(command, key))
      return [[`${flagName(key)} <${flag.toLowerCase()}>`, users]]
    }
    t.match(page, `The key\n.Ql ${key}\nhas no option`, `${key} has no option`)
    return []
  })
  t.strictSame(Object.fromEntries(listed), Object.fromEntries(expected))
})

t.test('the manual page lists the options of the other commands', async (t) => {
  const page = readFileSync('docs/man/rinex-catalogue.1', 'utf8')
  const [, section = ''] = page.split('.Ss Options of other commands\n')
  const text = section.slice(0, section.indexOf('.Sh')).replaceAll(/^\.(Cm|Fl) | ,$|\n/gm, ' ')
  for (const command of ['rescan', 'status', 'check'] as const) {
    const [sentence = ''] = new RegExp(`\\b${command} .*? \\.`).exec(text) ?? []
    const flags = Array.from(sentence.matchAll(/\\-([\w-]+)/g), ([, name = '']) => `--${name}`)
    t.strictSame(flags, commandOptions[command].map(flagName), command)
  }
})
