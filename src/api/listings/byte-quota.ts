import type { FastifyReply } from 'fastify'
import { tooMany } from '../http/errors.ts'

/** About forty listings of 10,000 files each. */
const maxBytesInFlight = 64 * 1024 * 1024

/** Limits the memory of response bodies in flight, however slow their clients are. A body that many clients get counts once. */
export interface ByteQuota {
  /**
   * Counts a body until its response closes.
   * @throws HttpError 429 when the quota is full
   */
  acquire(reply: FastifyReply, body: Buffer): void
}

export function openByteQuota(maxBytes = maxBytesInFlight): ByteQuota {
  /** Responses of each body. */
  const responses = new Map<Buffer, number>()
  let used = 0
  const release = (body: Buffer): void => {
    const left = (responses.get(body) ?? 0) - 1
    if (left > 0) responses.set(body, left)
    else {
      responses.delete(body)
      used -= body.length
    }
  }
  return {
    acquire(reply, body) {
      // The client has left: `close` was already emitted.
      if (reply.raw.destroyed) return
      const others = responses.get(body) ?? 0
      if (others === 0) {
        // A body larger than the quota is sent when it is alone.
        if (used > 0 && used + body.length > maxBytes)
          throw tooMany('Too many listings are being sent.')
        used += body.length
      }
      responses.set(body, others + 1)
      reply.raw.once('close', () => {
        release(body)
      })
    },
  }
}
