/**
 * Distinguishes a removed file (404) from a disk that is away or hangs (503): mirrors delete their
 * copy at a 404.
 */
import type { Dirent } from 'node:fs'
import { readdir, readlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { isDirectoryName } from '../../parse/archive-path.ts'
import { isMissing } from '../../runtime/error-code.ts'
import { StorageUnavailable } from '../http/errors.ts'
import { Semaphore } from '../http/limits.ts'
import type { ArchiveTree } from './archived-file.ts'

/**
 * Finds the unavailable part of the archive on the path of a file or directory: the archive root,
 * the area, or a symbolic link to a linked directory. A root or an area is unavailable if it is
 * missing, unreadable, or without any directory, like an empty mount point. For links see
 * `leadsToUnavailableDisk`.
 * @param place path below the archive root
 * @returns the absolute path of that part; `undefined` when all parts are available
 */
export async function unavailablePart(
  { archive, linkedDirectories }: ArchiveTree,
  place: string,
): Promise<string | undefined> {
  const [area = '', ...deeper] = place.split('/')
  if (!(await holdsDirectories(archive))) return archive
  if (!(await holdsDirectories(join(archive, area)))) return join(archive, area)
  let path = join(archive, area)
  for (const segment of deeper) {
    path = join(path, segment)
    if (await leadsToUnavailableDisk(path, linkedDirectories)) return path
  }
  return undefined
}

/**
 * True if a directory contains directories, or symbolic links, whose names are valid for
 * directories of an archive. An empty mount point may contain a text file or `lost+found`, but no
 * directory with a valid name.
 */
async function holdsDirectories(path: string): Promise<boolean> {
  const entries: Dirent[] = await readdir(path, { withFileTypes: true }).catch(() => [])
  return entries.some((entry) => !entry.isFile() && isDirectoryName(entry.name))
}

/** Number of libuv's threads without `UV_THREADPOOL_SIZE`. */
const defaultThreads = 4

/** Maximum number of symbolic links that are followed one after the other. */
const maxLinks = 8

/**
 * True if a path is a symbolic link to a linked directory, or into it, and the disk of this
 * directory is unavailable. The nearest existing directory decides: the target of the link, or one
 * above it up to the linked directory. If it has entries, the disk is available, and the target was
 * removed. If it is empty or unreadable, or none of them exists, the disk is unavailable.
 */
async function leadsToUnavailableDisk(
  path: string,
  linked: readonly string[],
  links = maxLinks,
): Promise<boolean> {
  const target = await readlink(path).then(
    (link) => resolve(dirname(path), link),
    () => undefined,
  )
  const isLinked = (at: string): boolean =>
    linked.some((directory) => at === directory || at.startsWith(`${directory}/`))
  if (target === undefined || links === 0 || !isLinked(target)) return false
  for (let at = target; isLinked(at); at = dirname(at)) {
    const contents = await contentsOf(at)
    if (contents !== 'missing') return contents !== 'entries'
    if (await leadsToUnavailableDisk(at, linked, links - 1)) return true
  }
  return true
}

async function contentsOf(path: string): Promise<'entries' | 'empty' | 'missing' | 'unreadable'> {
  try {
    return (await readdir(path)).length > 0 ? 'entries' : 'empty'
  } catch (error) {
    return isMissing(error) ? 'missing' : 'unreadable'
  }
}

/** Milliseconds that a download waits for a thread. */
export const diskTimeoutMs = 5000

/**
 * Permits of the threads that wait for the archive: half of the threads in which Node makes file
 * calls, but at least one. If the disk hangs, the rest of the server has the other half; the metric
 * of the free space may block one thread of it. Linked directories count as the archive, because
 * only `open` finds out where a path leads.
 * @param onHang called for each download that got no thread in time
 */
export function createDiskThreads(onHang: () => void): Semaphore {
  // The variable is read in the same way as libuv reads it.
  const threads = Number(process.env['UV_THREADPOOL_SIZE'] ?? defaultThreads) || 1
  return new Semaphore({
    permits: Math.max(Math.floor(threads / 2), 1),
    full: () => {
      onHang()
      return new StorageUnavailable()
    },
  })
}
