import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { CatalogueCorrupt } from '../catalogue/writer.ts'
import type { CatalogueWriter } from '../catalogue/writer.ts'
import { failureFields } from '../runtime/logger.ts'
import type { Figures } from './figures.ts'

/** Time between two purges of old removals. */
const purgeIntervalMs = 3_600_000
/** Pause between two transactions of a purge, so that other writes do not wait. */
const purgePauseMs = 100
/** Time between two checks whether a backup is due. After a backup, or one skipped for lack of space, the interval passes first. */
const backupCheckMs = 3_600_000
const longestBackupCheckMs = 86_400_000

export interface MaintenanceDeps {
  readonly writer: CatalogueWriter
  readonly logger: Logger
  readonly figures: Pick<Figures, 'backedUp'>
  /** The clock: microseconds since 1970. */
  readonly nowUs: () => number
  /** How long removed files stay in the catalogue. */
  readonly keepRemovalsMs: number
  /** Time between two backups; 0 for none. */
  readonly backupIntervalMs: number
  /** Called when the task cannot go on. */
  readonly onFailure: (error: unknown) => void
}

/** Maintains the database: purges old removals once an hour and makes backups. */
export function openMaintenance(deps: MaintenanceDeps) {
  const { writer, logger, figures, nowUs, keepRemovalsMs, backupIntervalMs, onFailure } = deps
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
      // For example a full disk. The next purge tries again.
      if (!closing) logger.warn(failureFields(error), 'purging old removals failed')
    })
  }
  /** @returns the delay until the next check (ms) */
  const backUpIfDue = async (): Promise<number> => {
    const backup = await writer.backup({ ifOlderThanMs: backupIntervalMs })
    figures.backedUp(backup.outcome)
    if (backup.outcome === 'unneeded') return backupCheckMs
    const { outcome, ...fields } = backup
    if (outcome === 'kept') logger.info(fields, 'backup made')
    else logger.warn(fields, 'backup skipped: needs twice the database size in free space')
    return Math.min(backupIntervalMs, longestBackupCheckMs)
  }
  const backUp = (): void => {
    backUpIfDue()
      .catch((error: unknown) => {
        if (!closing) figures.backedUp('failed')
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
