import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { CatalogueReader } from '../../catalogue/reader.ts'
import { CatalogueUnavailable } from '../../catalogue/reader.ts'
import type { IndexerStatus } from '../../control/protocol.ts'
import type { Rejection } from '../connections/connection-limiter.ts'
import type { ApiDeps } from '../http/settings.ts'
import type { RecordAccess } from '../http/access-log.ts'
import { addResource } from '../http/resource.ts'
import type { MissingReason } from '../downloads/missing-files.ts'
import { missingReasons } from '../downloads/schema.ts'

/** The metrics of a server, for Prometheus. */
export interface Metrics {
  readonly observe: RecordAccess
  readonly rejected: (reason: Rejection) => void
  readonly fileUnavailable: (reason: MissingReason) => void
  readonly contentType: string
  /** All metrics in the text format of Prometheus. */
  text(): Promise<string>
}

type MetricsDeps = Pick<ApiDeps, 'reader' | 'indexerStatus' | 'settings'>

/** Each server has its own registry, because tests run several in one process. */
export function openMetrics({ reader, indexerStatus, settings }: MetricsDeps): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  // Gauges with the suffix of counters, which `promtool check metrics` rejects. The gauges by type stay.
  for (const name of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`nodejs_active_${name}_total`)
  addBuildInfo(registry, settings.version)
  const updateCatalogue = catalogueGauges(reader, registry)
  const updateIndexer = indexerGauges(indexerStatus, registry)
  return {
    observe: countRequests(registry),
    rejected: countRejections(registry),
    fileUnavailable: countMissingFiles(registry),
    contentType: registry.contentType,
    async text() {
      await Promise.all([updateCatalogue(), updateIndexer()])
      return registry.metrics()
    },
  }
}

function addBuildInfo(registry: Registry, version: string): void {
  const info = new Gauge({
    name: 'rinex_build_info',
    help: 'Version of the program and of the Node.js that runs it; always 1.',
    labelNames: ['version', 'node'],
    registers: [registry],
  })
  info.set({ version, node: process.versions.node }, 1)
}

/** `/metrics` for Prometheus. */
export function addMetrics(app: FastifyInstance, metrics: Metrics): void {
  addResource(app, {
    path: '/metrics',
    get: async (_request, reply) => {
      reply.headers({ 'content-type': metrics.contentType, 'cache-control': 'no-store' })
      return reply.send(await metrics.text())
    },
  })
}

/** Buckets in seconds. A page takes a fraction of a millisecond, a large download minutes. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30, 300]

/** The regular expression of a path parameter: it is removed from the label. */
const parameterPattern = /\(.*?\)/

/** The number of time series is limited: routes are ours; methods and statuses are those that Node knows. */
function countRequests(registry: Registry): RecordAccess {
  const requests = new Counter({
    name: 'rinex_http_requests_total',
    help: 'HTTP requests.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  })
  const duration = new Histogram({
    name: 'rinex_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its response, in seconds.',
    labelNames: ['route'],
    buckets,
    registers: [registry],
  })
  return ({ method, route: pattern, status, ms }) => {
    const route = pattern.replace(parameterPattern, '')
    requests.inc({ method, route, status })
    duration.observe({ route }, ms / 1000)
  }
}

function countRejections(registry: Registry): (reason: Rejection) => void {
  const rejected = new Counter({
    name: 'rinex_clients_turned_away_total',
    help: 'Rejected connections and requests, and connections closed because the client was too slow.',
    labelNames: ['reason'],
    registers: [registry],
  })
  return (reason) => {
    rejected.inc({ reason })
  }
}

function countMissingFiles(registry: Registry): (reason: MissingReason) => void {
  const missingFiles = new Counter({
    name: 'rinex_files_not_served_total',
    help: '404 responses for files that are in the catalogue.',
    labelNames: ['reason'],
    registers: [registry],
  })
  // `rate()` does not see the first increment of a series that did not exist before.
  for (const reason of missingReasons) missingFiles.inc({ reason }, 0)
  return (reason) => {
    missingFiles.inc({ reason })
  }
}

/** @returns updates the gauges; while the catalogue is unavailable they keep their values */
function catalogueGauges(reader: CatalogueReader, registry: Registry): () => Promise<void> {
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] })
  const available = gauge('rinex_catalogue_available', '1 if the catalogue can be read, else 0.')
  const seq = gauge('rinex_catalogue_seq', 'Number of the latest change in the catalogue.')
  const files = gauge('rinex_catalogue_files', 'Files in the catalogue.', ['area'])
  const hashed = gauge('rinex_catalogue_checksums', 'Files with a current SHA-256 checksum.')
  const broken = gauge('rinex_catalogue_broken_streams', 'Files whose gzip stream is damaged.')
  return async () => {
    try {
      const { head, areas, checksums } = await reader.summary()
      hashed.set(checksums.files)
      broken.set(checksums.broken.count)
      seq.set(head.seq)
      for (const [area, counts] of Object.entries(areas)) files.set({ area }, counts.files)
      available.set(1)
    } catch (error) {
      if (!(error instanceof CatalogueUnavailable)) throw error
      available.set(0)
    }
  }
}

/** Metrics for alerts; the status has the same values. */
const indexerMetrics: readonly (readonly [
  name: string,
  help: string,
  valueOf: (status: IndexerStatus) => number | null,
])[] = [
  [
    'degraded',
    '1 if the indexer is degraded, else 0.',
    ({ state }) => Number(state === 'degraded'),
  ],
  ['dirty_directories', 'Directories to be reconciled.', (status) => status.dirtyDirectories],
  ['settling_files', 'Young files that are not complete yet.', (status) => status.settlingFiles],
  [
    'held_removals',
    'Removals withheld by the deletion guard.',
    (status) => status.withheldRemovals,
  ],
  ['watches', 'Directories that are watched.', ({ watching }) => watching.directories],
  ['watch_limit', 'Maximum watches of this system.', ({ watching }) => watching.limit],
  ['event_overflows', 'Times that file events were lost.', ({ watching }) => watching.overflows],
]

/** @returns updates the gauges; while the indexer does not answer there is only `rinex_indexer_up` */
function indexerGauges(
  indexerStatus: ApiDeps['indexerStatus'],
  registry: Registry,
): () => Promise<void> {
  const gauge = (name: string, help: string) =>
    new Gauge({ name: `rinex_indexer_${name}`, help, registers: [registry] })
  const up = gauge('up', '1 if the indexer answers, else 0.')
  const gauges = indexerMetrics.map(([name, help, valueOf]) => ({
    gauge: gauge(name, help),
    valueOf,
  }))
  return async () => {
    const reply = await indexerStatus()
    const status = reply?.state === 'unknown' ? undefined : reply
    up.set(Number(status !== undefined))
    for (const { gauge, valueOf } of gauges) {
      const value = status === undefined ? null : valueOf(status)
      if (value === null) gauge.remove()
      else gauge.set(value)
    }
  }
}
