import type {
  AppliedChange,
  CatalogueWriter,
  DirectoryChange,
} from '../catalogue/catalogue-writer.ts'

/** Gathers reconciled directories into transactions that are worth their synchronised write. */
export interface Batch {
  add(change: DirectoryChange): void
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
/** A change waits no longer than this for others. */
const patienceMs = 500

export function openBatch(writer: CatalogueWriter): Batch {
  let changes = new Map<string, DirectoryChange>()
  let files = 0
  let sinceMs = 0
  return {
    add(change) {
      if (changes.size === 0) sinceMs = performance.now()
      changes.set(change.path, change)
      files += 1 + change.added.length + change.modified.length + change.filled.length
      files += change.removed.length
    },
    has: (path) => changes.has(path),
    get full() {
      return (
        files >= filesPerBatch || (changes.size > 0 && performance.now() - sinceMs > patienceMs)
      )
    },
    async flush() {
      const gathered = [...changes.values()]
      changes = new Map()
      files = 0
      if (gathered.length === 0) return { applied: undefined, error: undefined, changes: gathered }
      try {
        return { applied: await writer.apply(gathered), error: undefined, changes: gathered }
      } catch (error) {
        return { applied: undefined, error: error as Error, changes: gathered }
      }
    },
  }
}
