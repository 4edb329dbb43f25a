import type { FastifyReply } from 'fastify'
import { tooMany } from '../http/errors.ts'

/** Bytes of bodies on their way to clients: listings of some forty days of 10,000 files, besides those that are shared. */
const mostBytesUnderWay = 64 * 1024 * 1024

/** Memory for bodies that are being sent, to clients however slow. One that is sent to many counts once. */
export interface ByteQuota {
  /**
   * Takes room for a body until the answer has ended, or its client is gone.
   * @throws HttpError 429 when there is none
   */
  take(reply: FastifyReply, body: Buffer): void
}

export function openByteQuota(mostBytes = mostBytesUnderWay): ByteQuota {
  const answers = new Map<Buffer, number>()
  let taken = 0
  const release = (body: Buffer): void => {
    const left = (answers.get(body) ?? 0) - 1
    if (left > 0) answers.set(body, left)
    else {
      answers.delete(body)
      taken -= body.length
    }
  }
  return {
    take(reply, body) {
      // Its client has gone while the body was made: it will not be sent, and never be said to have ended.
      if (reply.raw.destroyed) return
      const others = answers.get(body) ?? 0
      if (others === 0) {
        // A body that is larger than all there is gets through when it is alone.
        if (taken > 0 && taken + body.length > mostBytes)
          throw tooMany('Too many listings are being read.')
        taken += body.length
      }
      answers.set(body, others + 1)
      reply.raw.once('close', () => {
        release(body)
      })
    },
  }
}
