/**
 * Follows the symbolic links of the archive: they may only lead into linked directories. The target of a link can be
 * missing because it was removed, or because its disk is away.
 */
import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs'
import type { Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import { realPath } from '../../runtime/real-path.ts'

export interface LinkedTree {
  /** Absolute path of the archive root. */
  readonly archive: string
  /** Directories outside the archive that symlinks may lead to, by their configured and their real paths. */
  readonly linkedDirectories: readonly string[]
}

/** Error codes for a path that does not exist. All others mean that it cannot be read now. */
const missingCodes = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'])

/** Whether an error says that a path does not exist, for instance because one of its directories has become a file. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && missingCodes.has(String(error.code))
}

/**
 * Whether a path stays inside the archive or leads into linked directories. Each symlink of the path is checked: a link to
 * another place could lead back from there.
 */
export function isInTree(tree: LinkedTree, path: string): boolean {
  const root = realpathSync.native(tree.archive)
  const isInPlace = (at: string): boolean => {
    const real = realpathSync.native(join(tree.archive, at))
    return real === `${root}/${at}` || isLinked(tree, real)
  }
  if (realpathSync.native(join(tree.archive, path)) === `${root}/${path}`) return true
  const names = path.split('/')
  return names.every((_, index) => isInPlace(names.slice(0, index + 1).join('/')))
}

/**
 * The target of a symlink, if it is in a linked directory; `away` if it cannot be read now because its disk is away or
 * does not answer; `undefined` otherwise.
 */
export function linkedType(tree: LinkedTree, path: string): Stats | 'away' | undefined {
  if (tree.linkedDirectories.length === 0) return undefined
  try {
    const target = realpathSync.native(join(tree.archive, path))
    return isLinked(tree, target) ? lstatSync(target) : undefined
  } catch (error) {
    return isAwayLink(tree, path, isMissing(error)) ? 'away' : undefined
  }
}

/** Whether a path leads through a symlink to a disk that is away. */
export function isAway(tree: LinkedTree, path: string): boolean {
  if (tree.linkedDirectories.length === 0) return false
  const names = path.split('/')
  return names.some((_, index) => isAwayLink(tree, names.slice(0, index + 1).join('/')))
}

/**
 * Whether a path is a symlink into a linked directory whose disk is away: the nearest existing directory of its target is
 * empty like a mount point, or does not exist up to the linked directory. If it holds something, the target was removed.
 * @param isKnownMissing whether the target does not exist, rather than being unreadable
 */
export function isAwayLink(tree: LinkedTree, path: string, isKnownMissing = true): boolean {
  const link = join(tree.archive, path)
  try {
    if (!lstatSync(link).isSymbolicLink()) return false
  } catch (error) {
    return !isMissing(error)
  }
  const end = realPath(link)
  if (!isLinked(tree, end)) return false
  try {
    return !isKnownMissing || isOnAbsentDisk(tree, end)
  } catch {
    return true // unreadable: nothing is removed
  }
}

/** Whether the nearest existing directory at or above a target is empty, or none exists up to the linked directory. */
function isOnAbsentDisk(tree: LinkedTree, end: string): boolean {
  for (let at = end; isLinked(tree, at); at = dirname(at))
    if (isDirectory(at)) return readdirSync(at).length === 0
  return true
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

function isLinked(tree: LinkedTree, real: string): boolean {
  return tree.linkedDirectories.some(
    (directory) => real === directory || real.startsWith(`${directory}/`),
  )
}

/**
 * Returns a function that checks whether an area is on another disk than when it was first seen with content: files
 * missing from another disk were not removed. Device numbers are not stored, since they change when the machine restarts.
 */
export function openDiskCheck(archive: string): (area: string) => boolean {
  const devices = new Map<string, number>()
  return (area) => {
    try {
      const path = join(archive, area)
      const { dev } = statSync(path)
      const device = devices.get(area)
      if (device !== undefined) return device !== dev
      // An empty directory may be a mount point without its disk.
      if (readdirSync(path).length > 0) devices.set(area, dev)
      return false
    } catch {
      return false // missing, no directory or unreadable: the read that follows reports it
    }
  }
}
