import { mkdirSync, realpathSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../tap.ts'
import type { CatalogueWriter } from '../../src/catalogue/writer.ts'
import { openKnownDirectories } from '../../src/indexer/state/known-directories.ts'
import { openRegister } from '../../src/indexer/register.ts'
import { openSettling } from '../../src/indexer/state/settling.ts'
import { readDirectory } from '../../src/indexer/tree/read-directory.ts'
import type { ReconcileLoop } from '../../src/indexer/reconcile-loop.ts'
import { testFolder } from '../folder.ts'

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
  const tree = { archive, linkedDirectories: [disk] }
  const register = openRegister({
    writer: {
      directory: async () => ({ stamp: undefined, files: new Map([[listed, { id: 7 }]]) }),
    } as unknown as CatalogueWriter,
    known: openKnownDirectories(['obs', day]),
    settling: openSettling(),
    reconcileLoop: {
      readNow: async (path) => ({
        snapshot: readDirectory(tree, { path, depth: 'facts' }),
        written: true,
      }),
    } as ReconcileLoop,
  })
  renameSync(disk, join(folder, 'away'))
  t.same(await register(`${day}/${listed}`), { outcome: 'known', id: 7 })
  t.same(await register(`${day}/${unlisted}`), { outcome: 'unsure' })
  t.match(await register(`${day}/onsa0010.10o.gz`), { outcome: 'refused' })
})
