/**
 * Answers that are made once and sent as they are, again and again while the catalogue stands still. They go past the
 * framework, whose handling of a request costs several times what finding the answer does.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CatalogueReader, Head } from '../catalogue/catalogue.ts'
import { openByteShelf } from './byte-shelf.ts'
import type { Observe } from './observation.ts'
import { oncePerTurn, sendReady } from './ready-answers.ts'
import type { ReadyAnswer, ReadyAnswers } from './ready-answers.ts'

/** What a request for the latest state is answered with; the headers are those of the reply that sends it. */
export interface FinishedPage {
  readonly head: Head
  readonly tag: string
  readonly text: string
}

/** Of all answers in memory. */
const mostBytes = 8 * 1024 * 1024

export interface FinishedAnswers extends ReadyAnswers {
  /** Answers a request for the first time, with the headers that its reply has by now. */
  send(request: FastifyRequest, reply: FastifyReply, page: FinishedPage): FastifyReply
}

/** @param observe told of answers that are sent again; the framework knows of the others */
export function openFinishedAnswers(reader: CatalogueReader, observe: Observe): FinishedAnswers {
  const kept = openKept()
  const head = oncePerTurn(() => reader.head())
  return {
    has: (request) => kept.has(keyOf(request)),
    async repeat(request, response) {
      const now = await head().catch(() => undefined)
      const answer = now && kept.get(keyOf(request), now)
      if (answer === undefined) return false
      const id = randomUUID()
      const { method = '', url: target = '' } = request
      sendReady(answer, { request, response, id })
      observe({ id, method, target, route: answer.route, status: response.statusCode, ms: 0 })
      return true
    },
    send(request, reply, { head, tag, text }) {
      const body = Buffer.from(text)
      reply.header('etag', tag).header('content-length', body.length)
      const headers = Object.entries(reply.getHeaders() as Record<string, string>)
      const answer = { route: request.routeOptions.url ?? '', tag, headers, body }
      if (request.method === 'GET') kept.set(keyOf(request.raw), head, answer)
      reply.hijack()
      sendReady(answer, { request: request.raw, response: reply.raw, id: request.id })
      return reply
    },
  }
}

/** All that an answer of the latest state depends on. */
function keyOf({ method, url, headers }: IncomingMessage): string {
  return method === 'GET' ? `${url ?? ''} ${headers.accept ?? ''}` : ''
}

/** Any change may be one of any answer, of its count at least, so that all of them go with the first. */
function openKept() {
  const answers = openByteShelf<ReadyAnswer>(mostBytes)
  let current: Head = { epoch: '', seq: -1 }
  const follow = (head: Head): void => {
    if (head.seq === current.seq && head.epoch === current.epoch) return
    answers.clear()
    current = head
  }
  return {
    has: (key: string) => answers.has(key),
    get(key: string, head: Head): ReadyAnswer | undefined {
      follow(head)
      return answers.get(key)
    },
    set(key: string, head: Head, answer: ReadyAnswer): void {
      follow(head)
      answers.put(key, answer)
    },
  }
}
