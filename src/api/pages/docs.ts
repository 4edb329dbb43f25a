/** Serves the OpenAPI document, and the reference page that is made from it. */
import type { FastifyInstance } from 'fastify'
import { digest } from '../http/conditional-requests.ts'
import { isFresh, sendHtml, sendNotModified } from '../http/context.ts'
import type { ApiContext } from '../http/context.ts'
import type { Links } from '../http/links.ts'
import { contentType, negotiate } from '../http/negotiate.ts'
import { compressedVary } from '../http/compression.ts'
import { addResource } from '../http/resource.ts'
import { checkParameters } from '../parameters/request.ts'
import { makeDocument } from '../openapi/document.ts'
import { exampleRoot } from '../openapi/examples.ts'
import type { OpenApiDocument } from '../openapi/openapi.ts'
import { page, partial } from './layout.ts'
import { describeHeaders, describeObjects, describeOperations, paragraphs } from './reference.ts'
import { getDocs, getSchema } from './schema.ts'

interface Description {
  readonly links: Links
  readonly json: Buffer
  readonly page: string
  /** Digest of the document, for the ETag. */
  readonly state: string
}

type DocsContext = Pick<ApiContext, 'apiPath' | 'tag' | 'links' | 'settings'>

export function addSchema(app: FastifyInstance, context: DocsContext): void {
  const { apiPath, tag } = context
  const current = openDescription(app, context)
  const schemaFormats = ['json', 'openApi'] as const
  addResource(app, {
    path: `${apiPath}schema/`,
    schema: getSchema,
    about: { name: 'Schema', description: 'The description of all resources, as OpenAPI 3.1.' },
    formats: schemaFormats,
    get: (request, reply) => {
      const format = negotiate(schemaFormats, request, reply)
      // The document is large, so JSON is compressed too.
      reply.header('vary', compressedVary)
      checkParameters(request, reply)
      const { json, state } = current()
      if (isFresh(request, reply, tag(state, format))) return sendNotModified(reply)
      return reply.header('content-type', contentType(format)).send(json)
    },
  })
  addResource(app, {
    path: `${apiPath}docs/`,
    schema: getDocs,
    about: { name: 'Docs', description: 'The description of all resources, as a page.' },
    formats: ['html'],
    get: (request, reply) => {
      negotiate(['html'], request, reply)
      checkParameters(request, reply)
      const { page, state } = current()
      if (isFresh(request, reply, tag(state, 'html'))) return sendNotModified(reply)
      return sendHtml(reply, page)
    },
  })
}

/**
 * Returns a function that builds the description on the first request and then caches it, because
 * the base URL is known only when the server listens.
 */
function openDescription(
  app: FastifyInstance,
  { links, settings }: DocsContext,
): () => Description {
  let made: Description | undefined
  return () => {
    if (made?.links !== links()) {
      const root = links().api.replace(/\/api\/$/, '')
      const document = makeDocument(app.resources, settings)
      const json = JSON.stringify(document).replaceAll(exampleRoot, root)
      const page = renderDocs(JSON.parse(json) as OpenApiDocument)
      made = { links: links(), json: Buffer.from(json), page, state: digest(json) }
    }
    return made
  }
}

partial(
  'rows',
  `<div class="wide" tabindex="0">
<table>
<caption><%= it.caption %></caption>
<thead>
<tr><th scope="col">Name</th><th scope="col">Value</th><th scope="col">Meaning</th><% if (it.hasExamples) { %><th scope="col">Example</th><% } %></tr>
</thead>
<tbody>
<% for (const row of it.rows) { %>
<tr>
<th scope="row"><code><%= row.name %></code></th>
<td class="prose"><%= row.type %></td>
<td class="prose"><%~ include('@prose', { text: row.meaning }) %></td>
<% if (it.hasExamples) { %><td><code><%= row.example %></code></td><% } %>
</tr>
<% } %>
</tbody>
</table>
</div>
`,
)

partial(
  'content',
  `<% for (const content of it.contents) { %>
<% if (content.fields.length > 0) { %>
<%~ include('@rows', { caption: content.type + (content.schema ? ', ' + content.schema : ''), rows: content.fields, hasExamples: false }) %>
<% } else { %><p><code><%= content.type %></code></p><% } %>
<% if (content.example !== '') { %><pre tabindex="0"><code><%= content.example %></code></pre><% } %>
<% } %>
`,
)

partial(
  'answers',
  `<h4>Responses</h4>
<div class="wide" tabindex="0">
<table>
<caption>By status</caption>
<thead>
<tr><th scope="col">Status</th><th scope="col">When</th><th scope="col">Headers</th></tr>
</thead>
<tbody>
<% for (const answer of it.answers) { %>
<tr>
<th scope="row"><%= answer.status %></th>
<td class="prose"><%~ include('@prose', { text: answer.description }) %></td>
<td class="prose"><%= answer.headers.map(({ name }) => name).join(', ') %></td>
</tr>
<% } %>
</tbody>
</table>
</div>
<% for (const answer of it.answers) { if (!answer.isError && answer.contents.length > 0) { %>
<h5><%= answer.status %></h5>
<%~ include('@content', { contents: answer.contents }) %>
<% } } %>
`,
)

partial(
  'operation',
  `<section>
<h3 id="<%= it.id %>"><%= it.summary %></h3>
<p class="request"><code><strong><%= it.method %></strong> <%= it.path %></code></p>
<% for (const text of it.paragraphs) { %><p><%~ include('@prose', { text }) %></p>
<% } %>
<% if (it.isForAdministrators) { %><p>For administrators: <code>Authorization: Bearer TOKEN</code></p><% } %>
<% for (const source of it.samples) { %><pre tabindex="0"><code><%= source %></code></pre>
<% } %>
<% for (const { caption, rows } of it.parameters) { %>
<%~ include('@rows', { caption, rows, hasExamples: true }) %>
<% } %>
<% if (it.body.length > 0) { %><h4>Body</h4>
<%~ include('@content', { contents: it.body }) %><% } %>
<%~ include('@answers', it) %>
</section>
`,
)

const template = `<% for (const text of it.introduction) { %><p><%~ include('@prose', { text }) %></p>
<% } %>
<p>All paths are relative to <code><%= it.server %></code>. For programs:
<a href="../schema/?format=json">OpenAPI <%= it.openapi %></a>.</p>
<nav aria-label="Contents">
<dl>
<% for (const tag of it.tags) { %>
<dt><%= tag.name %></dt>
<dd><% for (const operation of tag.operations) { %><a href="#<%= operation.id %>"><%= operation.summary %></a> <% } %></dd>
<% } %>
<dt>Shared</dt>
<dd><a href="#objects">Objects</a> <a href="#headers">Headers</a></dd>
</dl>
</nav>
<% for (const tag of it.tags) { %>
<h2><%= tag.name %></h2>
<p><%= tag.description %></p>
<% for (const operation of tag.operations) { %><%~ include('@operation', operation) %><% } %>
<% } %>
<h2 id="objects">Objects</h2>
<% for (const object of it.objects) { %>
<h3><%= object.name %></h3>
<p><%~ include('@prose', { text: object.description }) %></p>
<% if (object.fields.length > 0) { %><%~ include('@rows', { caption: 'Fields', rows: object.fields, hasExamples: false }) %><% } %>
<% if (object.values.length > 0) { %><dl>
<% for (const { id, value, meaning } of object.values) { %><dt id="<%= id %>"><code><%= value %></code></dt>
<dd><%~ include('@prose', { text: meaning }) %></dd>
<% } %></dl><% } %>
<% } %>
<h2 id="headers">Headers of responses</h2>
<%~ include('@rows', { caption: 'Shared headers', rows: it.headers, hasExamples: true }) %>
`

const render = page('docs', template)

function renderDocs(document: OpenApiDocument): string {
  const frame = {
    title: 'API reference',
    section: 'docs',
    up: '../',
    json: '../schema/?format=json',
  }
  return render(frame, {
    introduction: paragraphs(document.info.description),
    server: document.servers[0]?.url ?? '',
    openapi: document.openapi,
    tags: describeOperations(document),
    objects: describeObjects(document),
    headers: describeHeaders(document),
  })
}
