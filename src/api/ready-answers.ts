import { randomUUID } from 'node:crypto'
import type {
  IncomingHttpHeaders,
  IncomingMessage,
  RequestListener,
  ServerResponse,
} from 'node:http'
import { matchesWeakly } from './entity-tag.ts'
import { openTurnCounter } from './known.ts'
import type { Known } from './known.ts'
import { toldStatus } from './observation.ts'
import type { Observe } from './observation.ts'
import type { Exchange, Press, Sender } from './press/press.ts'

/** An answer as it is sent, again and again. */
export interface ReadyAnswer {
  /** Pattern of the route that gave it. */
  readonly route: string
  readonly tag: string
  /** Of a file, as its header tells it. */
  readonly lastModified?: string
  /** Bytes, or text of ASCII alone. */
  readonly body: Buffer | string
  readonly send: Sender
  /** Sends its headers alone. */
  readonly sendHead: Sender
  /** Sends a 304 instead. */
  readonly sendKnown: Sender
}

/** What is known to answer requests before the framework sees them. */
export interface ReadyAnswers {
  /** The answer to a request, if there is one that holds; what fails is none. */
  find(request: IncomingMessage): Known<ReadyAnswer | undefined>
}

/** Headers that a client has with its own copy. */
const ofBodies = /^(?:content-(?!security)|accept-ranges|repr-digest)/

/** The headers of a reply in one list, but for the id of its request. */
export function headerList(headers: Readonly<Record<string, unknown>>): string[] {
  const list: string[] = []
  for (const name in headers) if (name !== 'x-request-id') list.push(name, String(headers[name]))
  return list
}

/** Those of a 304: of each pair both stay, or neither. */
function ofKnown(list: readonly string[]): string[] {
  return list.filter((_, index) => !ofBodies.test(list[index & ~1] ?? ''))
}

/** What an answer is made of. */
export interface AnswerParts extends Pick<ReadyAnswer, 'route' | 'tag' | 'body'> {
  /** Headers that many answers have, in one list for all of them. */
  readonly common?: readonly string[] | undefined
  /** Names and values in turn: the others of an answer with the body. */
  readonly headers: readonly string[]
}

export function readyAnswer(press: Press, parts: AnswerParts): ReadyAnswer {
  const { route, tag, body, common, headers } = parts
  const all = () => [...(common ?? []), ...headers]
  return {
    route,
    tag,
    body,
    send: press({ status: 200, common, headers, body }),
    sendHead: madeLater(() => press({ status: 200, headers: all(), body: '' })),
    sendKnown: madeLater(() => press({ status: 304, headers: ofKnown(all()), body: '' })),
  }
}

/** Of most answers nobody ever wants anything but the whole. */
function madeLater(make: () => Sender): Sender {
  let made: Sender | undefined
  return (exchange) => {
    made ??= make()
    made(exchange)
  }
}

/** Sends it: 304 to who has it already, of a HEAD the headers alone. */
export function sendReady(answer: ReadyAnswer, exchange: Exchange): void {
  const { method, headers } = exchange.request
  if (isKnown(headers, answer)) answer.sendKnown(exchange)
  else if (method === 'HEAD') answer.sendHead(exchange)
  else answer.send(exchange)
}

/** Whether a client has it already (RFC 9110, 13.2.2): a date counts only where it names no tag. */
export function isKnown(
  headers: IncomingHttpHeaders,
  { tag, lastModified }: Pick<ReadyAnswer, 'tag' | 'lastModified'>,
): boolean {
  const known = headers['if-none-match']
  if (known !== undefined) return known === tag || matchesWeakly(known, tag)
  return lastModified !== undefined && headers['if-modified-since'] === lastModified
}

/**
 * Gives requests the answers that are ready.
 * @param all asked in turn; the first that may have an answer is the one that counts
 * @param observe told of each answer
 */
export function answerAgain(
  all: readonly ReadyAnswers[],
  observe: Observe,
): (request: IncomingMessage, response: ServerResponse, otherwise: RequestListener) => void {
  const turn = openTurnCounter()
  const find = (request: IncomingMessage): Known<ReadyAnswer | undefined> => {
    for (const each of all) {
      const found = each.find(request)
      if (found !== undefined) return found
    }
    return undefined
  }
  const send = (
    answer: ReadyAnswer,
    { request, response, isLate }: Omit<Exchange, 'id'>,
    begunMs: number,
  ): void => {
    const id = randomUUID()
    const { method = '', url: target = '' } = request
    const sent = (): void => {
      const { route } = answer
      const status = toldStatus(response)
      observe({ id, method, target, route, status, ms: performance.now() - begunMs })
    }
    try {
      sendReady(answer, { request, response, id, isLate, sent })
    } catch {
      // An answer that cannot be sent is none, whatever is wrong with it.
      response.destroy()
    }
  }
  return (request, response, otherwise) => {
    const begunMs = performance.now()
    const begunIn = turn()
    const answer = (found: ReadyAnswer | undefined): void => {
      if (found === undefined) otherwise(request, response)
      else send(found, { request, response, isLate: turn() !== begunIn }, begunMs)
    }
    const found = find(request)
    if (found instanceof Promise) void found.catch(() => undefined).then(answer)
    else answer(found)
  }
}
