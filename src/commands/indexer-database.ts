/**
 * Opens the database of the indexer: migrates it, restores a backup if necessary, and builds
 * missing indexes while the indexer runs.
 */
import { setImmediate } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { CatalogueWriter } from '../catalogue/writer.ts'
import type { Recovery } from '../catalogue/sqlite/recover.ts'
import { openWriter } from '../catalogue/sqlite/writer.ts'
import type { OpenedWriter } from '../catalogue/sqlite/writer.ts'
import { upgradeDatabase } from '../catalogue/sqlite/upgrade.ts'
import type { Lifecycle } from '../runtime/lifecycle.ts'

/**
 * Opens the database of the indexer. Migrates the database of an earlier release first, and
 * restores a backup if the database is missing or corrupt.
 * @returns `undefined` if a signal has stopped the migration; it stops only between two steps
 */
export async function openIndexerDatabase(parts: {
  readonly database: string
  readonly nowUs: () => number
  readonly logger: Logger
  readonly lifecycle: Lifecycle
  /** Called before each part of the migration with its progress in words. */
  readonly onMigrating: (progress: string) => void
}): Promise<OpenedWriter | undefined> {
  const { database, nowUs, logger, lifecycle } = parts
  const stop = new AbortController()
  const onMigrating = (progress: string): void => {
    logger.info({ database }, `migrating the database ${progress}`)
    parts.onMigrating(progress)
  }
  const upgraded = upgradeDatabase({ database, onMigrating, signal: stop.signal })
  lifecycle.add({
    name: 'migration',
    async close() {
      stop.abort()
      await upgraded
    },
  })
  await upgraded
  if (stop.signal.aborted) return undefined
  const writer = openWriter({
    database,
    nowUs,
    onRestoring: (restoring) => {
      const fields = { database, ...restoring }
      logger.warn(fields, 'database missing or corrupt: restoring a backup')
    },
    onMigrating,
  })
  logRecovery(writer.recovery, logger)
  return writer
}

function logRecovery(recovery: Recovery, logger: Logger): void {
  const { quarantined, restored, rejectedBackups, isOlderCopy } = recovery
  for (const { backup, fault } of rejectedBackups)
    logger.error({ backup, fault }, 'backup not usable: trying the next one')
  const problem = quarantined === undefined ? 'missing' : 'corrupt'
  if (restored !== undefined) {
    const made = new Date(restored.madeUs / 1000).toISOString()
    const { backup, tookMs } = restored
    const fields = { set_aside: quarantined, backup, made, took_ms: tookMs }
    logger.error(
      fields,
      `database was ${problem}: backup restored; later changes will be found in the archive`,
    )
  } else if (quarantined !== undefined || rejectedBackups.length > 0)
    logger.error({ set_aside: quarantined }, `database was ${problem}: building a new one`)
  if (isOlderCopy)
    logger.warn('database is an older copy: ids and seq continue above all that were used since')
}

export class IndexBuilder {
  readonly #writer: CatalogueWriter
  readonly #logger: Logger
  #isStopped = false

  constructor(writer: CatalogueWriter, logger: Logger) {
    this.#writer = writer
    this.#logger = logger
  }

  /** Builds the missing indexes and counts one after the other, and logs each of them. */
  async build(): Promise<void> {
    for (let left = 1; left > 0 && !this.#isStopped;) {
      const startedMs = performance.now()
      const built = await this.#writer.buildIndexes()
      left = built.left
      const took_ms = Math.round(performance.now() - startedMs)
      const fields = { built: built.names, left, took_ms }
      if (built.names.length > 0) this.#logger.info(fields, 'indexes built')
      await setImmediate()
    }
  }

  /** Stops the building after the current index. */
  stop(): void {
    this.#isStopped = true
  }
}
