import { readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/** Symbolic links that are followed one after the other (path_resolution(7)). */
const mostLinks = 40

/**
 * Where a path really leads, also when nothing is there yet: every symbolic link that exists is followed. What cannot be
 * followed, such as a loop, stays as it is: whoever opens it says what is wrong.
 * @param path absolute
 */
export function realPathOf(path: string, links = mostLinks): string {
  try {
    return realpathSync.native(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || links === 0) return path
  }
  const parent = dirname(path)
  if (parent === path) return path
  const real = join(realPathOf(parent, links - 1), basename(path))
  const target = targetOf(real)
  return target === undefined ? real : realPathOf(resolve(dirname(real), target), links - 1)
}

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined // it is no symbolic link
  }
}
