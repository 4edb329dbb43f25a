/** Maintains the database: purges old removals, and makes backups. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { CatalogueCorrupt } from '../catalogue/writer.ts'
import type { CatalogueWriter } from '../catalogue/writer.ts'
import { failureFields } from '../runtime/logger.ts'
import type { IndexerMetrics } from './state/metrics.ts'

/** Time between two purges of old removals. */
const purgeIntervalMs = 3_600_000
/** Pause between two transactions of a purge, so that other writes do not wait. */
const purgePauseMs = 100
/** Delay before the next check whether a backup is due, if no backup was needed or the backup failed (ms). */
const backupCheckMs = 3_600_000
/**
 * Maximum delay before the next check after a backup was made, or was skipped for lack of space (ms). If the interval of the
 * backups is shorter, the delay is that interval.
 */
const longestBackupCheckMs = 86_400_000

export interface MaintenanceDeps {
  readonly writer: CatalogueWriter
  readonly logger: Logger
  readonly metrics: Pick<IndexerMetrics, 'backedUp'>
  /** The clock: microseconds since 1970. */
  readonly nowUs: () => number
  /** Time for which removed files stay in the catalogue (ms). */
  readonly keepRemovalsMs: number
  /** Time between two backups (ms); 0 for no backups. */
  readonly backupIntervalMs: number
  /** Called with an error after which the indexer cannot go on. */
  readonly onFailure: (error: unknown) => void
}

/** Maintains the database: purges old removals once an hour and makes backups. */
export function openMaintenance(deps: MaintenanceDeps) {
  const { writer, logger, metrics, nowUs, keepRemovalsMs, backupIntervalMs, onFailure } = deps
  let purgeTimer: NodeJS.Timeout | undefined
  let backupTimer: NodeJS.Timeout | undefined
  let closing = false
  const purgeRemovals = async (): Promise<void> => {
    while (!closing) {
      const { more } = await writer.purgeRemovals(nowUs() - keepRemovalsMs * 1000)
      if (!more) return
      await pause(purgePauseMs)
    }
  }
  const purge = (): void => {
    purgeRemovals().catch((error: unknown) => {
      // A purge fails for example on a full disk. The next purge tries again.
      if (!closing) logger.warn(failureFields(error), 'purging old removals failed')
    })
  }
  /** @returns the delay until the next check (ms) */
  const backUpIfDue = async (): Promise<number> => {
    const backup = await writer.backup({ ifOlderThanMs: backupIntervalMs })
    metrics.backedUp(backup.outcome)
    if (backup.outcome === 'unneeded') return backupCheckMs
    const { outcome, ...fields } = backup
    if (outcome === 'kept') logger.info(fields, 'backup made')
    else logger.warn(fields, 'backup skipped: needs twice the database size in free space')
    return Math.min(backupIntervalMs, longestBackupCheckMs)
  }
  const backUp = (): void => {
    backUpIfDue()
      .catch((error: unknown) => {
        if (!closing) metrics.backedUp('failed')
        if (error instanceof CatalogueCorrupt) onFailure(error)
        else if (!closing) logger.warn(failureFields(error), 'backup failed')
        return backupCheckMs
      })
      .then((nextMs) => {
        if (!closing) backupTimer = setTimeout(backUp, nextMs)
      }, onFailure)
  }
  return {
    start(): void {
      purge()
      purgeTimer = setInterval(purge, purgeIntervalMs)
      if (backupIntervalMs > 0) backUp()
    },
    close(): void {
      closing = true
      clearInterval(purgeTimer)
      clearTimeout(backupTimer)
    },
  }
}
