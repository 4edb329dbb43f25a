/** Serves the status of the indexer and the catalogue. */
import type { FastifyInstance } from 'fastify'
import { CatalogueUnavailable, isTemporary } from '../../catalogue/errors.ts'
import type { CatalogueReader } from '../../catalogue/questions/reader.ts'
import type { CatalogueSummary } from '../../catalogue/questions/summary.ts'
import type { ScanSummary } from '../../catalogue/records.ts'
import type { Asker } from '../../catalogue/turns.ts'
import type { StatusReply } from '../../control-socket/client.ts'
import { microsecondsToIso } from '../../parse/calendar.ts'
import { readableDuration } from '../../runtime/readable.ts'
import type { ArchiveContext } from '../archive/route.ts'
import { serialiseDisk } from '../archive/serialise.ts'
import { problemLinks } from '../archive/service-lines.ts'
import type { DownloadsContext } from '../downloads/unserved-files.ts'
import type { ApiContext } from '../http/context.ts'
import { digest } from '../http/context.ts'
import { retryAfterSeconds } from '../http/errors.ts'
import { addResource } from '../http/resource.ts'
import { sendJson } from '../http/send.ts'
import { layOut } from '../pages/layout.ts'
import { addAnswer } from '../resources/answer.ts'
import { renderStatus } from './page.ts'
import { statusSchema } from './schema.ts'
import { newestOf, problemsOf, serialiseStatus, serialiseUnserved } from './serialise.ts'

export function addStatus(app: FastifyInstance, context: DownloadsContext & ArchiveContext): void {
  const { archive, reader, indexerStatus, settings, unservedFiles, nowUs } = context
  addAnswer(app, context, {
    path: 'status/',
    formats: ['json', 'html'],
    operation: {
      id: 'getStatus',
      tag: 'Service',
      name: 'Status',
      summary: 'Get the status',
      about: 'The state of the indexer, and the content of the catalogue.',
      returns: 'The status. Its `ETag` is a digest of its content.',
      samples: ['status/?format=json'],
    },
    bodies: { json: statusSchema },
    // The state of the indexer changes without a new seq.
    state: () => undefined,
    read: async ({ format }, _state, requester) => {
      const [summary, indexer, disks] = await Promise.all([
        reader.summary(undefined, requester),
        indexerStatus(),
        archive.recentDisks(),
      ])
      const isPublic = settings.problems === 'public'
      const status = {
        ...serialiseStatus(summary, indexer, settings.version, isPublic),
        unserved: serialiseUnserved(unservedFiles, isPublic),
        disks: disks.map(serialiseDisk),
      }
      const { lastScan } = summary
      const isScanning = status.scan !== null
      const recent = { reader, nowUs: nowUs(), lastScan, asker: requester, isScanning }
      const arrivals = format === 'html' ? await arrivalsPerMinute(recent) : undefined
      const age = format === 'html' ? newestAge(summary, nowUs()) : undefined
      return {
        version: digest(JSON.stringify([status, arrivals, age])),
        bodies: {
          json: () => status,
          html: () => {
            const problems = problemsOf(indexer)
            const problemKinds = problemLinks(summary, isPublic)
            const started = startOf(indexer)
            const options = { problems, started, arrivals, age, problemKinds, isPublic }
            const page = renderStatus(status, options)
            return layOut(page, context.site())
          },
        },
      }
    },
  })
}

/** When the process of the indexer started. */
function startOf(reply: StatusReply): string | null {
  return reply === undefined || reply.state === 'unknown'
    ? null
    : microsecondsToIso(reply.startedUs)
}

/** How long ago the newest file was listed; `undefined` without files, or after now. */
function newestAge(summary: CatalogueSummary, nowUs: number): string | undefined {
  const newestUs = newestOf(summary)
  if (newestUs === undefined || newestUs > nowUs) return undefined
  return readableDuration((nowUs - newestUs) / 1e6)
}

/** Number of minutes over which the mean of new records is taken. */
const minutes = 10

/** Files that a recent scan may have added; counting more would read too many index entries. */
const maxScanned = 10_000

interface RecentRecords {
  readonly reader: Pick<CatalogueReader, 'page'>
  readonly nowUs: number
  readonly isScanning: boolean
  readonly asker?: Asker
  readonly lastScan: ScanSummary | undefined
}

/** New records a minute; `undefined` while a scan runs, after a large one, or without answer. */
export async function arrivalsPerMinute(recent: RecentRecords): Promise<number | undefined> {
  const { reader, nowUs, isScanning, lastScan, asker } = recent
  const fromUs = nowUs - minutes * 60e6
  const isAfterScan =
    lastScan !== undefined && lastScan.endedUs > fromUs && lastScan.added > maxScanned
  if (isScanning || isAfterScan) return undefined
  try {
    const query = { filter: { created: { fromUs } }, limit: 1, offset: 0 }
    const { count } = await reader.page(query, asker)
    return count / minutes
  } catch (error) {
    if (!isTemporary(error)) throw error
    return undefined
  }
}

export function addHealth(app: FastifyInstance, { reader }: ApiContext): void {
  addResource(app, {
    path: '/healthz',
    get: (_request, reply) => sendJson(reply.header('cache-control', 'no-store'), { status: 'ok' }),
  })
  addResource(app, {
    path: '/readyz',
    get: async (_request, reply) => {
      reply.header('cache-control', 'no-store')
      const reason = await reasonNotReady(reader)
      if (reason === undefined) return sendJson(reply, { status: 'ready' })
      return sendJson(reply.code(503).header('retry-after', String(retryAfterSeconds)), {
        status: 'not ready',
        reason,
      })
    },
  })
}

/** Why the service is not ready. During the first scan the list is served, but not complete. */
async function reasonNotReady(reader: CatalogueReader): Promise<string | undefined> {
  try {
    return (await reader.lastScan()) === undefined ? 'the first scan has not ended' : undefined
  } catch (error) {
    if (error instanceof CatalogueUnavailable) return 'the catalogue cannot be read'
    throw error
  }
}
