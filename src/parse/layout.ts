/**
 * What the configuration says about a tree of files: its areas, the suffixes of its files, and what
 * is excluded. Paths are relative to the archive root, without a slash at either end; `''` is the
 * root itself. Pure.
 */
import { isDirectoryName, maxDirectoryDepth } from './directories.ts'
import { Exclusions } from './exclusions.ts'
import { defaultSuffixes, parseFilename } from './filename.ts'
import type { ParsedName, Rejection } from './types.ts'

/** The three lists as they are configured, and as the catalogue stores them. */
export interface LayoutLists {
  /** Directories below the archive root, of one or more segments; `.` is all of the archive. */
  readonly areas: readonly string[]
  /** What the name of a file ends in, after the RINEX name: `.gz`, `.Z`, `''`. */
  readonly suffixes: readonly string[]
  /** Patterns of `.gitignore` for paths below the archive root. */
  readonly exclude: readonly string[]
}

export const defaultLists: LayoutLists = {
  areas: ['obs', 'nrt'],
  suffixes: defaultSuffixes,
  exclude: [],
}

/** Lists of which some are not configured, with those of the seed in their places. */
export function withDefaults(
  lists: { readonly [Key in keyof LayoutLists]?: LayoutLists[Key] | undefined },
  defaults: LayoutLists = defaultLists,
): LayoutLists {
  return {
    areas: lists.areas ?? defaults.areas,
    suffixes: lists.suffixes ?? defaults.suffixes,
    exclude: lists.exclude ?? defaults.exclude,
  }
}

/** The lists as lines of a configuration file. */
export function configurationLines({ areas, suffixes, exclude }: LayoutLists): readonly string[] {
  const line = (key: string, values: readonly string[]): string =>
    `${key} = [${values.map((value) => JSON.stringify(value)).join(', ')}]`
  const lines = [line('areas', areas), line('suffixes', suffixes)]
  return exclude.length === 0 ? lines : [...lines, line('exclude', exclude)]
}

/** The name of the area that is all of the archive. No directory that is an area has it. */
export const wholeArchive = 'archive'

/** A directory whose files are catalogued. */
export interface ArchiveDirectory {
  readonly kind: 'directory'
  /** The name of its area. */
  readonly area: string
}

/** The reason why a directory is not read. */
export type PathRejectionReason = 'not-in-area' | 'excluded' | 'too-deep' | 'bad-directory-name'

export interface PathRejection {
  readonly kind: 'rejected'
  readonly reason: PathRejectionReason
}

/** What the functions of node:fs say of an entry. */
interface Entry {
  readonly name: string
  isFile(): boolean
}

/** A tree as it is configured. Its functions need no `this`. */
export interface Layout {
  readonly lists: LayoutLists
  /** The names of the areas: their paths, and `archive` for `.`. */
  readonly areas: readonly string[]
  /** The paths of the areas, in the same order; `''` is the archive root. */
  readonly roots: readonly string[]
  /** The area at or above a path; `undefined` for a path in no area. */
  readonly areaOf: (path: string) => string | undefined
  /** The path of this area. */
  readonly rootOf: (path: string) => string | undefined
  /** The path below its area; `''` for an area, and the path itself in no area. */
  readonly belowArea: (path: string) => string
  /** True for a directory at or above an area: it leads to what is listed. */
  readonly leadsToArea: (path: string) => boolean
  /** True for the path of an area itself. */
  readonly isRoot: (path: string) => boolean
  /**
   * Parses the path of a directory. Files may be in any directory at or below an area that is not
   * excluded.
   */
  readonly parseDirectory: (path: string) => ArchiveDirectory | PathRejection
  /**
   * The directories with all that is listed at or below a path: itself, or the areas below it; none
   * if nothing is listed there.
   */
  readonly listedBelow: (path: string) => readonly string[]
  readonly parseFilename: (name: string) => ParsedName | Rejection
  /**
   * True for an entry of a directory that shows that it holds a part of an archive: a RINEX file,
   * or a directory that is read. The mount point of a disk that is away may hold a note, or
   * `lost+found`.
   */
  readonly isOfArchive: (entry: Entry) => boolean
  /** True for a directory or a file that is excluded, or lies in an excluded directory. */
  readonly isExcluded: (path: string, isDirectory: boolean) => boolean
  /** The first pattern that excludes a path, whatever is there; `undefined` if none does. */
  readonly excludedBy: (path: string) => string | undefined
}

/** @param lists without a fault (see layout-faults.ts) */
export function createLayout({ areas: listed, suffixes, exclude }: LayoutLists): Layout {
  const roots = listed.map(rootOfArea)
  const areas = roots.map(nameOfRoot)
  const exclusions = new Exclusions(exclude)
  // No area lies in another one, so at most one contains a path.
  const rootOf = (path: string): string | undefined => roots.find((root) => isWithin(path, root))
  const isExcluded = (path: string, isDirectory: boolean): boolean =>
    exclusions.has(path, isDirectory)
  const parseName = (name: string): ParsedName | Rejection => parseFilename(name, suffixes)
  const parseDirectory = (path: string): ArchiveDirectory | PathRejection => {
    const root = rootOf(path)
    if (root === undefined) return { kind: 'rejected', reason: 'not-in-area' }
    const reason = pathFault(path)
    if (reason !== undefined) return { kind: 'rejected', reason }
    if (isExcluded(path, true)) return { kind: 'rejected', reason: 'excluded' }
    return { kind: 'directory', area: nameOfRoot(root) }
  }
  return {
    lists: { areas: listed, suffixes, exclude },
    areas,
    roots,
    areaOf: (path) => {
      const root = rootOf(path)
      return root === undefined ? undefined : nameOfRoot(root)
    },
    rootOf,
    belowArea: (path) => pathBelow(path, rootOf(path) ?? ''),
    leadsToArea: (path) => roots.some((root) => isWithin(root, path)),
    isRoot: (path) => roots.includes(path),
    parseDirectory,
    listedBelow: (path) =>
      parseDirectory(path).kind === 'directory'
        ? [path]
        : roots.filter((root) => isWithin(root, path)),
    parseFilename: parseName,
    isOfArchive: (entry) =>
      entry.isFile() ? parseName(entry.name).kind === 'parsed' : isDirectoryName(entry.name),
    isExcluded,
    excludedBy: (path) => exclusions.patternOf(path),
  }
}

/** The tree of the seed. */
export const defaultLayout = createLayout(defaultLists)

/** True for the areas of the seed alone, in which `obs` has days and `nrt` has hours. */
export function hasSeedAreas({ areas }: Pick<Layout, 'areas'>): boolean {
  return areas.join() === defaultLists.areas.join()
}

/** True if both say the same about every path. */
export function areSameLists(a: LayoutLists, b: LayoutLists): boolean {
  const [one, other] = [a, b].map((lists) =>
    JSON.stringify([lists.areas, lists.suffixes, lists.exclude].map(sortedSet)),
  )
  return one === other
}

function sortedSet(list: readonly string[]): readonly string[] {
  return [...new Set(list)].sort()
}

/** True for a path at or below a directory; `''` is above all paths. */
export function isWithin(path: string, directory: string): boolean {
  return directory === '' || path === directory || path.startsWith(`${directory}/`)
}

function pathBelow(path: string, directory: string): string {
  return directory === '' ? path : path.slice(directory.length + 1)
}

/** The areas as directories, for people: `obs/ or nrt/`; all of the archive is `the archive`. */
export function areaWords({ areas }: Pick<Layout, 'areas'>, conjunction = 'or'): string {
  const words = areas.map(placeOfArea)
  const last = words.pop() ?? ''
  return words.length === 0 ? last : `${words.join(', ')} ${conjunction} ${last}`
}

/** An area as a directory, for people: `obs/`. */
export function placeOfArea(area: string): string {
  return area === wholeArchive ? 'the archive' : `${area}/`
}

/** The path of an entry of a directory. */
export function joinPath(directory: string, name: string): string {
  return directory === '' ? name : `${directory}/${name}`
}

/** The directory above a path; that of an entry of the root, and of the root itself, is `''`. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** The path of an area as it is configured. */
export function rootOfArea(area: string): string {
  return area === '.' ? '' : area
}

function nameOfRoot(root: string): string {
  return root === '' ? wholeArchive : root
}

/** Why a directory at a path below an area is not read. */
export function pathFault(path: string): 'too-deep' | 'bad-directory-name' | undefined {
  if (path === '') return undefined
  const segments = path.split('/', maxDirectoryDepth + 1)
  if (segments.length > maxDirectoryDepth) return 'too-deep'
  return segments.every(isDirectoryName) ? undefined : 'bad-directory-name'
}
