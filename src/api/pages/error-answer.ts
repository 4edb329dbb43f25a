import type { FastifyReply, FastifyRequest } from 'fastify'
import { compressedVary } from '../http/compression.ts'
import { sendHtml } from '../http/context.ts'
import { answerError, BadFields } from '../http/errors.ts'
import { namedFormat, preferredRepresentation } from '../http/negotiate.ts'
import { rawQuery } from '../http/resource.ts'
import { page } from './layout.ts'

/** Answers an error: invalid parameters with an HTML page if the client prefers HTML, all other errors as JSON. */
export function answerByAccept(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const prefersHtml =
    request.method !== 'POST' &&
    namedFormat(request) === undefined &&
    preferredRepresentation(request.headers.accept) === 'html'
  if (!(error instanceof BadFields) || !prefersHtml) {
    answerError(error, request, reply)
    return
  }
  const query = rawQuery(request.raw.url ?? '').slice(1)
  reply.header('vary', compressedVary)
  sendHtml(reply.code(error.statusCode), renderBadRequest(error.fields, query))
}

const render = page(
  'bad-request',
  `<p>The request was rejected because of these parameters:</p>
<dl>
<% for (const fault of it.faults) { %>
<dt><code><%= fault.name %></code></dt>
<dd><%= fault.messages.join(' ') %></dd>
<% } %>
</dl>
<p><a href="<%= it.without %>">The same request without them</a></p>
`,
)

/** @param query of a resource directly below the API root, without its question mark */
function renderBadRequest(fields: BadFields['fields'], query: string): string {
  const without = new URLSearchParams(query)
  for (const name of Object.keys(fields)) without.delete(name)
  const json = new URLSearchParams(query)
  json.set('format', 'json')
  return render(
    { title: 'Bad request', up: '../', json: `?${json.toString()}` },
    {
      faults: Object.entries(fields).map(([name, messages]) => ({ name, messages })),
      without: `?${without.toString()}`,
    },
  )
}
