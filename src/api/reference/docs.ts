/** Serves the OpenAPI document, and the reference page that is made from it. */
import type { FastifyInstance } from 'fastify'
import { digest } from '../http/context.ts'
import type { ApiContext, Links } from '../http/context.ts'
import { compressedVary } from '../http/formats.ts'
import { makeDocument } from '../openapi/document.ts'
import { exampleRoot } from '../openapi/openapi.ts'
import type { OpenApiDocument } from '../openapi/openapi.ts'
import { exampleWords } from '../openapi/parameters.ts'
import type { SampleWords } from '../openapi/parameters.ts'
import * as schema from '../openapi/schema.ts'
import { page, partial } from '../pages/eta.ts'
import type { Page } from '../pages/layout.ts'
import { layOut } from '../pages/layout.ts'
import { addAnswer } from '../resources/answer.ts'
import {
  describeHeaders,
  describeObjects,
  describeOperations,
  describeResponses,
  paragraphs,
} from './reference.ts'
import type { Writing } from './reference.ts'
import { findWords, firstSteps, runnable } from './samples.ts'
import type { Sample } from './samples.ts'

interface Description {
  readonly links: Links
  readonly json: string
  readonly state: string
}

const part = (description: string): schema.Schema<object> => ({
  type: 'object',
  description,
  additionalProperties: true,
  examples: [{}],
})

const body = schema.component(
  'OpenApi',
  'An OpenAPI document; only its main parts are named here.',
  {
    openapi: schema.text('Version of the specification.', '3.1.1', {
      pattern: String.raw`^3\.1\.`,
    }),
    info: part('The title, version and description.'),
    paths: part('The operations by path.'),
    components: part('The shared schemas, responses and headers.'),
  },
)

export function addSchema(app: FastifyInstance, context: ApiContext): void {
  const { current, jsonWith } = createDescription(app, context)
  addAnswer(app, context, {
    path: 'schema/',
    formats: ['json', 'openApi'],
    operation: {
      id: 'getSchema',
      tag: 'Service',
      name: 'Schema',
      summary: 'OpenAPI document',
      about: 'The description of all resources, as OpenAPI 3.1.',
      returns: 'The document, in one of its two media types.',
      errors: [],
      samples: ['schema/'],
    },
    bodies: { json: body, openApi: body },
    // The document is large, so JSON is compressed too.
    state: () => ({ version: current().state, headers: { vary: compressedVary } }),
    read: () => {
      const json = () => current().json
      return { bodies: { json, openApi: json } }
    },
  })
  addAnswer(app, context, {
    path: 'docs/',
    formats: ['html'],
    operation: {
      id: 'getDocs',
      tag: 'Service',
      name: 'Docs',
      summary: 'API reference',
      about: 'The description of all resources, as a page.',
      returns: 'The page.',
      errors: [],
      samples: ['docs/'],
    },
    bodies: {},
    state: async () => {
      const words = await findWords(context.reader)
      return { words, version: digest(current().state + JSON.stringify(words)) }
    },
    read: (_asked, { words }) => {
      const document = JSON.parse(jsonWith(words)) as OpenApiDocument
      const page = renderDocs(document, words, context.links())
      return { bodies: { html: () => layOut(page, context.site()) } }
    },
  })
}

/** Builds the description on demand, because the base URL is known when the server listens. */
function createDescription(app: FastifyInstance, { links, settings }: ApiContext) {
  let made: Description | undefined
  const jsonWith = (words?: SampleWords): string => {
    const root = links().api.replace(/\/api\/$/, '')
    return JSON.stringify(makeDocument(app.resources, settings, words)).replaceAll(
      exampleRoot,
      root,
    )
  }
  const current = () => {
    if (made?.links !== links()) {
      const json = jsonWith()
      made = { links: links(), json, state: digest(json) }
    }
    return made
  }
  return { current, jsonWith }
}

partial(
  'content',
  `<% for (const { type, name, isKnown, table, example } of it.contents) { %>
<% if (isKnown) { %><p><code><%= type %></code>, <a href="#object-<%= name %>"><%= name %></a></p><% } else { %><div<% if (name) { %> id="object-<%= name %>"<% } %>><% if (table.rows.length > 0) { %><%~ include('@table', table) %><% } else { %><p><code><%= type %></code></p><% } %></div><% } %>
<% if (example !== '') { %><pre tabindex="0"><code><%= example %></code></pre><% } %>
<% } %>
`,
)

/** A command with what copies it, and a link to what it gets. */
partial(
  'sample',
  `<div class="command"><pre tabindex="0"><code><%= it.source %></code></pre><button type="button" class="copy" hidden>Copy</button><% if (it.run) { %> <a href="<%= it.run %>">Run</a><% } %></div>
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
<% for (const sample of it.samples) { %><%~ include('@sample', sample) %><% } %>
<% for (const table of it.parameters) { %><%~ include('@table', table) %><% } %>
<% if (it.body.length > 0) { %><h4>Body</h4>
<%~ include('@content', { contents: it.body }) %><% } %>
<h4>Responses</h4>
<%~ include('@table', it.answers) %>
<% if (it.shared.length > 0) { %><p>As <a href="#responses">everywhere</a>: <% for (const status of it.shared) { %><code><%= status %></code> <% } %></p>
<% } %>
<% for (const { status, contents } of it.successes) { %>
<h5><%= status %></h5>
<%~ include('@content', { contents }) %>
<% } %>
</section>
`,
)

const render = page(
  'docs',
  `<div class="reference">
<nav class="index" aria-label="Contents">
<p><a href="#first">First steps</a></p>
<% for (const tag of it.tags) { %><p><%= tag.name %></p>
<ul>
<% for (const operation of tag.operations) { %><li><a href="#<%= operation.id %>"><%= operation.summary %></a></li>
<% } %></ul>
<% } %>
<p>Shared</p>
<ul><li><a href="#rules">Rules</a></li><li><a href="#responses">Responses</a></li><li><a href="#objects">Objects</a></li><li><a href="#headers">Headers</a></li></ul>
</nav>
<div>
<p><%= it.introduction %> All paths are relative to <code><%= it.server %></code>. For programs: <a href="../schema/?format=json">OpenAPI <%= it.openapi %></a>.</p>
<h2 id="first">First steps</h2>
<% for (const { title, run, commands } of it.steps) { %><section class="step">
<h3><%= title %><% if (run) { %> <a href="<%= run %>">Run</a><% } %></h3>
<% for (const { language, source } of commands) { %><p><%= language %></p>
<%~ include('@sample', { source }) %><% } %>
</section>
<% } %>
<% for (const tag of it.tags) { %>
<h2><%= tag.name %></h2>
<p><%= tag.description %></p>
<% for (const operation of tag.operations) { %><%~ include('@operation', operation) %><% } %>
<% } %>
<h2 id="rules">Rules of all resources</h2>
<% for (const text of it.rules) { %><p><%~ include('@prose', { text }) %></p>
<% } %>
<h2 id="responses">Responses of many resources</h2>
<%~ include('@table', it.responses) %>
<h2 id="objects">Objects</h2>
<% for (const object of it.objects) { %>
<h3<% if (!object.isKnown) { %> id="object-<%= object.name %>"<% } %>><%= object.name %></h3>
<p><%~ include('@prose', { text: object.description }) %></p>
<% if (object.fields.rows.length > 0) { %><%~ include('@table', object.fields) %><% } %>
<% if (object.values.length > 0) { %><dl>
<% for (const { id, value, meaning } of object.values) { %><dt id="<%= id %>"><code><%= value %></code></dt>
<dd><%~ include('@prose', { text: meaning }) %></dd>
<% } %></dl><% } %>
<% } %>
<h2 id="headers">Headers of responses</h2>
<%~ include('@table', it.headers) %>
</div>
</div>
`,
)

/** @param words those of the archive, if it has files: then the examples can be run */
function renderDocs(document: OpenApiDocument, words: SampleWords | undefined, links: Links): Page {
  const json = '../schema/?format=json'
  const [introduction, ...rules] = paragraphs(document.info.description ?? '')
  const sampleOf = (source: string): Sample => ({ source, run: words && runnable(source, links) })
  const steps = firstSteps(words ?? exampleWords, links)
  const writing: Writing = { shown: new Set(), sampleOf }
  return render(
    { title: 'API reference', section: 'docs', up: '../', json },
    {
      introduction,
      rules,
      steps: steps.map((step) => ({ ...step, run: words && step.run })),
      server: document.servers[0]?.url ?? '',
      openapi: document.openapi,
      tags: describeOperations(document, writing),
      responses: describeResponses(document),
      objects: describeObjects(document, writing),
      headers: describeHeaders(document),
    },
  )
}
