/**
 * Answers that are made once and sent as they are, again and again while the catalogue stands still. They go past the
 * framework, whose handling of a request costs several times what finding the answer does.
 */
import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CatalogueReader, Head } from '../catalogue/catalogue.ts'
import { openByteShelf } from './byte-shelf.ts'
import { openTurnMemory, whenKnown } from './known.ts'
import type { Known } from './known.ts'
import { readyAnswer, sendReady } from './ready-answers.ts'
import type { KeptAnswer, KeptAnswers } from './ready-answers.ts'

/** What a request for the latest state is answered with; the headers are those of the reply that sends it. */
export interface FinishedPage {
  readonly head: Head
  readonly tag: string
  readonly text: string
}

/** Of all answers in memory. */
const mostBytes = 8 * 1024 * 1024

/** Requests remembered: most pages of a long list are asked for once, and keeping them costs as much as making them. */
const mostRequests = 1000

export interface FinishedAnswers extends KeptAnswers {
  /** Answers a request for the first time, with the headers that its reply has by now. */
  send(request: FastifyRequest, reply: FastifyReply, page: FinishedPage): FastifyReply
}

export function openFinishedAnswers(reader: CatalogueReader): FinishedAnswers {
  const kept = openByteShelf<KeptAnswer>(mostBytes)
  const asked = openMemory(mostRequests)
  const latest = openTurnMemory()(() => reader.head())
  /** Any change may be one of any answer, of its count at least. */
  const isLatest = ({ epoch, seq }: Head): Known<boolean> =>
    whenKnown(latest(), (now) => now.seq === seq && now.epoch === epoch)
  return {
    find: (request) => kept.get(keyOf(request)),
    send(request, reply, { head, tag, text }) {
      const body = inAscii(text) ?? Buffer.from(text)
      reply.header('etag', tag).header('content-length', body.length)
      const route = request.routeOptions.url ?? ''
      const answer = readyAnswer({ route, tag, headers: reply.getHeaders(), body })
      const key = keyOf(request.raw)
      if (key !== '' && asked.before(key))
        kept.put(key, Object.assign(answer, { holds: () => isLatest(head) }))
      reply.hijack()
      sendReady(answer, { request: request.raw, response: reply.raw, id: request.id })
      return reply
    },
  }
}

function inAscii(text: string): string | undefined {
  return Buffer.byteLength(text) === text.length ? text : undefined
}

/** All that an answer of the latest state depends on. */
function keyOf({ method, url, headers }: IncomingMessage): string {
  return method === 'GET' ? `${url ?? ''} ${headers.accept ?? ''}` : ''
}

/** Which texts came up before, as far as that is remembered: those that did last. */
function openMemory(most: number) {
  const all = new Set<string>()
  return {
    before(text: string): boolean {
      const known = all.delete(text)
      all.add(text)
      const [oldest = ''] = all
      if (all.size > most) all.delete(oldest)
      return known
    },
  }
}
