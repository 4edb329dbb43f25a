/** Error messages for database files that cannot be used. */
import { execFile } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import Sqlite from 'better-sqlite3'
import type { Test } from 'tap'
import { unusable } from '../../../src/catalogue/sqlite/access-check.ts'
import { openWriter } from '../../../src/catalogue/sqlite/writer.ts'
import { lacksMounts } from '../../acceptance/service.ts'
import { commonFolder, testFolder } from '../../folder.ts'
import { failureReason } from '../../program.ts'
import t from '../../tap.ts'

t.test('a path that is not a regular file is rejected by name, and no file is created', (t) => {
  const folder = testFolder(t, { 'c.db': {} })
  const database = join(folder, 'c.db')
  t.throws(() => openWriter({ database, nowUs: () => 0 }), {
    code: 'UNUSABLE_DATABASE',
    message: `${database} is not a regular file: move`,
  })
  t.strictSame(readdirSync(folder), ['c.db'])
  t.end()
})

t.test('the error names a folder that cannot be created', (t) => {
  const folder = join(testFolder(t, { file: '' }), 'file/state')
  t.throws(() => openWriter({ database: join(folder, 'c.db'), nowUs: () => 0 }), {
    code: 'UNUSABLE_DATABASE',
    message: new RegExp(`^${folder} cannot be created or entered .*: correct its owner and perm`),
  })
  t.end()
})

t.test('the error names a lock file that is not a database', (t) => {
  const database = join(testFolder(t), 'c.db')
  writeFileSync(`${database}-lock`, 'somebody has written this here'.repeat(1000))
  t.throws(() => openWriter({ database, nowUs: () => 0 }), {
    code: 'UNUSABLE_DATABASE',
    message: `${database}-lock cannot be opened: file is not a database (SQLITE_NOTADB): check the file`,
  })
  t.end()
})

t.test('the error says that the disk is full, and errors of the program stay unchanged', (t) => {
  const full = unusable('c.db', new Sqlite.SqliteError('disk is full', 'SQLITE_FULL'))
  t.match(full, {
    code: 'UNUSABLE_DATABASE',
    message: 'no disk space to open c.db (SQLITE_FULL): free',
  })
  const ours = new TypeError('a bug of the program')
  t.equal(unusable('c.db', ours), ours)
  t.end()
})

/** Runs the program as an unprivileged user; returns its error output. */
function runAsNobody(folder: string, args: string[]): Promise<string> {
  const user = ['--reuid=65534', '--regid=65534', '--clear-groups', '--']
  const program = ['env', '-i', process.execPath, join(process.cwd(), 'src/cli.js'), ...args]
  return errorOutput('setpriv', [...user, ...program], folder)
}

/** The error output of a command that fails; empty if it succeeds. */
function errorOutput(command: string, args: readonly string[], cwd?: string): Promise<string> {
  return promisify(execFile)(command, args, { cwd }).then(
    () => '',
    (error: unknown) => (error as { stderr: string }).stderr,
  )
}

/** A database and its side files, all owned by root, in a folder that every user may write. */
async function databaseOfRoot(t: Test) {
  const folder = commonFolder(t, { archive: { obs: {}, nrt: {} } })
  const database = join(folder, 'state/c.db')
  const writer = openWriter({ database, nowUs: () => 0 })
  await writer.checkpoint()
  writer.close()
  chmodSync(join(folder, 'state'), 0o777)
  for (const suffix of ['', '-lock', '-numbers']) chmodSync(database + suffix, 0o666)
  return { folder, database }
}

t.test(
  'one line names the file that another user may not use, and the remedy',
  { skip: process.getuid?.() === 0 ? false : 'only root can run a program as another user' },
  async (t) => {
    const { folder, database } = await databaseOfRoot(t)
    if ((await runAsNobody(folder, ['--version'])) !== '') {
      await t.test(
        'the program runs as another user',
        { skip: 'other users cannot enter this checkout' },
        async () => undefined,
      )
      return
    }
    const scan = ['index', '--once', '--archive', 'archive', '--database', 'state/c.db']
    const cases = [
      { path: join(folder, 'state'), mode: 0o755, problem: 'is not writable' },
      { path: database, mode: 0o600, problem: 'is not readable and writable' },
      { path: database, mode: 0o644, problem: 'is not readable and writable' },
    ]
    for (const { path, mode, problem } of cases) {
      chmodSync(path, mode)
      const output = await runAsNobody(folder, scan)
      chmodSync(path, 0o777)
      const remedy = 'correct its owner and permissions, or configure another database'
      t.equal(failureReason(output), `${path} ${problem} by this user (EACCES): ${remedy}`)
      t.notOk(existsSync(`${database}-wal`), 'no -wal file is created')
    }
    for (const [side, problem] of [
      ['-lock', `${database}-lock cannot be opened: `],
      ['-numbers', `${database} cannot be opened: EACCES: .*${database}-numbers`],
    ] as const) {
      chmodSync(database + side, 0o600)
      t.match(failureReason(await runAsNobody(folder, scan)), new RegExp(`^${problem}`))
      chmodSync(database + side, 0o666)
    }
    t.notMatch(await runAsNobody(folder, scan), 'this user', 'with all permissions it starts')
  },
)

t.test('the error says that a disk is mounted read-only', { skip: lacksMounts }, async (t) => {
  const folder = testFolder(t, { state: {} })
  const script =
    'mount -t tmpfs -o ro none state && exec "$0" "$1" index --archive . --database state/c.db'
  const program = [process.execPath, join(process.cwd(), 'src/cli.js')]
  const output = await errorOutput('unshare', ['-m', 'sh', '-c', script, ...program], folder)
  const problem = `${folder}/state is not writable by this user (EROFS): its disk is mounted read-only`
  t.equal(failureReason(output), `${problem}, mount it for writing, or configure another database`)
})
