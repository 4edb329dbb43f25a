/** Migrates the database before the indexer starts, and builds missing indexes while it runs. */
import { setImmediate } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { CatalogueWriter } from '../catalogue/writer.ts'
import { describeProgress } from '../catalogue/sqlite/migration.ts'
import type { MigrationProgress } from '../catalogue/sqlite/migration.ts'
import { upgradeDatabase } from '../catalogue/sqlite/upgrade.ts'
import type { Lifecycle } from '../runtime/lifecycle.ts'

/** Time between two log lines of a long step of a migration. */
const progressEveryMs = 5000

/**
 * Migrates a database of an earlier release; a signal stops it between two steps.
 * @returns whether it was not stopped
 */
export async function upgrade(parts: {
  readonly database: string
  readonly logger: Logger
  readonly lifecycle: Lifecycle
  /** Called before each part with the progress in words. */
  readonly onMigrating: (progress: string) => void
}): Promise<boolean> {
  const { database, logger, lifecycle } = parts
  const stop = new AbortController()
  const log = migrationReporter(database, logger)
  const onMigrating = (progress: MigrationProgress): void => {
    log(progress)
    parts.onMigrating(describeProgress(progress))
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
  return !stop.signal.aborted
}

/** Logs each step of a migration, and the progress of a long step every few seconds. */
export function migrationReporter(database: string, logger: Logger) {
  let last: { readonly step: string; readonly atMs: number } | undefined
  return (progress: MigrationProgress): void => {
    const now = performance.now()
    if (last?.step === progress.step && now - last.atMs < progressEveryMs) return
    last = { step: progress.step, atMs: now }
    logger.info({ database }, `migrating the database ${describeProgress(progress)}`)
  }
}

export interface IndexBuilder {
  /** Builds the missing indexes and counts one after the other, and logs each. */
  build(): Promise<void>
  /** Stops after the current one. */
  readonly stop: () => void
}

export function openIndexBuilder(writer: CatalogueWriter, logger: Logger): IndexBuilder {
  let stopped = false
  return {
    async build() {
      for (let left = 1; left > 0 && !stopped;) {
        const startedMs = performance.now()
        const built = await writer.buildIndexes()
        left = built.left
        const fields = {
          built: built.names,
          left,
          took_ms: Math.round(performance.now() - startedMs),
        }
        if (built.names.length > 0) logger.info(fields, 'indexes built')
        await setImmediate()
      }
    },
    stop() {
      stopped = true
    },
  }
}
