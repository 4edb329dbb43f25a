/** The command `check-config` as users run it. */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { unitDirectories } from '../../../src/commands/checks/unit-directories.ts'
import { lacksMounts, openMounts } from '../../acceptance/service.ts'
import { commonFolder, testFolder } from '../../folder.ts'
import { kept, programLine } from '../../program.ts'
import t from '../../tap.ts'

const isRoot = process.getuid?.() === 0

t.test('the directories of systemd are those of the unit of the indexer', async (t) => {
  const expected = ['/var/lib/rinex-catalogue', '/run/rinex-catalogue']
  t.strictSame(unitDirectories(['/nowhere', 'systemd']), expected)
  const name = 'rinex-catalogue-indexer.service'
  const own = testFolder(t, { [name]: '[Service]\nStateDirectory=a b\n#StateDirectory=c\n' })
  t.strictSame(unitDirectories([own, 'systemd']), ['/var/lib/a', '/var/lib/b'])
  t.strictSame(unitDirectories(['/nowhere']), [])
})

function run(args: readonly string[], options: Readonly<Record<string, string>> = {}) {
  const [program, all] = programLine(args)
  const result = spawnSync(program, all, { env: { ...kept, ...options }, encoding: 'utf8' })
  return { code: result.status, stdout: result.stdout, stderr: result.stderr }
}

t.test('faults of the configuration and of the machine are named together', async (t) => {
  const flags = ['--port', 'x', '--archive', '/nowhere', '--expected-file', '/nowhere/e.toml']
  const { code, stdout, stderr } = run(['check-config', ...flags])
  t.strictSame({ code, stdout }, { code: 78, stdout: '' })
  for (const fault of [
    '--port: port must be a whole number',
    '/nowhere/e.toml: expected_file cannot be read',
    '--archive: archive "/nowhere" is not there',
  ])
    t.match(stderr, fault)
})

t.test('no command starts with lists that make no layout, from any source', async (t) => {
  const file = join(testFolder(t, { 'a.toml': 'areas = ["obs", "obs/2024"]' }), 'a.toml')
  const exclude = { RINEX_CATALOGUE_EXCLUDE: 'nrt,*' }
  const cases: [args: string[], env: Readonly<Record<string, string>>, fault: string][] = [
    [['--config', file], {}, `${file}: areas must not overlap: .*, remove one of them`],
    [[], exclude, 'RINEX_CATALOGUE_EXCLUDE: exclude must not hide an area: .*, remove it'],
    [['--suffixes', '.gz,.bz2'], {}, '--suffixes: suffixes must not have .*: use .*\\.gz'],
  ]
  for (const command of ['start', 'index', 'serve'])
    for (const [args, env, fault] of cases) {
      const { code, stdout, stderr } = run([command, ...args], env)
      t.strictSame({ code, stdout }, { code: 78, stdout: '' }, `${command} ${args.join(' ')}`)
      t.match(stderr, new RegExp(fault))
    }
})

t.test('a base URL that ends with the dataset prefix is a fault', async (t) => {
  const urlOf = (path: string) => ['--base-url', `https://a.example/${path}`]
  const fault = /^ {2}--base-url: base_url ends with dataset_prefix rinex, /m
  t.match(run(['check-config', ...urlOf('b/rinex/')]), { code: 78, stderr: fault })
  t.notMatch(run(['check-config', ...urlOf('rinexb')]).stderr, 'dataset_prefix')
})

t.test('a table is printed as a file may have it', async (t) => {
  const text = run(['check-config', '--purged-after-days', 'nrt=3,obs=400']).stdout
  t.match(text, '\npurged_after_days = { nrt = 3, obs = 400 } # from --purged-after-days\n')
  t.match(run(['check-config']).stdout, '\npurged_after_days = {} # from default\n')
})

t.test('check-config says what it checked, and only for a known command', async (t) => {
  const folder = commonFolder(t)
  mkdirSync(join(folder, 'archive'))
  const archive = ['--archive', join(folder, 'archive')]
  const { code, stdout } = run([
    'check-config',
    'index',
    ...archive,
    '--database',
    folder + '/c.db',
  ])
  t.equal(code, 0)
  t.match(stdout, /^# checked for index, as the user with the id \d+:$/m)
  t.match(stdout, /^# archive ".*archive" may be read$/m)
  t.match(stdout, /^# database ".*" may be written$/m)
  t.match(stdout, /^# SQLite 3\.\d+\.\d+$/m)
  t.match(run(['check-config', 'backup']), { code: 2, stderr: /Allowed choices are start, index/ })
})

t.test('check-config shows of a server only host, port and name', async (t) => {
  const folder = testFolder(t, { password: 'S3CRET\n', empty: '' })
  const [user, parameters] = ['us3r', 'application_name=par4m']
  const flags = [
    ...['check-config', 'serve', '--archive', folder],
    ...['--database', `postgresql://${user}@127.0.0.1:1/name?${parameters}`],
    ...['--database-read', `postgres://${user}@[::1]:1/name?${parameters}`],
  ]
  const { code, stdout, stderr } = run([...flags, '--database-password-file', `${folder}/password`])
  t.equal(code, 78)
  t.match(stdout, 'database = "postgresql://127.0.0.1:1/name" # from --database\n')
  t.match(stdout, 'database_read = "postgresql://[::1]:1/name" # from --database-read\n')
  t.match(stdout, '# control_socket has no value # from default\n')
  t.match(
    stderr,
    '--database: database postgresql://127.0.0.1:1/name does not answer: connect ECONN',
  )
  t.match(stderr, '--database-read: database_read postgresql://[::1]:1/name does not answer: ')
  t.notMatch(stdout + stderr, /S3CRET|us3r|par4m|SQLite/)
  for (const [command, file] of [
    ['index', 'empty'],
    ['serve', 'none'],
  ] as const)
    t.match(
      run([...flags, '--database-password-file', join(folder, file)].with(1, command)),
      { code: 78, stderr: /database_password_file (must contain a token|cannot be read)/ },
      command,
    )
})

t.test(
  'the checks of install.md succeed before the first start, and fail on a wrong installation',
  { skip: (!isRoot && 'only root can change users') || lacksMounts },
  async (t) => {
    const folder = commonFolder(t)
    const [units, state, config] = ['units', 'state', 'config'].map((name) => join(folder, name))
    const install = (database: string, hasUnit: boolean): void => {
      writeFileSync(
        `${config ?? ''}.toml`,
        `archive = "${folder}/archive"\ndatabase = "${database}"\ncontrol_socket = "/run/rinex-catalogue/control.sock"\n`,
      )
      rmSync(join(units ?? '', 'system'), { recursive: true, force: true })
      if (hasUnit) cpSync('systemd', join(units ?? '', 'system'), { recursive: true })
    }
    mkdirSync(join(folder, 'archive/obs'), { recursive: true })
    chownSync(join(folder, 'archive'), 0, 61_010)
    chmodSync(join(folder, 'archive'), 0o750)
    for (const path of [units, state]) mkdirSync(path ?? '')
    const mounts = await openMounts(t)
    mounts.run(`mkdir -p /run/systemd && mount --bind ${units ?? ''} /run/systemd`)
    mounts.run(`mount --bind ${state ?? ''} /var/lib`)
    const commands = readFileSync('docs/install.md', 'utf8').matchAll(
      /^sudo -u (rinexcat-\w+) -g gnss rinex-catalogue (check-config .*)$/gm,
    )
    const lines = Array.from(commands, ([, user = '', words = '']) => ({ user, words }))
    t.strictSame(
      lines.map(({ user }) => user),
      ['rinexcat-indexer', 'rinexcat-api', 'rinexcat-indexer', 'rinexcat-api'],
    )
    const uids: Readonly<Record<string, string>> = {
      'rinexcat-indexer': '61001',
      'rinexcat-api': '61002',
    }
    const codes = (groups = '61000,61010') =>
      lines.slice(0, 2).map(({ user, words }) => {
        const as = ['--reuid', uids[user] ?? '', '--regid', '61000', '--groups', groups]
        const [node, args] = programLine([...words.split(' '), '--config', `${config ?? ''}.toml`])
        const [program = '', ...rest] = [...mounts.wrap('/'), 'setpriv', ...as, node, ...args]
        const { status, stderr } = spawnSync(program, rest, { env: process.env })
        t.comment(stderr.toString())
        return status
      })
    const usual = '/var/lib/rinex-catalogue/catalogue.db'
    install(usual, true)
    t.strictSame(codes(), [0, 0], 'correct')
    t.strictSame(codes('61000'), [78, 78], 'the archive may not be read')
    install('/var/lib/rinex-catalog/catalogue.db', true)
    t.strictSame(codes(), [78, 78], 'another directory')
    install(usual, false)
    t.strictSame(codes(), [78, 78], 'no unit makes the directories')
  },
)
