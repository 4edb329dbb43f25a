/** Serves the stylesheet, the script and the icon of the HTML pages. */
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { packageRoot } from '../../runtime/program.ts'
import type { ApiContext } from '../http/context.ts'
import { addResource } from '../http/resource.ts'

/** The compiler does not copy assets, so `dist/` uses this folder too. */
const folder = join(packageRoot, 'src/api/pages/assets')

/** The assets of the HTML pages. Each has a route, so no other file can be reached. */
const names = ['page.css', 'page.js', 'icon.svg']

export async function addAssets(
  app: FastifyInstance,
  { settings }: Pick<ApiContext, 'settings'>,
): Promise<void> {
  // Ranges are off, because a 416 of this plugin has no `Content-Range` (RFC 9110, 15.5.17), and small files need no ranges.
  await app.register(fastifyStatic, { root: folder, serve: false, acceptRanges: false })
  for (const name of names) {
    addResource(app, {
      path: `/${settings.datasetPrefix}/assets/${name}`,
      get: (_request, reply) => reply.sendFile(name, { maxAge: '1h' }),
    })
  }
}
