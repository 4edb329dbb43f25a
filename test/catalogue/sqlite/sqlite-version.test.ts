/** A SQLite with the WAL-reset bug is refused by each command that uses the database. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { sqliteProblem, sqliteVersion } from '../../../src/catalogue/sqlite/open.ts'
import { testFolder } from '../../folder.ts'
import { failureReason, programLine } from '../../program.ts'
import t from '../../tap.ts'

t.test('only versions before 3.51.3 are refused', async (t) => {
  for (const version of ['3.7.0', '3.9.2', '3.40.1', '3.51.2', '3.51.0'])
    t.match(sqliteProblem(version), `SQLite ${version}, which can damage the database`, version)
  for (const version of ['3.51.3', '3.51.10', '3.52.1', '3.100.0', '4.0.0'])
    t.equal(sqliteProblem(version), undefined, version)
  t.equal(sqliteProblem(sqliteVersion()), undefined, 'the driver is safe')
})

/**
 * The driver says that it has another version, because none with the bug can be installed beside
 * it.
 */
const olderDriver = `
import Sqlite from 'better-sqlite3'
const { prepare } = Sqlite.prototype
Sqlite.prototype.prepare = function (sql) {
  return prepare.call(this, sql.replace('sqlite_version()', "'3.40.1'"))
}`

t.test('each command says so, and the daemons are not started again', async (t) => {
  const folder = testFolder(t, { 'older.mjs': olderDriver, obs: {}, nrt: {} })
  const older = `--import=${pathToFileURL(join(folder, 'older.mjs')).href}`
  const files = ['--database', 'c.db', '--control-socket', 'c.sock']
  const run = (command: string) => {
    const [node, args] = programLine([
      command,
      ...files,
      ...(command === 'status' ? [] : ['--archive', '.']),
    ])
    return spawnSync(node, [older, ...args], { cwd: folder, encoding: 'utf8', env: {} })
  }
  const sentence = /SQLite 3\.40\.1, which can damage the database .*: install this program with/
  for (const command of ['index', 'serve']) {
    const { status, stderr } = run(command)
    t.equal(status, 78, command)
    t.match(failureReason(stderr), sentence, command)
  }
  t.match(run('status'), { status: 1, stderr: sentence })
  t.match(run('check-config'), { status: 78, stdout: /^# SQLite 3\.40\.1$/m, stderr: sentence })
  t.notOk(existsSync(join(folder, 'c.db')), 'no database is made')
})
