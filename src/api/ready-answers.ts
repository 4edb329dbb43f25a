import type { IncomingMessage, ServerResponse } from 'node:http'

/** Answers requests before the framework sees them, as others like them were answered before. */
export interface ReadyAnswers {
  /** Whether there is an answer that may still hold. */
  has(request: IncomingMessage): boolean
  /** Gives it; false when it does not hold any more, and the framework has to answer. */
  repeat(request: IncomingMessage, response: ServerResponse): Promise<boolean>
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
