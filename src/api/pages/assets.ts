/** The stylesheet, the script and the icon of HTML pages. */
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

/** Where browsers look for the icon of everything that does not name one, for example JSON. */
const iconPath = '/favicon.ico'

export async function addAssets(app: FastifyInstance, { settings }: ApiContext): Promise<void> {
  // Ranges are off, because a 416 of this plugin has no `Content-Range` (RFC 9110, 15.5.17), and
  // small files need no ranges.
  await app.register(fastifyStatic, { root: folder, serve: false, acceptRanges: false })
  const assets = names.map((name) => [`/${settings.datasetPrefix}/assets/${name}`, name] as const)
  for (const [path, name] of [...assets, [iconPath, 'icon.svg'] as const])
    addResource(app, {
      path,
      get: (_request, reply) =>
        reply.header('vary', 'Accept-Encoding').sendFile(name, { maxAge: '1h' }),
    })
}
