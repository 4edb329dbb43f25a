/**
 * Areas, suffixes and exclusions change back and forth at random, and so do the files: after each
 * start the list is what they say about the tree, with the ids of all files that stayed.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { startTreeReader } from '../../src/indexer/read/tree-reader.ts'
import type { LayoutLists } from '../../src/parse/layout.ts'
import { createLayout, isWithin, joinPath } from '../../src/parse/layout.ts'
import { testFolder } from '../folder.ts'
import { fc } from '../random.ts'
import t from '../tap.ts'
import { openParts, startOn } from './parts.ts'
import { putFile } from './tree-layouts.ts'

const directories = [
  '',
  'obs/2026/001',
  'obs/2026/002/raw',
  'nrt/2026/001/05',
  'pub/rinex/2026/002',
  'pub/raw/2026/002',
  'other',
]
const names = ['graz0010.26d', 'zimm0010.26d', 'ZIMM0020.26D']
// The same name in several areas and with several suffixes.
const files = directories.flatMap((directory) =>
  names.flatMap((name) => ['.gz', '.Z', ''].map((suffix) => joinPath(directory, name + suffix))),
)

/** An archive without any of its areas may be a disk that is away: these are always there. */
const archive = { obs: {}, nrt: {}, pub: { rinex: {}, raw: {} } }
const areas = [
  ['obs', 'nrt'],
  ['.'],
  ['obs'],
  ['pub/rinex', 'nrt'],
  ['nrt', 'pub'],
  ['away', 'obs'],
]
const suffixes = [['.gz'], ['.gz', '.Z'], ['', '.gz', '.Z'], ['.Z']]
/** Patterns, with a slow reference of the paths that each hides. */
const exclusions: readonly (readonly [pattern: string, hides: RegExp])[] = [
  ['raw/', /(^|\/)raw\//],
  ['*.Z', /\.Z$/],
  ['/obs/2026/001/', /^obs\/2026\/001\//],
  ['zimm*', /(^|\/)zimm[^/]*$/],
]

interface Step {
  readonly lists: LayoutLists
  /** Files that come, or go if they are there. */
  readonly changed: readonly string[]
}

const steps: fc.Arbitrary<Step> = fc.record({
  lists: fc.record({
    areas: fc.constantFrom(...areas),
    suffixes: fc.constantFrom(...suffixes),
    exclude: fc.subarray(exclusions.map(([pattern]) => pattern)),
  }),
  changed: fc.subarray(files, { maxLength: 8 }),
})

/** The paths that these lists show. */
function expectedOf({ areas, suffixes, exclude }: LayoutLists, paths: readonly string[]) {
  const hidden = exclusions.filter(([pattern]) => exclude.includes(pattern))
  return paths.filter(
    (path) =>
      areas.some((area) => isWithin(path, area === '.' ? '' : area)) &&
      suffixes.includes(/\.(?:gz|Z)$/.exec(path)?.[0] ?? '') &&
      !hidden.some(([, hides]) => hides.test(path)),
  )
}

/** Runs an indexer of a layout until it has caught up. @returns the ids by path */
async function listedBy(t: Test, folder: string, lists: LayoutLists) {
  const parts = await openParts(t, folder)
  const layout = createLayout(lists)
  const tree = startTreeReader({ archive: parts.archive, linkedDirectories: [] }, lists)
  const { indexer, close } = await startOn(t, parts, { layout, tree })
  await indexer.catchUp({ scan: false, patient: false })
  while ((await parts.writer.buildIndexes()).left > 0);
  const { records } = await parts.reader.page({ limit: 1000, offset: 0, filter: {} })
  const ids = records.map(({ id, directory, name }) => [joinPath(directory, name), id] as const)
  const withheld = indexer.status().withheldRemovals
  const differences = await parts.differences()
  await close()
  await parts.close()
  return { ids: new Map(ids), withheld, differences }
}

t.test('any change of areas, suffixes and exclusions keeps the list true', async (t) => {
  const runs = process.env['SLOW'] === '1' ? 30 : 3
  let number = 0
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 6 }), async (history) => {
      const folder = testFolder(t, { archive })
      const root = join(folder, 'archive')
      const there = new Set<string>()
      let before = new Map<string, number>()
      for (const { lists, changed } of history) {
        for (const path of changed)
          if (there.delete(path)) rmSync(join(root, path))
          else {
            putFile(root, path)
            there.add(path)
          }
        const { ids, withheld, differences } = await listedBy(t, folder, lists)
        const words = `${++number}: ${JSON.stringify(lists)}`
        t.equal(withheld, 0, words)
        t.strictSame([...ids.keys()].sort(), expectedOf(lists, [...there]).sort(), words)
        t.strictSame(differences, [], words)
        const stayed = [...ids].filter(([path]) => before.has(path) && !changed.includes(path))
        t.strictSame(
          stayed,
          stayed.map(([path]) => [path, before.get(path)]),
          words,
        )
        before = ids
      }
    }),
    { numRuns: runs },
  )
})
