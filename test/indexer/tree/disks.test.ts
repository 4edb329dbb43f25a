import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t, { exact } from '../../tap.ts'
import { openDiskCheck } from '../../../src/indexer/tree/links.ts'
import { readDirectory } from '../../../src/indexer/tree/read-directory.ts'
import { testFolder } from '../../folder.ts'

t.test('an area on the same disk is not foreign, and a missing area is not foreign', async (t) => {
  const archive = testFolder(t, { obs: {} })
  const isForeign = openDiskCheck(archive)
  t.notOk(isForeign('obs'), 'an empty area has no known disk')
  mkdirSync(join(archive, 'obs/2026'))
  t.notOk(isForeign('obs'))
  t.notOk(isForeign('obs'))
  t.notOk(isForeign('nrt'))
})

t.test('every directory on a foreign disk is lost-area, even a missing one', async (t) => {
  const archive = testFolder(t, { obs: { '2026': { 'graz0010.26d.gz': '' } } })
  const tree = { archive, linkedDirectories: [], isForeign: () => true }
  for (const path of ['obs', 'obs/2026', 'obs/2027'])
    t.match(readDirectory(tree, { path, depth: 'facts' }), {
      outcome: 'lost-area',
      names: exact([]),
    })
})
