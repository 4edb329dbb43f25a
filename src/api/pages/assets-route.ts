import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { packageRoot } from '../../runtime/package.ts'
import type { ApiContext } from '../http/context.ts'
import { addResource } from '../http/resource.ts'

/** They stay where they are written, since the compiler copies none: the same place from `src/` and `dist/`. */
const folder = join(packageRoot, 'src/api/pages/assets')

/** What pages load. A closed list, so that nothing else is reached whatever is asked for. */
const names = ['page.css', 'icon.svg']

export async function addAssets(
  app: FastifyInstance,
  { settings }: Pick<ApiContext, 'settings'>,
): Promise<void> {
  // Nobody needs a part of these, and a refused range would come without the length that there is (RFC 9110, 15.5.17).
  await app.register(fastifyStatic, { root: folder, serve: false, acceptRanges: false })
  for (const name of names) {
    addResource(app, {
      path: `/${settings.datasetPrefix}/assets/${name}`,
      get: (_request, reply) => reply.sendFile(name, { maxAge: '1h' }),
    })
  }
}
