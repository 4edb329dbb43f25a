import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { CatalogueReader } from '../../catalogue/catalogue.ts'
import { CatalogueUnavailable } from '../../catalogue/catalogue.ts'
import type { TurnedAway } from '../connections/door.ts'
import type { Observe } from '../observation.ts'
import { addResource } from '../resource.ts'

/** Seconds. A page takes a fraction of a millisecond, a large download minutes. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30, 300]

/** What the router matches a parameter with, which says nothing to who reads a graph. */
const parameterPattern = /\(.*?\)/

/** What a server counts of itself. */
export interface Metrics {
  readonly observe: Observe
  readonly turnedAway: (why: TurnedAway) => void
  readonly contentType: string
  /** All of it, as Prometheus reads it. */
  text(): Promise<string>
}

/** Every server has a registry of its own. */
export function openMetrics(reader: CatalogueReader): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const observe = countRequests(registry)
  const readCatalogue = watchCatalogue(reader, registry)
  return {
    observe,
    turnedAway: countTurnedAway(registry),
    contentType: registry.contentType,
    async text() {
      await readCatalogue()
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

function countRequests(registry: Registry): Observe {
  const requests = new Counter({
    name: 'rinex_http_requests_total',
    help: 'Requests answered.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'rinex_http_request_duration_seconds',
    help: 'Time from the request to the end of its answer.',
    labelNames: ['route'],
    buckets,
    registers: [registry],
  })
  const labels = new Map<string, string>()
  return ({ method, route: pattern, status, ms }) => {
    // Labels come from our own routes and from the methods Node knows, so there are only so many of them.
    let route = labels.get(pattern)
    if (route === undefined) labels.set(pattern, (route = pattern.replace(parameterPattern, '')))
    requests.inc({ method, route, status })
    durations.observe({ route }, ms / 1000)
  }
}

function countTurnedAway(registry: Registry): (why: TurnedAway) => void {
  const turnedAway = new Counter({
    name: 'rinex_clients_turned_away_total',
    help: 'Connections and requests refused, and connections ended because nobody read.',
    labelNames: ['reason'],
    registers: [registry],
  })
  return (reason) => {
    turnedAway.inc({ reason })
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
