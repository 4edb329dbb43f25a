import { readlinkSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import type { Logger } from 'pino'

/** The kernel follows as many symbolic links in one path (path_resolution(7)). */
const mostLinks = 40

/**
 * The absolute path at which a file lies, or at which it would be created: every symbolic link is followed, also one
 * that leads to nothing. The part of the path that does not exist, or that this user may not look into, is kept as it is
 * written. Never throws: opening the path tells what is wrong with it.
 */
export function realPath(path: string): string {
  const rest = resolve(path).split('/')
  let real = '/'
  let links = 0
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    if (name === '..') real = dirname(real)
    else if (name !== '' && name !== '.') {
      const here = join(real, name)
      const target = links < mostLinks ? linkTarget(here) : undefined
      if (target === undefined) {
        real = here
        continue
      }
      links++
      if (isAbsolute(target)) real = '/'
      rest.unshift(...target.split('/'))
    }
  }
  return real
}

/** Where a symbolic link points to; `undefined` for anything else. */
function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

/**
 * The linked directories by their own paths and by their real ones: a symbolic link in the archive is judged by where it
 * ends, also while the disk is away that a linked directory lies on.
 */
export function realDirectories(paths: readonly string[], logger: Logger): string[] {
  for (const path of paths) {
    try {
      statSync(path)
    } catch (error) {
      logger.error({ err: error }, `linked directory ${path} is not there`)
    }
  }
  return [...new Set(paths.flatMap((path) => [resolve(path), realPath(path)]))]
}
