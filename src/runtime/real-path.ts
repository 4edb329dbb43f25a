import { readlinkSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import type { Logger } from 'pino'
import { failureFields } from './logger.ts'

/** The kernel's limit of symbolic links in one path (path_resolution(7)). */
const mostLinks = 40

/**
 * The absolute path of a file, or the path at which it would be created: symbolic links are followed, dangling links too. Parts of
 * the path that do not exist or cannot be read stay as written. Never throws: opening the path reports the error.
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

/** The target of a symbolic link; `undefined` for anything else. */
function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

/**
 * Both the configured and the real paths of the linked directories: the targets of symbolic links are compared with
 * both, also while the disk of a linked directory is away.
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
