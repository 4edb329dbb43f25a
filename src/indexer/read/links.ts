/**
 * Follows the symbolic links of the archive, which may only lead into linked directories. If the
 * target of a link is missing, either the target was removed, or its disk is away; the functions
 * distinguish the two cases.
 */
import type { Stats } from 'node:fs'
import { lstatSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isMissing } from '../../runtime/error-code.ts'
import { realPath } from '../../runtime/real-path.ts'
import { isEmptyDirectory } from './entries.ts'

export interface LinkedTree {
  /** Absolute path of the archive root. */
  readonly archive: string
  /**
   * Directories outside the archive to which symbolic links may lead: both the configured and the
   * real path of each.
   */
  readonly linkedDirectories: readonly string[]
}

/**
 * True if a path below the archive root contains no symbolic link, or if each part of the path from
 * the first link on is in a linked directory. A link to another place in the archive makes the
 * result false. Each part is checked, because a link to a forbidden place may be followed by one
 * that leads back.
 */
export function isInTree(tree: LinkedTree, path: string): boolean {
  if (path === '') return true
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
 * Returns the `Stats` of the target of a symbolic link if the target is in a linked directory;
 * `away` if the target is in a linked directory and cannot be read now, for example because its
 * disk is away; otherwise `undefined`.
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

/** True if a path leads through a symbolic link to a disk that is away. */
export function isAway(tree: LinkedTree, path: string): boolean {
  if (tree.linkedDirectories.length === 0) return false
  const names = path.split('/')
  return names.some((_, index) => isAwayLink(tree, names.slice(0, index + 1).join('/')))
}

/**
 * True if a path is a symbolic link into a linked directory whose disk is away; also true if this
 * cannot be found out, because the link or the linked directory cannot be read. To find out, takes
 * the nearest existing directory at or above the target, inside the linked directory. If there is
 * no existing directory, or if it is empty like a mount point without its disk, the disk is away.
 * If it holds something, the disk is there and the target was removed.
 * @param isKnownMissing true if the target does not exist; false if the target could not be read,
 * which counts as away
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

/**
 * True if the nearest existing directory at or above a target is empty, or if no directory exists
 * from the target up to the linked directory.
 */
function isOnAbsentDisk(tree: LinkedTree, end: string): boolean {
  for (let at = end; isLinked(tree, at); at = dirname(at))
    if (isDirectory(at)) return isEmptyDirectory(at)
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
 * Returns a function that checks whether an area, given by its path, is on another disk than when
 * it was first seen with content. If so, files that the other disk lacks were not removed. The
 * device numbers are not stored in the catalogue, because they change when the machine restarts.
 */
export function createDiskCheck(archive: string): (root: string) => boolean {
  const devices = new Map<string, number>()
  return (root) => {
    try {
      const path = join(archive, root)
      const { dev } = statSync(path)
      const device = devices.get(root)
      if (device !== undefined) return device !== dev
      // An empty directory may be a mount point without its disk.
      if (!isEmptyDirectory(path)) devices.set(root, dev)
      return false
    } catch {
      return false // missing, no directory or unreadable: the read of the directory reports it
    }
  }
}
