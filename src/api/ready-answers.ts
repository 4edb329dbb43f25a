import type { IncomingMessage, ServerResponse } from 'node:http'
import { matchesWeakly } from './entity-tag.ts'

/** Answers requests before the framework sees them, as others like them were answered before. */
export interface ReadyAnswers {
  /** Whether there is an answer that may still hold. */
  has(request: IncomingMessage): boolean
  /** Gives it; false when it does not hold any more, and the framework has to answer. */
  repeat(request: IncomingMessage, response: ServerResponse): Promise<boolean>
}

/** An answer as it was given, but for what each has of its own: `X-Request-Id`. */
export interface ReadyAnswer {
  /** Pattern of the route that gave it. */
  readonly route: string
  readonly tag: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
}

/** Headers that a client has with its own copy. */
const ofBodies = /^(?:content-(?!security)|accept-ranges|repr-digest)/

/** Sends it: 304 to who has it already, of a HEAD the headers alone. @param id of the request */
export function sendReady(
  answer: ReadyAnswer,
  { request, response, id }: { request: IncomingMessage; response: ServerResponse; id: string },
): void {
  const isKnown = matchesWeakly(request.headers['if-none-match'] ?? '', answer.tag)
  for (const [name, value] of answer.headers)
    if (!isKnown || !ofBodies.test(name)) response.setHeader(name, value)
  response.setHeader('x-request-id', id)
  if (isKnown) response.writeHead(304).end()
  else response.end(answer.body)
}

/** Of several, the first that has an answer is the one that is asked. */
export function anyReady(...all: readonly ReadyAnswers[]): ReadyAnswers {
  return {
    has: (request) => all.some((each) => each.has(request)),
    repeat: async (request, response) =>
      (await all.find((each) => each.has(request))?.repeat(request, response)) ?? false,
  }
}

/**
 * Asks once in a turn of the event loop. All requests that are answered in a turn had arrived before its first one was
 * looked at, so that none of them is answered from before it came.
 */
export function oncePerTurn<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined
  return () => {
    if (asked === undefined) {
      asked = ask()
      setImmediate(() => (asked = undefined))
    }
    return asked
  }
}
