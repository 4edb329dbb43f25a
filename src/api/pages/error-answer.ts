/** Answers errors with HTML pages for people. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { compressedVary, send, prefersHtml } from '../http/formats.ts'
import type { ApiContext } from '../http/context.ts'
import { BadFields, logError, resetHeaders, sendError, UnknownName } from '../http/errors.ts'
import type { HttpError } from '../http/errors.ts'
import { relativeUrl } from '../http/http-server.ts'
import { defaultLimit } from '../openapi/parameters.ts'
import { rawQuery } from '../http/resource.ts'
import { filterForm } from './filter-form.ts'
import type { FormView } from './filter-form.ts'
import { page } from './layout.ts'
import type { Page } from './layout.ts'

/**
 * Answers errors below the API and the data path with a page if the client prefers HTML and
 * `format` names no format. Errors of POST and all others are JSON.
 */
export function answerByAccept({ apiPath, dataPath }: ApiContext) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const known = logError(error, request)
    const url = request.raw.url ?? ''
    const [path = ''] = url.split('?', 1)
    const isData = path.startsWith(dataPath)
    if (isData) reply.header('vary', 'Accept')
    const hasPages = isData || path.startsWith(apiPath)
    if (!hasPages || request.method === 'POST' || !prefersHtml(request)) {
      sendError(known, request, reply)
      return
    }
    const up = relativeUrl(request.originalUrl, apiPath)
    const above = isData ? (path.endsWith('/') ? '../' : './') : ''
    const query = rawQuery(url).slice(1)
    const place = { query, up, above, requestId: request.id }
    resetHeaders(reply)
    reply.headers({ ...known.headers, vary: compressedVary })
    send(
      reply.code(known.statusCode),
      'html',
      known instanceof BadFields
        ? renderBadRequest(known, place, request.routeOptions.config.faultForm)
        : renderFailure(known, place),
    )
  }
}

interface Place {
  /** The query of the request, without its question mark. */
  readonly query: string
  /** Relative path to the API root. */
  readonly up: string
  /** Relative URL of the directory above; empty for a path that is not below `data/`. */
  readonly above: string
  readonly requestId: string
}

const renderFaults = page(
  'bad-request',
  `<p class="notice fault" role="alert">Some values are not valid. <a href="<%= it.without %>">The same request without them</a></p>
<%~ include('@form', it.form) %>
`,
)

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The form on the page of a rejected request, with the faults and the values as filled in. */
    readonly faultForm?: FormView
  }
}

function renderBadRequest(
  { fields, request }: BadFields,
  { query, up }: Place,
  form: FormView = { frame: { title: '' }, fields: [] },
): Page {
  const without = new URLSearchParams(query)
  for (const name of Object.keys(fields)) without.delete(name)
  const { kept = [], limit = defaultLimit } = request ?? {}
  const { title } = form.frame
  return renderFaults(
    {
      ...form.frame,
      title: title === '' ? 'Bad request' : `${title}: bad request`,
      up,
      json: jsonOf(query),
    },
    { without: `?${without.toString()}`, form: filterForm(form, { kept, limit }, fields) },
  )
}

const renderMessage = page(
  'failure',
  `<p class="notice fault"><%= it.detail %></p>
<% if (it.above !== '') { %><p>Look for it in <a href="<%= it.above %>">the directory above</a>, or search for it here.</p>
<% } %><% if (it.suggestions.length > 0) { %>
<p>Did you mean <% for (const code of it.suggestions) { %><a href="<%= it.up %>station/<%= code %>/?format=api"><%= code %></a> <% } %>?</p>
<% } %>
<% if (it.requestId !== '') { %><p>The log of the service has the reason under <code><%= it.requestId %></code>.</p><% } %>
<form class="filters" method="get" action="<%= it.up %>rinex-file/" role="search" aria-label="Files">
<input type="hidden" name="format" value="api">
<div class="field"><label for="f-station">Files of a station</label><input id="f-station" name="station" placeholder="GRAZ" autocomplete="off" spellcheck="false"></div>
<div class="field"><label for="f-name">Part of the name</label><input id="f-name" name="filename__contains" placeholder="GRAZ00AUT_R_2026022" autocomplete="off" spellcheck="false"></div>
<div class="field submit"><button>Search</button></div>
</form>
`,
)

const titles: Readonly<Record<number, string>> = {
  403: 'Not public',
  404: 'Not found',
  429: 'Too many requests',
  500: 'Server error',
  503: 'Not available at this moment',
}

function renderFailure(error: HttpError, { query, up, above, requestId }: Place): Page {
  const { statusCode, message } = error
  return renderMessage(
    { title: titles[statusCode] ?? 'Error', up, json: jsonOf(query) },
    {
      detail: statusCode === 404 ? notFoundText(error, above !== '') : message,
      up,
      above: statusCode === 404 ? above : '',
      suggestions: error instanceof UnknownName ? error.didYouMean : [],
      requestId: statusCode >= 500 ? requestId : '',
    },
  )
}

function notFoundText(error: HttpError, isData: boolean): string {
  if (isData) return 'The archive has no file and no directory with this address.'
  return error instanceof UnknownName
    ? 'The catalogue has no station with this code.'
    : 'Nothing has this address. A file that was removed has no page any more.'
}

function jsonOf(query: string): string {
  const json = new URLSearchParams(query)
  json.set('format', 'json')
  return `?${json.toString()}`
}
