/** Telling a file that is gone from one whose disk is away: mirrors take a 404 for a removal (contract 6). */
import type { Dirent } from 'node:fs'
import { lstat, readdir, readlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Logger } from 'pino'
import { isDirectoryName } from '../parse/archive-path.ts'
import type { ArchiveTree } from './download.ts'

/**
 * The part of the archive that is away, of those that lead to a directory: the archive root, the area, or a linked
 * directory that a symbolic link on the way leads to. Away means missing, unreadable or without any directory, as an
 * empty mount point is.
 * @param directory below the archive root
 * @returns its absolute path; `undefined` when all of them are there
 */
export async function awayPart(
  { archive, linkedDirectories }: ArchiveTree,
  directory: string,
): Promise<string | undefined> {
  const [area = '', ...deeper] = directory.split('/')
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

/** Whether a symbolic link leads below a linked directory that is missing, unreadable or empty. */
async function leadsToAwayDisk(path: string, linked: readonly string[]): Promise<boolean> {
  const target = await readlink(path).then(
    (link) => resolve(dirname(path), link),
    () => undefined,
  )
  const isLinked = (at: string): boolean =>
    linked.some((directory) => at === directory || at.startsWith(`${directory}/`))
  if (target === undefined || !isLinked(target)) return false
  // The nearest directory that is there tells: where it holds something, what is missing was taken away.
  for (let at = target; isLinked(at); at = dirname(at)) if (await isThere(at)) return isEmpty(at)
  return true
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path)
    return true
  } catch (error) {
    return !['ENOENT', 'ENOTDIR'].includes(codeOf(error))
  }
}

/** Unreadable is as good as empty; where a file lies in the place of a directory no disk is mounted. */
async function isEmpty(path: string): Promise<boolean> {
  return readdir(path).then(
    (names) => names.length === 0,
    (error: unknown) => codeOf(error) !== 'ENOTDIR',
  )
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

export interface AwayLog {
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
export function openAwayLog(logger: Logger, nowMs: () => number): AwayLog {
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
        if (file.startsWith(`${path}/`)) {
          noted.delete(path)
          logger.info({ path }, 'recovered: downloads are served again')
        }
    },
  }
}
