/** The metrics of the API, the catalogue and the indexer, for Prometheus. */
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Registry } from 'prom-client'
import type { CatalogueSummary } from '../../catalogue/records.ts'
import { CatalogueUnavailable, isTemporary } from '../../catalogue/reader-errors.ts'
import type { Rejection } from '../connections/connection-limiter.ts'
import type { UnservedReason } from '../downloads/unserved-files.ts'
import type { RecordAccess } from '../http/access-log.ts'
import { addResource } from '../http/resource.ts'
import type { ApiDeps } from '../http/settings.ts'
import type { CurrencyReader } from '../series/currency-reader.ts'
import type { NetworkStatusCache } from '../series/network-status.ts'
import { openDiskSpace } from './disk-space.ts'
import { catalogueRows, openGauges, scrapeRows, storageRows } from './gauges.ts'
import { countUnservedFiles, countRejections, countRequests } from './http-metrics.ts'

/** The metrics of a server, for Prometheus. docs/operate.md has a table of them. */
export interface Metrics {
  readonly observe: RecordAccess
  readonly rejected: (reason: Rejection) => void
  readonly fileUnavailable: (reason: UnservedReason) => void
  /** Adds the series of a network by their state, as soon as their deliveries are read. */
  readonly showSeries: (network: Pick<NetworkStatusCache, 'ifLoaded'>) => void
  readonly contentType: string
  /** All metrics in the text format of Prometheus. */
  text(): Promise<string>
}

type MetricsDeps = Pick<ApiDeps, 'reader' | 'indexerStatus' | 'indexerMetrics' | 'settings'> & {
  readonly currency: Pick<CurrencyReader, 'of'>
}

/**
 * Milliseconds that a scrape waits for the summary. If the query workers are busy for longer, it
 * uses the previous summary.
 */
const summaryTimeoutMs = 1000

/**
 * Each server has its own registry, because tests run several in one process. Gauges of the
 * catalogue and its database keep their values while the catalogue or the database cannot be read.
 */
export function openMetrics(deps: MetricsDeps): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  // Removes three default gauges: their names end in `_total`, which `promtool check metrics`
  // rejects for gauges. The same gauges by type stay.
  for (const name of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`nodejs_active_${name}_total`)
  const showCatalogue = openGauges(registry, catalogueRows)
  const showStorage = openGauges(registry, storageRows)
  const showScrape = openGauges(registry, scrapeRows)
  const archiveSpace = openDiskSpace(deps.settings.archive)
  const readCatalogue = openCatalogueState(deps)
  let network: Pick<NetworkStatusCache, 'ifLoaded'> | undefined
  return {
    observe: countRequests(registry),
    rejected: countRejections(registry),
    fileUnavailable: countUnservedFiles(registry),
    showSeries: (shown) => (network = shown),
    contentType: registry.contentType,
    async text() {
      const [catalogue, storage, archive, known, reply, ofIndexer] = await Promise.all([
        readCatalogue(),
        deps.reader.storage().catch(unlessTemporary),
        archiveSpace(),
        network?.ifLoaded().catch(unlessTemporary),
        deps.indexerStatus(),
        deps.indexerMetrics(),
      ])
      const indexer = reply?.state === 'unknown' ? undefined : reply
      if (catalogue.summary !== undefined) showCatalogue(catalogue.summary)
      if (storage !== undefined) showStorage(storage)
      showScrape({
        ...catalogue,
        version: deps.settings.version,
        indexer,
        disks: { database: storage?.disk, archive },
        states: known?.states ?? [],
      })
      const own = await registry.metrics()
      return indexer === undefined ? own : own + ofIndexer
    },
  }
}

/**
 * @returns a function that reads the summary and the currency of the catalogue; what cannot be read
 * at this moment stays as it was
 */
function openCatalogueState({ reader, currency }: MetricsDeps) {
  let summary: CatalogueSummary | undefined
  let isAvailable = false
  let asOf = 0
  const readSummary = async (): Promise<void> => {
    try {
      const timeout = delay(summaryTimeoutMs, undefined, { ref: false })
      summary = (await Promise.race([reader.summary(), timeout])) ?? summary
      isAvailable = true
    } catch (error) {
      unlessTemporary(error)
      if (error instanceof CatalogueUnavailable) isAvailable = false
    }
  }
  const readCurrency = async (): Promise<boolean> => {
    const known = await currency.of(await reader.head())
    asOf = known.asOf ?? 0
    return known.notCurrent === undefined
  }
  return async () => {
    const [isCurrent = false] = await Promise.all([
      readCurrency().catch(unlessTemporary),
      readSummary(),
    ])
    return { summary, isAvailable, isCurrent, asOf }
  }
}

/** @throws the error if its cause does not end by itself */
function unlessTemporary(error: unknown): undefined {
  if (!isTemporary(error)) throw error
}

/** Adds the route `/metrics`, which Prometheus reads. */
export function addMetrics(app: FastifyInstance, metrics: Metrics): void {
  addResource(app, {
    path: '/metrics',
    get: async (_request, reply) => {
      reply.headers({ 'content-type': metrics.contentType, 'cache-control': 'no-store' })
      return reply.send(await metrics.text())
    },
  })
}
