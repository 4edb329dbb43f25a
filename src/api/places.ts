import type { FastifyReply } from 'fastify'
import { tooMany } from './errors.ts'

/** So many answers of a kind may be under way at the same time. */
export interface Places {
  /**
   * Takes a place until the answer has ended, or its client is gone.
   * @throws HttpError 429 when all places are taken
   */
  take(reply: FastifyReply): void
  /**
   * Takes a place until some work is done, also when nobody waits for it any more.
   * @throws HttpError 429
   */
  during<T>(work: () => Promise<T>): Promise<T>
}

/** @param detail what who finds no place is told */
export function openPlaces(count: number, detail: string): Places {
  let taken = 0
  const enter = (): void => {
    if (taken >= count) throw tooMany(detail)
    taken++
  }
  return {
    take(reply) {
      enter()
      reply.raw.once('close', () => taken--)
    },
    async during(work) {
      enter()
      try {
        return await work()
      } finally {
        taken--
      }
    },
  }
}
