/** Finds the real paths of files and directories that may not exist yet. */
import { readlinkSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import type { Logger } from 'pino'
import { failureFields } from './logger.ts'

/** Maximum number of symbolic links that the kernel follows in one path (path_resolution(7)). */
const mostLinks = 40

/**
 * Returns the absolute path of a file, or the path at which it would be created. Follows symbolic
 * links, also dangling ones. Parts of the path that do not exist or cannot be read stay as written.
 * Never throws: opening the path reports the error.
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

/** Returns the target of a symbolic link; `undefined` for anything else. */
function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

/**
 * Returns the configured and the real paths of the linked directories, and logs each directory that
 * cannot be found. The targets of symbolic links are compared with both paths, also while the disk
 * of a linked directory is away.
 */
export function realDirectories(paths: readonly string[], logger: Logger): string[] {
  for (const path of paths) {
    try {
      statSync(path)
    } catch (error) {
      logger.error(failureFields(error), `linked directory ${path} not found`)
    }
  }
  return [...new Set(paths.flatMap((path) => [resolve(path), realPath(path)]))]
}
