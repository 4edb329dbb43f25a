import type { FastifyReply } from 'fastify'
import { Semaphore } from '../http/semaphore.ts'

/** Maximum clients that wait for changes: each keeps a connection. */
const maxWaiting = 500

/** The long-poll registry: limits waiting clients, and ends all waiting when the server stops. */
export interface LongPolls {
  /**
   * Registers a client until its response closes.
   * @returns a signal that waiting must end: the client has left or closed its sending side, or the server stops
   * @throws HttpError 429 when too many clients wait
   */
  enter(reply: FastifyReply): AbortSignal
  close(): void
}

export function openLongPolls(): LongPolls {
  const semaphore = new Semaphore({
    permits: maxWaiting,
    queue: 0,
    full: 'Too many clients are waiting for changes.',
  })
  const waiting = new Set<AbortController>()
  let isClosed = false
  return {
    enter(reply) {
      semaphore.holdFor(reply)
      const controller = new AbortController()
      if (isClosed) controller.abort()
      waiting.add(controller)
      const { socket } = reply.request.raw
      const end = (): void => {
        waiting.delete(controller)
        controller.abort()
      }
      // A client that closed its sending side may have left: it gets its response at once.
      socket.once('end', end)
      reply.raw.once('close', () => {
        socket.off('end', end)
        end()
      })
      return controller.signal
    },
    close() {
      isClosed = true
      for (const controller of waiting) controller.abort()
    },
  }
}
