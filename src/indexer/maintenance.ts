/**
 * Maintains the database: builds missing indexes, judges paths, purges old removals, makes backups.
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { Logger } from 'pino'
import { CatalogueCorrupt } from '../catalogue/errors.ts'
import type { CatalogueWriter } from '../catalogue/updates/writer.ts'
import { repeat, wait } from '../runtime/clock.ts'
import { failureFields } from '../runtime/logger.ts'
import type { IndexerContext } from './state/context.ts'

/** Time between two purges of old removals. */
const purgeIntervalMs = 3_600_000
/** Time between two comparisons of the paths of areas with the names of their files (ms). */
const pathsIntervalMs = 60_000
/** Delay before indexes that could not be built are tried again (ms). */
const indexRetryMs = 5000
/** Pause between two transactions of a purge, so that other writes do not wait. */
const purgePauseMs = 100
/**
 * Delay before the next check whether a backup is due, if no backup was needed or the backup failed
 * (ms).
 */
const backupCheckMs = 3_600_000
/**
 * Maximum delay before the next check after a backup was made, or was skipped for lack of space
 * (ms). If the interval of the backups is shorter, the delay is that interval.
 */
const longestBackupCheckMs = 86_400_000

type MaintenanceContext = Pick<
  IndexerContext,
  'writer' | 'logger' | 'metrics' | 'nowUs' | 'keepRemovalsMs' | 'backupIntervalMs' | 'onFailure'
>

interface IndexesContext {
  readonly writer: Pick<CatalogueWriter, 'buildIndexes'>
  readonly logger: Logger
  readonly signal: AbortSignal
  /** True to try again after a failure, for example on a full disk; otherwise it is thrown. */
  readonly patient: boolean
}

/**
 * Builds the missing indexes and counts one after the other, and logs each of them, until the
 * signal is aborted.
 */
export async function buildIndexes(context: IndexesContext): Promise<void> {
  const { writer, logger, signal } = context
  for (let left = 1; left > 0 && !signal.aborted;) {
    const startedMs = performance.now()
    const built = await patiently(context, () => writer.buildIndexes())
    if (built === undefined) return
    left = built.left
    const took_ms = Math.round(performance.now() - startedMs)
    const fields = { built: built.names, left, took_ms }
    if (built.names.length > 0) logger.info(fields, 'indexes built')
    await yieldToOthers()
  }
}

/** @returns `undefined` if the signal was aborted before the work succeeded */
async function patiently<T>(
  { logger, signal, patient }: IndexesContext,
  work: () => Promise<T>,
): Promise<T | undefined> {
  for (let failures = 0; !signal.aborted; failures++)
    try {
      return await work()
    } catch (error) {
      if (!patient || error instanceof CatalogueCorrupt) throw error
      if (failures === 0) logger.warn(failureFields(error), 'building indexes failed; retrying')
      await wait(indexRetryMs, signal)
    }
  return undefined
}

/**
 * Judges paths every minute, purges old removals once an hour, and makes backups, until the signal
 * is aborted.
 */
export function maintain(context: MaintenanceContext, signal: AbortSignal): void {
  const { backupIntervalMs, onFailure } = context
  repeat(() => judgePaths(context, signal), signal).catch(onFailure)
  repeat(() => purge(context, signal), signal).catch(onFailure)
  if (backupIntervalMs > 0) repeat(() => backUpIfDue(context, signal), signal).catch(onFailure)
}

/** @returns the delay until the next time (ms) */
async function judgePaths(
  { writer, logger }: MaintenanceContext,
  signal: AbortSignal,
): Promise<number> {
  try {
    await writer.judgePaths()
  } catch (error) {
    if (!signal.aborted) logger.warn(failureFields(error), 'judging the paths of areas failed')
  }
  return pathsIntervalMs
}

/** @returns the delay until the next purge (ms) */
async function purge(
  { writer, logger, nowUs, keepRemovalsMs }: MaintenanceContext,
  signal: AbortSignal,
): Promise<number> {
  const purgeSome = () => writer.purgeRemovals(nowUs() - keepRemovalsMs * 1000)
  try {
    while (!signal.aborted && (await purgeSome()).more) await wait(purgePauseMs, signal)
  } catch (error) {
    // A purge fails for example on a full disk. The next purge tries again.
    if (!signal.aborted) logger.warn(failureFields(error), 'purging old removals failed')
  }
  return purgeIntervalMs
}

/** @returns the delay until the next check (ms) */
async function backUpIfDue(
  { writer, logger, metrics, backupIntervalMs }: MaintenanceContext,
  signal: AbortSignal,
): Promise<number> {
  try {
    const backup = await writer.backup({ ifOlderThanMs: backupIntervalMs })
    metrics.backedUp(backup.outcome)
    if (backup.outcome === 'unneeded') return backupCheckMs
    const { outcome, ...fields } = backup
    if (outcome === 'kept') logger.info(fields, 'backup made')
    else logger.warn(fields, 'backup skipped: needs twice the database size in free space')
    return Math.min(backupIntervalMs, longestBackupCheckMs)
  } catch (error) {
    if (error instanceof CatalogueCorrupt) throw error
    if (!signal.aborted) {
      metrics.backedUp('failed')
      logger.warn(failureFields(error), 'backup failed')
    }
    return backupCheckMs
  }
}
