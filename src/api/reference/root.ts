/** Serves the root of the API: the list of its resources; leads browsers to it. */
import type { FastifyInstance } from 'fastify'
import type { ApiContext, Links } from '../http/context.ts'
import { resourceNames, resourceUrl } from '../http/context.ts'
import { negotiate, send } from '../http/formats.ts'
import { relativeUrl } from '../http/http-server.ts'
import { addResource } from '../http/resource.ts'
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

/** `/` and the dataset prefix lead browsers to the start page; other clients get the root there. */
export function addEntrances(app: FastifyInstance, { apiPath, settings, links }: ApiContext): void {
  for (const path of ['/', `/${settings.datasetPrefix}/`])
    addResource(app, {
      path,
      get: (request, reply) => {
        reply.header('vary', 'Accept')
        const format = negotiate(['json', 'html'], request, reply)
        if (format === 'json') return send(reply, 'json', urlsOf(links()))
        const location = relativeUrl(request.originalUrl, `${apiPath}?format=api`)
        return reply.code(303).header('location', location).send()
      },
    })
}
