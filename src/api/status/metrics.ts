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

/** What a server counts of itself. */
export interface Metrics {
  readonly observe: RecordAccess
  readonly rejected: (why: Rejection) => void
  readonly fileUnavailable: (why: MissingReason) => void
  readonly contentType: string
  /** All of it, as Prometheus reads it. */
  text(): Promise<string>
}

type MetricsDeps = Pick<ApiDeps, 'reader' | 'indexerStatus'>

/** Every server has a registry of its own. */
export function openMetrics({ reader, indexerStatus }: MetricsDeps): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  // Gauges with the suffix of counters, which `promtool check metrics` rejects. The same by kind have names of their own.
  for (const what of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`nodejs_active_${what}_total`)
  const readCatalogue = watchCatalogue(reader, registry)
  const readIndexer = watchIndexer(indexerStatus, registry)
  return {
    observe: countRequests(registry),
    rejected: countRejections(registry),
    fileUnavailable: countNotServed(registry),
    contentType: registry.contentType,
    async text() {
      await Promise.all([readCatalogue(), readIndexer()])
      return registry.metrics()
    },
  }
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

/** Seconds. A page takes a fraction of a millisecond, a large download minutes. */
const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30, 300]

/** What the router matches a parameter with, which says nothing to the reader of a graph. */
const parameterPattern = /\(.*?\)/

/** Routes come from ourselves, methods and statuses from those that Node knows: the number of series is limited. */
function countRequests(registry: Registry): RecordAccess {
  const answered = new Counter({
    name: 'rinex_http_requests_total',
    help: 'Requests answered.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  })
  const duration = new Histogram({
    name: 'rinex_http_request_duration_seconds',
    help: 'Time from the request to the end of its answer.',
    labelNames: ['route'],
    buckets: bounds,
    registers: [registry],
  })
  return ({ method, route: pattern, status, ms }) => {
    const route = pattern.replace(parameterPattern, '')
    answered.inc({ method, route, status })
    duration.observe({ route }, ms / 1000)
  }
}

function countRejections(registry: Registry): (why: Rejection) => void {
  const rejected = new Counter({
    name: 'rinex_clients_turned_away_total',
    help: 'Connections and requests refused, and connections ended because nobody read.',
    labelNames: ['reason'],
    registers: [registry],
  })
  return (reason) => {
    rejected.inc({ reason })
  }
}

function countNotServed(registry: Registry): (why: MissingReason) => void {
  const fileUnavailable = new Counter({
    name: 'rinex_files_not_served_total',
    help: 'Answers 404 about files that are in the catalogue.',
    labelNames: ['reason'],
    registers: [registry],
  })
  // What rises from nothing is not seen by who looks at rates.
  for (const reason of missingReasons) fileUnavailable.inc({ reason }, 0)
  return (reason) => {
    fileUnavailable.inc({ reason })
  }
}

/** @returns what brings the gauges up to date; while the catalogue cannot be read they stay as they were */
function watchCatalogue(reader: CatalogueReader, registry: Registry): () => Promise<void> {
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] })
  const available = gauge('rinex_catalogue_available', 'Whether the catalogue can be read.')
  const seq = gauge('rinex_catalogue_seq', 'Number of the latest change of the catalogue.')
  const files = gauge('rinex_catalogue_files', 'Files in the catalogue.', ['area'])
  const hashed = gauge('rinex_catalogue_checksums', 'Files whose SHA-256 is known.')
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

/** What an operator wants to be woken for; the status tells the same in words. */
const figures: readonly (readonly [
  name: string,
  help: string,
  of: (status: IndexerStatus) => number | null,
])[] = [
  [
    'degraded',
    'Whether something keeps it from its work.',
    ({ state }) => Number(state === 'degraded'),
  ],
  ['dirty_directories', 'Directories to be looked at.', (status) => status.dirtyDirectories],
  ['settling_files', 'Young files that are not complete yet.', (status) => status.settlingFiles],
  ['held_removals', 'Files that are gone and stay listed.', (status) => status.withheldRemovals],
  ['watches', 'Directories that are watched.', ({ watching }) => watching.directories],
  ['watch_limit', 'Watches that this system allows.', ({ watching }) => watching.limit],
  ['event_overflows', 'Times that file events were lost.', ({ watching }) => watching.overflows],
]

/** @returns what brings the gauges up to date; of an indexer that does not answer there is nothing but that */
function watchIndexer(ask: ApiDeps['indexerStatus'], registry: Registry): () => Promise<void> {
  const gauge = (name: string, help: string) =>
    new Gauge({ name: `rinex_indexer_${name}`, help, registers: [registry] })
  const up = gauge('up', 'Whether the indexer answers.')
  const gauges = figures.map(([name, help, of]) => ({ gauge: gauge(name, help), of }))
  return async () => {
    const asked = await ask()
    const status = asked?.state === 'unknown' ? undefined : asked
    up.set(Number(status !== undefined))
    for (const { gauge, of } of gauges) {
      const value = status === undefined ? null : of(status)
      if (value === null) gauge.remove()
      else gauge.set(value)
    }
  }
}
