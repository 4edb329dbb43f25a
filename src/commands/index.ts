/** The command `index`: runs the indexer. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { serverName } from '../catalogue/database-url.ts'
import { engineOf } from '../catalogue/engines/engine.ts'
import { AlreadyRunning, CatalogueCorrupt } from '../catalogue/errors.ts'
import type { CatalogueWriter } from '../catalogue/updates/writer.ts'
import type { ConfigOf } from '../config/command-options.ts'
import { HashClient } from '../indexer/checksums/hash-client.ts'
import type { Indexer } from '../indexer/indexer.ts'
import { startIndexer } from '../indexer/indexer.ts'
import { buildIndexes } from '../indexer/maintenance.ts'
import { startTreeReader } from '../indexer/read/tree-reader.ts'
import { IncompleteScan } from '../indexer/scans.ts'
import type { Layout } from '../parse/layout.ts'
import { createLayout } from '../parse/layout.ts'
import type { Clock } from '../runtime/clock.ts'
import { createClock } from '../runtime/clock.ts'
import { graceMs, Lifecycle } from '../runtime/lifecycle.ts'
import { createLogger } from '../runtime/logger.ts'
import { packageVersion } from '../runtime/program.ts'
import { realDirectories } from '../runtime/real-path.ts'
import { ServiceManager } from '../runtime/service-manager.ts'
import { chooseLayout, logChoice } from './checks/layout-choice.ts'
import { checkPlaces } from './checks/place-check.ts'
import { openIndexerDatabase } from './indexer-database.ts'
import { reportProgress, stateLine, summaryFields } from './progress.ts'

/** Longest time of a count for the service manager (ms). */
const longestCountMs = 1000

/** Runs the indexer until a signal ends it, or with `once` until one scan has ended. */
export async function index(
  config: ConfigOf<'index'>,
  { once }: { readonly once: boolean },
): Promise<number> {
  const logger = createLogger({ level: config.logLevel, name: 'indexer' })
  let setIndexer: (indexer: Indexer) => void = () => undefined
  const indexerStarted = new Promise<Indexer>((resolve) => (setIndexer = resolve))
  /** SIGHUP orders a rescan; before the indexer has started, the order waits. */
  const onHangup = (): void =>
    void indexerStarted.then((indexer) => {
      logger.info('SIGHUP: rescan ordered')
      void indexer.rescan({ path: undefined, acceptRemovals: false })
    })
  const lifecycle = new Lifecycle({
    logger,
    graceMs: graceMs.indexer,
    ...(once ? {} : { onHangup }),
  })
  const nowUs = createClock()
  const serviceManager = new ServiceManager(process.env, logger)
  // A migration may take minutes; meanwhile the API starts and answers 503.
  const onDelay = (words: string): void => {
    serviceManager.ready(() => Promise.resolve(words))
  }
  const opening = { config, nowUs, logger, lifecycle, onDelay, waits: !once }
  const database = await openIndexerDatabase(opening).catch((error: unknown) => {
    throw withRemedy(error)
  })
  if (database === undefined) return lifecycle.untilEnd()
  const { writer } = database
  const onFailure = (error: unknown): void => void lifecycle.end(failureOf(error))
  const choice = await chooseLayout(config, 'index')
  logChoice(choice, config.archive, logger)
  const layout = createLayout(choice.lists)
  const reported = reportPlaces({ ...config, areas: choice.lists.areas }, logger)
  if (once) await reported
  const indexer = await startParts({ config, layout, logger, writer, nowUs, onFailure })
  lifecycle.add({ name: 'indexer', close: () => indexer.close() })
  setIndexer(indexer)
  const control = await database.openControl({ layout, logger, indexer, writer, onFailure })
  lifecycle.add({ name: 'control', close: control.close })
  endWithParent(lifecycle)
  const stopping = new AbortController()
  const close = (): void => {
    stopping.abort()
  }
  lifecycle.add({ name: 'indexes', close })
  const completeIndexes = (patient: boolean) =>
    buildIndexes({ writer, logger, signal: stopping.signal, patient })
  const countSoon = soon(() => writer.count())
  serviceManager.ready(async () => stateLine(indexer.status(), await countSoon()))
  // The service manager is added last, so that it is closed first.
  lifecycle.add({ name: 'service manager', close: () => serviceManager.close() })
  try {
    await catchUp({ indexer, writer, completeIndexes, logger, once })
  } catch (error) {
    return await lifecycle.end(failureOf(error))
  }
  return once ? lifecycle.end() : lifecycle.untilEnd()
}

/**
 * Logs what is wrong with the places of archive and database. The indexer starts all the same: an
 * archive without its areas may be a disk that is not mounted yet. A disk that hangs must not hold
 * up a start, so only a process that will end waits for it.
 */
async function reportPlaces(config: ConfigOf<'index'>, logger: Logger): Promise<void> {
  for (const { key, words, level } of await checkPlaces(config))
    logger[level === 'fault' ? 'error' : 'warn'](`${key} ${words}`)
}

/** Names what the user can do if another process writes the database. */
function withRemedy(error: unknown): unknown {
  if (!(error instanceof AlreadyRunning)) return error
  const remedy = 'stop it, or choose another database (--database FILE)'
  return new AlreadyRunning(`${error.message}: ${remedy}`, { cause: error })
}

/**
 * Returns a function that counts, and after a second returns the last count: a server may be away,
 * and the service manager must get its sign of life.
 */
function soon(count: () => Promise<number>): () => Promise<number> {
  let last = 0
  let counting: Promise<number> | undefined
  return () => {
    counting ??= count()
      .then((counted) => (last = counted))
      .finally(() => (counting = undefined))
    return Promise.race([counting, pause(longestCountMs).then(() => last)])
  }
}

async function startParts(parts: {
  readonly config: ConfigOf<'index'>
  readonly layout: Layout
  readonly logger: Logger
  readonly writer: CatalogueWriter
  readonly nowUs: Clock
  readonly onFailure: (error: unknown) => void
}): Promise<Indexer> {
  const { config, logger, ...rest } = parts
  const linkedDirectories = realDirectories(config.linkedDirectories, logger)
  const tree = startTreeReader({ archive: config.archive, linkedDirectories }, rest.layout.lists)
  const times = {
    sweepIntervalMs: config.sweepIntervalSeconds * 1000,
    fullReadMs: config.fullLookHours * 3_600_000,
    keepRemovalsMs: config.keepRemovalsDays * 86_400_000,
    backupIntervalMs: config.backupIntervalHours * 3_600_000,
    purgedAfterDays: config.purgedAfterDays,
    window: { days: config.watchDays, hoursDays: config.watchHoursDays },
  }
  const { archive, database } = config
  const fields = { archive, database: serverName(database), ...(await engineOf(config)) }
  logger.info(fields, 'indexing')
  const checksums =
    config.checksums === 'none'
      ? undefined
      : {
          hashClient: new HashClient({ archive, facts: config.facts !== 'none' }),
          all: config.checksums === 'all',
          allFacts: config.facts === 'all',
          damagedBy: config.damagedBy,
        }
  const version = packageVersion()
  return startIndexer({ ...rest, ...times, archive, tree, checksums, logger, version })
}

async function catchUp(parts: {
  readonly indexer: Indexer
  readonly writer: CatalogueWriter
  readonly completeIndexes: (patient: boolean) => Promise<void>
  readonly logger: Logger
  readonly once: boolean
}): Promise<void> {
  const { indexer, writer, completeIndexes, logger, once } = parts
  const isFirstScan = indexer.status().lastScan === undefined
  // The files of a catalogue of another layout are listed meanwhile.
  if (isFirstScan && !indexer.isNewLayout) await writer.deferIndexes()
  else await completeIndexes(false)
  if (!once) indexer.watch()
  const progress = reportProgress(() => indexer.status().scan, logger)
  const caughtUp = await indexer.catchUp({ scan: once, patient: !once }).finally(() => {
    progress.stop()
  })
  // The indexer watches meanwhile, and reports a disk that cannot be written.
  if (isFirstScan) await completeIndexes(!once)
  const status = indexer.status()
  const fields = summaryFields(caughtUp, await writer.summary(), status.settlingFiles)
  logger.info(fields, 'caught up with the archive')
  const problems = status.problems.map(({ text }) => text)
  if (once && problems.length > 0) throw new IncompleteScan(problems.join('; '))
}

/**
 * Returns only the message of an expected failure of the archive or the database, which is then
 * logged without a stack.
 */
function failureOf(error: unknown): unknown {
  const isExpected = error instanceof IncompleteScan || error instanceof CatalogueCorrupt
  return isExpected ? error.message : error
}

/**
 * If this process is a child of `start`, ends it when the parent ends; the parent may have ended
 * already.
 */
function endWithParent(lifecycle: Lifecycle): void {
  if (process.send === undefined) return
  if (process.connected) process.once('disconnect', () => void lifecycle.end())
  else void lifecycle.end()
}
