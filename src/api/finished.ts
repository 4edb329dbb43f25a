/**
 * Answers that are made once and sent as they are, again and again while the catalogue stands still. They go past the
 * framework, whose handling of a request costs several times what finding the answer does; so do pages that can be made
 * without it.
 */
import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CatalogueReader, Head } from '../catalogue/catalogue.ts'
import { openByteShelf } from './byte-shelf.ts'
import { openTurnMemory, whenKnown } from './known.ts'
import type { Known } from './known.ts'
import type { Press } from './press/press.ts'
import { headerList, readyAnswer, sendReady } from './ready-answers.ts'
import type { AnswerParts, ReadyAnswer, ReadyAnswers } from './ready-answers.ts'
import { openRequestMemory } from './request-memory.ts'

/** What a request for the latest state is answered with. */
export interface FinishedPage {
  readonly head: Head
  readonly tag: string
  /** But for those that its tag and its body give, and those of its maker. */
  readonly headers: Readonly<Record<string, string>>
  /** Bytes, or text of ASCII alone. */
  readonly body: Buffer | string
}

/** Makes pages by itself. */
export interface PageMaker {
  /** Pattern of the route that would have been asked. */
  readonly route: string
  /** Headers that all its pages have. A page that gave one of them too would have it sent twice. */
  readonly headers: Readonly<Record<string, string>>
  /** The page, if the request is one that needs no more than this; what fails is left to the route. */
  make(
    request: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  ): Promise<FinishedPage> | undefined
}

/** Of the bodies of all answers in memory. Texts up to 32 KiB are there twice once they were sent again. */
const mostBytes = 4 * 1024 * 1024

/** Requests remembered at least: most pages of a long list are asked for once, and keeping them costs as much as making them. */
const requestsRemembered = 1000

export interface FinishedAnswers extends ReadyAnswers {
  /** Answers a request with a page; headers that its reply has by now are added. */
  send(request: FastifyRequest, reply: FastifyReply, page: FinishedPage): FastifyReply
  /** Has requests answered by it that are not kept. */
  makeWith(maker: PageMaker): void
}

export function openFinishedAnswers(reader: CatalogueReader, press: Press): FinishedAnswers {
  const kept = openByteShelf<ReadyAnswer & { readonly head: Head }>(mostBytes)
  const asked = openRequestMemory(requestsRemembered)
  const latest = openTurnMemory()(() => reader.head())
  let make: ((request: IncomingMessage) => Promise<ReadyAnswer> | undefined) | undefined
  /** Any change may be one of any answer, of its count at least. */
  const isLatest = ({ epoch, seq }: Head): Known<boolean> =>
    whenKnown(latest(), (now) => now.seq === seq && now.epoch === epoch)
  const finish = (
    request: IncomingMessage,
    page: FinishedPage,
    { route, common }: Pick<AnswerParts, 'route' | 'common'>,
  ): ReadyAnswer => {
    const { head, tag, body } = page
    const headers = headerList(page.headers)
    headers.push('etag', tag, 'content-length', String(body.length))
    const answer = readyAnswer(press, { route, common, tag, headers, body })
    const key = keyOf(request)
    if (key !== '' && asked.before(key)) kept.put(key, Object.assign(answer, { head }))
    return answer
  }
  return {
    find(request) {
      const answer = kept.get(keyOf(request))
      if (answer === undefined) return make?.(request)
      return whenKnown(isLatest(answer.head), (holds) => (holds ? answer : make?.(request)))
    },
    send(request, reply, page) {
      const headers = reply.headers(page.headers).getHeaders() as Record<string, string>
      const route = request.routeOptions.url ?? ''
      const answer = finish(request.raw, { ...page, headers }, { route })
      reply.hijack()
      // Whatever the route waited for is over.
      sendReady(answer, { request: request.raw, response: reply.raw, id: request.id, isLate: true })
      return reply
    },
    makeWith(maker) {
      const shared = { route: maker.route, common: headerList(maker.headers) }
      make = (request) => maker.make(request)?.then((page) => finish(request, page, shared))
    },
  }
}

/** All that an answer of the latest state depends on. */
function keyOf({ method, url, headers }: IncomingMessage): string {
  return method === 'GET' ? `${url ?? ''} ${headers.accept ?? ''}` : ''
}
