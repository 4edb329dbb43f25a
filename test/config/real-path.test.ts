import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { loadConfig } from '../../src/config/load.ts'
import { realPathOf } from '../../src/config/real-path.ts'
import { testFolder } from '../folder.ts'

t.test('where a path really leads', async (t) => {
  const folder = realpathSync(testFolder(t, { real: { 'a.db': '' } }))
  const at = (path: string) => join(folder, path)
  mkdirSync(at('links'))
  symlinkSync('../real', at('links/folder'))
  symlinkSync('../real/a.db', at('links/file.db'))
  symlinkSync('file.db', at('links/twice.db'))
  symlinkSync('../real/new.db', at('links/dangling.db'))
  symlinkSync('../real/new/b.db', at('links/deep.db'))
  symlinkSync('loop', at('links/loop'))
  writeFileSync(at('links/plain'), '')
  const cases: [string, string, string][] = [
    ['a file', 'real/a.db', 'real/a.db'],
    ['a link to a file', 'links/file.db', 'real/a.db'],
    ['a link to a link', 'links/twice.db', 'real/a.db'],
    ['a link to a folder', 'links/folder/a.db', 'real/a.db'],
    ['a new file in it', 'links/folder/new.db', 'real/new.db'],
    ['a new folder in it', 'links/folder/x/y/new.db', 'real/x/y/new.db'],
    ['a link to a file that is not there yet', 'links/dangling.db', 'real/new.db'],
    ['nor its folder', 'links/deep.db', 'real/new/b.db'],
    ['a link to itself', 'links/loop', 'links/loop'],
    ['a path over a file', 'links/plain/a.db', 'links/plain/a.db'],
  ]
  for (const [what, path, expected] of cases) t.equal(realPathOf(at(path)), at(expected), what)
})

t.test('however the database is called, its socket lies beside it', async (t) => {
  const folder = realpathSync(testFolder(t, { real: {} }))
  symlinkSync('real', join(folder, 'link'))
  const given = { file: undefined, env: {}, cwd: folder }
  const config = (database: string) => loadConfig({ ...given, flags: { database } }).config
  t.match(config('link/a.db'), {
    database: join(folder, 'real/a.db'),
    controlSocket: /real\/a\.sock$/,
  })
  t.same(config('link/a.db'), config('real/a.db'))
})
