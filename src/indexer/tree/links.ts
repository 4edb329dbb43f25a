/**
 * Where the symbolic links of the archive lead: they may lead below a linked directory and nowhere else. What is missing
 * behind one was removed, or the disk that holds it is away.
 */
import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs'
import type { Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import { realPath } from '../../runtime/real-path.ts'

export interface LinkedTree {
  /** Absolute path of the archive root. */
  readonly archive: string
  /** Paths of the directories outside of it that symlinks may lead to, their real paths among them. */
  readonly linkedDirectories: readonly string[]
}

/** Error codes that mean: nothing lies at this path. All others mean that it cannot be read now. */
const missingCodes = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'])

/** Whether an error says that nothing lies at a path, for instance because a directory of it has become a file. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && missingCodes.has(String(error.code))
}

/**
 * Whether a directory lies where its path says, or where symlinks may lead: none but those are followed. Each symlink of the
 * path has to lead below a linked directory, since one that leads elsewhere could come back from there.
 */
export function isOfTheTree(tree: LinkedTree, path: string): boolean {
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
 * What a symlink leads to, if that lies below a linked directory; `away` if it cannot be read now, since the disk is away
 * or does not answer.
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

/** Whether a path leads over a symlink to a disk that is away. */
export function isAway(tree: LinkedTree, path: string): boolean {
  if (tree.linkedDirectories.length === 0) return false
  const names = path.split('/')
  return names.some((_, index) => isAwayLink(tree, names.slice(0, index + 1).join('/')))
}

/**
 * Whether a path is a symlink below a linked directory that is not there, or to where a disk is mounted: to an empty
 * directory, or past one. Where the nearest directory that exists holds something, what is missing was taken away.
 * @param isKnownMissing whether nothing lies at its end, rather than something that cannot be read
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
    return true // what cannot be read now removes nothing
  }
}

/** Whether the nearest directory at or above the end of a link is empty, or there is none up to the linked directory. */
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
 * Tells whether another disk lies under an area than when it was first seen to hold something: what is missing
 * from that one says nothing of what was catalogued. Which disk it is is asked anew in each process, since the
 * numbers of devices do not survive a restart of the machine.
 */
export function openDiskCheck(archive: string): (area: string) => boolean {
  const devices = new Map<string, number>()
  return (area) => {
    try {
      const path = join(archive, area)
      const { dev } = statSync(path)
      const device = devices.get(area)
      if (device !== undefined) return device !== dev
      // An empty mount point is no disk to remember.
      if (readdirSync(path).length > 0) devices.set(area, dev)
      return false
    } catch {
      return false // it is missing, no directory or cannot be read, and reading it says so
    }
  }
}
