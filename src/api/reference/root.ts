/** Serves the root of the API: the list of its resources; leads browsers to the first page. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ApiContext, Links } from '../http/context.ts'
import { resourceNames, resourceUrl } from '../http/context.ts'
import { prefersHtml } from '../http/formats.ts'
import { relativeUrl } from '../http/http-server.ts'
import { exampleLinks } from '../openapi/openapi.ts'
import * as schema from '../openapi/schema.ts'
import { page } from '../pages/layout.ts'
import { addAnswer } from '../resources/answer.ts'

const render = page(
  'root',
  `<p>A catalogue of the RINEX files of a GNSS archive, with links to download them.</p>
<dl>
<% for (const resource of it.resources) { %>
<dt><a href="<%= resource.url %>"><%= resource.name %></a></dt>
<dd><%= resource.description %></dd>
<% } %>
</dl>
`,
)

const rootSchema = schema.component(
  'Root',
  'The URLs of the resources.',
  Object.fromEntries(resourceNames.map((name) => [name, schema.url(`The resource \`${name}\`.`)])),
)

const urlsOf = (links: Links) =>
  Object.fromEntries(resourceNames.map((name) => [name, resourceUrl(links, name)]))

export function addRoot(app: FastifyInstance, context: ApiContext): void {
  const { apiPath, links } = context
  const described = (name: string, url: string) => {
    const resource = app.resources.find(({ path }) => path === `${apiPath}${name}/`)
    return { name, url, description: resource?.schema?.about?.description }
  }
  addAnswer(app, context, {
    path: '',
    formats: ['json', 'html'],
    operation: {
      id: 'getRoot',
      tag: 'Service',
      name: 'Api Root',
      summary: 'List the resources',
      about: 'The resources of this service.',
      returns: 'The URLs of the resources.',
      errors: [],
      samples: [''],
    },
    bodies: { json: { schema: rootSchema, example: urlsOf(exampleLinks) } },
    // The root does not depend on the catalogue.
    state: () => ({ version: 'root' }),
    read: () => {
      const urls = urlsOf(links())
      const resources = Object.entries(urls).map(([name, url]) => described(name, url))
      const frame = { title: 'Overview', section: '.', up: '', json: '?format=json' }
      return { bodies: { json: () => urls, html: () => render(frame, { resources }) } }
    },
  })
}

/** Redirects a browser from `/` or the dataset prefix to the network; false for all others. */
export function createEntrances({ apiPath, settings }: ApiContext) {
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
