/** Follows the links of pages, and the URLs in JSON answers, from the first ones to all others. */
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { readPage } from '../html.ts'

interface Way {
  /** URLs, with the host of the archive. */
  readonly start: readonly string[]
  /** The media types that each URL is asked for, one after the other. */
  readonly accepts: readonly string[]
  /** Alike links have the same kind: filters and pages combine in thousands of ways. */
  readonly kindOf: (url: URL) => string
  /** How many links of a kind are followed. */
  readonly ofKind: number
  /** False for an answer whose links are not followed. */
  readonly leadsOn?: (url: URL) => boolean
}

interface Visit {
  readonly url: URL
  readonly accept: string
  readonly answer: LightMyRequestResponse
  /** Where it leads: absolute, without fragment. */
  readonly links: readonly string[]
}

/** Only links to the host of the first URL are followed. */
export async function* crawl(
  app: FastifyInstance,
  { start, accepts, kindOf, ofKind, leadsOn = () => true }: Way,
): AsyncGenerator<Visit> {
  const waiting = start.map((each) => new URL(each))
  const seen = new Set(start)
  const counts = new Map<string, number>()
  for (let url = waiting.shift(); url !== undefined; url = waiting.shift()) {
    for (const accept of accepts) {
      const answer = await app.inject({ url: url.pathname + url.search, headers: { accept } })
      const links = leadsOn(url) ? linksOf(url, answer) : []
      yield { url, accept, answer, links }
      for (const link of links) {
        const next = new URL(link)
        const kind = kindOf(next)
        const count = counts.get(kind) ?? 0
        if (next.origin !== url.origin || seen.has(link) || count >= ofKind) continue
        seen.add(link)
        counts.set(kind, count + 1)
        waiting.push(next)
      }
    }
  }
}

function linksOf(url: URL, { headers, body }: LightMyRequestResponse): readonly string[] {
  const type = String(headers['content-type'])
  const links = headers.location === undefined ? [] : [headers.location]
  if (type.startsWith('text/html'))
    for (const each of readPage(body).all('*', { href: /^(?!data:|mailto:)/ }))
      links.push(each.attribute('href') ?? '')
  else if (type === 'application/json')
    JSON.parse(body, (_key, value: unknown) => {
      if (typeof value === 'string' && /^https?:/.test(value) && URL.canParse(value))
        links.push(value)
      return value
    })
  return links.map((link) => new URL(link, url).href.replace(/#.*/, ''))
}
