import { isDirectoryName } from '../../src/parse/directories.ts'
import { defaultLayout } from '../../src/parse/layout.ts'
import t from '../tap.ts'

const { parseDirectory } = defaultLayout

t.test('the seed has two areas', async (t) => t.strictSame(defaultLayout.areas, ['obs', 'nrt']))

t.test('directories below an area are of this area', async (t) => {
  const paths = `obs nrt obs/2026/001 nrt/2026/164/23 obs/2O26 obs/GRAZ/2026 nrt${'/a'.repeat(11)}`
  for (const path of paths.split(' '))
    t.strictSame(parseDirectory(path), { kind: 'directory', area: path.slice(0, 3) }, path)
})

t.test('a directory that is not walked has a reason', async (t) => {
  const cases = {
    'not-in-area': ' / /obs OBS/2026/022 obs2 obsolete/x data/obs . ../obs'.split(' '),
    'too-deep': [`obs${'/1'.repeat(12)}`, `nrt${'/x'.repeat(5000)}`, `obs${'/a'.repeat(11)}/`],
    'bad-directory-name': [
      'obs/',
      'obs//2026',
      'obs/2026/',
      'obs/..',
      'obs/2026/../2025',
      'obs/.hidden',
      'obs/-x',
      'obs/a b',
      'obs/a%20b',
      'obs/jahr\u00E9',
      'obs/2026\n',
      `obs/${'x'.repeat(65)}`,
    ],
  }
  for (const [reason, paths] of Object.entries(cases)) {
    for (const path of paths) {
      t.strictSame(parseDirectory(path), { kind: 'rejected', reason }, JSON.stringify(path))
    }
  }
})

t.test('a directory name is accepted if it needs no escaping and is not hidden', async (t) => {
  const good = ['2026', '001', '_x', 'A.b-c_d', 'x'.repeat(64), '0', 'a..b']
  const bad = [...' . .. .x -x a/b a\n \n ä a\\ %2e'.split(' '), 'x'.repeat(65), 'a b']
  for (const name of good) t.ok(isDirectoryName(name), name)
  for (const name of bad) t.notOk(isDirectoryName(name), JSON.stringify(name))
})
