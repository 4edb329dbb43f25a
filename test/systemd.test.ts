import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from './tap.ts'
import type { Test } from 'tap'
import { testFolder } from './folder.ts'

const indexer = 'rinex-catalogue-indexer.service'
const api = 'rinex-catalogue-api.service'
const alerts = 'rinex-alerts.service'
const services = [indexer, api, alerts]
const copyService = 'rinexcat-backup-copy.service'
const copyTimer = 'rinexcat-backup-copy.timer'

const isRoot = process.getuid?.() === 0

const read = (file: string): string => readFileSync(join('systemd', file), 'utf8')

/** The values of each setting of a unit file by `Section.Key`, in their order. */
function parseUnit(text: string): Map<string, string[]> {
  const settings = new Map<string, string[]>()
  let section = ''
  for (const line of text.split('\n')) {
    const [, name] = /^\[(\w+)\]$/.exec(line) ?? []
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? []
    if (name !== undefined) section = name
    if (key === undefined || value === undefined) continue
    const values = settings.get(`${section}.${key}`) ?? []
    settings.set(`${section}.${key}`, [...values, value])
  }
  return settings
}

function valuesOf(file: string): (key: string, section?: string) => string | undefined {
  const unit = parseUnit(read(file))
  return (key, section = 'Service') => unit.get(`${section}.${key}`)?.join(' ')
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

t.test('the services run as users of one group', async (t) => {
  const users = services.map((file) => valuesOf(file)('User'))
  t.strictSame(users, ['rinexcat-indexer', 'rinexcat-api', 'rinexcat-alerts'])
  for (const file of services) {
    t.equal(valuesOf(file)('Group'), 'rinexcat')
    t.notMatch(read(file), /DynamicUser/)
  }
})

t.test('only the indexer can write the directories of the catalogue', async (t) => {
  const [writer, reader] = [valuesOf(indexer), valuesOf(api)]
  t.equal(writer('StateDirectory'), 'rinex-catalogue')
  t.equal(writer('StateDirectoryMode'), '2750')
  t.equal(writer('UMask'), '0027', 'the group can read what the indexer creates')
  t.equal(writer('RuntimeDirectory'), 'rinex-catalogue')
  t.equal(writer('RuntimeDirectoryMode'), '0750')
  for (const key of ['StateDirectory', 'RuntimeDirectory', 'CacheDirectory', 'LogsDirectory'])
    t.equal(reader(key), undefined, key)
  t.equal(valuesOf(alerts)('StateDirectory'), 'rinex-catalogue-alerts')
  t.equal(valuesOf(alerts)('StateDirectoryMode'), '0700')
  t.match(read(alerts), '/rinex-catalogue-alerts/alerts.json')
  for (const file of services) {
    t.equal(valuesOf(file)('ProtectSystem'), 'strict')
    t.equal(valuesOf(file)('ReadWritePaths'), undefined)
  }
})

t.test('files that a service can write cannot be executed', async (t) => {
  const noExec = valuesOf(indexer)('NoExecPaths')?.split(' ')
  t.strictSame(noExec, ['/var/lib/rinex-catalogue', '/run/rinex-catalogue', '/tmp', '/var/tmp'])
  t.match(valuesOf(alerts)('NoExecPaths'), '/var/lib/rinex-catalogue-alerts ')
  for (const file of services) t.equal(valuesOf(file)('ExecPaths'), undefined)
})

t.test('V8 may compile code, and a refused system call returns an error', async (t) => {
  for (const file of services) {
    const value = valuesOf(file)
    t.equal(value('MemoryDenyWriteExecute'), undefined)
    t.match(value('SystemCallFilter'), /@system-service/)
    t.equal(value('SystemCallErrorNumber'), 'EPERM')
  }
})

t.test(
  'the indexer has no network, the API accepts connections of this host, and the alerts process only connects',
  async (t) => {
    const [writer, reader] = [valuesOf(indexer), valuesOf(api)]
    t.equal(writer('PrivateNetwork'), 'yes')
    t.equal(writer('RestrictAddressFamilies'), 'AF_UNIX')
    t.equal(reader('PrivateNetwork'), undefined)
    t.equal(reader('RestrictAddressFamilies'), 'AF_UNIX AF_INET AF_INET6 AF_NETLINK')
    t.equal(reader('IPAddressAllow'), 'localhost')
    for (const file of [indexer, api]) t.equal(valuesOf(file)('IPAddressDeny'), 'any')
    t.equal(valuesOf(alerts)('IPAddressDeny'), undefined)
    t.equal(valuesOf(alerts)('SocketBindDeny'), 'any')
    t.equal(writer('ProcSubset'), undefined, 'the limits of inotify stay readable')
  },
)

t.test('an unmounted archive stops no service', async (t) => {
  for (const file of [...services, 'archive.conf']) {
    t.notMatch(read(file), /^(RequiresMountsFor|Requires|BindsTo|PartOf)=/m)
  }
  t.match(valuesOf('archive.conf')('ReadOnlyPaths'), /^-/, 'nor does a missing one')
  for (const file of [api, alerts]) t.match(valuesOf(file)('After', 'Unit'), indexer)
})

t.test(
  'a service reports its state by a child process, and is restarted when it hangs',
  async (t) => {
    for (const file of [indexer, api]) {
      const value = valuesOf(file)
      t.equal(value('Type'), 'notify')
      t.equal(value('NotifyAccess'), 'all')
      t.match(value('WatchdogSec'), /^\dmin$/)
    }
  },
)

t.test('a service restarts unless every start would fail', async (t) => {
  for (const file of services) {
    t.equal(valuesOf(file)('Restart'), 'on-failure')
    t.equal(valuesOf(file)('RestartPreventExitStatus'), '2 78')
    t.equal(valuesOf(file)('StartLimitIntervalSec', 'Unit'), '0')
  }
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
  const folder = mkdtempSync(join(tmpdir(), 'copies-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  chmodSync(folder, 0o755)
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
  const value = valuesOf(copyService)
  t.equal(value('User'), 'rinexcat-backup')
  t.equal(value('Group'), 'rinexcat')
  t.equal(value('CapabilityBoundingSet'), '')
  t.equal(value('ProtectSystem'), 'strict')
  const directory = value('ReadWritePaths') ?? ''
  const install = readFileSync('docs/install.md', 'utf8')
  t.match(install, `sudo install -d -o rinexcat-backup -g rinexcat -m 2750 ${directory}\n`)
})

t.test('the units and the drop-in are correct', { skip: without('systemd-analyze') }, async (t) => {
  // systemd checks the program's path, so a copy of the units names the one of this test.
  const copy = (file: string): string =>
    read(file).replace('/opt/rinex-catalogue/bin/node', process.execPath)
  const dir = testFolder(t, {
    ...Object.fromEntries(services.map((file) => [file, copy(file)])),
    [copyService]: read(copyService),
    [copyTimer]: read(copyTimer),
    'rinex-catalogue-.service.d': { 'archive.conf': read('archive.conf') },
  })
  const paths = [...services, copyTimer].map((file) => join(dir, file))
  // An unknown key is reported without a failing exit code.
  t.strictSame(run('systemd-analyze', ['verify', ...paths]), { status: 0, output: '' })
})

t.test('the exposure of the units is low', { skip: without('systemd-analyze', 250) }, async (t) => {
  const threshold = { [indexer]: 10, [api]: 15, [alerts]: 15, [copyService]: 5 }
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

t.test('the units use the users of sysusers.conf', { skip: without('systemd-sysusers') }, (t) => {
  const conf = read('sysusers.conf')
  const root = testFolder(t, { etc: { 'sysusers.d': { 'rinex-catalogue.conf': conf } } })
  const { status, output } = run('systemd-sysusers', [`--root=${root}`, 'rinex-catalogue.conf'])
  t.equal(status, 0, output)
  const etc = (file: string): string => readFileSync(join(root, 'etc', file), 'utf8')
  const [, gid] = /^rinexcat:[^:]*:(\d+):/m.exec(etc('group')) ?? []
  t.ok(gid, 'the group exists')
  for (const file of [...services, copyService]) {
    const user = valuesOf(file)('User') ?? ''
    const [, group] = new RegExp(`^${user}:[^:]*:\\d+:(\\d+):`, 'm').exec(etc('passwd')) ?? []
    t.equal(group, gid, `the group of ${user}`)
  }
  t.end()
})
