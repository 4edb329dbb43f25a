import TinyQueue from 'tinyqueue'
import type { ReadDepth } from './tree/directory-snapshot.ts'

/** A directory that may differ from the catalogue. */
export interface DirtyDirectory {
  readonly path: string
  readonly depth: ReadDepth
  /** Whether its files, if there are new ones, were seen arriving. */
  readonly arrived: boolean
}

/**
 * The directories that wait to be reconciled, each once however often it was noticed: bounded by the number of
 * directories, never by the number of events.
 */
export interface DirtyDirectories {
  /** Notes a directory, to be taken when `dueMs` (of the caller's clock) has come; the earlier of two counts. */
  add(directory: DirtyDirectory, dueMs: number): void
  /** Takes the directory that is due longest; `undefined` when none is due. */
  take(nowMs: number): DirtyDirectory | undefined
  /** When the next one is due; `undefined` when none waits. */
  nextDueMs(): number | undefined
  readonly size: number
}

const closeness: Readonly<Record<ReadDepth, number>> = { names: 0, auto: 1, facts: 2 }

export function openDirtyDirectories(): DirtyDirectories {
  const waiting = new Map<string, { depth: ReadDepth; arrived: boolean; dueMs: number }>()
  // May hold a path twice when it became due earlier; only the entry that agrees with `waiting` counts.
  const queue = new TinyQueue<{ path: string; dueMs: number }>([], (a, b) => a.dueMs - b.dueMs)
  const first = () => {
    for (let entry = queue.peek(); entry !== undefined; entry = queue.peek()) {
      if (waiting.get(entry.path)?.dueMs === entry.dueMs) return entry
      queue.pop()
    }
    return undefined
  }
  return {
    add({ path, depth, arrived }, dueMs) {
      const entry = waiting.get(path) ?? { depth, arrived, dueMs: Infinity }
      entry.arrived ||= arrived
      if (closeness[depth] > closeness[entry.depth]) entry.depth = depth
      if (dueMs < entry.dueMs) {
        entry.dueMs = dueMs
        queue.push({ path, dueMs })
      }
      waiting.set(path, entry)
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
    get size() {
      return waiting.size
    },
  }
}
