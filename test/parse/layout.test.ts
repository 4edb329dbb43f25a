import type { LayoutLists } from '../../src/parse/layout.ts'
import {
  areaWords,
  createLayout,
  defaultLayout,
  defaultLists,
  isWithin,
} from '../../src/parse/layout.ts'
import { layoutFaults } from '../../src/parse/layout-faults.ts'
import { fc } from '../random.ts'
import t from '../tap.ts'

const layoutOf = (lists: Partial<LayoutLists>) => createLayout({ ...defaultLists, ...lists })
const faultOf = (lists: Partial<LayoutLists>): string => {
  const [fault] = layoutFaults({ ...defaultLists, ...lists })
  return fault === undefined ? '' : `${fault.key} ${fault.problem}`
}

t.test('areas of one and of several segments, and all of the archive', async (t) => {
  const deep = layoutOf({ areas: ['pub/rinex3', 'data'] })
  const whole = layoutOf({ areas: ['.'] })
  const cases = [
    [deep, 'pub/rinex3', 'pub/rinex3'],
    [deep, 'pub/rinex3/2024/001', 'pub/rinex3'],
    [deep, 'data/x', 'data'],
    [deep, 'pub', undefined],
    [deep, 'pub/rinex30', undefined],
    [deep, '', undefined],
    [deep, 'x/pub/rinex3', undefined],
    [whole, '', 'archive'],
    [whole, 'obs/2026', 'archive'],
    [whole, 'archive', 'archive'],
    [defaultLayout, 'obs/2026/001', 'obs'],
    [defaultLayout, 'obsolete', undefined],
  ] as const
  for (const [layout, path, area] of cases) {
    t.equal(layout.areaOf(path), area, path)
    const parsed = layout.parseDirectory(path)
    t.equal(parsed.kind === 'directory' ? parsed.area : undefined, area, path)
  }
  t.same(deep.roots, ['pub/rinex3', 'data'])
  t.same([whole.areas, whole.roots], [['archive'], ['']])
  t.same(['pub/rinex3/2024/001', 'data', 'x'].map(deep.belowArea), ['2024/001', '', 'x'])
  t.equal(whole.belowArea('2024/001'), '2024/001')
  for (const [path, listed] of [
    ['', ['pub/rinex3', 'data']],
    ['pub', ['pub/rinex3']],
    ['pub/rinex3', ['pub/rinex3']],
    ['data/2024', ['data/2024']],
    ['data/@eaDir', []],
    ['pub/other', []],
    ['../etc', []],
  ] as const)
    t.same(deep.listedBelow(path), listed, path)
  t.same(['', 'obs'].map(whole.listedBelow), [[''], ['obs']])
  t.ok(whole.isRoot('') && !whole.isRoot('obs') && deep.isRoot('pub/rinex3') && !deep.isRoot(''))
  t.same(
    [defaultLayout, deep, whole].map((each) => areaWords(each)),
    ['obs/ or nrt/', 'pub/rinex3/ or data/', 'the archive'],
  )
})

t.test('what shows that a disk is there', async (t) => {
  const { isOfArchive } = layoutOf({ suffixes: ['.gz'] })
  const cases = [
    ['graz0010.26d.gz', true, true],
    ['graz0010.26d.Z', true, false],
    ['README', true, false],
    ['README', false, true],
    ['lost+found', false, false],
    ['.snapshot', false, false],
  ] as const
  for (const [name, isFile, expected] of cases)
    t.equal(isOfArchive({ name, isFile: () => isFile }), expected, `${name} ${isFile}`)
})

t.test('a directory is at most twelve levels below the archive', async (t) => {
  const deepest = `pub/rinex3${'/x'.repeat(10)}`
  const { parseDirectory } = layoutOf({ areas: ['pub/rinex3'] })
  t.equal(parseDirectory(deepest).kind, 'directory')
  t.strictSame(parseDirectory(`${deepest}/x`), { kind: 'rejected', reason: 'too-deep' })
})

t.test('lists of which no layout can be made have a reason', async (t) => {
  const cases: readonly (readonly [Partial<LayoutLists>, string])[] = [
    [{ areas: [] }, 'areas must name at least one'],
    [{ areas: ['/obs'] }, 'areas must not have "/obs": write its path below the archive'],
    [{ areas: [''] }, 'areas must not have "": an area is a directory'],
    [{ areas: ['obs/'] }, 'areas must not have "obs/": write "obs"'],
    [{ areas: ['../x'] }, 'areas must not have "../x": write its path below'],
    [{ areas: ['a/./b'] }, 'areas must not have "a/./b": write its path below'],
    [{ areas: ['a//b'] }, 'areas must not have "a//b": use letters'],
    [{ areas: ['@eaDir'] }, 'areas must not have "@eaDir": use letters'],
    [{ areas: ['x/'.repeat(12) + 'x'] }, `areas must not have "${'x/'.repeat(12)}x": it is more`],
    [{ areas: ['archive'] }, 'areas must not have "archive": this is the name'],
    [{ areas: ['obs', 'obs'] }, 'areas must not name "obs" twice'],
    [{ areas: ['obs', 'obs/2026'] }, 'areas must not overlap: "obs/2026" lies in "obs"'],
    [{ areas: ['a/b', 'a'] }, 'areas must not overlap: "a/b" lies in "a"'],
    [{ areas: ['obs', '.'] }, 'areas must not overlap: "obs" lies in "."'],
    [{ suffixes: [] }, 'suffixes must name at least one of ".gz", ".Z", ""'],
    [{ suffixes: ['.gz', '.bz2'] }, 'suffixes must not have ".bz2"'],
    [{ exclude: ['  '] }, 'exclude must not have "  "'],
    [{ exclude: ['raw/', '!raw/x'] }, 'exclude must not have "!raw/x": a pattern excludes'],
    [{ exclude: ['# raw'] }, 'exclude must not have "# raw": this is a comment'],
    [{ exclude: ['raw\\'] }, 'exclude must not have "raw\\\\": nothing follows'],
    [{ exclude: ['a\nb'] }, 'exclude must not have "a\\nb": it has control'],
    [{ exclude: ['x'.repeat(201)] }, 'exclude must not have'],
    [{ exclude: ['obs'] }, 'exclude must not hide an area: "obs" excludes all of obs/'],
    [{ exclude: ['raw', '**'] }, 'exclude must not hide an area: "**" excludes'],
    [{ areas: ['pub/r'], exclude: ['pub/'] }, 'exclude must not hide an area: "pub/"'],
    [{ areas: ['.'], exclude: ['raw', '*'] }, 'exclude must leave some files: "*" excludes'],
    [{ exclude: ['raw', '*.gz'] }, 'exclude must leave some files: "*.gz" excludes everything'],
    [{ areas: ['obs'], exclude: ['obs/**'] }, 'exclude must leave some files: "obs/**"'],
  ]
  for (const [lists, start] of cases) {
    const fault = faultOf(lists)
    t.ok(fault.startsWith(start), `${JSON.stringify(lists)}: ${fault}`)
  }
  const good: readonly Partial<LayoutLists>[] = [
    {},
    { areas: ['.'] },
    { areas: ['a/b', 'a/c', 'a/bc'] },
    { suffixes: [''] },
    { suffixes: ['.gz', '.Z', ''] },
    { exclude: ['raw/', '**/products/**', '*.bad.gz', 'a\\ b', '*.Z'] },
    { exclude: ['*.[0-9][0-9]n.gz'] },
  ]
  for (const lists of good) t.equal(faultOf(lists), '', JSON.stringify(lists))
})

t.test('exclusions are those of .gitignore, with case', async (t) => {
  const { isExcluded, excludedBy, parseDirectory } = layoutOf({
    areas: ['.'],
    exclude: ['raw/', '/top', '**/products/**', '*.bad.gz', 'a/*/b'],
  })
  const cases: readonly (readonly [path: string, file: boolean, directory: boolean])[] = [
    ['raw', false, true],
    ['x/raw', false, true],
    ['x/raw/y/z.gz', true, true],
    ['RAW', false, false],
    ['top', true, true],
    ['x/top', false, false],
    ['x/products/y', true, true],
    ['x/products', false, false],
    ['x/zimm0010.24d.bad.gz', true, true],
    ['a/1/b', true, true],
    ['a/1/2/b', false, false],
    ['', false, false],
    ['...', false, false],
    ['..', false, false],
  ]
  for (const [path, file, directory] of cases) {
    t.equal(isExcluded(path, false), file, path)
    t.equal(isExcluded(path, true), directory, `${path}/`)
  }
  t.equal(excludedBy('x/raw/y'), 'raw/')
  t.equal(excludedBy('x/raw'), 'raw/')
  t.equal(excludedBy('x/y'), undefined)
  t.strictSame(parseDirectory('x/raw'), { kind: 'rejected', reason: 'excluded' })
})

t.test('exclusions are the same after more paths than are remembered', async (t) => {
  const { isExcluded } = layoutOf({ exclude: ['raw/'] })
  for (let n = 0; n < 25_000; n++)
    if (isExcluded(`obs/${n}.gz`, false) || !isExcluded(`obs/raw/${n}.gz`, false)) t.fail(`${n}`)
})

const segment = fc.constantFrom('obs', 'nrt', 'pub', 'r', 'r3', '2026', '001', 'x')
const path = fc.array(segment, { minLength: 0, maxLength: 5 }).map((all) => all.join('/'))

t.test('each path has the area at or above it', async (t) => {
  const areas = fc
    .array(
      path.filter((each) => each !== ''),
      { minLength: 1, maxLength: 4 },
    )
    .filter((all) => layoutFaults({ ...defaultLists, areas: all }).length === 0)
  fc.assert(
    fc.property(areas, path, (all, each) => {
      const { areaOf, rootOf, belowArea, parseDirectory } = layoutOf({ areas: all })
      const segments = each.split('/')
      const above = segments.map((_, index) => segments.slice(0, index + 1).join('/'))
      const expected = all.filter((area) => above.includes(area))
      t.ok(expected.length <= 1)
      t.equal(areaOf(each), expected[0])
      t.equal(rootOf(each), expected[0])
      t.equal(parseDirectory(each).kind === 'directory', expected.length === 1)
      const below = belowArea(each)
      t.ok(below === '' ? all.includes(each) || each === '' : each.endsWith(below))
      t.ok(all.filter((area) => isWithin(each, area)).length === expected.length)
    }),
  )
})
