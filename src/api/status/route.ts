import type { MissingFiles } from '../downloads/missing-files.ts'
import type { FastifyInstance } from 'fastify'
import type { CatalogueSummary, RejectionCount } from '../../catalogue/records.ts'
import { isFresh, sendHtml, sendJson, sendNotModified } from '../http/context.ts'
import type { ApiContext } from '../http/context.ts'
import { digest } from '../http/conditional-requests.ts'
import { negotiate } from '../http/negotiate.ts'
import { arrivalsPerMinute } from './arrivals.ts'
import { renderStatus } from './page.ts'
import { addResource } from '../http/resource.ts'
import * as schemas from './schema.ts'
import { describeStatus } from './serialise.ts'

interface StatusContext extends Pick<
  ApiContext,
  'apiPath' | 'reader' | 'indexerStatus' | 'settings' | 'tag' | 'nowUs'
> {
  readonly missingFiles: MissingFiles
}

export function addStatus(app: FastifyInstance, context: StatusContext): void {
  const { reader, indexerStatus, settings, tag, missingFiles, nowUs } = context
  app.addSchema(schemas.rejectionSchema).addSchema(schemas.statusSchema)
  addResource(app, {
    schema: schemas.getStatus,
    path: `${context.apiPath}status/`,
    about: {
      name: 'Status',
      description: 'The state of the indexer, and the content of the catalogue.',
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
      const isPage = representation === 'html'
      const arrivals = isPage
        ? await arrivalsPerMinute({
            ...{ reader, nowUs: nowUs(), lastScan: known.lastScan },
            isScanning: status.scan !== null,
          })
        : undefined
      // The state of the indexer changes without a new seq, so the tag is a digest of all that is shown.
      const state = digest(JSON.stringify([status, arrivals]))
      if (isFresh(request, reply, tag(state, representation))) return sendNotModified(reply)
      return isPage
        ? sendHtml(reply, renderStatus(status, { arrivals, isPublic }))
        : sendJson(reply, status)
    },
  })
}

/** Removes paths from the summary, if they are not public. */
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
