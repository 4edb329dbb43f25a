/** The queue of directories that may differ from the catalogue. The reconcile loop takes them from the queue and reads them. */
import TinyQueue from 'tinyqueue'
import type { ReadDepth } from '../tree/directory-snapshot.ts'

/** A directory that may differ from the catalogue. */
export interface DirtyDirectory {
  readonly path: string
  readonly depth: ReadDepth
  /** True if new files in the directory have just arrived; false if they were found later. */
  readonly arrived: boolean
}

/**
 * The queue of dirty directories. Each directory is in the queue once, so the number of directories limits its size, not the
 * number of events.
 */
export interface DirtyDirectories {
  /**
   * Adds a directory that is due at a time of `performance.now()`, and wakes the reconcile loop. If the directory is in the queue
   * already, the earlier time and the greater depth count, and `arrived` is true if it is true in either entry.
   */
  add(directory: DirtyDirectory, dueMs: number): void
  /** Takes the directory with the earliest due time; `undefined` if none is due. */
  take(nowMs: number): DirtyDirectory | undefined
  /** The earliest due time; `undefined` when the queue is empty. */
  nextDueMs(): number | undefined
  /** Wakes the loop if it waits for a directory; if the loop is busy, its next wait ends at once. */
  wake(): void
  /** Waits until a directory is due, or `wake` is called. */
  untilDue(): Promise<void>
  readonly size: number
}

const depthOrder: Readonly<Record<ReadDepth, number>> = { names: 0, auto: 1, facts: 2 }

export function openDirtyDirectories(): DirtyDirectories {
  const waiting = new Map<string, { depth: ReadDepth; arrived: boolean; dueMs: number }>()
  // The queue holds a path more than once if an earlier due time was added; only the entry whose due time is in `waiting` counts.
  const queue = new TinyQueue<{ path: string; dueMs: number }>([], (a, b) => a.dueMs - b.dueMs)
  const first = () => {
    for (let entry = queue.peek(); entry !== undefined; entry = queue.peek()) {
      if (waiting.get(entry.path)?.dueMs === entry.dueMs) return entry
      queue.pop()
    }
    return undefined
  }
  let endWait = (): void => undefined
  let woken = false
  const wake = (): void => {
    woken = true
    endWait()
  }
  return {
    add({ path, depth, arrived }, dueMs) {
      const entry = waiting.get(path) ?? { depth, arrived, dueMs: Infinity }
      entry.arrived ||= arrived
      if (depthOrder[depth] > depthOrder[entry.depth]) entry.depth = depth
      if (dueMs < entry.dueMs) {
        entry.dueMs = dueMs
        queue.push({ path, dueMs })
      }
      waiting.set(path, entry)
      wake()
    },
    take(nowMs) {
      const entry = first()
      if (entry === undefined || entry.dueMs > nowMs) return undefined
      const { depth = 'auto', arrived = false } = waiting.get(entry.path) ?? {}
      waiting.delete(entry.path)
      queue.pop()
      return { path: entry.path, depth, arrived }
    },
    nextDueMs: () => first()?.dueMs,
    wake,
    async untilDue() {
      let timer: NodeJS.Timeout | undefined
      if (!woken)
        await new Promise<void>((resolve) => {
          endWait = resolve
          const dueMs = first()?.dueMs
          if (dueMs !== undefined)
            timer = setTimeout(resolve, Math.max(0, dueMs - performance.now()))
        })
      clearTimeout(timer)
      woken = false
    },
    get size() {
      return waiting.size
    },
  }
}
