import { realpathSync } from 'node:fs'
import type { Logger } from 'pino'

/** Symlinks are judged by where they end, so the directories they may lead to are named by where those are. */
export function realDirectories(paths: readonly string[], logger: Logger): string[] {
  return paths.flatMap((path) => {
    try {
      return [realpathSync(path)]
    } catch (error) {
      logger.error({ err: error }, `linked directory ${path} is left out`)
      return []
    }
  })
}
