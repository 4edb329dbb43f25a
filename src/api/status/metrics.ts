/** The metrics of the API, the catalogue and the indexer, for Prometheus. */
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Counter, Registry } from 'prom-client'
import { CatalogueUnavailable, isTemporary } from '../../catalogue/errors.ts'
import type { CatalogueSummary } from '../../catalogue/questions/summary.ts'
import type { ArchiveReader } from '../archive/archive-reader.ts'
import type { ArchiveDisk } from '../archive/disks.ts'
import { rejections } from '../connections/connection-limiter.ts'
import { unservedReasons } from '../downloads/schema.ts'
import { countRequests } from '../http/access-log.ts'
import { addResource } from '../http/resource.ts'
import type { ApiDeps } from '../http/settings.ts'
import type { AsOfReader } from '../series/as-of-reader.ts'
import type { NetworkStatusCache } from '../series/network-status.ts'
import {
  catalogueRows,
  createGauges,
  flagRows,
  scrapeRows,
  storageRows,
  volumeRows,
} from './gauges.ts'

interface MetricsDeps extends ApiDeps {
  readonly archive: ArchiveReader
  readonly asOfReader: AsOfReader
  readonly network: NetworkStatusCache
}

/** The metrics of a server, for Prometheus. docs/monitor.md explains them. */
export type Metrics = ReturnType<typeof createMetrics>

/** Milliseconds that a scrape waits for summary and volumes; then it uses the previous ones. */
const summaryTimeoutMs = 1000

/** Gauges keep their values while the catalogue cannot be read. */
export function createMetrics(deps: MetricsDeps) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  // Removes three default gauges: their names end in `_total`, which `promtool check metrics`
  // rejects for gauges. The same gauges by type stay.
  for (const name of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`nodejs_active_${name}_total`)
  const showCatalogue = createGauges(registry, catalogueRows)
  const showStorage = createGauges(registry, storageRows)
  const showScrape = createGauges(registry, scrapeRows)
  const showVolumes = createGauges(registry, volumeRows)
  const showFlags = createGauges(registry, flagRows)
  const readVolumes = latest(() => deps.archive.volumesNow())
  const readFlags = latest(() => deps.archive.flags.read())
  const readCatalogue = createCatalogueState(deps)
  return {
    observe: countRequests(registry),
    rejected: countByReason(registry, rejections, {
      name: 'rinex_clients_turned_away_total',
      help: 'Rejected connections and requests.',
    }),
    fileUnavailable: countByReason(registry, unservedReasons, {
      name: 'rinex_files_not_served_total',
      help: '404 responses for files that are in the catalogue.',
    }),
    contentType: registry.contentType,
    /** All metrics in the text format of Prometheus. */
    async text(): Promise<string> {
      const [catalogue, volumes, flags, storage, disks, known, reply, ofIndexer] =
        await Promise.all([
          readCatalogue(),
          readVolumes(),
          readFlags(),
          deps.reader.storage().catch(unlessTemporary),
          deps.archive.disks.read(),
          deps.network.ifLoaded().catch(unlessTemporary),
          deps.indexerStatus(),
          deps.indexerMetrics(),
        ])
      const indexer = reply?.state === 'unknown' ? undefined : reply
      if (catalogue.summary !== undefined) showCatalogue(catalogue.summary)
      if (volumes !== undefined) showVolumes(volumes)
      if (flags !== undefined) showFlags(flags)
      if (storage !== undefined) showStorage(storage)
      showScrape({
        ...catalogue,
        version: deps.settings.version,
        indexer,
        disks: { database: storage?.disk, ...spaceByName(disks) },
        states: known?.states ?? [],
        stations: known?.stations ?? new Map(),
        losses: known?.losses ?? [],
      })
      const own = await registry.metrics()
      return indexer === undefined ? own : own + ofIndexer
    },
  }
}

/** @returns what reads summary and as-of; what cannot be read stays as it was */
function createCatalogueState({ reader, asOfReader }: MetricsDeps) {
  let summary: CatalogueSummary | undefined
  let isAvailable = false
  let asOf = 0
  const readSummary = async (): Promise<void> => {
    try {
      summary = (await inTime(reader.summary())) ?? summary
      isAvailable = true
    } catch (error) {
      unlessTemporary(error)
      if (error instanceof CatalogueUnavailable) isAvailable = false
    }
  }
  const readAsOf = async (): Promise<boolean> => {
    const known = await asOfReader.of(await reader.head())
    asOf = known.seconds ?? 0
    return known.notCurrent === undefined
  }
  return async () => {
    const [isCurrent = false] = await Promise.all([
      readAsOf().catch(unlessTemporary),
      readSummary(),
    ])
    return { summary, isAvailable, isCurrent, asOf }
  }
}

/** @returns `undefined` if it takes too long */
function inTime<T>(read: Promise<T>): Promise<T | undefined> {
  return Promise.race([read, delay(summaryTimeoutMs, undefined, { ref: false })])
}

/** Reads something; what it read before if that takes too long, or cannot be read. */
function latest<T>(read: () => Promise<T | undefined>): () => Promise<T | undefined> {
  let known: T | undefined
  return async () => {
    known = (await inTime(read()).catch(unlessTemporary)) ?? known
    return known
  }
}

/** The space of each disk by its name, which is the first of what it holds. */
function spaceByName(disks: readonly ArchiveDisk[]) {
  return Object.fromEntries(disks.map(({ holds, space }) => [holds[0] ?? '', space] as const))
}

/** @throws the error if its cause does not end by itself */
function unlessTemporary(error: unknown): undefined {
  if (!isTemporary(error)) throw error
}

/** Counts by reason, from 0: `rate()` does not see the first increment of a new series. */
function countByReason<Reason extends string>(
  registry: Registry,
  reasons: readonly Reason[],
  described: { readonly name: string; readonly help: string },
): (reason: Reason) => void {
  const counter = new Counter({ ...described, labelNames: ['reason'], registers: [registry] })
  for (const reason of reasons) counter.inc({ reason }, 0)
  return (reason) => {
    counter.inc({ reason })
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
