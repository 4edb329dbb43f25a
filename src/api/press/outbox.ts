/**
 * Holds what was answered in a turn of the event loop until its end, and sends it then, one behind the other. A client on this
 * machine that has read all there was sleeps by the next answer, and waking it takes longer than most answers do; so it
 * finds many.
 */
import type { ServerResponse } from 'node:http'

export interface Outbox {
  /** What throws ends the connection of its response, and nothing else. */
  add(response: ServerResponse, send: () => void): void
  /** Sends all that wait. */
  empty(): void
}

/** So many do not wait for more. */
const mostAtOnce = 64

export function openOutbox(): Outbox {
  let waiting: { readonly response: ServerResponse; readonly send: () => void }[] = []
  const empty = (): void => {
    const all = waiting
    waiting = []
    for (const { response, send } of all)
      try {
        send()
      } catch {
        response.destroy()
      }
  }
  return {
    empty,
    add(response, send) {
      const length = waiting.push({ response, send })
      if (length === 1) setImmediate(empty)
      if (length >= mostAtOnce) empty()
    },
  }
}
