/** Serves the root of the API: the list of its resources; leads browsers to the first page. */
import { page } from './layout.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isFresh, sendHtml, sendJson, sendNotModified } from '../http/context.ts'
import type { ApiContext } from '../http/context.ts'
import { resourceUrl } from '../http/links.ts'
import { relativeUrl } from '../http/request-target.ts'
import type { ResourceName } from '../http/links.ts'
import { negotiate, prefersHtml } from '../http/negotiate.ts'
import { addResource } from '../http/resource.ts'
import { checkParameters } from '../parameters/request.ts'
import { getRoot } from './schema.ts'

const template = `<p>A catalogue of the RINEX files of a GNSS archive, with links to download them.</p>
<dl>
<% for (const resource of it.resources) { %>
<dt><a href="<%= resource.url %>"><%= resource.name %></a></dt>
<dd><%= resource.description %></dd>
<% } %>
</dl>
`

interface ListedResource {
  readonly name: string
  readonly url: string
  readonly description: string
}

const render = page('root', template)

function renderRoot(resources: readonly ListedResource[]): string {
  return render({ title: 'Overview', up: '', json: '?format=json' }, { resources })
}

/** The descriptions of the resources, in the order in which the API root lists them. */
const descriptions: Readonly<Record<ResourceName, string>> = {
  network: 'The network at a glance: today, the last four weeks, and who is late.',
  'rinex-file': 'The files, newest record first, with links to download them.',
  station: 'The stations of the files, with their first and last dates.',
  series: 'The series of the stations: present, late, down or silent, and how complete they are.',
  missing: 'The files that are expected and not there, for backfilling.',
  report: 'A GPS week: what each station delivered, in time or not.',
  alerts: 'The alerts that are open: series that are late or down.',
  changes: 'New, replaced and removed files, in the order of the changes, for mirrors.',
  status: 'The state of the indexer, and the content of the catalogue.',
  schema: 'The OpenAPI 3.1 document, for programs.',
  docs: 'The API reference, for people.',
}

export function addRoot(
  app: FastifyInstance,
  { apiPath, links, tag }: Pick<ApiContext, 'apiPath' | 'links' | 'tag'>,
): void {
  addResource(app, {
    path: apiPath,
    schema: getRoot,
    about: { name: 'Api Root', description: 'The resources of this service.' },
    get: (request, reply) => {
      const representation = negotiate(['json', 'html'], request, reply)
      checkParameters(request, reply)
      // The root does not depend on the catalogue.
      if (isFresh(request, reply, tag('root', representation))) return sendNotModified(reply)
      const resources = Object.entries(descriptions).map(([name, description]) => ({
        name,
        description,
        url: resourceUrl(links(), name as ResourceName),
      }))
      if (representation === 'html') return sendHtml(reply, renderRoot(resources))
      return sendJson(reply, Object.fromEntries(resources.map(({ name, url }) => [name, url])))
    },
  })
}

/**
 * Redirects a browser that requests `/` or the dataset prefix, with or without its slash, to the
 * page of the network. Returns false for every other request: for programs, nothing is at these
 * paths.
 */
export function openEntrances({ apiPath, settings }: Pick<ApiContext, 'apiPath' | 'settings'>) {
  const prefix = `/${settings.datasetPrefix}`
  return (request: FastifyRequest, reply: FastifyReply): boolean => {
    const [path = ''] = (request.raw.url ?? '').split('?', 1)
    if (!['/', prefix, `${prefix}/`].includes(path)) return false
    reply.header('vary', 'Accept')
    if (!['GET', 'HEAD'].includes(request.method) || !prefersHtml(request)) return false
    const location = relativeUrl(request.originalUrl, `${apiPath}network/?format=api`)
    void reply.code(303).header('location', location).send()
    return true
  }
}
