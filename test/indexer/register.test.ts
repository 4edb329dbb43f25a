import { mkdirSync, realpathSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CatalogueWriter } from '../../src/catalogue/updates/writer.ts'
import { readDirectory } from '../../src/indexer/read/read-directory.ts'
import { register } from '../../src/indexer/register.ts'
import { KnownDirectories } from '../../src/indexer/state/known-directories.ts'
import { Settling } from '../../src/indexer/state/settling.ts'
import { defaultLayout } from '../../src/parse/layout.ts'
import { testFolder } from '../folder.ts'
import t from '../tap.ts'

t.test('a file whose disk is away is not reported as missing', async (t) => {
  const day = 'obs/2010/001'
  const [listed, unlisted] = ['graz0010.10o.gz', 'zimm0010.10o.gz']
  const folder = realpathSync(testFolder(t, { archive: {}, disk: {} }))
  const [archive, disk] = [join(folder, 'archive'), join(folder, 'disk')]
  mkdirSync(join(archive, day), { recursive: true })
  for (const name of [listed, unlisted]) {
    writeFileSync(join(disk, name), '')
    symlinkSync(join(disk, name), join(archive, day, name))
  }
  const tree = { archive, layout: defaultLayout, linkedDirectories: [disk] }
  const parts = {
    writer: {
      directory: async () => ({ stamp: undefined, files: new Map([[listed, { id: 7 }]]) }),
    } as unknown as CatalogueWriter,
    layout: defaultLayout,
    known: new KnownDirectories(['obs', day]),
    settling: new Settling(),
  }
  const reconcileLoop = {
    readNow: async (path: string) => ({
      snapshot: readDirectory(tree, path),
      written: true,
    }),
  }
  const answer = (name: string) => register(`${day}/${name}`, parts, reconcileLoop)
  renameSync(disk, join(folder, 'away'))
  t.same(await answer(listed), { outcome: 'known', id: 7 })
  t.same(await answer(unlisted), { outcome: 'unsure' })
  t.match(await answer('onsa0010.10o.gz'), { outcome: 'refused' })
})
