/** An archive with its older years on another disk, to which symlinks lead. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { openReader } from '../src/catalogue/sqlite/reader.ts'
import { testFolder } from './folder.ts'

const cli = join(process.cwd(), 'dist/cli.js')

t.test('a disk that is away takes no records with it, and is read when it is back', async (t) => {
  const folder = testFolder(t, {
    archive: { obs: { '2020': { '001': {} } }, nrt: {} },
    disk: { '2019': { '001': {} } },
  })
  const put = (directory: string, name: string): void => {
    writeFileSync(join(folder, directory, name), gzipSync(name))
  }
  put('archive/obs/2020/001', 'GRAZ00AUT_R_20200010000_01D_30S_MO.crx.gz')
  put('disk/2019/001', 'GRAZ00AUT_R_20190010000_01D_30S_MO.crx.gz')
  symlinkSync(join(folder, 'disk/2019'), join(folder, 'archive/obs/2019'))
  const index = async (): Promise<number | null> => {
    const process = spawn(
      globalThis.process.execPath,
      [cli, 'index', '--once', '--archive', 'archive', '--database', 'catalogue.db'],
      {
        cwd: folder,
        env: {
          ...globalThis.process.env,
          RINEX_CATALOGUE_LINKED_DIRECTORIES: join(folder, 'disk'),
        },
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    )
    const [code] = (await once(process, 'exit')) as [number | null]
    return code
  }
  const reader = openReader({ database: join(folder, 'catalogue.db') })
  t.teardown(() => {
    reader.close()
  })
  const files = async () => (await reader.summary()).areas.obs.files
  t.equal(await index(), 0)
  t.equal(await files(), 2)
  const before = await reader.head()

  renameSync(join(folder, 'disk'), join(folder, 'away'))
  await index()
  t.equal(await files(), 2, 'not there')
  mkdirSync(join(folder, 'disk'))
  await index()
  t.equal(await files(), 2, 'not mounted')

  renameSync(join(folder, 'away'), join(folder, 'disk'))
  put('disk/2019/001', 'ZIMM00CHE_R_20190010000_01D_30S_MO.crx.gz')
  t.equal(await index(), 0)
  t.equal(await files(), 3, 'what came meanwhile is found')
  t.equal((await reader.head()).seq, before.seq + 1, 'and nothing else has changed')
})
