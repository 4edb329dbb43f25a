/** What may be wrong with the lists of a layout, in the words of the configuration. Pure. */
import { maxDirectoryDepth } from './directories.ts'
import { Exclusions, patternFault } from './exclusions.ts'
import { isSuffix, knownSuffixes } from './filename.ts'
import type { Layout, LayoutLists } from './layout.ts'
import { createLayout, isWithin, joinPath, pathFault, rootOfArea, wholeArchive } from './layout.ts'

/** A fault of one of the lists: `problem` ends the sentence that begins with its key. */
export interface LayoutFault {
  readonly key: keyof LayoutLists
  readonly problem: string
}

/** What is wrong with the lists; nothing if a layout can be made of them. */
export function layoutFaults(lists: LayoutLists): readonly LayoutFault[] {
  const { areas, suffixes, exclude } = lists
  const faults = [
    { key: 'areas', problem: areasFault(areas) },
    { key: 'suffixes', problem: suffixesFault(suffixes) },
    { key: 'exclude', problem: exclude.map(patternFault).find((fault) => fault !== undefined) },
  ] as const
  const found = faults.flatMap(({ key, problem }) =>
    problem === undefined ? [] : { key, problem },
  )
  if (found.length > 0) return found
  const problem = exclude.length === 0 ? undefined : coverFault(createLayout(lists))
  return problem === undefined ? [] : [{ key: 'exclude', problem }]
}

function areasFault(areas: readonly string[]): string | undefined {
  if (areas.length === 0) return 'must name at least one area, "." for all of the archive'
  for (const [index, area] of areas.entries()) {
    const fault = areaFault(area)
    if (fault !== undefined) return `must not have ${quoted(area)}: ${fault}`
    const root = rootOfArea(area)
    for (const other of areas.slice(0, index)) {
      const above = rootOfArea(other)
      if (root === above) return `must not name ${quoted(area)} twice`
      if (isWithin(root, above)) return overlap(area, other)
      if (isWithin(above, root)) return overlap(other, area)
    }
  }
  return undefined
}

function overlap(inner: string, outer: string): string {
  return `must not overlap: ${quoted(inner)} lies in ${quoted(outer)}, remove one of them`
}

function areaFault(area: string): string | undefined {
  if (area === '.') return undefined
  if (area === '') return 'an area is a directory below the archive, "." for all of it'
  if (area.startsWith('/')) return 'write its path below the archive, without a slash before it'
  if (area.endsWith('/')) return `write ${quoted(area.replace(/\/+$/, ''))}`
  if (area.split('/').some((segment) => segment === '..' || segment === '.'))
    return 'write its path below the archive, without "." and ".."'
  if (area === wholeArchive)
    return `this is the name of the area ".": use "." as the only area, or rename the directory`
  const fault = pathFault(area)
  if (fault === 'too-deep') return `it is more than ${maxDirectoryDepth} directories deep`
  if (fault !== undefined)
    return 'use letters, digits, ".", "_" and "-" in the names of directories, none beginning with "." or "-"'
  return undefined
}

function suffixesFault(suffixes: readonly string[]): string | undefined {
  const words = knownSuffixes.map(quoted).join(', ')
  if (suffixes.length === 0) return `must name at least one of ${words}; "" is for plain files`
  const other = suffixes.find((suffix) => !isSuffix(suffix))
  if (other !== undefined)
    return `must not have ${quoted(other)}: use ${words}; "" is for plain files`
  return undefined
}

/** Names of RINEX files that have little in common, for a look whether any file is left. */
const sampleNames = [
  'zimm0010.24d',
  'GRAZ1230.99O',
  'brdc366a.08n',
  'ABCD00AUT_R_20260220000_01D_30S_MO.crx',
  'wxyz01dlr_S_20111230515_15M_01Z_GN.rnx',
]

/** Why patterns leave no file of an area. */
function coverFault({ lists, areas, roots, excludedBy, isExcluded }: Layout): string | undefined {
  for (const [index, root] of roots.entries()) {
    const pattern = root === '' ? undefined : excludedBy(root)
    if (pattern !== undefined)
      return `must not hide an area: ${quoted(pattern)} excludes all of ${areas[index] ?? ''}/, remove it, or remove the area`
  }
  const samples = roots.flatMap((root) =>
    ['', '2024/001', 'a/b7'].flatMap((folder) =>
      sampleNames.flatMap((name) =>
        lists.suffixes.map((suffix) => joinPath(joinPath(root, folder), name + suffix)),
      ),
    ),
  )
  if (!samples.every((path) => isExcluded(path, false))) return undefined
  const [first = ''] = lists.exclude
  const sole = lists.exclude.find((pattern) => {
    const alone = new Exclusions([pattern])
    return samples.every((path) => alone.has(path, false))
  })
  return `must leave some files: ${quoted(sole ?? first)} excludes everything, remove it`
}

function quoted(text: string): string {
  return JSON.stringify(text)
}
