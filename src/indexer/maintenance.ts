/** Maintains the database: purges old removals, and makes backups. */
import { setTimeout as pause } from 'node:timers/promises'
import { CatalogueCorrupt } from '../catalogue/writer.ts'
import { failureFields } from '../runtime/logger.ts'
import type { IndexerContext } from './state/context.ts'

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

type MaintenanceContext = Pick<
  IndexerContext,
  'writer' | 'logger' | 'metrics' | 'nowUs' | 'keepRemovalsMs' | 'backupIntervalMs' | 'onFailure'
>

/** Maintains the database: purges old removals once an hour and makes backups. */
export class Maintenance {
  readonly #context: MaintenanceContext
  #purgeTimer: NodeJS.Timeout | undefined
  #backupTimer: NodeJS.Timeout | undefined
  #closing = false

  constructor(context: MaintenanceContext) {
    this.#context = context
  }

  start(): void {
    void this.#purge()
    this.#purgeTimer = setInterval(() => void this.#purge(), purgeIntervalMs)
    if (this.#context.backupIntervalMs > 0) this.#backUp()
  }

  close(): void {
    this.#closing = true
    clearInterval(this.#purgeTimer)
    clearTimeout(this.#backupTimer)
  }

  async #purge(): Promise<void> {
    const { writer, logger, nowUs, keepRemovalsMs } = this.#context
    try {
      while (!this.#closing) {
        const { more } = await writer.purgeRemovals(nowUs() - keepRemovalsMs * 1000)
        if (!more) return
        await pause(purgePauseMs)
      }
    } catch (error) {
      // A purge fails for example on a full disk. The next purge tries again.
      if (!this.#closing) logger.warn(failureFields(error), 'purging old removals failed')
    }
  }

  #backUp(): void {
    const { logger, metrics, onFailure } = this.#context
    this.#backUpIfDue()
      .catch((error: unknown) => {
        if (!this.#closing) metrics.backedUp('failed')
        if (error instanceof CatalogueCorrupt) onFailure(error)
        else if (!this.#closing) logger.warn(failureFields(error), 'backup failed')
        return backupCheckMs
      })
      .then((nextMs) => {
        if (this.#closing) return
        this.#backupTimer = setTimeout(() => {
          this.#backUp()
        }, nextMs)
      }, onFailure)
  }

  /** @returns the delay until the next check (ms) */
  async #backUpIfDue(): Promise<number> {
    const { writer, logger, metrics, backupIntervalMs } = this.#context
    const backup = await writer.backup({ ifOlderThanMs: backupIntervalMs })
    metrics.backedUp(backup.outcome)
    if (backup.outcome === 'unneeded') return backupCheckMs
    const { outcome, ...fields } = backup
    if (outcome === 'kept') logger.info(fields, 'backup made')
    else logger.warn(fields, 'backup skipped: needs twice the database size in free space')
    return Math.min(backupIntervalMs, longestBackupCheckMs)
  }
}
