/**
 * Opens the database of the indexer: migrates a file or restores its backup, waits for a server.
 */
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Logger } from 'pino'
import { isServer } from '../catalogue/database-url.ts'
import type { Recovery } from '../catalogue/sqlite/recover.ts'
import { upgradeDatabase } from '../catalogue/sqlite/upgrade.ts'
import { openWriter } from '../catalogue/sqlite/writer.ts'
import type { CatalogueWriter } from '../catalogue/updates/writer.ts'
import type { ConfigOf } from '../config/command-options.ts'
import type { AnswerParts } from '../control-socket/answers.ts'
import { answerLine, openControl } from '../control-socket/answers.ts'
import type { Indexer } from '../indexer/indexer.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Lifecycle } from '../runtime/lifecycle.ts'

interface Opening {
  readonly config: ConfigOf<'index'>
  readonly nowUs: Clock
  readonly logger: Logger
  readonly lifecycle: Lifecycle
  /** False if the indexer ends rather than wait until another one has ended. */
  readonly waits: boolean
  /** Called while the indexer cannot begin, with what it does meanwhile. */
  readonly onDelay: (words: string) => void
}

/** The database of the indexer, and the way on which requests come. */
interface IndexerDatabase {
  readonly writer: CatalogueWriter
  /** Answers requests from now on. */
  readonly openControl: (
    parts: AnswerParts & {
      readonly indexer: Pick<Indexer, 'reportOutage'>
      readonly onFailure: (error: unknown) => void
    },
  ) => Promise<{ close: () => void | Promise<void> }>
}

/**
 * Opens the database of the indexer, and on a server waits until no other indexer is active.
 * @returns `undefined` if a signal has ended this
 */
export function openIndexerDatabase(opening: Opening): Promise<IndexerDatabase | undefined> {
  return isServer(opening.config.database) ? openServer(opening) : openFile(opening)
}

/**
 * Migrates the database of an earlier release first, and restores a backup if the database is
 * missing or corrupt.
 */
async function openFile(opening: Opening): Promise<IndexerDatabase | undefined> {
  const { nowUs, logger, lifecycle } = opening
  const { database, controlSocket: path } = opening.config
  const stop = new AbortController()
  const onMigrating = (words: string): void => {
    logger.info({ database }, `migrating the database ${words}`)
    opening.onDelay(`migrating the database ${words}`)
  }
  const folder = dirname(database)
  const isNew = !existsSync(folder)
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
  })
  if (isNew) logger.info({ directory: folder }, 'made the directory of the database')
  logRecovery(writer.recovery, logger)
  return { writer, openControl: (parts) => openControl({ ...parts, path: path ?? '' }) }
}

async function openServer(opening: Opening): Promise<IndexerDatabase | undefined> {
  const { config, nowUs, logger, lifecycle, waits } = opening
  const postgres = await import('../catalogue/postgres/writer.ts')
  const { answerRequests } = await import('../catalogue/postgres/requests.ts')
  const address = { url: config.database, passwordFile: config.databasePasswordFile }
  const ending = new AbortController()
  const { signal } = ending
  const end = (): void => {
    ending.abort()
  }
  lifecycle.add({ name: 'waiting for the database', close: end })
  let onWaiting = (reason: string | undefined): void => {
    if (reason === undefined) return
    logger.info({ reason }, 'waiting')
    opening.onDelay(`waiting: ${reason}`)
  }
  const options = { ...address, nowUs, waits, signal }
  const server = await postgres.openWriter({
    ...options,
    onWaiting: (reason) => {
      onWaiting(reason)
    },
  })
  if (server === undefined) return undefined
  const openControl: IndexerDatabase['openControl'] = ({ onFailure, ...parts }) => {
    onWaiting = (reason) => {
      parts.indexer.reportOutage(reason)
    }
    const answering = answerRequests(address, server.connection, {
      answer: (line) => answerLine(line, parts),
      status: () => JSON.stringify({ ok: true, result: parts.indexer.status() }),
      signal,
    }).catch(onFailure)
    // Closed before the indexer, which must not wait for the server when it ends.
    const close = async (): Promise<void> => {
      end()
      await answering
    }
    return Promise.resolve({ close })
  }
  return { writer: server.methods(), openControl }
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
