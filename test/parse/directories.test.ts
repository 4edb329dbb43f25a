import { isDirectoryName } from '../../src/parse/directories.ts'
import { defaultLayout } from '../../src/parse/layout.ts'
import t from '../tap.ts'

const second = (iso: string): number => Date.parse(iso) / 1000
const day = 86_400
const hour = 3600

const { parseDirectory } = defaultLayout

t.test('the seed has two areas', async (t) => t.strictSame(defaultLayout.areas, ['obs', 'nrt']))

t.test('a dated directory has a start and a length', async (t) => {
  const cases = [
    { path: 'obs/2026', start: '2026-01-01T00:00Z', span: 365 * day },
    { path: 'obs/2024', start: '2024-01-01T00:00Z', span: 366 * day },
    { path: 'nrt/2026', start: '2026-01-01T00:00Z', span: 365 * day },
    { path: 'obs/2026/001', start: '2026-01-01T00:00Z', span: day },
    { path: 'obs/2024/366', start: '2024-12-31T00:00Z', span: day },
    { path: 'obs/1996/060', start: '1996-02-29T00:00Z', span: day },
    { path: 'nrt/2026/164', start: '2026-06-13T00:00Z', span: day },
    { path: 'nrt/2026/164/00', start: '2026-06-13T00:00Z', span: hour },
    { path: 'nrt/2026/164/23', start: '2026-06-13T23:00Z', span: hour },
  ]
  for (const { path, start, span } of cases) {
    t.strictSame(
      parseDirectory(path),
      {
        kind: 'directory',
        area: path.slice(0, 3),
        startSeconds: second(start),
        spanSeconds: span,
      },
      path,
    )
  }
})

t.test('other directories below an area have an area but no date', async (t) => {
  const paths = [
    'obs nrt obs/26 obs/02026 obs/2O26 obs/year obs/2026/1 obs/2026/000 obs/2026/366',
    'obs/2024/367 obs/2026/1e1 obs/2026/d01 obs/2026/022/05 obs/2026/022/daily nrt/2026/164/24',
    'nrt/2026/164/5 nrt/2026/164/f nrt/2026/164/05/30 nrt/2026/366/05 obs/GRAZ/2026/022',
    `nrt${'/a'.repeat(11)}`,
  ].flatMap((line) => line.split(' '))
  for (const path of paths) {
    const area = path.slice(0, 3)
    const noDate = { startSeconds: undefined, spanSeconds: undefined }
    t.strictSame(parseDirectory(path), { kind: 'directory', area, ...noDate }, path)
  }
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
