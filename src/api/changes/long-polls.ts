import type { FastifyReply } from 'fastify'
import { Semaphore } from '../http/semaphore.ts'

/** Most clients that wait for changes at the same time: each keeps a connection. */
const maxWaiting = 500

/** Where clients wait: for so many there is room, and all of them leave at once when the server stops. */
export interface LongPolls {
  /**
   * Takes a place until the answer has ended.
   * @returns a signal of when there is nothing to wait for any more: the client is gone or sends nothing more, or the server stops
   * @throws HttpError 429 when all places are taken
   */
  enter(reply: FastifyReply): AbortSignal
  close(): void
}

export function openLongPolls(): LongPolls {
  const places = new Semaphore({
    permits: maxWaiting,
    queue: 0,
    full: 'Too many clients are waiting for changes.',
  })
  const waiting = new Set<AbortController>()
  let closed = false
  return {
    enter(reply) {
      places.holdFor(reply)
      const leaving = new AbortController()
      if (closed) leaving.abort()
      waiting.add(leaving)
      const { socket } = reply.request.raw
      const leave = (): void => {
        waiting.delete(leaving)
        leaving.abort()
      }
      // A client that has closed its side of the connection may have gone: it gets its answer at once.
      socket.once('end', leave)
      reply.raw.once('close', () => {
        socket.off('end', leave)
        leave()
      })
      return leaving.signal
    },
    close() {
      closed = true
      for (const leaving of waiting) leaving.abort()
    },
  }
}
