import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { commonFolder, testFolder } from './folder.ts'
import t from './tap.ts'

const indexer = 'rinex-catalogue-indexer.service'
const api = 'rinex-catalogue-api.service'
const services = [indexer, api]
const copyService = 'rinexcat-backup-copy.service'
const copyTimer = 'rinexcat-backup-copy.timer'

const isRoot = process.getuid?.() === 0

const read = (file: string): string => readFileSync(join('systemd', file), 'utf8')

/** The settings of a unit by `Key`, or `Section.Key` outside of `[Service]`. */
function settingsOf(file: string): Readonly<Record<string, string | undefined>> {
  const settings: Record<string, string> = {}
  let section = ''
  for (const line of read(file).split('\n')) {
    const [, name] = /^\[(\w+)\]$/.exec(line) ?? []
    const [, key = '', value] = /^(\w+)=(.*)$/.exec(line) ?? []
    if (name !== undefined) section = name === 'Service' ? '' : `${name}.`
    if (value === undefined) continue
    const before = settings[section + key]
    settings[section + key] = before === undefined ? value : `${before} ${value}`
  }
  return settings
}

/** The reason to skip a test: the program is missing, or older than the option that it needs. */
function without(program: string, version = 0): false | string {
  const { stdout, error } = spawnSync(program, ['--version'], { encoding: 'utf8' })
  if (error !== undefined) return `no ${program} here`
  const found = Number(/\d+/.exec(stdout)?.[0])
  return found < version && `${program} ${version} is needed, here is ${found}`
}

function run(program: string, args: readonly string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

type Settings = Readonly<Record<string, string | RegExp | undefined>>

/** What all services set; `undefined` is what none may set. */
const common: Settings = {
  Group: 'rinexcat',
  DynamicUser: undefined,
  ProtectSystem: 'strict',
  ReadWritePaths: undefined,
  // V8 may compile code, and a refused system call returns an error.
  ExecPaths: undefined,
  MemoryDenyWriteExecute: undefined,
  SystemCallErrorNumber: 'EPERM',
  // A service restarts unless every start would fail.
  Restart: 'on-failure',
  RestartPreventExitStatus: '2 78',
  'Unit.StartLimitIntervalSec': '0',
  // An unmounted archive stops no service.
  'Unit.RequiresMountsFor': undefined,
  'Unit.Requires': undefined,
  'Unit.BindsTo': undefined,
  'Unit.PartOf': undefined,
}

/** A service reports its state by a child process, and is restarted when it hangs. */
const watched = { Type: 'notify', NotifyAccess: 'all', WatchdogSec: /^\dmin$/ }

const internet = 'AF_UNIX AF_INET AF_INET6 AF_NETLINK'

/** Only the indexer writes the directories of the catalogue; what is written is not executed. */
const own: Readonly<Record<string, Settings>> = {
  [indexer]: {
    ...watched,
    User: 'rinexcat-indexer',
    StateDirectory: 'rinex-catalogue',
    StateDirectoryMode: '2750',
    // The group can read what the indexer creates.
    UMask: '0027',
    RuntimeDirectory: 'rinex-catalogue',
    RuntimeDirectoryMode: '0750',
    NoExecPaths: '/var/lib/rinex-catalogue /run/rinex-catalogue /tmp /var/tmp',
    PrivateNetwork: 'yes',
    RestrictAddressFamilies: 'AF_UNIX',
    IPAddressDeny: 'any',
    // The limits of inotify stay readable.
    ProcSubset: undefined,
  },
  [api]: {
    ...watched,
    User: 'rinexcat-api',
    StateDirectory: undefined,
    RuntimeDirectory: undefined,
    CacheDirectory: undefined,
    LogsDirectory: undefined,
    // It accepts connections of this host.
    PrivateNetwork: undefined,
    RestrictAddressFamilies: internet,
    IPAddressAllow: 'localhost',
    IPAddressDeny: 'any',
    'Unit.After': new RegExp(indexer),
  },
}

for (const file of services)
  t.test(`the settings of ${file}`, async (t) => {
    const settings = settingsOf(file)
    t.match(settings['SystemCallFilter'], /@system-service/)
    for (const [key, expected] of Object.entries<Settings[string]>({ ...common, ...own[file] }))
      if (expected instanceof RegExp) t.match(settings[key], expected, key)
      else t.equal(settings[key], expected, key)
  })

t.test('a missing archive stops no service', async (t) => {
  t.match(settingsOf('archive.conf')['ReadOnlyPaths'], /^-/)
  t.notMatch(read('archive.conf'), /^(RequiresMountsFor|Requires|BindsTo|PartOf)=/m)
})

const group = 61_000
const users = { indexer: 61_001, backup: 61_002 }
/** The prefix of a command that runs as the user of the copies; nothing without root. */
const asBackup = isRoot
  ? ['setpriv', '--reuid', String(users.backup), '--regid', String(group), '--clear-groups']
  : []

const database = (content: string) => `SQLite format 3\0${content}`
const yesterday = { 'catalogue.db': database('yesterday'), 'catalogue.db-numbers': '6' }

/** The directory of the indexer, and that of the copies as install.md makes it. */
function openCopies(t: Test, backups: Readonly<Record<string, string>>) {
  const folder = commonFolder(t)
  const [from, to] = [join(folder, 'from'), join(folder, 'to')]
  const fill = (into: string, user: number, files: Readonly<Record<string, string>>): void => {
    mkdirSync(into, { recursive: true })
    for (const [name, text] of Object.entries(files)) writeFileSync(join(into, name), text)
    for (const name of ['', ...Object.keys(files)]) {
      if (isRoot) chownSync(join(into, name), user, group)
      chmodSync(join(into, name), name === '' ? 0o2750 : 0o640)
    }
  }
  fill(from, users.indexer, { 'catalogue.db-numbers': '7', ...backups })
  fill(join(to, 'rinex-catalogue'), users.backup, yesterday)
  const [, script = ''] = /^ExecStart=\/bin\/sh -euc '([^']+)'$/m.exec(read(copyService)) ?? []
  const local = script
    .replaceAll('\\\n', '')
    .replaceAll('$$', '$')
    .replaceAll('/var/lib/rinex-catalogue', from)
    .replaceAll('/mnt/backup', to)
  const command = [...asBackup, 'sh', '-euc', `umask 0027; ${local}`] as const
  return {
    from,
    run: () => spawnSync('timeout', ['60', ...command], { encoding: 'utf8' }),
    copied: () => {
      const names = Object.keys(yesterday)
      const textOf = (name: string) => readFileSync(join(to, 'rinex-catalogue', name), 'utf8')
      return Object.fromEntries(names.map((name) => [name, textOf(name)]))
    },
  }
}

t.test('the example copies the newest backup and the reserved ids', async (t) => {
  const [first, second] = ['catalogue.db-backup-1', 'catalogue.db-backup-2']
  const both = openCopies(t, { [first]: database('older'), [second]: database('newer') })
  const one = openCopies(t, { [first]: database('newer') })
  const other = openCopies(t, { [second]: database('newer') })
  utimesSync(join(both.from, first), 1, 1)
  for (const copies of [both, one, other]) {
    t.match(copies.run(), { status: 0, stdout: '', stderr: '' })
    const expected = { 'catalogue.db': database('newer'), 'catalogue.db-numbers': '7' }
    t.strictSame(copies.copied(), expected)
  }
})

t.test('the example copies no other file that the user of the indexer names', async (t) => {
  const backup = 'catalogue.db-backup-1'
  const plants: Readonly<Record<string, (from: string, secret: string) => void>> = {
    'a link as the backup': (from, secret) => symlinkSync(secret, join(from, backup)),
    'a pipe as the backup': (from) => run('mkfifo', [join(from, backup)]),
    'a directory as the backup': (from) => mkdirSync(join(from, backup)),
    'another file as the backup': (from) => writeFileSync(join(from, backup), 'not a database'),
    'a link as the numbers': (from, secret) => {
      writeFileSync(join(from, backup), database('today'))
      rmSync(join(from, 'catalogue.db-numbers'))
      symlinkSync(secret, join(from, 'catalogue.db-numbers'))
    },
  }
  for (const [name, plant] of Object.entries(plants)) {
    const { from, run, copied } = openCopies(t, {})
    const secret = join(from, '../secret')
    writeFileSync(secret, database('secret'))
    plant(from, secret)
    t.equal(run().status, 1, name)
    t.strictSame(copied(), yesterday, `${name}: the copy of yesterday stays`)
  }
})

t.test('the example runs as a user who can read the backups, and write the copies', async (t) => {
  const settings = settingsOf(copyService)
  t.match(settings, { User: 'rinexcat-backup', Group: 'rinexcat', ProtectSystem: 'strict' })
  t.equal(settings['CapabilityBoundingSet'], '')
  const directory = settings['ReadWritePaths'] ?? ''
  const install = readFileSync('docs/install.md', 'utf8')
  t.match(install, `sudo install -d -o rinexcat-backup -g rinexcat -m 2750 ${directory}\n`)
})

/** The drop-in of a unit for a server on another machine, as docs/postgresql.md has it. */
function serverDropIn(unit: string): string {
  const text = readFileSync('docs/postgresql.md', 'utf8')
  const [, after = ''] = text.split(`\`/etc/systemd/system/${unit}.d/server.conf\``)
  return /^```ini\n(.*?)^```$/ms.exec(after)?.[1] ?? ''
}

t.test(
  'the units and the drop-ins are correct',
  { skip: without('systemd-analyze') },
  async (t) => {
    // systemd checks the program's path, so a copy of the units names the one of this test.
    const copy = (file: string): string =>
      read(file).replace('/opt/rinex-catalogue/bin/node', process.execPath)
    const dir = testFolder(t, {
      ...Object.fromEntries(services.map((file) => [file, copy(file)])),
      [copyService]: read(copyService),
      [copyTimer]: read(copyTimer),
      'rinex-catalogue-.service.d': { 'archive.conf': read('archive.conf') },
      [`${indexer}.d`]: { 'server.conf': serverDropIn(indexer) },
      [`${api}.d`]: { 'server.conf': serverDropIn(api) },
    })
    const paths = [...services, copyTimer].map((file) => join(dir, file))
    // An unknown key is reported without a failing exit code.
    t.strictSame(run('systemd-analyze', ['verify', ...paths]), { status: 0, output: '' })
  },
)

t.test('the exposure of the units is low', { skip: without('systemd-analyze', 250) }, async (t) => {
  const threshold = { [indexer]: 10, [api]: 15, [copyService]: 5 }
  for (const [file, tenths] of Object.entries(threshold)) {
    const options = ['--offline=true', `--threshold=${tenths}`, '--no-pager']
    const { status, output } = run('systemd-analyze', [
      'security',
      ...options,
      join('systemd', file),
    ])
    t.equal(status, 0, output.trim().split('\n').at(-1) ?? '')
  }
})

t.test(
  'the units use the users of sysusers.conf',
  { skip: without('systemd-sysusers') },
  async (t) => {
    const conf = read('sysusers.conf')
    const root = testFolder(t, { etc: { 'sysusers.d': { 'rinex-catalogue.conf': conf } } })
    const { status, output } = run('systemd-sysusers', [`--root=${root}`, 'rinex-catalogue.conf'])
    t.equal(status, 0, output)
    const etc = (file: string): string => readFileSync(join(root, 'etc', file), 'utf8')
    const [, gid] = /^rinexcat:[^:]*:(\d+):/m.exec(etc('group')) ?? []
    t.ok(gid, 'the group exists')
    for (const file of [...services, copyService]) {
      const user = settingsOf(file)['User'] ?? ''
      const [, group] = new RegExp(`^${user}:[^:]*:\\d+:(\\d+):`, 'm').exec(etc('passwd')) ?? []
      t.equal(group, gid, `the group of ${user}`)
    }
  },
)
