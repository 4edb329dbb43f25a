/**
 * Archives of many layouts, with the configuration that a survey proposes. Those with the same
 * suffixes are directories of one archive, so that few indexers run.
 */
import { join } from 'node:path'
import type { Test } from 'tap'
import type { FileFilter } from '../../src/catalogue/filter.ts'
import { Findings } from '../../src/commands/survey/findings.ts'
import { proposalFor } from '../../src/commands/survey/proposal.ts'
import { readNames } from '../../src/commands/survey/walk.ts'
import { startTreeReader } from '../../src/indexer/read/tree-reader.ts'
import { secondsPerDay } from '../../src/parse/calendar.ts'
import { knownSuffixes, parseFilename } from '../../src/parse/filename.ts'
import type { LayoutLists } from '../../src/parse/layout.ts'
import { createLayout } from '../../src/parse/layout.ts'
import { testFolder } from '../folder.ts'
import t from '../tap.ts'
import { openParts, startOn } from './parts.ts'
import type { Kind } from './tree-layouts.ts'
import { invented, known, pathOf, pathsOf, putFile } from './tree-layouts.ts'

/** An archive of one layout, which is a directory of the archive of a test. */
interface Tree {
  readonly layout: string
  readonly kinds: readonly Kind[]
  readonly folder: string
  /** The files that it had when it was surveyed, below the folder. */
  readonly paths: readonly string[]
  readonly proposal: LayoutLists | undefined
}

const isRinex = (path: string): boolean =>
  parseFilename(path.slice(path.lastIndexOf('/') + 1), knownSuffixes).kind !== 'rejected'

/** Makes a tree of each layout, and surveys it as if it were all of an archive. */
function makeTrees(root: string): Tree[] {
  return Object.entries({ ...known, ...invented }).map(([layout, kinds], index) => {
    const folder = `tree-${index}`
    const paths = kinds.flatMap(pathsOf)
    for (const path of paths) putFile(join(root, folder), path)
    const findings = new Findings()
    readNames(join(root, folder), findings, () => undefined)
    return { layout, kinds, folder, paths, proposal: proposalFor(findings) }
  })
}

/** The proposals of trees as one configuration. */
function joined(trees: readonly Tree[]): LayoutLists {
  const proposals = trees.flatMap(({ folder, proposal }) =>
    proposal === undefined ? [] : [{ folder, ...proposal }],
  )
  return {
    areas: proposals.flatMap(({ folder, areas }) =>
      areas.map((area) => (area === '.' ? folder : `${folder}/${area}`)),
    ),
    suffixes: proposals[0]?.suffixes ?? [],
    exclude: proposals.flatMap(({ folder, exclude }) => exclude.map((each) => `/${folder}${each}`)),
  }
}

/** A file that somebody has put into the directory of another year, if the path names years. */
function movedFile({ layout, folder, kinds }: Tree): string[] {
  if (layout === 'months without a year') return []
  const kind = kinds.find(([directory, name]) => /\{[Yy]\}/.test(directory) && isRinexKind(name))
  if (kind === undefined) return []
  const [start = 0] = kind[2]
  return [`${folder}/${pathOf(kind, start, { placedAt: start - 400 * secondsPerDay })}`]
}

function isRinexKind(name: string): boolean {
  return isRinex(pathOf(['', name, []], 0))
}

async function start(t: Test, trees: readonly Tree[], root: string) {
  const parts = await openParts(t)
  const layout = createLayout(joined(trees))
  const tree = startTreeReader({ archive: root, linkedDirectories: [] }, layout.lists)
  t.teardown(() => tree.close())
  const opened = await startOn(t, parts, {
    archive: root,
    layout,
    tree,
    sweepIntervalMs: 3_600_000,
  })
  const paths = async (filter: FileFilter = {}) => {
    const { records } = await opened.reader.page({ limit: 100_000, offset: 0, filter })
    return records.map(({ directory, name }) => `${directory}/${name}`).sort()
  }
  return { ...opened, paths }
}

t.test('archives of all layouts are listed as a survey proposes', async (t) => {
  const root = testFolder(t)
  const trees = makeTrees(root)
  const unlisted = trees.filter(({ proposal }) => proposal === undefined)
  t.same(
    unlisted.map(({ layout }) => layout),
    ['Mexico', 'South Africa', 'A network for surveyors', 'A base at home'],
    'zips alone are nothing to list',
  )
  const groups = Map.groupBy(trees, ({ proposal }) => JSON.stringify(proposal?.suffixes ?? null))
  groups.delete('null')
  for (const [suffixes, group] of groups)
    await t.test(`suffixes ${suffixes}`, async (t) => {
      const moved = group.flatMap(movedFile)
      for (const path of moved) putFile(root, path)
      const { indexer, writer, paths } = await start(t, group, root)
      await indexer.catchUp({ scan: true, patient: false })
      while ((await writer.buildIndexes()).left > 0);
      const expected = group.flatMap(({ folder, paths }) =>
        paths.filter(isRinex).map((path) => `${folder}/${path}`),
      )
      t.same(await paths(), [...expected, ...moved].sort())
      t.same(await paths({ problems: ['misplaced'] }), moved.toSorted())
      t.same(await paths({ problems: ['incomplete', 'broken'] }), [])
    })
})
