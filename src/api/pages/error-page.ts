/** The pages of errors: what happened, and what to do. */
import type { BadFields, HttpError } from '../http/errors.ts'
import { UnknownName } from '../http/errors.ts'
import { isNamed, UnknownFormat } from '../http/formats.ts'
import { pageUrl, resourceUrl, stationUrl } from '../http/links.ts'
import { faultList } from './filter-form.ts'
import type { Child } from './html.ts'
import { html } from './html.ts'
import type { Page } from './layout.ts'
import { sectionLabels } from './layout.ts'
import { link } from './parts.ts'

/** What failed. */
interface FailedRequest {
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

/** A page that has no form says what was refused. */
export function renderBadRequest({ fields }: BadFields, { query, up }: FailedRequest): Page {
  const without = new URLSearchParams(query)
  for (const name of Object.keys(fields)) without.delete(name)
  return {
    frame: { title: 'Not understood', up, json: withFormat(query, 'json') },
    body: html`<p class="notice fault" role="alert">Some values are not valid.
 <a href="?${without.toString()}">The same request without them</a></p>
${faultList(Object.entries(fields))}
`,
  }
}

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
  /** How far the first scan is, if the page waits for its end. */
  readonly progress: string | undefined
}

export function renderFailure(error: HttpError, place: Failure): Page {
  const { statusCode } = error
  const { query, up, requestId, dataPath, path, progress } = place
  const { detail, advice } = explain(error, place)
  const text = statusCode === 404 ? nameIn(dataPath ?? path) : ''
  return {
    frame: {
      title: titles[statusCode] ?? 'Not understood',
      section: path.split('/')[0] ?? '',
      crumbs: crumbsOf(place),
      search: text,
      up,
      json: withFormat(query, 'json'),
    },
    body: html`<p class="notice${progress === undefined && ' fault'}">${detail}</p>
<p>${advice}</p>
${statusCode >= 500 && progress === undefined && html`<p>The log of the service has the reason under <code>${requestId}</code>.</p>`}
`,
  }
}

/** What happened as a sentence, and what to do as another. */
interface Explanation {
  readonly detail: string
  readonly advice: Child
}

function explain(
  error: HttpError,
  { method, query, allowed, progress, ...place }: Failure,
): Explanation {
  const { statusCode, headers } = error
  const detail = progress ?? error.message
  const { up } = place
  const seconds = headers['retry-after']
  if (error instanceof UnknownFormat) return unknownFormat(error, query)
  const again = link('load this page again', `?${query}`)
  const status = link('What the indexer does now', resourceUrl({ api: up }, 'status'))
  if (progress !== undefined)
    return { detail, advice: html`This page needs all files: ${again} then. ${status}` }
  if (statusCode === 404) return missing(error, place)
  if (statusCode === 405)
    return {
      detail: `This address cannot be used with ${method}; it takes ${allowed}.`,
      advice: html`Programs use it as
 ${link('the reference of the API', resourceUrl({ api: up }, 'docs'))} says.`,
    }
  if (statusCode === 406)
    return {
      detail: 'This address has no page, only data for programs.',
      advice: html`${link('Open it as JSON', withFormat(query, 'json'))}.`,
    }
  if (seconds !== undefined)
    return {
      detail,
      advice: html`Wait ${seconds} seconds, then ${again}. ${statusCode === 503 && status}`,
    }
  if (statusCode === 410)
    return {
      detail,
      advice: html`See ${link('the latest changes', resourceUrl({ api: up }, 'changes'))}`,
    }
  const start = resourceUrl({ api: up }, 'network')
  return { detail, advice: html`Begin at ${link('Now', start)}` }
}

function unknownFormat({ formats }: UnknownFormat, query: string): Explanation {
  const others = new URLSearchParams(query)
  others.delete('format')
  const named = formats.filter(isNamed)
  return {
    detail: `This address has no format ${new URLSearchParams(query).get('format') ?? ''}.`,
    advice: html`It has ${link('a page', `?${others.toString()}`)}${named.map((format) => [
      ', ',
      link(format, withFormat(query, format)),
    ])}.`,
  }
}

function missing(
  error: HttpError,
  { dataPath, up }: Pick<FailedRequest, 'dataPath' | 'up'>,
): Explanation {
  if (error instanceof UnknownName) {
    const codes = error.didYouMean.map((code, index) => [
      index > 0 && ', ',
      link(code, stationUrl({ api: up }, code)),
    ])
    const all = link('all stations', resourceUrl({ api: up }, 'station'))
    return {
      detail: 'The catalogue has no station with this code.',
      advice: html`${codes.length > 0 && html`Did you mean ${codes}? `}See ${all}.`,
    }
  }
  if (dataPath === undefined)
    return {
      detail: 'No page here.',
      advice: 'Search for it above.',
    }
  const why = pageUrl({ api: up }, 'search', [['q', dataPath]])
  const above = dataPath.endsWith('/') ? '../' : './'
  return {
    detail: 'The archive has no file and no directory with this address.',
    advice: html`${link('Find out why', why)}, or look into ${link('the directory above', above)}.`,
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
