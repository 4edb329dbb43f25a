/**
 * Holds what was answered in a turn of the event loop until its end, and sends it then, one behind the other. A client on this
 * machine that has read all there was sleeps by the next answer, and waking it takes longer than most answers do; so it
 * finds many.
 */
import type { ServerResponse } from 'node:http'

export interface Outbox {
  /**
   * What throws ends the connection of its response, and nothing else.
   * @param isLate that its turn is over: it is sent with what is answered just now
   */
  add(response: ServerResponse, send: () => void, isLate?: boolean): void
  /** Sends all that wait. */
  empty(): void
}

/** So many do not wait for more. */
const mostAtOnce = 64

export function openOutbox(): Outbox {
  let waiting: { readonly response: ServerResponse; readonly send: () => void }[] = []
  let endsSoon = false
  const empty = (): void => {
    const all = waiting
    waiting = []
    endsSoon = false
    for (const { response, send } of all)
      try {
        send()
      } catch {
        response.destroy()
      }
  }
  return {
    empty,
    add(response, send, isLate = false) {
      const length = waiting.push({ response, send })
      if (isLate && !endsSoon) {
        endsSoon = true
        // Behind all that goes on from the same promises. In another turn Node may hear that the client will say no more,
        // upon which it ends the connection.
        process.nextTick(empty)
      } else if (length === 1) setImmediate(empty)
      if (length >= mostAtOnce) empty()
    },
  }
}
