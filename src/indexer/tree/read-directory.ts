/**
 * Reading one directory of the tree. Synchronous calls throughout: they cost a third of the asynchronous ones,
 * and only the thread that is there for it waits when a disk does not answer.
 */
import { readdirSync, statSync } from 'node:fs'
import type { Dirent, Stats } from 'node:fs'
import { join } from 'node:path'
import { mostRejectedNames } from '../../catalogue/writer.ts'
import type { DirectoryRejection, DirectoryStamp } from '../../catalogue/writer.ts'
import { isDirectoryName, parseDirectory } from '../../parse/archive-path.ts'
import { parseFilename } from '../../parse/filename.ts'
import { toInode, toUs } from '../../catalogue/identity.ts'
import { isAway, isAwayLink, isMissing, isOfTheTree, linkedType } from './links.ts'
import type { LinkedTree } from './links.ts'
import { identityOf, openIdentities, packIdentity, isCold } from './directory-snapshot.ts'
import type { DirectorySnapshot, SnapshotOutcome, SnapshotRequest } from './directory-snapshot.ts'

export interface Tree extends LinkedTree {
  /** Whether another disk lies under an area than before. */
  readonly isForeign?: (area: string) => boolean
  /** Called again and again while a look goes on: the disk answers. */
  readonly onProgress?: () => void
}

/** Times this close to a look may hide a later change behind the same value. */
const unsureMs = 2000

/** Looks at one directory. Whatever is wrong with the tree is told in the answer; nothing is thrown. */
export function readDirectory(tree: Tree, request: SnapshotRequest): DirectorySnapshot {
  const path = join(tree.archive, request.path)
  try {
    const nowMs = Date.now()
    if (!isOfTheTree(tree, request.path)) return outsideLook(tree, request.path)
    // Before the names: a change while they are read must show as a later stamp.
    const stats = statSync(path)
    const entries = readdirSync(path, { withFileTypes: true })
    // An area has a rule of its own: one that never held anything is no loss.
    if (entries.length === 0 && request.path.includes('/') && isAway(tree, request.path))
      throw new Error('its disk is away')
    const found = sortEntries(tree, request.path, entries)
    // After the names: one that came while they were read is young, however long its directory was quiet.
    const withFacts = needsFacts(request, path, nowMs)
    const files = withFacts ? factsOf(tree, request.path, found.names) : namesAlone(found.names)
    const away = [...found.away, ...files.away]
    // Last of all, so that nothing of the above can be from another disk unnoticed.
    if (isForeign(tree, request.path)) return foreignLook(request.path)
    return {
      path: request.path,
      outcome: 'read',
      error: undefined,
      identity: identityOf(stats),
      // When their disk is back the directory is as it is now, so sweeps have to look at it until then.
      stamp: away.length > 0 ? undefined : stampOf(stats, nowMs),
      ...files,
      away,
      directories: found.directories,
      rejections: found.rejections,
    }
  } catch (error) {
    return failedLook(tree, request.path, error)
  }
}

/** The stamp of a directory; `undefined` when it cannot be had or a later change may hide behind it. */
export function readStamp(tree: Tree, path: string): DirectoryStamp | undefined {
  tree.onProgress?.()
  try {
    return stampOf(statSync(join(tree.archive, path)), Date.now())
  } catch {
    return undefined // whatever is wrong, the look that follows will tell
  }
}

function stampOf(stats: Stats, nowMs: number): DirectoryStamp | undefined {
  if (Math.abs(nowMs - stats.mtimeMs) < unsureMs || Math.abs(nowMs - stats.ctimeMs) < unsureMs)
    return undefined
  return { mtimeUs: toUs(stats.mtimeMs), ctimeUs: toUs(stats.ctimeMs), inode: toInode(stats.ino) }
}

function needsFacts(request: SnapshotRequest, path: string, nowMs: number): boolean {
  if (request.depth !== 'auto') return request.depth === 'facts'
  const touchedMs = statSync(path).mtimeMs
  return !isCold({ directory: parseDirectory(request.path), touchedMs, nowMs })
}

function namesAlone(names: readonly string[]) {
  return { names, sizes: undefined, mtimesUs: undefined, identities: undefined, away: [] }
}

/** Sizes, mtimes and identities; a name that vanished or became something else since it was read is left out. */
function factsOf(tree: Tree, directory: string, names: readonly string[]) {
  const path = join(tree.archive, directory)
  const found = {
    names: [] as string[],
    sizes: [] as number[],
    mtimesUs: [] as number[],
    away: [] as string[],
  }
  const identities = openIdentities(names.length)
  for (const name of names) {
    const stats = statsOf(`${path}/${name}`)
    tree.onProgress?.()
    if (stats === undefined && isAwayLink(tree, `${directory}/${name}`)) found.away.push(name)
    if (!stats?.isFile()) continue
    packIdentity(identities, found.names.length, stats)
    found.names.push(name)
    found.sizes.push(stats.size)
    found.mtimesUs.push(toUs(stats.mtimeMs))
  }
  // Names that vanished may be a disk that did; then this fails, and tells.
  if (found.names.length < names.length) statSync(path)
  return { ...found, identities }
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    // The end of one symlink, which says nothing of the directory that holds it.
    if (isMissing(error)) return undefined
    throw error
  }
}

function sortEntries(tree: Tree, directory: string, entries: readonly Dirent[]) {
  const names: string[] = []
  const away: string[] = []
  const directories: string[] = []
  const rejections = new Map<string, { count: number; names: string[] }>()
  const reject = (name: string, reason: string): void => {
    const known = rejections.get(reason) ?? { count: 0, names: [] }
    rejections.set(reason, known)
    known.count++
    if (!name.startsWith('.') && known.names.length < mostRejectedNames) known.names.push(name)
  }
  for (const entry of entries) {
    const { name } = entry
    const type = entry.isSymbolicLink() ? linkedType(tree, `${directory}/${name}`) : entry
    const parsed = parseFilename(name)
    if (type === undefined) reject(name, 'symlink')
    else if (type === 'away' && parsed.kind === 'parsed') away.push(name)
    // A directory that is away: a look at it will say so.
    else if (type === 'away' || type.isDirectory()) {
      const place = parseDirectory(`${directory}/${name}`)
      if (place.kind === 'rejected') reject(name, place.reason)
      else directories.push(name)
    } else if (!type.isFile()) reject(name, 'not-a-file')
    else if (parsed.kind === 'parsed') names.push(name)
    else reject(name, parsed.reason)
  }
  const counted: DirectoryRejection[] = [...rejections].map(([reason, rejection]) => ({
    reason,
    ...rejection,
  }))
  return { names: names.sort(), away, directories: directories.sort(), rejections: counted }
}

function isForeign(tree: Tree, path: string): boolean {
  return tree.isForeign?.(path.split('/', 1)[0] ?? '') ?? false
}

function foreignLook(path: string): DirectorySnapshot {
  const snapshot = failedLook({ archive: '', linkedDirectories: [] }, path, undefined)
  const error = 'another disk is mounted there: if that is meant, restart the indexer'
  return { ...snapshot, outcome: 'lost-area', error, rejections: [] }
}

/** What lies behind a symlink that must not be followed is not there. */
function outsideLook(tree: Tree, path: string): DirectorySnapshot {
  const snapshot = failedLook({ archive: '', linkedDirectories: [] }, path, undefined)
  const outcome = path.includes('/') && isAreaThere(tree, path) ? 'missing' : 'lost-area'
  return { ...snapshot, outcome, error: 'a symlink, not in linked_directories', rejections: [] }
}

function failedLook(tree: Tree, path: string, error: unknown): DirectorySnapshot {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
  const outcome = failure(tree, path, error)
  return {
    path,
    outcome,
    error: code,
    identity: undefined,
    stamp: undefined,
    ...namesAlone([]),
    directories: [],
    rejections:
      outcome === 'unreadable' ? [{ reason: 'unreadable-directory', count: 1, names: [''] }] : [],
  }
}

function failure(tree: Tree, path: string, error: unknown): SnapshotOutcome {
  if (!isMissing(error)) return 'unreadable'
  if (!path.includes('/') || isForeign(tree, path) || !isAreaThere(tree, path)) return 'lost-area'
  return isAway(tree, path) ? 'unreadable' : 'missing'
}

/**
 * Whether the area of a path is there. Where a disk is mounted there may be a note or a `lost+found` without it, but no
 * directories of an archive.
 */
function isAreaThere(tree: Tree, path: string): boolean {
  const [area = ''] = path.split('/', 1)
  try {
    if (!isOfTheTree(tree, area)) return false
    return readdirSync(join(tree.archive, area), { withFileTypes: true }).some(
      (entry) => !entry.isFile() && isDirectoryName(entry.name),
    )
  } catch {
    return false // unreadable is as good as lost
  }
}
