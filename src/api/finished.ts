/**
 * Answers that are made once and sent as they are, again and again while the catalogue stands still. They go past the
 * framework, whose handling of a request costs several times what finding the answer does.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CatalogueReader, Head } from '../catalogue/catalogue.ts'
import { oncePerTurn } from './ready-answers.ts'
import type { ReadyAnswers } from './ready-answers.ts'
import { matchesWeakly } from './entity-tag.ts'
import type { Observe } from './observation.ts'

/** What a request for the latest state is answered with; the headers are those of the reply that sends it. */
export interface FinishedPage {
  readonly head: Head
  readonly tag: string
  readonly text: string
}

interface KeptAnswer {
  readonly route: string
  readonly tag: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
}

/** Answers in memory, and the bytes of all of them. */
const most = { answers: 1000, bytes: 8 * 1024 * 1024 }

/** Headers that a client has with its own copy. */
const ofBodies = ['content-type', 'content-length']

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
      const { method = '', url: target = '', headers } = request
      const isKnown = matchesWeakly(headers['if-none-match'] ?? '', answer.tag)
      if (isKnown) sendUnchanged(response, answer, id)
      else sendWhole(response, answer, id)
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
      sendWhole(reply.raw, answer, request.id)
      return reply
    },
  }
}

/** All that an answer of the latest state depends on. */
function keyOf({ method, url, headers }: IncomingMessage): string {
  return method === 'GET' ? `${url ?? ''} ${headers.accept ?? ''}` : ''
}

function sendWhole(response: ServerResponse, { headers, body }: KeptAnswer, id: string): void {
  for (const [name, value] of headers) response.setHeader(name, value)
  response.setHeader('x-request-id', id)
  response.end(body)
}

function sendUnchanged(response: ServerResponse, { headers }: KeptAnswer, id: string): void {
  response.statusCode = 304
  for (const [name, value] of headers) if (!ofBodies.includes(name)) response.setHeader(name, value)
  response.setHeader('x-request-id', id)
  response.end()
}

/** Any change may be one of any answer, of its count at least, so that all of them go with the first. */
function openKept() {
  const answers = new Map<string, KeptAnswer>()
  let bytes = 0
  let current: Head = { epoch: '', seq: -1 }
  const clear = (): void => {
    answers.clear()
    bytes = 0
  }
  const isCurrent = ({ epoch, seq }: Head): boolean =>
    seq === current.seq && epoch === current.epoch
  return {
    has: (key: string) => answers.has(key),
    get(key: string, head: Head): KeptAnswer | undefined {
      if (isCurrent(head)) return answers.get(key)
      clear()
      current = head
      return undefined
    },
    set(key: string, head: Head, answer: KeptAnswer): void {
      if (!isCurrent(head)) clear()
      current = head
      if (answers.size >= most.answers || bytes + answer.body.length > most.bytes) clear()
      answers.set(key, answer)
      bytes += answer.body.length + key.length
    },
  }
}
