/**
 * Reads one directory of the tree with synchronous calls, because they cost a third of asynchronous
 * ones. If a disk does not answer, only the tree worker waits.
 */
import type { Stats } from 'node:fs'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { toInode, toUs } from '../../catalogue/identity.ts'
import type { EntryRejectionReason } from '../../catalogue/records.ts'
import type { DirectoryStamp, DirectoryTimes } from '../../catalogue/updates/change.ts'
import type { Layout } from '../../parse/layout.ts'
import { joinPath } from '../../parse/layout.ts'
import { errorCode, isMissing } from '../../runtime/error-code.ts'
import type { DirectorySnapshot, SnapshotOutcome } from './directory-snapshot.ts'
import { identityOf, mostEntries, otherDisk, tooManyEntries } from './directory-snapshot.ts'
import { entriesOf, Rejections, sumOfName } from './entries.ts'
import type { LinkedTree } from './links.ts'
import { isAway, isAwayLink, isInTree, linkedType } from './links.ts'
import { createIdentities, packIdentity } from './packed-identities.ts'

export interface Tree extends LinkedTree {
  readonly layout: Layout
  /** True if an area, given by its path, is on another disk than before (see `createDiskCheck`). */
  readonly isForeign?: (root: string) => boolean
  /** Maximum number of entries of a directory (see `mostEntries`). */
  readonly mostEntries?: number
  /**
   * Called for each entry, each file and each stamp that is read, which shows that the disk
   * answers.
   */
  readonly onProgress?: () => void
}

const unreadable: EntryRejectionReason = 'unreadable-directory'

/**
 * Reads one directory below the archive root. Never throws: problems of the tree are part of the
 * snapshot.
 */
export function readDirectory(tree: Tree, path: string): DirectorySnapshot {
  if (tree.layout.parseDirectory(path).kind === 'rejected') return uncoveredSnapshot(tree, path)
  try {
    if (!isInTree(tree, path)) return outsideSnapshot(tree, path)
    // The times are taken before the names are read, so that a change during the read gives the
    // directory other times.
    const stats = statSync(join(tree.archive, path))
    const found = sortEntries(tree, path)
    // For an empty area, `detectLostArea` decides.
    if (found.entries === 0 && !tree.layout.isRoot(path) && isAway(tree, path))
      throw new Error('its disk is away')
    const files = factsOf(tree, path, found.names)
    const away = [...found.away, ...files.away]
    // The disk is checked last, so that everything above was read from the same disk.
    if (isForeign(tree, path)) return emptySnapshot(path, 'lost-area', otherDisk)
    return {
      path,
      outcome: 'read',
      error: undefined,
      identity: identityOf(stats),
      device: stats.dev,
      // When the disk of the files in `away` comes back, the stamp of the directory does not
      // change. So the directory gets no stamp, and each sweep finds the directory again until
      // then.
      stamp: away.length > 0 ? undefined : { ...timesOf(stats), namesSum: found.namesSum },
      ...files,
      away,
      directories: found.directories,
      rejections: found.rejections,
    }
  } catch (error) {
    return failedSnapshot(tree, path, error)
  }
}

/** What a sweep sees of a directory: its times, and the device of its file system. */
interface SeenTimes extends DirectoryTimes {
  readonly device: number
}

/** What `readLooks` has seen. */
export interface PackedLooks {
  /**
   * Mtime and ctime (µs), inode and device of the directories, as far as they were looked at, in
   * their order; `NaN` for one that cannot be read. Passed to another thread as one object.
   */
  readonly times: Float64Array
  /** The time of a core that this took (ms). */
  readonly cpuMs: number
}

/**
 * Looks at the times of directories, one after the other; after `mostMs` it ends with those that it
 * has, at least one.
 */
export function readLooks(tree: Tree, paths: readonly string[], mostMs: number): PackedLooks {
  const [begunMs, before] = [performance.now(), process.threadCpuUsage()]
  const times = new Float64Array(4 * paths.length)
  let count = 0
  for (const path of paths) {
    const seen = readTimes(tree, path)
    times[4 * count] = seen?.mtimeUs ?? NaN
    times[4 * count + 1] = seen?.ctimeUs ?? NaN
    times[4 * count + 2] = seen?.inode ?? NaN
    times[4 * count + 3] = seen?.device ?? NaN
    count++
    if (performance.now() - begunMs > mostMs) break
  }
  const { user, system } = process.threadCpuUsage(before)
  return { times: times.slice(0, 4 * count), cpuMs: (user + system) / 1000 }
}

/** Returns the times of a directory; `undefined` if it cannot be read. */
export function readTimes(tree: Tree, path: string): SeenTimes | undefined {
  tree.onProgress?.()
  try {
    const stats = statSync(join(tree.archive, path))
    return { ...timesOf(stats), device: stats.dev }
  } catch {
    return undefined // the read that follows reports the problem
  }
}

/** Returns the stamp of a directory; `undefined` if it cannot be read, or has too many entries. */
export function readStamp(tree: Tree, path: string): (SeenTimes & DirectoryStamp) | undefined {
  const times = readTimes(tree, path)
  if (times === undefined) return undefined
  let [entries, namesSum] = [0, 0]
  try {
    for (const { name } of entriesOf(join(tree.archive, path))) {
      if (++entries > (tree.mostEntries ?? mostEntries)) return undefined
      tree.onProgress?.()
      namesSum += sumOfName(name)
    }
    return { ...times, namesSum }
  } catch {
    return undefined
  }
}

function timesOf(stats: Stats): DirectoryTimes {
  return { mtimeUs: toUs(stats.mtimeMs), ctimeUs: toUs(stats.ctimeMs), inode: toInode(stats.ino) }
}

/**
 * Reads the identities of files; leaves out names that have vanished or are no longer regular
 * files. Names of symbolic links to a disk that is away go to `away`.
 */
function factsOf(tree: Tree, directory: string, names: readonly string[]) {
  const path = join(tree.archive, directory)
  const found = { names: [] as string[], away: [] as string[] }
  const identities = createIdentities(names.length)
  for (const name of names) {
    const stats = statsOf(`${path}/${name}`)
    tree.onProgress?.()
    if (stats === undefined && isAwayLink(tree, joinPath(directory, name))) found.away.push(name)
    if (!stats?.isFile()) continue
    packIdentity(identities, found.names.push(name) - 1, stats)
  }
  // This call throws if the directory itself has vanished, for example with its disk, and not only
  // some of its files.
  if (found.names.length < names.length) statSync(path)
  return { ...found, identities }
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    // One symbolic link cannot be followed; the directory itself can be read.
    if (isMissing(error)) return undefined
    throw error
  }
}

/** @throws if the directory cannot be read or has too many entries */
function sortEntries(tree: Tree, directory: string) {
  const { layout } = tree
  const names: string[] = []
  const away: string[] = []
  const directories: string[] = []
  let [entries, namesSum] = [0, 0]
  const rejections = new Rejections()
  for (const entry of entriesOf(join(tree.archive, directory))) {
    const { name } = entry
    if (++entries > (tree.mostEntries ?? mostEntries)) throw new Error(tooManyEntries)
    tree.onProgress?.()
    namesSum += sumOfName(name)
    const place = joinPath(directory, name)
    const type = entry.isSymbolicLink() ? linkedType(tree, place) : entry
    const parsed = layout.parseFilename(name)
    const isDirectory = type === 'away' ? parsed.kind !== 'parsed' : type?.isDirectory() === true
    if (layout.isExcluded(place, isDirectory)) {
      if (isDirectory) rejections.count('excluded')
    } else if (type === undefined) rejections.add(name, 'symlink')
    // A link to a disk that is away counts as a directory if its name is not a RINEX name; reading
    // that directory reports the missing disk.
    else if (isDirectory) {
      const found = layout.parseDirectory(place)
      if (found.kind === 'rejected') rejections.add(name, found.reason)
      else directories.push(name)
    } else if (type === 'away') away.push(name)
    else if (!type.isFile()) rejections.add(name, 'not-a-file')
    else if (parsed.kind === 'parsed') names.push(name)
    else rejections.add(name, parsed.reason)
  }
  const sorted = { names: names.sort(), directories: directories.sort() }
  return { entries, namesSum, ...sorted, away, rejections: rejections.all() }
}

function isForeign(tree: Tree, path: string): boolean {
  return tree.isForeign?.(tree.layout.rootOf(path) ?? '') ?? false
}

function failedSnapshot(tree: Tree, path: string, error: unknown): DirectorySnapshot {
  const code = errorCode(error) || (error instanceof Error ? error.message : String(error))
  return emptySnapshot(path, failure(tree, path, error), code)
}

/**
 * A directory that was in an area, and is in none any more or excluded now, counts as missing. If
 * none of the areas is there, their names may be wrong, so it counts as lost.
 */
function uncoveredSnapshot(tree: Tree, path: string): DirectorySnapshot {
  const { roots, rootOf } = tree.layout
  const isLost = rootOf(path) === undefined && !roots.some((root) => isAreaThere(tree, root))
  return emptySnapshot(path, isLost ? 'lost-area' : 'missing', 'no directory of an area')
}

/**
 * A directory behind a symlink that must not be followed counts as missing; an area counts as lost,
 * and so does a directory whose area is not there.
 */
function outsideSnapshot(tree: Tree, path: string): DirectorySnapshot {
  const isLost = tree.layout.isRoot(path) || !isAreaThere(tree, path)
  const outcome = isLost ? 'lost-area' : 'missing'
  return emptySnapshot(path, outcome, 'a symlink, not in linked_directories')
}

function emptySnapshot(path: string, outcome: SnapshotOutcome, error: string): DirectorySnapshot {
  return {
    path,
    outcome,
    error,
    identity: undefined,
    device: undefined,
    stamp: undefined,
    names: [],
    identities: createIdentities(0),
    away: [],
    directories: [],
    rejections: outcome === 'unreadable' ? [{ reason: unreadable, count: 1, names: [''] }] : [],
  }
}

function failure(tree: Tree, path: string, error: unknown): SnapshotOutcome {
  if (!isMissing(error)) return 'unreadable'
  const isRoot = tree.layout.isRoot(path)
  if (isRoot || isForeign(tree, path) || !isAreaThere(tree, path)) return 'lost-area'
  return isAway(tree, path) ? 'unreadable' : 'missing'
}

/** True if the area of a path exists and holds something of an archive. */
function isAreaThere(tree: Tree, path: string): boolean {
  const area = tree.layout.rootOf(path) ?? ''
  try {
    if (!isInTree(tree, area)) return false
    for (const entry of entriesOf(join(tree.archive, area)))
      if (tree.layout.isOfArchive(entry)) return true
    return false
  } catch {
    return false // unreadable counts as lost
  }
}
