import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createDiskCheck } from '../../../src/indexer/read/links.ts'
import { readDirectory } from '../../../src/indexer/read/read-directory.ts'
import { defaultLayout } from '../../../src/parse/layout.ts'
import { lacksMounts } from '../../acceptance/service.ts'
import { testFolder } from '../../folder.ts'
import t, { exact } from '../../tap.ts'

t.test('an area on the same disk is not foreign, and a missing area is not foreign', async (t) => {
  const archive = testFolder(t, { obs: {} })
  const isForeign = createDiskCheck(archive)
  t.notOk(isForeign('obs'), 'an empty area has no known disk')
  mkdirSync(join(archive, 'obs/2026'))
  t.notOk(isForeign('obs'))
  t.notOk(isForeign('obs'))
  t.notOk(isForeign('nrt'))
})

/**
 * Reads an area, mounts another disk there, reads it, and reads it again without this disk. It runs
 * in a mount namespace of its own, so that no mount is left.
 */
const program = (archive: string) => `
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { createDiskCheck } from '${import.meta.resolve('../../../src/indexer/read/links.ts')}'
import { readDirectory } from '${import.meta.resolve('../../../src/indexer/read/read-directory.ts')}'
import { defaultLayout as layout } from '${import.meta.resolve('../../../src/parse/layout.ts')}'
const archive = ${JSON.stringify(archive)}
const tree = { archive, layout, linkedDirectories: [], isForeign: createDiskCheck(archive) }
const look = () => {
  const { outcome, error } = readDirectory(tree, 'obs')
  console.log(outcome, error ?? '')
}
look()
execFileSync('mount', ['-t', 'tmpfs', 'none', archive + '/obs'])
mkdirSync(archive + '/obs/2025')
look()
execFileSync('umount', [archive + '/obs'])
look()
`

t.test('another disk that is mounted at an area is foreign', { skip: lacksMounts }, async (t) => {
  const archive = testFolder(t, { obs: { '2026': {} } })
  const args = ['-m', process.execPath, '--input-type=module', '--eval', program(archive)]
  const { stdout, stderr } = spawnSync('unshare', args, { encoding: 'utf8' })
  t.match(stdout, /^read \nlost-area another disk is mounted there.*\nread \n$/, stderr)
})

t.test('every directory on a foreign disk is lost-area, even a missing one', async (t) => {
  const archive = testFolder(t, { obs: { '2026': { 'graz0010.26d.gz': '' } } })
  const tree = { archive, layout: defaultLayout, linkedDirectories: [], isForeign: () => true }
  for (const path of ['obs', 'obs/2026', 'obs/2027'])
    t.match(readDirectory(tree, path), {
      outcome: 'lost-area',
      names: exact([]),
    })
})
