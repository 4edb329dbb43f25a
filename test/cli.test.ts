import { spawn, spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { parse } from 'smol-toml'
import { commonFolder, testFolder } from './folder.ts'
import { bare } from './program.ts'
import t, { exact } from './tap.ts'

interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface Surroundings {
  readonly env?: Record<string, string>
  readonly input?: string
  /** Closes the reading end of standard output after the first bytes. */
  readonly hangUp?: boolean
}

function run(args: readonly string[], { env, input, hangUp }: Surroundings = {}): Promise<Outcome> {
  const variables = Object.entries(env ?? {}).map((variable) => variable.join('='))
  const [first, ...words] = [...bare, ...variables, process.execPath, 'src/cli.js', ...args]
  const child = spawn(first, words)
  const outcome = { code: null, stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => {
    outcome.stdout += chunk.toString()
    if (hangUp === true) child.stdout.destroy()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    outcome.stderr += chunk.toString()
  })
  // The program may end before it has read all input.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ ...outcome, code }))
  })
}

const commands = [
  'start',
  'index',
  'serve',
  'rescan',
  'status',
  'check',
  'backup',
  'restore',
  'parse',
  'check-config',
]

/** The faults of a configuration: a list for people, a JSON line of a daemon. */
function faultsOf(stderr: string): string[] {
  const [first = '', ...others] = stderr.trimEnd().split('\n')
  if (first === 'rinex-catalogue: bad configuration:') return others.map((line) => line.trim())
  const { level, msg, faults } = JSON.parse(stderr) as Record<string, unknown>
  return level === 'fatal' && msg === 'bad configuration' ? (faults as string[]) : []
}

// `config/documents.test.ts` reads the help of the commands.
t.test('the program has help and a version', async (t) => {
  const help = await run(['--help'])
  t.match(help, { code: 0, stdout: /--config <file>[^]*--help/, stderr: '' })
  for (const args of [[], ['start']]) {
    const { code, stdout } = await run([...args, '--version'])
    t.equal(code, 0)
    t.match(stdout, /^\d+\.\d+\.\d+ \(Node \d+\.\d+\.\d+\)\n$/)
    t.match(stdout, `(Node ${process.versions.node})`)
  }
})

t.test('wrong usage exits with code 2 and prints nothing on standard output', async (t) => {
  const lines = ['', 'nope', '--nope', 'serve --nope', 'serve extra', 'serve --port']
  lines.push('serve --config', 'serve --maximum 5', 'status --port 1', 'rescan --max-limit 5')
  for (const line of lines) {
    const outcome = await run(line.split(' ').filter((word) => word !== ''))
    t.match(outcome, { code: 2, stdout: '', stderr: /./ }, line)
  }
})

t.test('a bad configuration exits with code 78 and lists all faults on stderr', async (t) => {
  const file = join(testFolder(t, { 'a.toml': 'prot = 1' }), 'a.toml')
  const env = { RINEX_CATALOGUE_HOST: 'a b', RINEX_CATALOGUE_CONFIG: file }
  for (const command of commands.filter((command) => command !== 'parse')) {
    const args = ['backup', 'restore'].includes(command) ? ['copy.db'] : []
    const { code, stdout, stderr } = await run([command, ...args, '--database', ''], { env })
    t.strictSame({ code, stdout }, { code: 78, stdout: '' }, command)
    const faults = faultsOf(stderr)
    for (const fault of [`${file}: .*port`, 'RINEX_CATALOGUE_HOST: host', '--database: database'])
      t.ok(
        faults.some((line) => new RegExp(`^${fault}`).test(line)),
        `${command}: ${fault}`,
      )
  }
})

t.test('check-config prints a configuration with the origin of each value', async (t) => {
  const file = join(testFolder(t, { 'a.toml': 'max_limit = 5' }), 'a.toml')
  const env = { RINEX_CATALOGUE_LINKED_DIRECTORIES: '/a,/b "c"' }
  const { code, stdout, stderr } = await run(['--config', file, 'check-config', '--host', '::1'], {
    env,
  })
  t.equal(code, 78, 'the linked directories are not there')
  t.match(stderr, 'RINEX_CATALOGUE_LINKED_DIRECTORIES: linked_directories "/a" is not there')
  const expected = [
    'host = "::1" # from --host',
    'port = 8080 # from default',
    'base_url = "http://[::1]:8080" # from default, from host and port',
    `max_limit = 5 # from ${file}`,
    'linked_directories = [ "/a", "/b \\"c\\"" ] # from RINEX_CATALOGUE_LINKED_DIRECTORIES',
  ]
  for (const line of expected) t.ok(stdout.split('\n').includes(line), line)
  t.match(parse(stdout), { max_limit: 5, linked_directories: exact(['/a', '/b "c"']) })

  const again = await run([
    'check-config',
    '--config',
    join(testFolder(t, { 'b.toml': stdout }), 'b.toml'),
  ])
  const values = ({ stdout }: Outcome): string => stdout.replaceAll(/ # from .*/g, '')
  t.equal(values(again), values({ code, stdout, stderr: '' }), 'what is printed is a configuration')
})

t.test('an unusable token file is reported together with all other faults', async (t) => {
  const folder = testFolder(t, { 'a.toml': 'admin_token_file = "token"\nprot = 1', token: 'a b' })
  for (const command of ['check-config', 'serve', 'start']) {
    const { code, stdout, stderr } = await run([command, '--config', join(folder, 'a.toml')])
    t.strictSame({ code, stdout }, { code: 78, stdout: '' }, command)
    const faults = faultsOf(stderr)
    for (const fault of [
      `${join(folder, 'token')}: admin_token_file must contain a token`,
      `${join(folder, 'a.toml')}: unknown option "prot"`,
    ])
      t.ok(
        faults.some((line) => line.startsWith(fault)),
        fault,
      )
  }
})

t.test('every option has a flag, and all daemons accept all flags', async (t) => {
  const flags = ['--watch-days', '2', '--max-limit', '7', '--trusted-proxies', '::1, 10.0.0.0/8']
  const { code, stdout } = await run(['check-config', ...flags])
  t.equal(code, 0)
  for (const line of [
    'watch_days = 2 # from --watch-days',
    'max_limit = 7 # from --max-limit',
    'trusted_proxies = [ "::1", "10.0.0.0/8" ] # from --trusted-proxies',
  ])
    t.ok(stdout.split('\n').includes(line), line)
  for (const command of ['start', 'index', 'serve']) {
    const { code, stderr } = await run([command, ...flags, '--archive', '.', '--database', ''])
    t.equal(code, 78, command)
    t.match(faultsOf(stderr), exact([/^--database: /]), command)
  }
})

t.test('a daemon needs an archive, and a demo a database of its own', async (t) => {
  for (const args of [
    ['index'],
    ['serve'],
    ['start', '--database', 'c.db'],
    ['check-config', 'serve'],
  ]) {
    const { code, stderr } = await run(args)
    t.match(stderr, 'archive must be set to the directory that holds obs/ and nrt/', args.join(' '))
    t.equal(code, 78)
  }
  t.equal((await run(['check-config', 'start'])).code, 0, 'a demo needs nothing')
})

t.test('check-config accepts a port that is known only after the start', async (t) => {
  const { code, stdout } = await run(['check-config', '--port', '0'])
  t.equal(code, 0)
  t.match(stdout, /^# base_url .*# from default, from host and port$/m)
})

t.test('parse prints one JSON object for each name', async (t) => {
  const names = ['GRAZ00AUT_R_20260220000_01D_30S_MO.crx.gz', 'graz0220.26d.gz', '-x "y"']
  const { code, stdout } = await run(['parse', '--', ...names])
  t.equal(code, 0)
  const common = { data_date: '2026-01-22T00:00:00Z', file_duration: 'd' }
  const expected = [
    {
      name: names[0],
      form: 'r3',
      station: 'GRAZ00AUT',
      ...common,
      file_version: 'r3',
      file_type: 'o',
      country: 'AUT',
      source: 'R',
      period: '01D',
      interval: '30S',
      content: 'MO',
    },
    { name: names[1], form: 'r2', station: 'GRAZ', ...common, file_version: 'r2', file_type: 'o' },
    { name: names[2], rejected: 'not-gz' },
  ]
  t.equal(stdout, expected.map((line) => `${JSON.stringify(line)}\n`).join(''))
})

t.test('parse reads names from standard input', async (t) => {
  const { code, stdout } = await run(['parse'], { input: 'a\r\n\nb\nc' })
  const expected = ['a', 'b', 'c'].map(
    (name) => `${JSON.stringify({ name, rejected: 'not-gz' })}\n`,
  )
  t.strictSame({ code, stdout }, { code: 0, stdout: expected.join('') })
  t.match(await run(['parse'], { input: '' }), { code: 0, stdout: '' })
})

t.test('parse ends without an error when its reader ends', async (t) => {
  const outcome = await run(['parse'], { input: 'a\n'.repeat(200_000), hangUp: true })
  t.match(outcome, { code: 0, stderr: '' })
})

t.test('a daemon that cannot start logs one JSON line, a command prints text', async (t) => {
  const database = testFolder(t)
  // The path of a socket must be short.
  const args = ['--database', database, '--control-socket', 'none.sock']
  const { code, stderr } = await run(['index', '--once', '--archive', '.', ...args])
  t.equal(code, 78, 'somebody has to correct it')
  t.equal(stderr.split('\n').length, 2)
  const line = JSON.parse(stderr) as Record<string, unknown>
  t.match(line, { level: 'fatal', name: 'indexer', msg: 'start failed', reason: database })
  t.notOk('err' in line, 'no stack')
  const status = await run(['status', ...args])
  t.match(status, { code: 1, stderr: /^rinex-catalogue: / })
})

t.test('a start that cannot succeed has the exit code of a bad configuration', async (t) => {
  const database = join(testFolder(t), 'c.db')
  new Sqlite(database).exec('CREATE TABLE of_another_program (a)').close()
  const args = ['--database', database, '--control-socket', 'none.sock']
  const { code, stderr } = await run(['index', '--archive', '.', ...args])
  t.equal(code, 78)
  t.match(JSON.parse(stderr), { level: 'fatal', msg: 'start failed', reason: /another program/ })
  t.equal((await run(['check', ...args])).code, 1, 'a command that is no service has failed')
})

t.test('a database that cannot be read is reported with what the user can do', async (t) => {
  const missing = await run(['status', '--database', '/nowhere/c.db'])
  t.match(missing, { code: 1, stderr: /ENOENT.*: start the indexer first, or name another one/ })
  const folder = commonFolder(t, { closed: { 'c.db': '' } })
  chmodSync(join(folder, 'closed'), 0)
  t.teardown(() => {
    chmodSync(join(folder, 'closed'), 0o700)
  })
  const closed = spawnSync(
    process.execPath,
    ['src/cli.js', 'status', '--database', `${folder}/closed/c.db`],
    { encoding: 'utf8', ...(process.getuid?.() === 0 && { uid: 65_534 }) },
  )
  t.match(closed, { status: 1, stderr: /EACCES.*: only its user and group may; a new member/ })
})

t.test('of a file that cannot be understood nothing else is said to be missing', async (t) => {
  const file = join(testFolder(t, { 'a.toml': 'archive = ' }), 'a.toml')
  for (const command of ['index', 'serve']) {
    const { code, stderr } = await run([command, '--config', file])
    t.equal(code, 78)
    t.match(stderr, /a\.toml: line 1, column /)
    t.notMatch(stderr, 'archive must be set')
  }
})

t.test('an indexer that makes the directory of its database says so', async (t) => {
  const folder = testFolder(t, { archive: { obs: {} } })
  const place = ['--archive', `${folder}/archive`, '--database', `${folder}/a/b/c.db`]
  const says = async () =>
    (await run(['index', '--once', ...place])).stdout.includes('made the directory of')
  t.same([await says(), await says()], [true, false])
})
