/** What the operator is told of database files that cannot be used. */
import { execFile } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import type { Test } from 'tap'
import { unusable } from '../../../src/catalogue/sqlite/access-check.ts'
import { openWriter } from '../../../src/catalogue/sqlite/writer.ts'
import { lacksMounts } from '../../acceptance/service.ts'
import { testFolder } from '../../folder.ts'

t.test('what is no file is refused by its name, and nothing is left beside it', (t) => {
  for (const suffix of ['', '-wal', '-lock', '-numbers']) {
    const folder = testFolder(t)
    const database = join(folder, `of${suffix}.db`)
    mkdirSync(database + suffix)
    t.throws(
      () => openWriter({ database, nowUs: () => 0 }),
      { code: 'UNUSABLE_DATABASE', message: `${database}${suffix} is no file: move it away` },
      suffix,
    )
    t.strictSame(readdirSync(folder), [`of${suffix}.db${suffix}`])
  }
  t.end()
})

t.test('a folder that cannot be made is named', (t) => {
  const folder = join(testFolder(t, { file: '' }), 'file/state')
  t.throws(() => openWriter({ database: join(folder, 'c.db'), nowUs: () => 0 }), {
    code: 'UNUSABLE_DATABASE',
    message: new RegExp(`^${folder} cannot be made or entered .*: set owner and permissions right`),
  })
  t.end()
})

t.test('a lock file of something else is named', (t) => {
  const database = join(testFolder(t), 'c.db')
  writeFileSync(`${database}-lock`, 'somebody has written this here'.repeat(1000))
  t.throws(() => openWriter({ database, nowUs: () => 0 }), {
    code: 'UNUSABLE_DATABASE',
    message: `${database}-lock cannot be opened: file is not a database (SQLITE_NOTADB): see to the file`,
  })
  t.end()
})

t.test('a full disk is called so, what is no matter of files is left as it is', (t) => {
  const full = unusable('c.db', new Sqlite.SqliteError('disk is full', 'SQLITE_FULL'))
  t.match(full, { code: 'UNUSABLE_DATABASE', message: 'no room to open c.db (SQLITE_FULL): make' })
  const ours = new TypeError('of ours')
  t.equal(unusable('c.db', ours), ours)
  t.end()
})

/** Runs the program as a user who owns nothing; gives its complaint. */
function runAsNobody(folder: string, args: string[]): Promise<string> {
  const user = ['--reuid=65534', '--regid=65534', '--clear-groups', '--']
  const program = ['env', '-i', process.execPath, join(process.cwd(), 'dist/cli.js'), ...args]
  return complaint('setpriv', [...user, ...program], folder)
}

/** What a command said when it failed, nothing when it did not. */
function complaint(command: string, args: readonly string[], cwd?: string): Promise<string> {
  return promisify(execFile)(command, args, { cwd }).then(
    () => '',
    (error: unknown) => (error as { stderr: string }).stderr,
  )
}

/** A database with everything beside it, of root alone, in a folder where anybody may write. */
async function databaseOfRoot(t: Test) {
  // Out of the checkout, whose folders another user may not enter.
  const folder = mkdtempSync(join(tmpdir(), 'usable-'))
  t.teardown(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  const database = join(folder, 'state/c.db')
  const writer = openWriter({ database, nowUs: () => 0 })
  await writer.checkpoint()
  writer.close()
  mkdirSync(join(folder, 'archive/obs'), { recursive: true })
  mkdirSync(join(folder, 'archive/nrt'))
  chmodSync(folder, 0o755)
  chmodSync(join(folder, 'state'), 0o777)
  for (const suffix of ['', '-lock', '-numbers']) chmodSync(database + suffix, 0o666)
  return { folder, database }
}

t.test(
  'what another user may not use is named, with what to do, in one line',
  { skip: process.getuid?.() === 0 ? false : 'it takes root to be two users' },
  async (t) => {
    const { folder, database } = await databaseOfRoot(t)
    if ((await runAsNobody(folder, ['--version'])) !== '') {
      await t.test('', { skip: 'this checkout is closed to other users' }, async () => undefined)
      return
    }
    const scan = ['index', '--once', '--archive', 'archive', '--database', 'state/c.db']
    const cases = [
      { path: join(folder, 'state'), mode: 0o755, words: 'may not be written by this user' },
      { path: database, mode: 0o600, words: 'may not be read and written by this user' },
      { path: database, mode: 0o644, words: 'may not be read and written by this user' },
      { path: `${database}-lock`, mode: 0o644, words: 'may not be read and written by this user' },
      { path: `${database}-numbers`, mode: 0o600, words: 'may not be read by this user' },
    ]
    for (const { path, mode, words } of cases) {
      chmodSync(path, mode)
      const said = await runAsNobody(folder, scan)
      chmodSync(path, 0o777)
      const remedy = 'set owner and permissions right, or configure another database'
      t.equal(said, `rinex-catalogue: ${path} ${words} (EACCES): ${remedy}\n`)
      t.notOk(existsSync(`${database}-wal`), 'and nothing is left beside it')
    }
    t.notMatch(await runAsNobody(folder, scan), 'this user', 'with all permissions it goes on')
  },
)

t.test('a disk that is mounted read-only is called so', { skip: lacksMounts }, async (t) => {
  const folder = testFolder(t, { state: {} })
  const script = 'mount -t tmpfs -o ro none state && exec "$0" "$1" index --database state/c.db'
  const program = [process.execPath, join(process.cwd(), 'dist/cli.js')]
  const said = await complaint('unshare', ['-m', 'sh', '-c', script, ...program], folder)
  const words = `${folder}/state may not be written by this user (EROFS): its disk is mounted read-only`
  t.equal(said, `rinex-catalogue: ${words}, mount it for writing, or configure another database\n`)
})
