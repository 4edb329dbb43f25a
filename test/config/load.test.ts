import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ConfigError } from '../../src/config/checks.ts'
import type { LoadedConfig } from '../../src/config/load.ts'
import { loadConfig } from '../../src/config/load.ts'
import type { Config, OptionKey } from '../../src/config/options.ts'
import { optionKeys } from '../../src/config/options.ts'
import type { ConfigSources } from '../../src/config/sources.ts'
import { propertyName, variableName } from '../../src/config/sources.ts'
import { testFolder } from '../folder.ts'
import { fc } from '../random.ts'
import t from '../tap.ts'

const root = process.cwd()

function load(sources: Partial<ConfigSources>): LoadedConfig {
  return loadConfig({ env: {}, flags: {}, cwd: '/srv', ...sources })
}

t.test('no option is required', async (t) => {
  const { config, origins } = load({})
  t.strictSame(config, {
    archive: undefined,
    areas: undefined,
    suffixes: undefined,
    exclude: [],
    database: join(root, 'var/catalogue.db'),
    databaseRead: undefined,
    databasePasswordFile: undefined,
    controlSocket: join(root, 'var/catalogue.sock'),
    host: '127.0.0.1',
    port: 8080,
    connectionsPerAddress: 256,
    trustedProxies: [],
    baseUrl: undefined,
    datasetPrefix: 'rinex',
    internalPrefix: undefined,
    logLevel: 'info',
    maxLimit: 1000,
    adminTokenFile: undefined,
    expectedFile: undefined,
    stationsFile: undefined,
    linkedDirectories: [],
    purgedAfterDays: {},
    archiveTitle: undefined,
    archiveOperator: undefined,
    archiveContact: undefined,
    archiveLicence: undefined,
    stationLink: undefined,
    problems: 'public',
    keepRemovalsDays: 90,
    backupIntervalHours: 24,
    sweepIntervalSeconds: 60,
    fullLookHours: 24,
    checksums: 'all',
    facts: 'all',
    damagedBy: ['cut', 'empty', 'no-header'],
    watchDays: 14,
    watchHoursDays: 3,
  } satisfies Config)
  t.strictSame(Object.keys(origins), optionKeys)
  t.equal(origins.port, 'default')
  t.ok(Object.isFrozen(config) && Object.isFrozen(config.linkedDirectories))
})

t.test('flags override the environment, and the environment overrides the file', async (t) => {
  const file = join(
    testFolder(t, { 'a.toml': 'host = "a"\nport = 1\nlog_level = "warn"' }),
    'a.toml',
  )
  const env = { RINEX_CATALOGUE_HOST: 'b', RINEX_CATALOGUE_PORT: '2' }
  const { config, origins } = load({ file, env, flags: { host: 'c' } })
  t.match(config, { host: 'c', port: 2, logLevel: 'warn', maxLimit: 1000 })
  t.match(origins, {
    host: '--host',
    port: 'RINEX_CATALOGUE_PORT',
    log_level: file,
    max_limit: 'default',
  })
})

t.test('a flag names the configuration file, otherwise the environment names it', async (t) => {
  const dir = testFolder(t, { 'a.toml': 'port = 1', 'b.toml': 'port = 2' })
  const env = { RINEX_CATALOGUE_CONFIG: 'b.toml' }
  t.equal(load({ cwd: dir, env }).config.port, 2)
  t.equal(load({ cwd: dir, env, file: 'a.toml' }).config.port, 1)
  t.equal(load({ cwd: dir, env, file: 'a.toml' }).origins.port, join(dir, 'a.toml'))
})

t.test(
  'relative paths start from the folder of the file, or from the working directory',
  async (t) => {
    const file = join(testFolder(t, { 'a.toml': 'archive = "x/"\ndatabase = "../y.db"' }), 'a.toml')
    const inFile = load({ file }).config
    t.equal(inFile.archive, join(dirname(file), 'x'))
    t.equal(inFile.database, join(dirname(file), '../y.db'))
    t.equal(load({ env: { RINEX_CATALOGUE_ARCHIVE: 'x' } }).config.archive, '/srv/x')
    t.equal(load({ flags: { archive: '/x/./y' } }).config.archive, '/x/y')
  },
)

/** A value in a file. */
const tomlOf = (value: unknown): string =>
  JSON.stringify(value).replaceAll(/"([\w/]+)":/g, '"$1" = ')

/** A value in the environment: of a table `name=number,…`. */
const textOf = (value: unknown): string =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value)
        .map(([name, number]) => `${name}=${String(number)}`)
        .join()
    : String(value)

t.test('every option can be set in the file and in the environment', async (t) => {
  const server = 'postgresql://a@b/c?d=e'
  const common = {
    archive: '/a',
    database_password_file: '/etc/password',
    host: '::',
    port: 0,
    connections_per_address: 7,
    trusted_proxies: ['10.0.0.0/8', '::1'],
    base_url: 'https://d.example/e/',
    dataset_prefix: 'at.gv.bev.dc/_f/-g.1..2.',
    archive_title: 'A <b> "é"',
    archive_operator: 'o',
    archive_contact: 'a@b.example',
    archive_licence: 'l',
    station_link: 'http://h.example/?c={code}',
    internal_prefix: '/j/k-1/',
    log_level: 'silent',
    max_limit: 10000,
    admin_token_file: '/etc/token',
    expected_file: '/etc/expected.toml',
    stations_file: '/etc/stations.csv',
    linked_directories: ['/h/', '/i'],
    problems: 'command-line',
    keep_removals_days: 5,
    purged_after_days: { nrt: 3, 'pub/rinex3': 0 },
    backup_interval_hours: 0,
    sweep_interval_seconds: 1,
    full_look_hours: 2,
    checksums: 'arriving',
    facts: 'none',
    damaged_by: ['torn', 'short'],
    watch_days: 3,
    watch_hours_days: 4,
    areas: ['obs', 'nrt', 'pub/rinex3'],
    suffixes: ['.Z', ''],
    exclude: ['raw/', '**/products/**'],
  }
  const keys = new Set<string>()
  // A server has no control socket, and a file no standby.
  for (const database of [
    { database: '/b.db', control_socket: '/run/c.sock' },
    { database: server, database_read: server },
  ]) {
    const written = Object.entries({ ...common, ...database }) as [OptionKey, unknown][]
    for (const [key] of written) keys.add(key)
    const expected = {
      ...Object.fromEntries(optionKeys.map((key) => [propertyName(key), undefined])),
      ...Object.fromEntries(written.map(([key, value]) => [propertyName(key), value])),
      baseUrl: 'https://d.example/e',
      linkedDirectories: ['/h', '/i'],
    }
    const toml = written.map(([key, value]) => `${key} = ${tomlOf(value)}`)
    const file = join(testFolder(t, { 'a.toml': `\uFEFF${toml.join('\n')}` }), 'a.toml')
    t.strictSame(load({ file }).config, expected)

    const env = Object.fromEntries(
      written.map(([key, value]) => [variableName(key), textOf(value)]),
    )
    t.strictSame(load({ env }).config, expected)
  }
  t.strictSame([...keys].sort(), optionKeys.toSorted())
  t.strictSame(
    load({ env: { RINEX_CATALOGUE_LINKED_DIRECTORIES: '' } }).config.linkedDirectories,
    [],
  )
})

t.test('an empty text chooses plain files alone', async (t) => {
  for (const [text, suffixes] of [
    ['', ['']],
    ['.gz,', ['.gz', '']],
    ['.Z, .gz', ['.Z', '.gz']],
  ] as const) {
    t.strictSame(load({ env: { RINEX_CATALOGUE_SUFFIXES: text } }).config.suffixes, suffixes)
    t.strictSame(load({ flags: { suffixes: text } }).config.suffixes, suffixes)
  }
})

t.test('the control socket is beside the database, with a path that is short enough', async (t) => {
  const socketOf = (database: string, cwd = '/srv'): string | undefined =>
    load({ cwd, flags: { database } }).config.controlSocket
  t.equal(socketOf('/a/b.c/d'), '/a/b.c/d.sock')
  t.equal(socketOf('/a/b.db.old'), '/a/b.db.sock')
  const fits = `/${'x'.repeat(101)}.db`
  t.equal(socketOf(fits), fits.replace('.db', '.sock'), '107 bytes')
  const deep = `/${'d'.repeat(200)}`
  t.equal(
    socketOf(`${deep}/a/b.db`, deep),
    'a/b.sock',
    'the path from the working directory is short',
  )
  t.equal(load({ cwd: deep, flags: { controlSocket: 's' } }).config.controlSocket, 's')
  t.throws(() => socketOf(`/${'ü'.repeat(51)}.db`), /control_socket .* 108 bytes/, '108 bytes')
  t.throws(() => load({ cwd: deep, flags: { controlSocket: '.' } }), ConfigError)
})

t.test('any input gives a configuration or faults, and no other error', async (t) => {
  const file = join(testFolder(t, { 'a.toml': '' }), 'a.toml')
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', '0', '1', '::', '0.0.0.0', 'info', '/a', '/a,/b', 'http://a', '__proto__'),
    fc.constantFrom('postgresql://', 'postgres://a/b', 'postgresql://a:b@c/d'),
  )
  const value = fc.oneof(
    text.map((text) => JSON.stringify(text)),
    fc.constantFrom(
      '1',
      '1.5',
      'nan',
      '-inf',
      '99999999999999999999',
      'true',
      '2026-01-22',
      '[]',
      '{a=1}',
    ),
    fc.constantFrom('[1, 99999999999999999999]', '25:99:99', '[["a"]]', '1e400'),
  )
  const key = fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...optionKeys) }, text)
  const toml = fc.oneof(
    fc.uint8Array(),
    fc.array(fc.tuple(key, value)).map((lines) => lines.map((line) => line.join(' = ')).join('\n')),
  )
  const variable = fc.oneof(
    fc.constantFrom(...optionKeys.map(variableName)),
    text.map((name) => `RINEX_CATALOGUE_${name}`),
  )
  const env = fc.dictionary(variable, fc.option(text, { nil: undefined }))
  const flags = fc.dictionary(fc.constantFrom(...optionKeys.map(propertyName)), text)
  const sources = fc.record({ file: fc.oneof(fc.constant(file), text), env, flags, cwd: text })
  fc.assert(
    fc.property(toml, sources, (toml, sources) => {
      writeFileSync(file, toml)
      try {
        return Object.isFrozen(loadConfig(sources).config)
      } catch (error) {
        return error instanceof ConfigError && error.faults.length > 0
      }
    }),
    { numRuns: 1000 },
  )
})
