/** Distinguishes a removed file (404, at which mirrors delete theirs) from an absent disk (503). */
import type { Dirent } from 'node:fs'
import { readdir, readlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Layout } from '../../parse/layout.ts'
import { isMissing } from '../../runtime/error-code.ts'
import { StorageUnavailable } from '../http/errors.ts'
import { Semaphore } from '../http/limits.ts'
import type { ArchiveTree } from './archived-file.ts'

/**
 * Finds the unavailable part of the archive on a path: the root or the area, if it is missing,
 * unreadable, or without directories and RINEX files like an empty mount point, or a symbolic link.
 * @param place path below the archive root
 */
export async function unavailablePart(
  { archive, linkedDirectories, layout }: ArchiveTree & { readonly layout: Layout },
  place: string,
): Promise<string | undefined> {
  const root = layout.rootOf(place) ?? ''
  for (const part of new Set(['', root]))
    if (!(await holdsSomething(join(archive, part), layout))) return join(archive, part)
  let path = join(archive, root)
  for (const segment of layout.belowArea(place).split('/')) {
    path = join(path, segment)
    if (await leadsToUnavailableDisk(path, linkedDirectories)) return path
  }
  return undefined
}

async function holdsSomething(path: string, { isOfArchive }: Layout): Promise<boolean> {
  const entries: Dirent[] = await readdir(path, { withFileTypes: true }).catch(() => [])
  return entries.some(isOfArchive)
}

/** Number of libuv's threads without `UV_THREADPOOL_SIZE`. */
const defaultThreads = 4

const maxLinks = 8

/**
 * True if a path is a symbolic link to or into a linked directory whose disk is unavailable. The
 * nearest existing directory decides, the target or one above it: with entries, the disk is there
 * and the target was removed; empty, unreadable or missing, the disk is unavailable.
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
 * Permits of the threads that wait for the archive: half of Node's, but at least one. If the disk
 * hangs, the rest of the server has the others. Linked directories count too, because only `open`
 * finds out where a path leads.
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
