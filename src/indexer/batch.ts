import type { AppliedChange, CatalogueWriter, DirectoryChange } from '../catalogue/writer.ts'

/** Collects the changes of directories into transactions, each of which costs a synchronised write. */
export interface Batch {
  /** @param isWalked whether it comes from a walk, and so can wait longer than a change in a watched directory */
  add(change: DirectoryChange, isWalked: boolean): void
  /** Whether the batch holds a change of this directory, so that its records are out of date. */
  has(path: string): boolean
  /** Whether it is time to flush. */
  readonly full: boolean
  /** Applies all changes in one transaction. If that fails, the changes are dropped. */
  flush(): Promise<BatchOutcome>
}

export interface BatchOutcome {
  readonly applied: AppliedChange | undefined
  readonly error: Error | undefined
  readonly changes: readonly DirectoryChange[]
}

/** Files per transaction; it then blocks the process for a few hundredths of a second. */
const filesPerBatch = 5_000
/** Longest time that a change waits for others: from a walk, and from all other reads. */
const timeoutMs = { walked: 500, seen: 100 }

/** @param nowMs a steady clock */
export function openBatch(writer: CatalogueWriter, nowMs = () => performance.now()): Batch {
  let changes = new Map<string, DirectoryChange>()
  let files = 0
  let dueMs = Infinity
  return {
    add(change, isWalked) {
      const timeout = isWalked ? timeoutMs.walked : timeoutMs.seen
      dueMs = Math.min(dueMs, nowMs() + timeout)
      changes.set(change.path, change)
      files += 1 + change.added.length + change.modified.length + change.filled.length
      files += change.attributes.length + change.rehash.length + change.removed.length
    },
    has: (path) => changes.has(path),
    get full() {
      return files >= filesPerBatch || nowMs() > dueMs
    },
    async flush() {
      const batch = [...changes.values()]
      changes = new Map()
      files = 0
      dueMs = Infinity
      if (batch.length === 0) return { applied: undefined, error: undefined, changes: batch }
      try {
        return { applied: await writer.apply(batch), error: undefined, changes: batch }
      } catch (error) {
        return { applied: undefined, error: error as Error, changes: batch }
      }
    },
  }
}
