import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Logger } from 'pino'
import { realPath } from './real-path.ts'

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
