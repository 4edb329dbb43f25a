/**
 * The queue of directories that may differ from the catalogue. The reconcile loop takes them from
 * the queue and reads them.
 */
import TinyQueue from 'tinyqueue'

/**
 * The queue of dirty directories. Each directory is in the queue once, so the number of directories
 * limits its size, not the number of events.
 */
export class DirtyDirectories {
  readonly #dueMs = new Map<string, number>()
  // The queue holds a path more than once if an earlier due time was added; only the entry whose
  // due time is in `#dueMs` counts.
  readonly #queue = new TinyQueue<{ path: string; dueMs: number }>([], (a, b) => a.dueMs - b.dueMs)
  #endWait = (): void => undefined
  #woken = false

  get size(): number {
    return this.#dueMs.size
  }

  /**
   * Adds a directory that is due at a time of `performance.now()`, and wakes the reconcile loop. If
   * the directory is in the queue already, the earlier time counts.
   */
  add(path: string, dueMs: number): void {
    if (dueMs < (this.#dueMs.get(path) ?? Infinity)) {
      this.#dueMs.set(path, dueMs)
      this.#queue.push({ path, dueMs })
    }
    this.wake()
  }

  /** Takes the directory with the earliest due time; `undefined` if none is due. */
  take(nowMs: number): string | undefined {
    const path = (this.nextDueMs() ?? Infinity) > nowMs ? undefined : this.#queue.pop()?.path
    if (path !== undefined) this.#dueMs.delete(path)
    return path
  }

  /** The earliest due time; `undefined` when the queue is empty. */
  nextDueMs(): number | undefined {
    for (let entry = this.#queue.peek(); entry !== undefined; entry = this.#queue.peek()) {
      if (this.#dueMs.get(entry.path) === entry.dueMs) return entry.dueMs
      this.#queue.pop()
    }
    return undefined
  }

  /**
   * Wakes the loop if it waits for a directory; if the loop is busy, its next wait ends at once.
   */
  wake(): void {
    this.#woken = true
    this.#endWait()
  }

  /** Waits until a directory is due, or `wake` is called. */
  async untilDue(): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    if (!this.#woken)
      await new Promise<void>((resolve) => {
        this.#endWait = resolve
        const dueMs = this.nextDueMs()
        if (dueMs !== undefined) timer = setTimeout(resolve, Math.max(0, dueMs - performance.now()))
      })
    clearTimeout(timer)
    this.#woken = false
  }
}
