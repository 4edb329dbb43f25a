/** Telling a file that is gone from one whose disk is away: mirrors take a 404 for a removal (contract 6). */
import type { Dirent } from 'node:fs'
import { readdir, readlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Logger } from 'pino'
import { isDirectoryName } from '../../parse/archive-path.ts'
import type { ArchiveTree } from './archived-file.ts'

/**
 * The part of the archive that is away, of those that lead to a file or directory: the archive root, the area, or a
 * symbolic link on the way that leads to a linked directory. Away means missing, unreadable or without any directory, as
 * an empty mount point is.
 * @param place below the archive root
 * @returns its absolute path; `undefined` when all of them are there
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
    if (await leadsToAwayDisk(path, linkedDirectories)) return path
  }
  return undefined
}

/** A note or a `lost+found` may lie at an empty mount point, but no directory of an archive. */
async function holdsDirectories(path: string): Promise<boolean> {
  const entries: Dirent[] = await readdir(path, { withFileTypes: true }).catch(() => [])
  return entries.some((entry) => !entry.isFile() && isDirectoryName(entry.name))
}

/** Error codes that mean: nothing, or no directory, lies there. All others mean that it cannot be read now. */
const missingCodes = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'])
/** Symbolic links that are followed one after the other. */
const mostLinks = 8

/**
 * Whether a symbolic link leads below a linked directory that is missing, unreadable or empty. The nearest directory at or
 * above its end tells: where it holds something, what is missing was taken away.
 */
async function leadsToAwayDisk(
  path: string,
  linked: readonly string[],
  links = mostLinks,
): Promise<boolean> {
  const target = await readlink(path).then(
    (link) => resolve(dirname(path), link),
    () => undefined,
  )
  const isLinked = (at: string): boolean =>
    linked.some((directory) => at === directory || at.startsWith(`${directory}/`))
  if (target === undefined || links === 0 || !isLinked(target)) return false
  for (let at = target; isLinked(at); at = dirname(at)) {
    const held = await heldBy(at)
    if (held !== 'no directory') return held !== 'something'
    if (await leadsToAwayDisk(at, linked, links - 1)) return true
  }
  return true
}

/** What a directory holds; nothing is known of one that cannot be read. */
async function heldBy(path: string): Promise<'something' | 'nothing' | 'unknown' | 'no directory'> {
  try {
    return (await readdir(path)).length > 0 ? 'something' : 'nothing'
  } catch (error) {
    return missingCodes.has(codeOf(error)) ? 'no directory' : 'unknown'
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

export interface StorageLog {
  /**
   * Logs that requests are answered with 503 because of the state of a path, once until it ends or an hour has passed.
   * @param path absolute of a part that is away, else below the archive root
   */
  note(path: string, message: string): void
  /** Logs that a part is back that was away. @param file absolute path of a file that was opened */
  opened(file: string): void
}

const repeatMs = 3_600_000
const mostNoted = 1000

/** @param nowMs a steady clock */
export function openStorageLog(logger: Logger, nowMs: () => number): StorageLog {
  /** By path, oldest first; withheld removals may concern thousands of directories. */
  const noted = new Map<string, number>()
  return {
    note(path, message) {
      const before = noted.get(path)
      if (before !== undefined && nowMs() - before < repeatMs) return
      noted.delete(path)
      noted.set(path, nowMs())
      const [oldest] = noted.keys()
      if (noted.size > mostNoted && oldest !== undefined) noted.delete(oldest)
      logger.warn({ path }, message)
    },
    opened(file) {
      for (const path of noted.keys())
        if (file === path || file.startsWith(`${path}/`)) {
          noted.delete(path)
          logger.info({ path }, 'recovered: downloads are served again')
        }
    },
  }
}
