/** The command `check-config` checks that the machine has everything that a command needs. */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from '../tap.ts'
import type { Test } from 'tap'
import { checkMachine, usualCommand } from '../../src/commands/machine-check.ts'
import type { CheckedCommand } from '../../src/config/command-options.ts'
import { draftConfig } from '../../src/config/load.ts'
import { unitDirectories } from '../../src/runtime/unit-directories.ts'
import { lacksMounts, openMounts } from '../acceptance/service.ts'
import { testFolder } from '../folder.ts'
import { programLine } from '../program.ts'

const isRoot = process.getuid?.() === 0

/** A folder with a short path, because the path of a socket must be short. */
function shortFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'machine-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  return folder
}

t.test('each thing that is missing on the machine is named with its option', async (t) => {
  const folder = shortFolder(t)
  for (const name of ['archive', 'state', 'closed', 'filled', 'other'])
    mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'file'), '')
  for (const name of ['filled/c.db', 'closed/c.db']) writeFileSync(join(folder, name), '')
  chmodSync(join(folder, 'closed'), 0o500)
  symlinkSync('made', join(folder, 'to-made'))
  const server = createServer().listen(join(folder, 'filled/c.sock'))
  t.teardown(() => server.close())
  const made = join(folder, 'made')
  const unreachable = /is not there or cannot be reached/
  const yet = 'is not there yet: systemd makes it'
  type Case = readonly [
    command: CheckedCommand,
    paths: Readonly<Record<string, string>>,
    fault?: RegExp | undefined,
    other?: string,
  ]
  const right = { archive: 'archive', database: 'state/c.db' }
  const cases: readonly Case[] = [
    ['start', right],
    ['start', { ...right, archive: 'nowhere' }, /^archive ".*nowhere" is not there/],
    ['serve', { ...right, archive: 'file' }, /^archive ".*file" is not a directory/],
    ['index', { ...right, linkedDirectories: 'nowhere' }, /^linked_directories ".*nowhere" is not/],
    // The indexer makes the directory of the database, the API does not.
    ['index', { ...right, database: 'none/deep/c.db' }, undefined, 'this user can make it'],
    ['start', { ...right, database: 'none/c.db' }, undefined, 'this user can make it'],
    ['serve', { ...right, database: 'none/c.db' }, /^database ".*none" is not there/],
    ['index', { ...right, database: 'file/c.db' }, /^database ".*file" is not a directory/],
    ['index', { ...right, database: 'file/x/c.db' }, /cannot make it in ".*file"/],
    // systemd makes this one, and no other.
    ['index', { ...right, database: 'made/c.db' }, undefined, yet],
    ['serve', { ...right, database: 'made/c.db' }, undefined, yet],
    ['serve', { ...right, database: 'to-made/c.db' }, undefined, yet],
    ['serve', { ...right, database: 'made/x/c.db' }, unreachable],
    ['index', { ...right, controlSocket: 'made/s' }, undefined, yet],
    ['serve', { ...right, controlSocket: 'made/s' }, undefined, yet],
    ['index', { ...right, controlSocket: 'none/s' }, /^control_socket ".*none" is not there/],
    ['serve', { ...right, controlSocket: 'none/s' }, /^control_socket ".*none" is not there/],
    ['serve', { ...right, database: 'filled/c.db' }, undefined, 'may be entered'],
    ['index', { ...right, database: 'filled/c.db' }, undefined, 'may be written'],
    ...(isRoot
      ? []
      : ([
          [
            'index',
            { ...right, database: 'closed/c.db' },
            /^database ".*closed" may not be written/,
          ],
          ['index', { ...right, database: 'closed/x/c.db' }, /cannot make it in/],
          [
            'index',
            { ...right, controlSocket: 'closed/s' },
            /^control_socket ".*" may not be written/,
          ],
          ['serve', { ...right, database: 'closed/c.db' }],
          ['serve', { ...right, controlSocket: 'closed/s' }],
        ] satisfies Case[])),
  ]
  for (const [command, paths, fault, other] of cases) {
    const flags = Object.fromEntries(
      Object.entries(paths).map(([key, path]) => [key, join(folder, path)]),
    )
    const { values, faults } = draftConfig({ env: {}, cwd: folder, flags })
    t.strictSame(faults, [])
    const findings = checkMachine(values, command, [made])
    const found = findings
      .filter(({ isFault }) => isFault)
      .map(({ key, words }) => `${key} ${words}`)
    const name = `${command} ${JSON.stringify(paths)}`
    t.equal(found.length, fault === undefined ? 0 : 1, name, { found })
    if (fault !== undefined) t.match(found[0], fault, name)
    if (other !== undefined)
      t.ok(
        findings.some(({ words }) => words.includes(other)),
        name,
      )
  }
})

t.test('without a command, the usual one of this user is checked', async (t) => {
  const folder = testFolder(t, { 'c.db': '' })
  t.equal(usualCommand({ database: join(folder, 'c.db') }), 'serve')
  t.equal(usualCommand({ database: join(folder, 'd.db') }), 'start')
  t.equal(usualCommand({}), 'start')
})

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
  const result = spawnSync(program, all, { env: options, encoding: 'utf8' })
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

t.test('check-config says what it checked, and only for a known command', async (t) => {
  const folder = shortFolder(t)
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

t.test(
  'the checks of install.md succeed before the first start, and fail on a wrong installation',
  { skip: (!isRoot && 'only root can change users') || lacksMounts },
  async (t) => {
    const folder = shortFolder(t)
    chmodSync(folder, 0o755)
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
