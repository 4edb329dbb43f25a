import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Logger } from 'pino'

/**
 * Symlinks are judged by where they end, so the directories they may lead to are named by where those are; by their own
 * paths too, since of a disk that is away nothing else is known.
 */
export function realDirectories(paths: readonly string[], logger: Logger): string[] {
  const all = paths.flatMap((path) => {
    try {
      return [resolve(path), realpathSync(path)]
    } catch (error) {
      logger.error({ err: error }, `linked directory ${path} is not there`)
      return [resolve(path)]
    }
  })
  return [...new Set(all)]
}
