import type { AppliedChange, CatalogueWriter, DirectoryChange } from '../catalogue/writer.ts'

/** Gathers reconciled directories into transactions that are worth their synchronised write. */
export interface Batch {
  /** @param isWalked whether a walk brought it: it can wait longer than what somebody may look for */
  add(change: DirectoryChange, isWalked: boolean): void
  /** Whether a change of this directory waits: then what the catalogue says of it is out of date. */
  has(path: string): boolean
  /** Whether it is time to apply what has gathered. */
  readonly full: boolean
  /** Applies what has gathered, in one transaction. When that fails, all of it is forgotten. */
  flush(): Promise<BatchOutcome>
}

export interface BatchOutcome {
  readonly applied: AppliedChange | undefined
  readonly error: Error | undefined
  /** What had gathered. */
  readonly changes: readonly DirectoryChange[]
}

/** A transaction of this many files keeps the process busy for a few hundredths of a second. */
const filesPerBatch = 5_000
/** A change waits no longer than this for others: what a walk brought, and what was seen to change. */
const timeoutMs = { walked: 500, seen: 100 }

/** @param nowMs a clock that only goes on */
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
      const counted = [...changes.values()]
      changes = new Map()
      files = 0
      dueMs = Infinity
      if (counted.length === 0) return { applied: undefined, error: undefined, changes: counted }
      try {
        return { applied: await writer.apply(counted), error: undefined, changes: counted }
      } catch (error) {
        return { applied: undefined, error: error as Error, changes: counted }
      }
    },
  }
}
