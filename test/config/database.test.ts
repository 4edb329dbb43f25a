import { realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from '../tap.ts'
import { loadConfig } from '../../src/config/load.ts'
import { testFolder } from '../folder.ts'

t.test('the control socket is beside the real path of the database', async (t) => {
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
