import { isDirectoryName, isMisplaced } from '../../src/parse/directories.ts'
import type { ArchiveDirectory } from '../../src/parse/layout.ts'
import { defaultLayout } from '../../src/parse/layout.ts'
import type { ParsedName } from '../../src/parse/types.ts'
import t from '../tap.ts'

const second = (iso: string): number => Date.parse(iso) / 1000
const day = 86_400
const hour = 3600

const { parseDirectory, parseFilename } = defaultLayout

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

t.test('a file is misplaced if its directory is for another time', async (t) => {
  const dayFile = 'GRAZ00AUT_R_20260220000_01D_30S_MO.crx.gz'
  const hourFile = 'GRAZ00AUT_R_20260220500_01H_30S_MO.crx.gz'
  const cases = [
    { name: dayFile, path: 'obs/2026/022', misplaced: false },
    { name: dayFile, path: 'obs/2026/021', misplaced: true },
    { name: dayFile, path: 'obs/2026/023', misplaced: true },
    { name: dayFile, path: 'obs/2025/022', misplaced: true },
    { name: dayFile, path: 'obs/2026', misplaced: false },
    { name: dayFile, path: 'obs/2025', misplaced: true },
    { name: dayFile, path: 'obs', misplaced: true },
    { name: dayFile, path: 'obs/2026/022/05', misplaced: true },
    { name: dayFile, path: 'nrt/2026/022', misplaced: false },
    { name: dayFile, path: 'nrt/2026/022/00', misplaced: true },
    { name: hourFile, path: 'nrt/2026/022/05', misplaced: false },
    { name: hourFile, path: 'nrt/2026/022/04', misplaced: true },
    { name: hourFile, path: 'nrt/2026/022/06', misplaced: true },
    { name: hourFile, path: 'obs/2026/022', misplaced: false },
    ...['0545_15M_01S', '0500_06H_30S'].map((rest) => ({
      name: `GRAZ00AUT_R_2026022${rest}_MO.crx.gz`,
      path: 'nrt/2026/022/05',
      misplaced: false,
    })),
    ...['24H', '48H'].map((period) => ({
      name: `GRAZ00AUT_R_20260220500_${period}_30S_MO.crx.gz`,
      path: 'nrt/2026/022/05',
      misplaced: true,
    })),
    { name: 'GRAZ00AUT_R_20260220500_00U_MN.rnx.gz', path: 'nrt/2026/022/05', misplaced: false },
    { name: 'GRAZ00AUT_R_20260010000_01Y_MN.rnx.gz', path: 'nrt/2026/001/00', misplaced: true },
    { name: 'ALGO00CAN_R_20121601000_01D_05Z_RO.rnx.gz', path: 'obs/2012/160', misplaced: false },
    { name: 'graz022f.26d.gz', path: 'nrt/2026/022/05', misplaced: false },
    { name: 'graz0220.26d.gz', path: 'nrt/2026/022/00', misplaced: true },
    { name: 'graz0221.26d.gz', path: 'obs/2026/022', misplaced: false },
  ]
  for (const { name, path, misplaced } of cases) {
    const [parsed, directory] = [parseFilename(name), parseDirectory(path)]
    t.equal(parsed.kind, 'parsed', name)
    t.equal(directory.kind, 'directory', path)
    t.equal(
      isMisplaced(parsed as ParsedName, directory as ArchiveDirectory),
      misplaced,
      `${path}/${name}`,
    )
  }
})
