/** Watches the head of the catalogue for all clients that wait for changes. */
import { setTimeout as pause } from 'node:timers/promises'
import type { CatalogueReader } from '../../catalogue/reader.ts'
import type { Head } from '../../catalogue/records.ts'

interface Waiter {
  readonly from: Head
  readonly changed: AbortController
}

export class HeadWatch {
  readonly #reader: Pick<CatalogueReader, 'head' | 'untilWritten'>
  readonly #waiters = new Set<Waiter>()
  #isWatching = false

  constructor(reader: Pick<CatalogueReader, 'head' | 'untilWritten'>) {
    this.#reader = reader
  }

  /**
   * Waits until the epoch or the seq of the head differs from `from`, the signal aborts, or `ms`
   * milliseconds are over.
   */
  async untilChanged(
    from: Head,
    { ms, signal }: { readonly ms: number; readonly signal: AbortSignal },
  ): Promise<void> {
    const waiter = { from, changed: new AbortController() }
    this.#waiters.add(waiter)
    if (!this.#isWatching) void this.#watch()
    const ends = AbortSignal.any([signal, waiter.changed.signal])
    await pause(Math.max(0, ms), undefined, { signal: ends }).catch(() => undefined)
    this.#waiters.delete(waiter)
  }

  async #watch(): Promise<void> {
    this.#isWatching = true
    for (;;) {
      await this.#reader.untilWritten()
      if (this.#waiters.size === 0) break
      // While the catalogue is unavailable, nothing has changed; its head is read again.
      const head = await this.#reader.head().catch(() => undefined)
      if (head === undefined) continue
      for (const { from, changed } of this.#waiters)
        if (from.seq !== head.seq || from.epoch !== head.epoch) changed.abort()
    }
    this.#isWatching = false
  }
}
