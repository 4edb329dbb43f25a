import { join } from 'node:path'
import type { Fault } from '../../src/config/checks.ts'
import { ConfigError } from '../../src/config/checks.ts'
import { loadConfig } from '../../src/config/load.ts'
import type { ConfigSources } from '../../src/config/sources.ts'
import { testFolder } from '../folder.ts'
import t, { exact } from '../tap.ts'

function faultsOf(sources: Partial<ConfigSources>): readonly Fault[] {
  try {
    loadConfig({ env: {}, flags: {}, cwd: '/srv', ...sources })
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
  return []
}

t.test('each invalid value in the file is a fault', async (t) => {
  const values: Readonly<Record<string, readonly string[]>> = {
    archive: ['1', '""', '"a\\u0000b"', '["a"]'],
    database: ['false'],
    control_socket: ['{}'],
    host: ['"a b"', '1'],
    port: ['"8080"', '-1', '65536', '80.5', 'nan', '99999999999999999999', '2026-01-22'],
    base_url: ['"gnss.example.org"', '"http://a?b"'],
    dataset_prefix: [
      '""',
      '"/a"',
      '"a/"',
      '"a//b"',
      '"a\\n"',
      '"."',
      '".."',
      '".a"',
      '"a/.b"',
      '"a/.."',
      '"a/./b"',
      '"a:b"',
      '"a*"',
      '"a%2eb"',
      '"ä"',
    ],
    archive_title: ['""', '" "', '"a\\nb"', '"a\\u0085"', `"${'a'.repeat(201)}"`, '1'],
    station_link: [
      '""',
      '"https://a.example/"',
      '"https://{code}.example/"',
      '"https://u:p@a.example/{code}"',
      '"javascript:alert(1)//{code}"',
      '"/{code}"',
      '"https://a.example/ {code}"',
    ],
    internal_prefix: ['"/"', '"internal/"', '"/internal"', '"/a//b/"', '"/a/../b/"', '"/a/\\n"'],
    log_level: ['"warning"', '"INFO"'],
    max_limit: ['0', '10001'],
    connections_per_address: ['0'],
    trusted_proxies: ['["proxy.example"]', '["10.0.0.0/33"]'],
    linked_directories: ['"/a"', '["a"]', '[""]', '[1, 99999999999999999999]'],
    sweep_interval_seconds: ['0', '86401'],
    purged_after_days: [
      '3',
      '[3]',
      '{ nrt = -1 }',
      '{ nrt = 1.5 }',
      '{ nrt = "3" }',
      '{ other = 3 }',
    ],
    areas: ['"obs"', '[1]'],
    suffixes: ['".gz"'],
    facts: ['"some"', 'true'],
    damaged_by: ['"cut"', '["cut", "other"]', '[""]', '["CUT"]'],
    exclude: ['"raw/"', '{}'],
  }
  const lines = Object.entries(values).flatMap(([key, all]) =>
    all.map((each) => `${key} = ${each}`),
  )
  for (const [number, line] of lines.entries()) {
    const name = `${number}.toml`
    const source = join(testFolder(t, { [name]: line }), name)
    const [key] = line.split(' ')
    const message = new RegExp(`^${key ?? ''} must be [^\n]+, found [^\n]+$`)
    t.match(faultsOf({ file: source }), exact([{ source, key, message }]), line)
  }
})

t.test('lists that make no layout are faults with their remedy, from any source', async (t) => {
  // The first text of a list that is read from a variable or a flag may be empty, but not the list.
  const cases: readonly (readonly [key: string, list: readonly string[], message: string])[] = [
    ['areas', [], 'areas must name at least one area, "." for all of the archive'],
    ['areas', ['', 'obs'], 'areas must not have "": an area is a directory below the archive, "."'],
    ['areas', ['/srv/obs'], 'areas must not have "/srv/obs": write its path below the archive,'],
    ['areas', ['..'], 'areas must not have "..": write its path below the archive, without'],
    ['areas', ['obs/../..'], 'areas must not have "obs/../..": write its path below the archive,'],
    ['areas', ['./obs'], 'areas must not have "./obs": write its path below the archive, without'],
    ['areas', ['obs/'], 'areas must not have "obs/": write "obs"'],
    ['areas', ['C:\\obs'], 'areas must not have "C:\\\\obs": use letters, digits,'],
    ['areas', ['obs*'], 'areas must not have "obs*": use letters, digits,'],
    ['areas', ['archive'], 'areas must not have "archive": this is the name of the area "."'],
    ['areas', ['obs', 'obs'], 'areas must not name "obs" twice'],
    ['areas', ['obs', '.'], 'areas must not overlap: "obs" lies in ".", remove one of them'],
    ['areas', ['a', 'b', 'a/b'], 'areas must not overlap: "a/b" lies in "a", remove one of them'],
    ['suffixes', [], 'suffixes must name at least one of ".gz", ".Z", ""; "" is for plain files'],
    ['suffixes', ['.gz', '.zip'], 'suffixes must not have ".zip": use ".gz", ".Z", "";'],
    ['suffixes', ['gz'], 'suffixes must not have "gz": use ".gz", ".Z", "";'],
    ['suffixes', ['.z'], 'suffixes must not have ".z": use ".gz", ".Z", "";'],
    ['exclude', ['raw/', ''], 'exclude must not have "": write a pattern, such as "raw/"'],
    ['exclude', ['!raw/'], 'exclude must not have "!raw/": a pattern excludes, write those of'],
    ['exclude', ['*'], 'exclude must not hide an area: "*" excludes all of obs/, remove it'],
    ['exclude', ['nrt'], 'exclude must not hide an area: "nrt" excludes all of nrt/, remove it'],
    ['exclude', ['a', '*.gz'], 'exclude must leave some files: "*.gz" excludes everything, remove'],
  ]
  for (const [key, list, message] of cases) {
    const source = join(testFolder(t, { 'a.toml': `${key} = ${JSON.stringify(list)}` }), 'a.toml')
    const variable = `RINEX_CATALOGUE_${key.toUpperCase()}`
    const found = [
      { source, faults: faultsOf({ file: source }) },
      ...(list.length === 0
        ? []
        : [
            { source: variable, faults: faultsOf({ env: { [variable]: list.join() } }) },
            { source: `--${key}`, faults: faultsOf({ flags: { [key]: list.join() } }) },
          ]),
    ]
    for (const { source, faults } of found) {
      t.match(faults, exact([{ source, key }]), `${source} ${list.join()}`)
      t.equal(faults[0]?.message.slice(0, message.length), message)
    }
  }
  const file = join(
    testFolder(t, { 'a.toml': 'areas = ["."]\npurged_after_days = { nrt = 3 }' }),
    'a.toml',
  )
  t.match(
    faultsOf({ file }),
    exact([
      { message: 'purged_after_days must be a table of days by area ("archive"), found "nrt"' },
    ]),
  )
})

t.test('invalid values in the environment and in flags are faults', async (t) => {
  const cases: [variable: string, text: string][] = [
    ['ARCHIVE', ''],
    ['BASE_URL', ''],
    ['PORT', ''],
    ['PORT', ' 80'],
    ['PORT', '0x50'],
    ['PORT', '8e1'],
    ['LINKED_DIRECTORIES', '/a,'],
    ['LINKED_DIRECTORIES', '/a,b'],
    ['PURGED_AFTER_DAYS', '3'],
    ['PURGED_AFTER_DAYS', 'nrt=3,'],
    ['PURGED_AFTER_DAYS', 'nrt=x'],
    ['PURGED_AFTER_DAYS', 'other=3'],
    ['AREAS', ''],
    ['AREAS', 'obs,'],
    ['SUFFIXES', '.gz,.zip'],
    ['EXCLUDE', '!raw/'],
  ]
  for (const [variable, text] of cases) {
    const source = `RINEX_CATALOGUE_${variable}`
    t.match(
      faultsOf({ env: { [source]: text } }),
      exact([{ source, key: variable.toLowerCase() }]),
      text,
    )
  }
  t.match(
    faultsOf({ flags: { baseUrl: 'x', logLevel: 'x' } }),
    exact([
      { source: '--base-url', key: 'base_url' },
      { source: '--log-level', key: 'log_level' },
    ]),
  )
})

t.test('an unknown name gets the suggestion of a known name', async (t) => {
  const names: [name: string, meant: string | undefined][] = [
    ['prot', 'port'],
    ['baseUrl', 'base_url'],
    ['base-url', 'base_url'],
    ['sweep_interval_second', 'sweep_interval_seconds'],
    ['colour', undefined],
    ['__proto__', undefined],
    ['constructor', undefined],
    ['x'.repeat(100), undefined],
  ]
  for (const [name, meant] of names) {
    const file = join(testFolder(t, { 'a.toml': `${name} = 1` }), 'a.toml')
    const remedy = meant === undefined ? 'remove it' : `did you mean ${meant}?`
    t.match(faultsOf({ file }), exact([{ source: file, key: name, message: remedy }]), name)
  }
  t.match(
    faultsOf({ file: join(testFolder(t, { 'a.toml': '[api]\nport = 1' }), 'a.toml') }),
    exact([{ key: 'api' }]),
  )
  t.match(
    faultsOf({ env: { RINEX_CATALOGUE_port: '1', RINEX_CATALOGUE_CONFG: 'x', RINEX: 'x' } }),
    exact([
      { source: 'RINEX_CATALOGUE_port', message: 'did you mean RINEX_CATALOGUE_PORT?' },
      { source: 'RINEX_CATALOGUE_CONFG', message: 'did you mean RINEX_CATALOGUE_CONFIG?' },
    ]),
  )
})

t.test('an unusable configuration file is named with its fault', async (t) => {
  const dir = testFolder(t, {
    'syntax.toml': 'port = 1\nhost = \n',
    'twice.toml': 'port = 1\nport = 2',
    'latin.toml': Buffer.from('archive = "\xE9"', 'latin1'),
  })
  const cases: [file: string, message: string][] = [
    [join(dir, 'syntax.toml'), 'line 2, column'],
    [join(dir, 'twice.toml'), 'line 2, column'],
    [join(dir, 'latin.toml'), 'not valid'],
    [join(dir, 'absent.toml'), 'ENOENT'],
    [dir, 'EISDIR'],
  ]
  for (const [source, message] of cases) {
    t.match(faultsOf({ file: source }), exact([{ source, key: undefined, message }]), message)
  }
  t.match(faultsOf({ cwd: dir, file: '' }), exact([{ source: dir }]), 'an empty name')
  t.match(faultsOf({ cwd: dir, env: { RINEX_CATALOGUE_CONFIG: '' } }), exact([{ source: dir }]))
})

t.test('a wildcard host needs a base URL', async (t) => {
  for (const host of ['0.0.0.0', '::', '0', '::0']) {
    const fault = { source: '--host', key: 'base_url', message: 'set base_url' }
    t.match(faultsOf({ flags: { host } }), exact([fault]), host)
    t.strictSame(faultsOf({ flags: { host, baseUrl: 'http://a' } }), [])
  }
  const faults = faultsOf({ flags: { host: '::', baseUrl: 'a' } })
  t.match(faults, exact([{ source: '--base-url' }]), 'a bad one is the only fault')
  t.equal(faults.length, 1)
})

t.test('the control socket may not be the file of the database', async (t) => {
  t.match(
    faultsOf({ flags: { database: 'a.sock' } }),
    exact([{ key: 'control_socket', message: 'itself' }]),
  )
})

t.test('all faults are reported, also of values that another source overrides', async (t) => {
  const file = join(testFolder(t, { 'a.toml': 'port = "x"\nmax_limit = 0\nhots = "a"' }), 'a.toml')
  const env = { RINEX_CATALOGUE_PORT: '80', RINEX_CATALOGUE_LOG_LEVEL: 'loud' }
  const faults = faultsOf({ file, env, flags: { host: '::', datasetPrefix: '/' } })
  t.strictSame(
    faults.map(({ source, key }) => [source, key]),
    [
      [file, 'hots'],
      [file, 'port'],
      [file, 'max_limit'],
      ['RINEX_CATALOGUE_LOG_LEVEL', 'log_level'],
      ['--dataset-prefix', 'dataset_prefix'],
      ['--host', 'base_url'],
    ],
  )
  const { message } = new ConfigError(faults)
  for (const fault of faults) t.match(message, `\n  ${fault.source}: ${fault.message}`)
})
