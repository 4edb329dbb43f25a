/** The metrics of the API, the catalogue and the indexer, for Prometheus. */
import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { CatalogueSummary } from '../../catalogue/records.ts'
import { isTemporary } from '../../catalogue/reader-errors.ts'
import type { IndexerStatus } from '../../control-socket/protocol.ts'
import type { Rejection } from '../connections/connection-limiter.ts'
import type { UnservedReason } from '../downloads/unserved-files.ts'
import type { RecordAccess } from '../http/access-log.ts'
import { addResource } from '../http/resource.ts'
import type { ApiDeps } from '../http/settings.ts'
import type { CurrencyReader } from '../series/currency-reader.ts'
import type { NetworkStatusCache } from '../series/network-status.ts'
import { catalogueGauges } from './catalogue-metrics.ts'
import { countUnservedFiles, countRejections, countRequests } from './http-metrics.ts'
import { filesToHash } from './serialise.ts'

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

/** Each server has its own registry, because tests run several in one process. */
export function openMetrics(deps: MetricsDeps): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  // Removes three default gauges: their names end in `_total`, which `promtool check metrics`
  // rejects for gauges. The same gauges by type stay.
  for (const name of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`nodejs_active_${name}_total`)
  const showBuilds = buildInfo(registry, deps.settings.version)
  const updateCatalogue = catalogueGauges(deps, registry)
  const showIndexer = indexerGauges(registry)
  const updateCurrency = currencyGauges(registry, deps)
  return {
    observe: countRequests(registry),
    rejected: countRejections(registry),
    fileUnavailable: countUnservedFiles(registry),
    showSeries: (network) => {
      countSeries(registry, network)
    },
    contentType: registry.contentType,
    async text() {
      const [summary, reply, ofIndexer] = await Promise.all([
        updateCatalogue(),
        deps.indexerStatus(),
        deps.indexerMetrics(),
        updateCurrency(),
      ])
      const status = reply?.state === 'unknown' ? undefined : reply
      showBuilds(status?.version)
      showIndexer(status, summary)
      const own = await registry.metrics()
      return status === undefined ? own : own + ofIndexer
    },
  }
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

/**
 * @returns a function that sets the release of the indexer, which is `undefined` while the indexer
 * does not answer
 */
function buildInfo(registry: Registry, version: string): (indexer: string | undefined) => void {
  const info = new Gauge({
    name: 'rinex_build_info',
    help: 'The release of each process, and the Node of the API.',
    labelNames: ['process', 'version', 'node'],
    registers: [registry],
  })
  return (indexer) => {
    info.reset()
    info.set({ process: 'api', version, node: process.versions.node }, 1)
    if (indexer !== undefined) info.set({ process: 'indexer', version: indexer }, 1)
  }
}

/**
 * @returns a function that updates the metrics of the indexer that need more than the indexer. It
 * sends the others itself (`indexer/state/metrics.ts`); while it does not answer, only
 * `rinex_indexer_up` has a value.
 */
function indexerGauges(registry: Registry) {
  const gauge = (name: string, help: string) =>
    new Gauge({ name: `rinex_indexer_${name}`, help, registers: [registry] })
  const up = gauge('up', '1 if the indexer answers, else 0.')
  const waiting = gauge('checksums_waiting', 'Upper bound of the files still to be hashed.')
  return (status: IndexerStatus | undefined, summary: CatalogueSummary | undefined): void => {
    up.set(Number(status !== undefined))
    if (status === undefined || summary === undefined) waiting.remove()
    else waiting.set(filesToHash(summary, status))
  }
}

/**
 * @returns a function that updates whether the catalogue is current, and the time for which states
 * are computed
 */
function currencyGauges(
  registry: Registry,
  { reader, currency }: MetricsDeps,
): () => Promise<void> {
  const gauge = (name: string, help: string) =>
    new Gauge({ name: `rinex_catalogue_${name}`, help, registers: [registry] })
  const current = gauge(
    'current',
    '1 if the catalogue follows the archive, 0 if not: the states of series stand still then.',
  )
  const asOf = gauge(
    'as_of_timestamp_seconds',
    'The time for which the states of series are computed; 0 until the first scan has ended.',
  )
  return async () => {
    try {
      const known = await currency.of(await reader.head())
      current.set(known.notCurrent === undefined ? 1 : 0)
      asOf.set(known.asOf ?? 0)
    } catch (error) {
      if (!isTemporary(error)) throw error
      current.set(0)
    }
  }
}

/**
 * Adds the number of series by state. It is left out until the deliveries are read, and while the
 * catalogue cannot answer.
 */
function countSeries(registry: Registry, network: Pick<NetworkStatusCache, 'ifLoaded'>): void {
  new Gauge({
    name: 'rinex_series',
    help: 'Series of files by their state now: present, late, down, silent or unknown.',
    labelNames: ['state', 'period', 'file_type'],
    registers: [registry],
    async collect() {
      this.reset()
      try {
        const known = await network.ifLoaded()
        for (const { summary, period, fileType } of known?.states ?? [])
          this.inc({ state: summary.state, period, file_type: fileType })
      } catch (error) {
        if (!isTemporary(error)) throw error
      }
    },
  })
}
