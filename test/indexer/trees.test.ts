/**
 * Archives of many layouts, with the configuration that a survey proposes. Those with the same
 * suffixes are directories of one archive, so that few indexers run.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
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
import { createLayout, isWithin } from '../../src/parse/layout.ts'
import { arrive } from '../acceptance/tree.ts'
import { testFolder } from '../folder.ts'
import t from '../tap.ts'
import { until } from '../until.ts'
import { invented, known } from './archive-layouts.ts'
import { openParts, startOn } from './parts.ts'
import type { Kind } from './tree-layouts.ts'
import { newest, pathOf, pathsOf, putFile } from './tree-layouts.ts'

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

/** Layouts whose paths are not read as years: what is in the wrong place is not found. */
const withoutYears: readonly string[] = [
  'months without a year',
  'months in one segment',
  'years in a word',
  'station and month',
  'years of two digits',
]

/** A file that somebody has put into the directory of another year, if the path names years. */
function movedFile({ layout, folder, kinds }: Tree): string[] {
  if (withoutYears.includes(layout)) return []
  const kind = kinds.find(([directory, name]) => /\{[Yy]\}/.test(directory) && isRinexKind(name))
  if (kind === undefined) return []
  const [start = 0] = kind[2]
  return [`${folder}/${pathOf(kind, start, { placedAt: start - 400 * secondsPerDay })}`]
}

/** Kinds of which files are still delivered. */
function isDelivered([, name, times]: Kind): boolean {
  return isRinexKind(name) && name.endsWith('.gz') && times.includes(newest)
}

/** The directories of the newest files, and those above them, where new ones will appear. */
function hotDirectories({ folder, kinds, proposal }: Tree): string[] {
  const directories = kinds.filter(isDelivered).flatMap((kind) => {
    const [file = ''] = pathsOf([kind[0], kind[1], [newest]])
    const segments = file.split('/')
    return segments.map((_, depth) => segments.slice(0, depth).join('/'))
  })
  const areas = (proposal?.areas ?? []).map((area) => (area === '.' ? '' : area))
  return [...new Set(directories)]
    .filter((path) => areas.some((area) => isWithin(path, area)))
    .map((path) => (path === '' ? folder : `${folder}/${path}`))
}

/** A new file of each kind that is still delivered, in its directory, which may be new. */
function filesOfToday({ folder, kinds }: Tree): string[] {
  return kinds
    .filter(isDelivered)
    .map((kind) => `${folder}/${pathOf(kind, newest + 2 * secondsPerDay)}`)
}

/** The inode numbers of all directories that this process watches. */
function watchedInodes(): Set<number> {
  const files = readdirSync('/proc/self/fdinfo').flatMap((name) => {
    try {
      return [readFileSync(`/proc/self/fdinfo/${name}`, 'utf8')]
    } catch {
      return [] // it was closed meanwhile
    }
  })
  const matches = files.join('\n').matchAll(/^inotify .*\bino:([0-9a-f]+)/gm)
  return new Set([...matches].map(([, hex = '']) => parseInt(hex, 16)))
}

async function untilNothingOf(what: string, find: () => Promise<string[]> | string[]) {
  let found: string[] = []
  const isEmpty = async () => (found = await find()).length === 0
  await until(`nothing is ${what}`, isEmpty).catch((error: unknown) => {
    throw new Error(`${what}: ${found.join(' ')}`, { cause: error })
  })
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
      indexer.watch()
      const hot = group.flatMap(hotDirectories)
      await untilNothingOf('not watched', () => {
        const inodes = watchedInodes()
        return hot.filter((path) => !inodes.has(statSync(join(root, path)).ino))
      })
      const today = group.flatMap(filesOfToday)
      for (const path of today) arrive(root, path)
      await untilNothingOf('not listed', async () => {
        const listed = new Set(await paths())
        return today.filter((path) => !listed.has(path))
      })
    })
})
