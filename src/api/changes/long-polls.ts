/** Holds the requests of clients that wait for changes. */
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { CatalogueUnavailable } from '../../catalogue/reader-errors.ts'
import type { CatalogueReader } from '../../catalogue/reader.ts'
import type { Head } from '../../catalogue/records.ts'
import { Semaphore } from '../http/semaphore.ts'

/** Maximum number of clients that wait for changes at the same time. Each of them keeps a connection open. */
const maxWaiting = 500

/**
 * Milliseconds between two reads of the head for each waiting client. A read is cheap, because the head is cached until the
 * catalogue changes.
 */
const pollIntervalMs = 100

/** The long-poll registry: limits the number of waiting clients, and ends all waits when the server stops. */
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

/** Waits until the epoch or the seq of the head differs from `from`, the signal aborts, or `ms` milliseconds are over. */
export async function waitForChange(
  reader: Pick<CatalogueReader, 'head'>,
  from: Head,
  { ms, signal }: { readonly ms: number; readonly signal: AbortSignal },
): Promise<void> {
  const endMs = performance.now() + ms
  for (let left = ms; left > 0 && !signal.aborted; left = endMs - performance.now()) {
    await pause(Math.min(left, pollIntervalMs), undefined, { signal }).catch(() => undefined)
    const { epoch, seq } = await reader.head().catch((error: unknown) => {
      // While the catalogue is unavailable, its head is read again.
      if (error instanceof CatalogueUnavailable) return from
      throw error
    })
    if (seq !== from.seq || epoch !== from.epoch) return
  }
}
