/**
 * Health checks for monitoring: `/healthz` (the process is alive) and `/readyz` (the catalogue is
 * complete).
 */
import type { FastifyInstance } from 'fastify'
import { CatalogueMigrating, CatalogueUnavailable } from '../../catalogue/reader-errors.ts'
import type { CatalogueReader } from '../../catalogue/reader.ts'
import { send } from '../http/context.ts'
import type { ApiContext } from '../http/context.ts'
import { retryAfterSeconds } from '../http/errors.ts'
import { addResource } from '../http/resource.ts'

export function addHealth(app: FastifyInstance, { reader }: ApiContext): void {
  addResource(app, {
    path: '/healthz',
    get: (_request, reply) =>
      send(reply.header('cache-control', 'no-store'), 'json', { status: 'ok' }),
  })
  addResource(app, {
    path: '/readyz',
    get: async (_request, reply) => {
      reply.header('cache-control', 'no-store')
      const reason = await reasonNotReady(reader)
      if (reason === undefined) return send(reply, 'json', { status: 'ready' })
      return send(reply.code(503).header('retry-after', String(retryAfterSeconds)), 'json', {
        status: 'not ready',
        reason,
      })
    },
  })
}

/**
 * Returns the reason why the service is not ready; `undefined` if it is ready. During the first
 * scan the list is served, but it is not complete.
 */
async function reasonNotReady(reader: CatalogueReader): Promise<string | undefined> {
  try {
    return (await reader.lastScan()) === undefined ? 'the first scan has not ended' : undefined
  } catch (error) {
    if (error instanceof CatalogueMigrating) return error.message
    if (error instanceof CatalogueUnavailable) return 'the catalogue cannot be read'
    throw error
  }
}
