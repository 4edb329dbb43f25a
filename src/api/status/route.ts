import type { MissingFiles } from '../downloads/missing-files.ts'
import type { FastifyInstance } from 'fastify'
import { NotBuilt, QueryTimeout, TooManyQueries } from '../../catalogue/reader.ts'
import type { CatalogueReader } from '../../catalogue/reader.ts'
import type { CatalogueSummary, RejectionCount, ScanSummary } from '../../catalogue/records.ts'
import { isFresh, sendHtml, sendJson, sendNotModified } from '../http/context.ts'
import type { ApiContext } from '../http/context.ts'
import { digest } from '../http/conditional-requests.ts'
import { negotiate } from '../http/negotiate.ts'
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

/** The number of new records is a mean of this time. */
const minutes = 10

/** A scan that has just added more files is not counted: the count would read an entry of the index for each of them. */
const maxScanned = 10_000

interface Arrivals {
  readonly reader: Pick<CatalogueReader, 'page'>
  readonly nowUs: number
  readonly isScanning: boolean
  readonly lastScan: ScanSummary | undefined
}

/**
 * New records a minute, mean of the last ten minutes. `undefined` while a scan runs or its index is built, after a large scan,
 * and when the query would have to wait.
 */
export async function arrivalsPerMinute({
  reader,
  nowUs,
  isScanning,
  lastScan,
}: Arrivals): Promise<number | undefined> {
  const fromUs = nowUs - minutes * 60e6
  const isAfterScan =
    lastScan !== undefined && lastScan.endedUs > fromUs && lastScan.added > maxScanned
  if (isScanning || isAfterScan) return undefined
  try {
    const { count } = await reader.page({ filter: { created: { fromUs } }, limit: 1, offset: 0 })
    return count / minutes
  } catch (error) {
    if (
      error instanceof NotBuilt ||
      error instanceof QueryTimeout ||
      error instanceof TooManyQueries
    )
      return undefined
    throw error
  }
}
