import type { MissingFiles } from '../downloads/missing-files.ts'
import type { FastifyInstance } from 'fastify'
import type { CatalogueSummary, RejectionCount } from '../../catalogue/records.ts'
import { isFresh, sendHtml, sendJson, sendNotModified } from '../http/context.ts'
import type { ApiContext } from '../http/context.ts'
import { digest } from '../http/etag.ts'
import { negotiate } from '../http/negotiate.ts'
import { renderStatus } from './page.ts'
import { addResource } from '../http/resource.ts'
import * as schemas from './schema.ts'
import { describeStatus } from './serialise.ts'

interface StatusContext extends Pick<
  ApiContext,
  'apiPath' | 'reader' | 'indexerStatus' | 'settings' | 'tag'
> {
  readonly missingFiles: MissingFiles
}

export function addStatus(app: FastifyInstance, context: StatusContext): void {
  const { reader, indexerStatus, settings, tag, missingFiles } = context
  app.addSchema(schemas.rejectionSchema).addSchema(schemas.statusSchema)
  addResource(app, {
    schema: schemas.getStatus,
    path: `${context.apiPath}status/`,
    about: {
      name: 'Status',
      description: 'What the indexer is doing, and what the catalogue holds.',
    },
    get: async (request, reply) => {
      const representation = negotiate(request, reply)
      const [known, indexer] = await Promise.all([reader.summary(), indexerStatus()])
      const isPublic = settings.problems === 'public'
      const summary = isPublic ? known : withoutPaths(known)
      const status = {
        ...describeStatus(summary, indexer, settings.version),
        unserved: { ...missingFiles.wire(), ...(isPublic ? {} : { latest: [] }) },
      }
      // The indexer has news without a change of the catalogue, so the tag is that of the whole answer.
      const state = digest(JSON.stringify(status))
      if (isFresh(request, reply, tag(state, representation))) return sendNotModified(reply)
      return representation === 'html'
        ? sendHtml(reply, renderStatus(status))
        : sendJson(reply, status)
    },
  })
}

/** The counts alone, where the paths of problems are not public. */
function withoutPaths(summary: CatalogueSummary): CatalogueSummary {
  const { incomplete, checksums, rejected } = summary
  const without = (count: RejectionCount): RejectionCount => ({ ...count, examples: [] })
  return {
    ...summary,
    incomplete: without(incomplete),
    checksums: { ...checksums, broken: without(checksums.broken) },
    rejected: rejected.map(without),
  }
}
