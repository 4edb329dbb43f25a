import { statSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { errorCode, isMissing } from '../../src/runtime/error-code.ts'
import { testFolder } from '../folder.ts'
import t from '../tap.ts'

t.test('an error of Node or of SQLite has its code, any other value an empty one', async (t) => {
  const folder = testFolder(t)
  t.equal(errorCode(errorOf(() => statSync(join(folder, 'nothing')))), 'ENOENT')
  t.equal(errorCode(errorOf(() => new Sqlite(folder))), 'SQLITE_CANTOPEN')
  for (const value of [new Error('no code'), 'ENOENT', undefined, { code: 'ENOENT' }])
    t.equal(errorCode(value), '')
})

t.test('a path is missing if it, or a directory above it, does not exist', async (t) => {
  const file = import.meta.filename
  for (const path of [join(testFolder(t), 'nothing'), join(file, 'below-a-file')])
    t.ok(isMissing(errorOf(() => statSync(path))), path)
  t.notOk(isMissing(Object.assign(new Error('denied'), { code: 'EACCES' })))
})

/** Returns the error that a call throws. */
function errorOf(call: () => unknown): unknown {
  try {
    call()
  } catch (error) {
    return error
  }
  throw new Error('no error was thrown')
}
