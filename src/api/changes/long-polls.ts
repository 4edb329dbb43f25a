/** Holds the requests of clients that wait for changes. */
import type { FastifyReply } from 'fastify'
import { Semaphore } from '../http/semaphore.ts'

/**
 * Maximum number of clients that wait for changes at the same time. Each of them keeps a connection
 * open.
 */
const maxWaiting = 500

/**
 * The long-poll registry: limits the number of waiting clients, and ends all waits when the server
 * stops.
 */
export interface LongPolls {
  /**
   * Registers a client until its response closes.
   * @returns a signal that ends the wait: it aborts when the client has left or the server stops
   * @throws HttpError 429 when too many clients wait
   */
  enter(reply: FastifyReply): AbortSignal
  close(): void
}

export function openLongPolls(): LongPolls {
  const semaphore = new Semaphore({
    permits: maxWaiting,
    full: 'Too many clients are waiting for changes.',
  })
  const waiting = new Set<AbortController>()
  let isClosed = false
  return {
    enter(reply) {
      semaphore.holdFor(reply)
      const controller = new AbortController()
      if (isClosed || reply.raw.destroyed) controller.abort()
      waiting.add(controller)
      reply.raw.once('close', () => {
        waiting.delete(controller)
        controller.abort()
      })
      return controller.signal
    },
    close() {
      isClosed = true
      for (const controller of waiting) controller.abort()
    },
  }
}
