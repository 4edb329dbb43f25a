import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { CatalogueReader } from '../../catalogue/catalogue.ts'
import { CatalogueUnavailable } from '../../catalogue/catalogue.ts'
import type { ApiContext } from '../context.ts'
import { addResource } from '../resource.ts'

/** Seconds. A page takes a fraction of a millisecond, a large download minutes. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30, 300]

/** What the router matches a parameter with, which says nothing to who reads a graph. */
const parameterPattern = /\(.*?\)/

/** `/metrics` for Prometheus. Every server has a registry of its own. */
export function addMetrics(app: FastifyInstance, { reader }: ApiContext): void {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  countRequests(app, registry)
  const readCatalogue = watchCatalogue(reader, registry)
  addResource(app, {
    path: '/metrics',
    get: async (_request, reply) => {
      await readCatalogue()
      const text = await registry.metrics()
      reply.headers({ 'content-type': registry.contentType, 'cache-control': 'no-store' })
      return reply.send(text)
    },
  })
}

function countRequests(app: FastifyInstance, registry: Registry): void {
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
  app.addHook('onResponse', (request, reply, done) => {
    // Labels come from our own routes and from the methods Node knows, so there are only so many of them.
    const route = request.routeOptions.url?.replace(parameterPattern, '') ?? 'none'
    requests.inc({ method: request.method, route, status: reply.statusCode })
    durations.observe({ route }, reply.elapsedTime / 1000)
    done()
  })
}

/** @returns what brings the gauges up to date; while the catalogue cannot be read they stay as they were */
function watchCatalogue(reader: CatalogueReader, registry: Registry): () => Promise<void> {
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] })
  const available = gauge('rinex_catalogue_available', 'Whether the catalogue can be read.')
  const seq = gauge('rinex_catalogue_seq', 'Number of the latest change of the catalogue.')
  const files = gauge('rinex_catalogue_files', 'Files in the catalogue.', ['area'])
  return async () => {
    try {
      const { head, areas } = await reader.summary()
      seq.set(head.seq)
      for (const [area, counts] of Object.entries(areas)) files.set({ area }, counts.files)
      available.set(1)
    } catch (error) {
      if (!(error instanceof CatalogueUnavailable)) throw error
      available.set(0)
    }
  }
}
