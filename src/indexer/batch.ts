/** Collects the changes of several directories into one transaction. */
import type { AppliedChange, CatalogueWriter, DirectoryChange } from '../catalogue/writer.ts'
import { filesOf } from './directory-parts.ts'

/** Collects the changes of several directories into one transaction, because each transaction is a synchronised write. */
export interface Batch {
  /** @param isWalked true for a change that a walk has found; it can wait longer than a change in a watched directory */
  add(change: DirectoryChange, isWalked: boolean): void
  /** True if the batch holds a change of this directory, so that its records in the catalogue are out of date. */
  has(path: string): boolean
  /** True if the changes must be flushed now. */
  readonly full: boolean
  /** Applies all changes in one transaction. The batch is then empty, also if the transaction has failed. */
  flush(): Promise<BatchOutcome>
}

export interface BatchOutcome {
  readonly applied: AppliedChange | undefined
  readonly error: Error | undefined
  readonly changes: readonly DirectoryChange[]
}

/**
 * Number of files and directories with which a batch is full; its transaction then blocks the process for a few hundredths of a
 * second.
 */
const filesPerBatch = 5_000
/** Longest time for which a change waits for others (ms): `walked` for changes that a walk has found, `seen` for all others. */
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
      files += 1 + filesOf(change)
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
