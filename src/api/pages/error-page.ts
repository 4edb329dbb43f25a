/** The pages of errors: what happened, and what to do. */
import { pageUrl, resourceUrl, stationUrl } from '../http/context.ts'
import { UnknownName } from '../http/errors.ts'
import type { BadFields, HttpError } from '../http/errors.ts'
import { isNamed, UnknownFormat } from '../http/formats.ts'
import { defaultLimit } from '../parameters/paging.ts'
import { filterForm } from './filter-form.ts'
import type { FormView } from './filter-form.ts'
import { page } from './eta.ts'
import { sectionLabels } from './layout.ts'
import type { Page } from './layout.ts'

/** What failed. */
export interface FailedRequest {
  readonly method: string
  /** The path below the API; the whole path if it is elsewhere. */
  readonly path: string
  /** The path below `data/`, as far as it is one. */
  readonly dataPath: string | undefined
  /** The query of the request, without its question mark. */
  readonly query: string
  /** Relative path to the API root. */
  readonly up: string
  readonly requestId: string
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The form on the page of a rejected request, with the faults and the values as filled in. */
    readonly faultForm?: FormView
  }
}

const renderFaults = page(
  'bad-request',
  `<p class="notice fault" role="alert">Some values are not valid. <a href="<%= it.without %>">The same request without them</a></p>
<%~ it.form %>
`,
)

export function renderBadRequest(
  { fields, request }: BadFields,
  { query, up }: FailedRequest,
  form: FormView = { frame: { title: '' }, fields: [] },
): Page {
  const without = new URLSearchParams(query)
  for (const name of Object.keys(fields)) without.delete(name)
  const { kept = [], limit = defaultLimit } = request ?? {}
  const title = form.frame.title === '' ? 'Not understood' : form.frame.title
  return renderFaults(
    { ...form.frame, title, up, json: withFormat(query, 'json') },
    { without: `?${without.toString()}`, form: filterForm(form, { kept, limit }, fields) },
  )
}

const renderMessage = page(
  'failure',
  `<p class="notice fault"><%= it.detail %></p>
<p><% for (const { text, href } of it.advice) { %><% if (href === undefined) { %><%= text %><% } else { %><a href="<%= href %>"><%= text %></a><% } %><% } %></p>
<% if (it.requestId !== '') { %><p>The log of the service has the reason under <code><%= it.requestId %></code>.</p><% } %>
<%~ include('@search-field', it) %>
`,
)

const titles: Readonly<Record<number, string>> = {
  403: 'Not public',
  404: 'Not found',
  405: 'Not for browsers',
  406: 'No page here',
  410: 'No longer known',
  429: 'Too many requests',
  500: 'Server error',
  503: 'Not available at this moment',
}

interface Failure extends FailedRequest {
  /** The header `Allow`. */
  readonly allowed: string
}

export function renderFailure(error: HttpError, place: Failure): Page {
  const { statusCode } = error
  const { query, up, requestId, dataPath, path } = place
  return renderMessage(
    {
      title: titles[statusCode] ?? 'Not understood',
      crumbs: crumbsOf(place),
      up,
      json: withFormat(query, 'json'),
    },
    {
      ...explain(error, place),
      up,
      text: statusCode === 404 ? nameIn(dataPath ?? path) : '',
      requestId: statusCode >= 500 ? requestId : '',
    },
  )
}

interface Advice {
  readonly text: string
  readonly href?: string
}

/** What happened as a sentence, and what to do as another with links. */
function explain(
  error: HttpError,
  { method, query, allowed, ...place }: Failure,
): { readonly detail: string; readonly advice: readonly Advice[] } {
  const { statusCode, message: detail, headers } = error
  const seconds = headers['retry-after']
  if (error instanceof UnknownFormat) return unknownFormat(error, query)
  if (statusCode === 404) return missing(error, place)
  if (statusCode === 405)
    return {
      detail: `This address cannot be used with ${method}; it takes ${allowed}.`,
      advice: [
        { text: 'Programs use it as ' },
        { text: 'the reference of the API', href: resourceUrl({ api: place.up }, 'docs') },
        { text: ' says.' },
      ],
    }
  if (statusCode === 406)
    return {
      detail: 'This address has no page, only data for programs.',
      advice: [{ text: 'Open it as JSON', href: withFormat(query, 'json') }, { text: '.' }],
    }
  if (seconds !== undefined)
    return {
      detail,
      advice: [
        { text: `Wait ${seconds} seconds, then ` },
        { text: 'load this page again', href: `?${query}` },
        { text: '.' },
        ...(statusCode === 503 ? [{ text: ' ' }, doing(place.up)] : []),
      ],
    }
  if (statusCode === 410)
    return {
      detail,
      advice: [
        { text: 'See ' },
        { text: 'the latest changes', href: resourceUrl({ api: place.up }, 'changes') },
      ],
    }
  return {
    detail,
    advice: [{ text: 'Begin at ' }, { text: 'Network', href: `${place.up}network/?format=api` }],
  }
}

function doing(up: string): Advice {
  return { text: 'What the indexer does now', href: `${up}status/?format=api` }
}

function unknownFormat({ formats }: UnknownFormat, query: string) {
  const others = new URLSearchParams(query)
  others.delete('format')
  const named = formats.filter(isNamed)
  return {
    detail: `This address has no format ${new URLSearchParams(query).get('format') ?? ''}.`,
    advice: [
      { text: 'It has ' },
      { text: 'a page', href: `?${others.toString()}` },
      ...named.flatMap((format) => [
        { text: ', ' },
        { text: format, href: withFormat(query, format) },
      ]),
      { text: '.' },
    ],
  }
}

function missing(error: HttpError, { dataPath, up }: Pick<FailedRequest, 'dataPath' | 'up'>) {
  if (error instanceof UnknownName) {
    const stations = error.didYouMean.flatMap((code) => [
      { text: code, href: stationUrl({ api: up }, code) },
      { text: ', ' },
    ])
    const all = { text: 'all stations', href: resourceUrl({ api: up }, 'station') }
    return {
      detail: 'The catalogue has no station with this code.',
      advice: [
        { text: stations.length > 0 ? 'Did you mean ' : 'See ' },
        ...stations.slice(0, -1),
        { text: stations.length > 0 ? '? See ' : '' },
        all,
        { text: '.' },
      ],
    }
  }
  if (dataPath === undefined)
    return {
      detail: 'Nothing has this address. A file that was removed has no page any more.',
      advice: [{ text: 'Search for it here.' }],
    }
  return {
    detail: 'The archive has no file and no directory with this address.',
    advice: [
      { text: 'Find out why', href: pageUrl({ api: up }, 'search', [['q', dataPath]]) },
      { text: ', or look into ' },
      { text: 'the directory above', href: dataPath.endsWith('/') ? '../' : './' },
      { text: '.' },
    ],
  }
}

/** What a person may have looked for: the last part of a path of the API, or a path of a file. */
function nameIn(path: string): string {
  const last =
    path
      .split('/')
      .filter((part) => part !== '')
      .at(-1) ?? ''
  return path.includes('.') ? path : last
}

/** The pages above: the resource, or the directories of a path below `data/`. */
function crumbsOf({ path, dataPath, up }: FailedRequest) {
  if (dataPath === undefined) {
    const [name = ''] = path.split('/')
    const text = sectionLabels.get(name)
    return text === undefined || path === `${name}/`
      ? []
      : [{ text, href: `${up}${name}/?format=api` }]
  }
  const above = dataPath.replace(/\/$/, '').split('/').slice(0, -1)
  const data = `${up}../data/`
  return [
    { text: 'data', href: data },
    ...above.map((text, index) => ({
      text,
      href: `${data}${above.slice(0, index + 1).join('/')}/`,
    })),
  ]
}

function withFormat(query: string, format: string): string {
  const parameters = new URLSearchParams(query)
  parameters.set('format', format)
  return `?${parameters.toString()}`
}
