/** The commands `backup` and `restore`, as their users start them. */
import { execFile, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import Sqlite from 'better-sqlite3'
import type { Test } from 'tap'
import { copyDatabase } from '../../src/catalogue/sqlite/backup.ts'
import type { OpenedWriter } from '../../src/catalogue/sqlite/writer.ts'
import { openWriter } from '../../src/catalogue/sqlite/writer.ts'
import { schemaVersion } from '../../src/catalogue/tables/migrations.ts'
import { lacksMounts, longestMs } from '../acceptance/service.ts'
import { change, newFile } from '../catalogue/change.ts'
import { commonFolder } from '../folder.ts'
import { bare, programLine } from '../program.ts'
import t, { exact } from '../tap.ts'

const day = 'obs/2026/001'

t.setTimeout(longestMs)

t.test('a database on a server is copied by other programs', async (t) => {
  const database = 'postgresql://us3r@db.example/name?sslmode=disable'
  for (const [command, remedy] of [
    ['backup', 'use pg_dump for a copy, or pg_basebackup'],
    ['restore', 'use pg_restore, or a point-in-time recovery'],
  ] as const) {
    const [node, args] = programLine([command, 'copy', '--database', database])
    const { status, stderr } = spawnSync(node, args, { encoding: 'utf8' })
    t.equal(status, 78, command)
    t.match(stderr, `postgresql://db.example:5432/name is on a server, and ${command} copies`)
    t.match(stderr, remedy)
    t.notMatch(stderr, /us3r|sslmode/)
  }
})

/** A folder that other users may enter, with a catalogue that the test opens and closes. */
function openFolder(t: Test) {
  const folder = commonFolder(t, { state: {}, other: {} })
  const database = join(folder, 'state/catalogue.db')
  const file = join(folder, 'other/copy.db')
  let writer: OpenedWriter | undefined
  const close = () => {
    writer?.close()
    writer = undefined
  }
  t.teardown(close)
  const open = () => (writer ??= openWriter({ database, nowUs: () => 1 }))
  /** Catalogues the files of these stations, and returns all ids by station. */
  const add = async (...stations: string[]) => {
    const added = stations.map((station) => newFile(`${station}0010.26d.gz`))
    await open().apply([change(day, { added })])
    return idsOf(open())
  }
  return { folder, database, file, open, close, add }
}

async function idsOf(writer: OpenedWriter): Promise<Record<string, number>> {
  const files = [...((await writer.directory(day))?.files ?? [])]
  return Object.fromEntries(files.map(([name, { id }]) => [name.slice(0, 4), id]))
}

/** What an earlier schema, a copy or a database has. */
function read<T>(database: string, sql: string): T[] {
  const db = new Sqlite(database, { readonly: true })
  try {
    return db.prepare(sql).pluck().all() as T[]
  } finally {
    db.close()
  }
}

const stations = 'SELECT substr(name, 1, 4) FROM file ORDER BY id'

interface Result {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs the program, or another one that runs it. */
function run(command: readonly string[], wrap: readonly string[] = []): Promise<Result> {
  const [node, args] = programLine(command)
  const [first = '', ...rest] = [...wrap, ...bare, node, ...args]
  return promisify(execFile)(first, rest).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: unknown) => error as Result,
  )
}

const backup = (database: string, ...args: string[]) =>
  run(['backup', '--database', database, ...args])
const restore = (database: string, ...args: string[]) =>
  run(['restore', '--database', database, ...args])

t.test('backup copies the database while it is written', async (t) => {
  const { database, file, open, add } = openFolder(t)
  await add('aaaa')
  const state = { ended: false }
  const running = backup(database, file).finally(() => (state.ended = true))
  for (let n = 0; !state.ended; n++) {
    await add(`b${n.toString(36).padStart(3, '0')}`)
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { code, stdout, stderr } = await running
  t.same({ code, stderr }, { code: 0, stderr: '' })
  const count = read(file, 'SELECT count(*) FROM file')[0]
  t.match(
    stdout,
    new RegExp(`^${file}: ${Number(count).toLocaleString('en')} records, .*, integrity checked\n$`),
  )
  t.same(read(file, 'SELECT seq FROM catalogue'), [count], 'it is one state of the catalogue')
  t.same(read(file, 'PRAGMA integrity_check'), ['ok'])
  t.same(readdirSync(join(file, '..')), ['copy.db'], 'a single file')
  t.equal(statSync(file).mode & 0o777, 0o640)
  t.ok(Object.keys(await idsOf(open())).length >= Number(count))
})

t.test('backup needs no indexer', async (t) => {
  const { database, file, close, add } = openFolder(t)
  await add('graz')
  close()
  t.match(await backup(database, file), { code: 0, stderr: '' })
  t.same(read(file, stations), ['graz'])
})

t.test('backup replaces an existing file only with --force', async (t) => {
  const { database, file, add } = openFolder(t)
  writeFileSync(file, 'something else')
  await add('graz')
  const refused = await backup(database, file)
  t.match(refused, { code: 1, stdout: '' })
  t.equal(
    refused.stderr,
    `rinex-catalogue: ${file} exists: choose another name, or replace it with --force\n`,
  )
  t.equal(statSync(file).size, 'something else'.length)
  t.match(await backup(database, file, '--force'), { code: 0, stderr: '' })
  t.same(read(file, stations), ['graz'])
})

t.test('backup refuses names that cannot be replaced', async (t) => {
  const { folder, database, add } = openFolder(t)
  await add('graz')
  const cases = {
    [database]: 'is a file of the database: choose another name',
    [`${database}-numbers`]: 'is a file of the database',
    [join(folder, 'other')]: 'is not a regular file',
    [join(folder, 'missing/copy.db')]: 'cannot be made: ENOENT',
  }
  for (const [file, reason] of Object.entries(cases)) {
    const { code, stderr } = await backup(database, file, '--force')
    t.equal(code, 1)
    t.ok(stderr.startsWith(`rinex-catalogue: ${file} ${reason}`), stderr)
  }
  t.same(readdirSync(join(folder, 'other')), [])
})

t.test('backup reports the space that it needs', { skip: lacksMounts }, async (t) => {
  const { folder, database, add } = openFolder(t)
  await add('graz')
  const script = `mount -t tmpfs -o size=64k none ${folder}/other && exec "$0" "$@"`
  const command = ['backup', '--database', database, `${folder}/other/copy.db`]
  const { code, stderr } = await run(command, ['unshare', '-m', 'sh', '-c', script])
  t.equal(code, 1)
  t.match(stderr, /: needs \d+ bytes, its disk has \d+\n$/)
})

t.test('an aborted backup leaves no file', async (t) => {
  const { file, database, add } = openFolder(t)
  await add('graz')
  const stop = new AbortController()
  const onProgress = () => {
    stop.abort()
  }
  const copied = copyDatabase({ database, file, force: false, onProgress, signal: stop.signal })
  await t.rejects(copied, { name: 'AbortError' })
  t.same(readdirSync(join(file, '..')), [])
})

t.test('a backup removes what a killed backup to the same file left', async (t) => {
  const { folder, database, file, add } = openFolder(t)
  await add('graz')
  const module = new URL('../../src/catalogue/sqlite/backup.ts', import.meta.url).href
  const onProgress = `() => process.kill(process.pid, 'SIGKILL')`
  const options = `...${JSON.stringify({ database, file, force: false })}, onProgress: ${onProgress}`
  const script = `import { copyDatabase } from ${JSON.stringify(module)}
    await copyDatabase({ ${options}, signal: new AbortController().signal })`
  const killed = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
  t.match(await killed.catch((error: unknown) => error), { signal: 'SIGKILL' })
  const other = join(folder, 'other')
  const [left = ''] = readdirSync(other)
  t.match(left, /^copy\.db\.\d+\.new$/)
  const kept = [
    ...[`copy.db.${process.pid}.new`, 'copy.db.x.new', `other-${left}`, `${left}s`],
    `${left}-other`,
  ]
  for (const name of [...kept, `${left}-journal`]) writeFileSync(join(other, name), 'unfinished')
  t.match(await backup(database, file), { code: 0 })
  t.strictSame(readdirSync(other).sort(), ['copy.db', ...kept].sort())
})

t.test('a damaged database is not copied', async (t) => {
  const { database, file, close, add } = openFolder(t)
  await add('graz')
  close()
  damage(database)
  const { code, stderr } = await backup(database, file)
  t.equal(code, 1)
  t.match(stderr, /is damaged \(.*\): the indexer replaces a damaged database/)
  t.same(readdirSync(join(file, '..')), [])
})

/** Overwrites the first page of an index. */
function damage(database: string): void {
  const [root = 1] = read<number>(
    database,
    `SELECT rootpage FROM sqlite_schema WHERE name = 'file_seq'`,
  )
  const file = openSync(database, 'r+')
  writeSync(file, randomBytes(4096), 0, 4096, (root - 1) * 4096)
  closeSync(file)
}

t.test(
  'a member of the group makes a backup, and changes nothing in the database',
  { skip: process.getuid?.() === 0 ? false : 'only root can run a program as another user' },
  async (t) => {
    const { folder, database, file, open, add } = openFolder(t)
    await add('graz')
    await open().checkpoint()
    const group = 65534
    const state = join(folder, 'state')
    for (const name of readdirSync(state)) chownSync(join(state, name), 0, group)
    chownSync(state, 0, group)
    chmodSync(state, 0o750)
    chmodSync(join(folder, 'other'), 0o777)
    const user = ['setpriv', '--reuid=65533', `--regid=${group}`, '--clear-groups', '--']
    if ((await run(['--version'], user)).code !== 0) {
      await t.test(
        'the program runs as another user',
        { skip: 'other users cannot enter this checkout' },
        async () => undefined,
      )
      return
    }
    const before = readdirSync(state)
    const made = await run(['backup', '--database', database, file], user)
    t.match(made, { code: 0, stderr: '' })
    t.same(readdirSync(state), before)
    t.same(read(file, stations), ['graz'])
    const refused = await run(['restore', '--database', database, file], user)
    t.equal(refused.code, 1)
    t.match(refused.stderr, `belongs to the user with id 0, who must restore it: sudo -u '#0'`)
  },
)

t.test('restore keeps the former database, and issues no number twice', async (t) => {
  const { folder, database, file, open, close, add } = openFolder(t)
  const before = await add('graz', 'zimm')
  await backup(database, file)
  const later = await add('gope')
  const lost = (await open().summary()).head
  close()
  const { code, stdout, stderr } = await restore(database, file)
  t.same({ code, stderr }, { code: 0, stderr: '' })
  const [aside = ''] = readdirSync(join(folder, 'state')).filter((name) => /replaced/.test(name))
  const lines = stdout.replace(/[\d.]+ kB/, 'SIZE').replace(/at \S+Z/, 'at TIME')
  t.equal(
    lines,
    `copying and checking ${file}, SIZE
restored 2 records; the copy was made at TIME
the former database is ${join(folder, 'state', aside)}: remove it when all is well
next: systemctl start rinex-catalogue-indexer
it finds the changes since then in the archive; mirrors start again
`,
  )
  t.same(read(join(folder, 'state', aside), stations), ['graz', 'zimm', 'gope'])
  t.same(await idsOf(open()), before, 'records keep their ids')
  t.match(
    await open().directories(),
    exact([{ path: day, stamp: undefined }]),
    'all files are read again',
  )
  const after = await add('onsa')
  t.ok((after['onsa'] ?? 0) > (later['gope'] ?? 0))
  const { head } = await open().summary()
  t.not(head.epoch, lost.epoch)
  t.ok(head.seq > lost.seq)
  t.equal(statSync(database).mode & 0o777, 0o640)
})

t.test('restore on another machine issues no id twice', async (t) => {
  const { folder, database, file, open, close, add } = openFolder(t)
  await add('graz')
  await backup(database, file)
  close()
  // Many ids are given after the backup.
  new Sqlite(database).exec('UPDATE catalogue SET last_id = 1000000').close()
  const given = (await add('zimm'))['zimm'] ?? 0
  t.ok(given > 1_000_000)
  close()
  renameSync(join(folder, 'state'), join(folder, 'former'))
  t.match(await restore(database, file), { code: 0, stderr: '' })
  t.same(Object.keys(await idsOf(open())), ['graz'])
  t.ok(((await add('gope'))['gope'] ?? 0) > given)
})

t.test('restore is refused while an indexer runs', async (t) => {
  const { database, file, add } = openFolder(t)
  await add('graz')
  await backup(database, file)
  const { code, stdout, stderr } = await restore(database, file)
  t.same({ code, stdout }, { code: 1, stdout: '' })
  t.match(stderr, /already running: .*; stop it first: systemctl stop rinex-catalogue-indexer\n$/)
})

/** Files that cannot replace a database, made from a backup, with the reason. */
const unusable: Readonly<Record<string, [reason: RegExp, make: (file: string) => unknown]>> = {
  'a missing file': [/cannot be restored: ENOENT/, (file) => rmSync(file)],
  'an empty file': [/holds no catalogue/, (file) => writeFileSync(file, '')],
  'another file': [/holds no catalogue/, (file) => writeFileSync(file, 'text'.repeat(99))],
  'a database of another program': [
    /holds no catalogue/,
    (file) => {
      rmSync(file)
      new Sqlite(file).exec('CREATE TABLE other (a)').close()
    },
  ],
  'a catalogue of a newer release': [
    new RegExp(`has schema 999, this program knows ${schemaVersion}: install the program`),
    (file) => new Sqlite(file).exec('PRAGMA user_version = 999').close(),
  ],
  'a damaged catalogue': [/cannot be restored: /, damage],
  'a copy of the main file alone': [
    /copy\.db-wal has changes that it lacks/,
    (file) => writeFileSync(`${file}-wal`, 'changes'),
  ],
}

t.test('restore refuses unusable files and does not change the database', async (t) => {
  const { folder, database, file, close, add } = openFolder(t)
  await add('graz')
  await backup(database, file)
  close()
  const names = () => readdirSync(join(folder, 'state'))
  const before = names()
  for (const [name, [reason, make]] of Object.entries(unusable)) {
    const other = join(folder, 'other', `${name.replaceAll(' ', '-')}-copy.db`)
    copyFileSync(file, other)
    make(other)
    const { code, stderr } = await restore(database, other)
    t.equal(code, 1, name)
    t.match(stderr, reason, name)
    t.match(stderr, basename(other), name)
  }
  linkSync(database, join(folder, 'other/link.db'))
  for (const itself of [database, join(folder, 'other/link.db')])
    t.match(await restore(database, itself), { code: 1, stderr: /is the database itself/ })
  t.same(names(), before)
  t.same(read(database, stations), ['graz'])
})

t.test(
  'the copy of an administrator has the group of the database, and can be restored',
  { skip: process.getuid?.() !== 0 && 'only root can change users' },
  async (t) => {
    const [group, indexer, administrator, stranger] = [61_010, 61_001, 61_002, 61_003]
    const { folder, database, file, close, add } = openFolder(t)
    await add('graz')
    for (const name of readdirSync(join(folder, 'state')))
      chownSync(join(folder, 'state', name), indexer, group)
    for (const [name, mode] of [
      ['state', 0o2750],
      ['other', 0o2777],
    ] as const) {
      chownSync(join(folder, name), indexer, group)
      chmodSync(join(folder, name), mode)
    }
    // A directory without the set-group-ID bit, in which the copy first has the user's own group.
    chmodSync(join(folder, 'other'), 0o777)
    const [node, args] = programLine([])
    const run = (uid: number, groups: readonly number[], ...command: string[]) => {
      const [own, ...more] = groups
      const ids = [`--reuid=${uid}`, `--regid=${own}`]
      const others = more.length > 0 ? `--groups=${more.join()}` : '--clear-groups'
      const line = [...ids, others, node, ...args, ...command, '--database', database]
      const { status, stderr } = spawnSync('setpriv', line, { cwd: folder, encoding: 'utf8' })
      return { status, stderr }
    }
    t.same(run(administrator, [administrator, group], 'backup', file), { status: 0, stderr: '' })
    t.match(statSync(file), { uid: administrator, gid: group })
    t.equal(statSync(file).mode & 0o777, 0o640)
    close()
    t.same(run(indexer, [group], 'restore', file), { status: 0, stderr: '' })

    await t.test('one that the indexer cannot read is refused with the remedy', async (t) => {
      chownSync(file, administrator, administrator)
      const { status, stderr } = run(indexer, [group], 'restore', file)
      t.equal(status, 1)
      t.match(stderr, /EACCES.*: give the file and its directory the group of the database/)
    })
    await t.test('who may read the database by other rights keeps the own group', async (t) => {
      for (const name of readdirSync(join(folder, 'state')))
        chmodSync(join(folder, 'state', name), 0o666)
      chmodSync(join(folder, 'state'), 0o777)
      const own = join(folder, 'other/own.db')
      t.same(run(stranger, [stranger], 'backup', own), { status: 0, stderr: '' })
      t.equal(statSync(own).gid, stranger)
    })
  },
)

t.test('restore replaces a corrupt database, and a database of another release', async (t) => {
  for (const make of [
    (database: string) =>
      writeFileSync(database, 'no database at all, but long enough to be read as one'.repeat(99)),
    (database: string) => new Sqlite(database).exec('PRAGMA user_version = 999').close(),
  ]) {
    const { folder, database, file, open, close, add } = openFolder(t)
    await add('graz')
    await backup(database, file)
    close()
    make(database)
    t.match(await restore(database, file), { code: 0, stderr: '' })
    t.same(Object.keys(await idsOf(open())), ['graz'])
    t.equal(readdirSync(join(folder, 'state')).filter((name) => /replaced/.test(name)).length, 1)
  }
})
