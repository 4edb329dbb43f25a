/** Serves the status of the indexer and the catalogue. */
import type { FastifyInstance } from 'fastify'
import { CatalogueUnavailable } from '../../catalogue/errors.ts'
import type { CatalogueReader } from '../../catalogue/questions/reader.ts'
import type { ArchiveContext } from '../archive/route.ts'
import { serialiseDisk } from '../archive/serialise.ts'
import { serviceLines } from '../archive/service-lines.ts'
import type { DownloadsContext } from '../downloads/served-files.ts'
import type { ApiContext } from '../http/context.ts'
import { digest } from '../http/context.ts'
import { retryAfterSeconds } from '../http/errors.ts'
import { addResource } from '../http/resource.ts'
import { sendJson } from '../http/send.ts'
import { layOut } from '../pages/layout.ts'
import { addAnswer } from '../resources/answer.ts'
import { renderStatus } from './page.ts'
import { statusSchema } from './schema.ts'
import { problemsOf, serialiseStatus, serialiseUnserved } from './serialise.ts'

export function addStatus(app: FastifyInstance, context: DownloadsContext & ArchiveContext): void {
  const { archive, reader, indexerStatus, settings, unservedFiles } = context
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
    read: async (_asked, _state, requester) => {
      const [summary, indexer, disks, recent] = await Promise.all([
        reader.summary(undefined, requester),
        indexerStatus(),
        archive.recentDisks(),
        archive.flags.read(),
      ])
      const { version, problems } = settings
      const isPublic = problems === 'public'
      const status = {
        ...serialiseStatus(summary, indexer, { version, recent, withPaths: isPublic }),
        unserved: serialiseUnserved(unservedFiles, isPublic),
        disks: disks.map(serialiseDisk),
      }
      return {
        version: digest(JSON.stringify(status)),
        bodies: {
          json: () => status,
          html: () => {
            const service = serviceLines(summary, indexer, { recent, isPublic })
            const page = renderStatus(status, {
              layout: settings.layout,
              problems: problemsOf(indexer),
              service,
              isPublic,
            })
            return layOut(page, context.site())
          },
        },
      }
    },
  })
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
