/**
 * The queue of directories that may differ from the catalogue. The reconcile loop takes them from
 * the queue and reads them.
 */
import TinyQueue from 'tinyqueue'
import type { ReadDepth } from '../tree/directory-snapshot.ts'

/** A directory that may differ from the catalogue. */
export interface DirtyDirectory {
  readonly path: string
  readonly depth: ReadDepth
}

const depthOrder: Readonly<Record<ReadDepth, number>> = { names: 0, auto: 1, facts: 2 }

/**
 * The queue of dirty directories. Each directory is in the queue once, so the number of directories
 * limits its size, not the number of events.
 */
export class DirtyDirectories {
  readonly #waiting = new Map<string, { depth: ReadDepth; dueMs: number }>()
  // The queue holds a path more than once if an earlier due time was added; only the entry whose
  // due time is in `#waiting` counts.
  readonly #queue = new TinyQueue<{ path: string; dueMs: number }>([], (a, b) => a.dueMs - b.dueMs)
  #endWait = (): void => undefined
  #woken = false

  get size(): number {
    return this.#waiting.size
  }

  /**
   * Adds a directory that is due at a time of `performance.now()`, and wakes the reconcile loop. If
   * the directory is in the queue already, the earlier time and the greater depth count.
   */
  add({ path, depth }: DirtyDirectory, dueMs: number): void {
    const entry = this.#waiting.get(path) ?? { depth, dueMs: Infinity }
    if (depthOrder[depth] > depthOrder[entry.depth]) entry.depth = depth
    if (dueMs < entry.dueMs) {
      entry.dueMs = dueMs
      this.#queue.push({ path, dueMs })
    }
    this.#waiting.set(path, entry)
    this.wake()
  }

  /** Takes the directory with the earliest due time; `undefined` if none is due. */
  take(nowMs: number): DirtyDirectory | undefined {
    const path = (this.nextDueMs() ?? Infinity) > nowMs ? undefined : this.#queue.pop()?.path
    const entry = path === undefined ? undefined : this.#waiting.get(path)
    if (path === undefined || entry === undefined) return undefined
    this.#waiting.delete(path)
    return { path, depth: entry.depth }
  }

  /** The earliest due time; `undefined` when the queue is empty. */
  nextDueMs(): number | undefined {
    for (let entry = this.#queue.peek(); entry !== undefined; entry = this.#queue.peek()) {
      if (this.#waiting.get(entry.path)?.dueMs === entry.dueMs) return entry.dueMs
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
