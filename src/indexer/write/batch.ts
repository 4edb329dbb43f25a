/** Collects the changes of several directories into one transaction. */
import type { DirectoryChange } from '../../catalogue/updates/change.ts'
import type { CatalogueWriter } from '../../catalogue/updates/writer.ts'
import { filesOf } from '../compare/directory-parts.ts'

/**
 * Number of files and directories with which a batch is full; its transaction then blocks the
 * process for a few hundredths of a second.
 */
const filesPerBatch = 5_000
/**
 * Longest time for which a change waits for others (ms): `walked` for changes that a walk has
 * found, `seen` for all others.
 */
const timeoutMs = { walked: 500, seen: 100 }

/**
 * Collects the changes of several directories into one transaction, because each transaction is a
 * synchronised write.
 */
export class Batch {
  readonly #writer: Pick<CatalogueWriter, 'apply'>
  readonly #nowMs: () => number
  #changes = new Map<string, DirectoryChange>()
  #files = 0
  #dueMs = Infinity

  /** @param nowMs a steady clock */
  constructor(writer: Pick<CatalogueWriter, 'apply'>, nowMs = () => performance.now()) {
    this.#writer = writer
    this.#nowMs = nowMs
  }

  /** True if the changes must be flushed now. */
  get full(): boolean {
    return this.#files >= filesPerBatch || this.#nowMs() > this.#dueMs
  }

  /**
   * True if the batch holds a change of this directory, so that its records in the catalogue are
   * out of date.
   */
  has(path: string): boolean {
    return this.#changes.has(path)
  }

  /**
   * @param isWalked true for a change that a walk has found; it can wait longer than a change in a
   * watched directory
   */
  add(change: DirectoryChange, isWalked: boolean): void {
    const timeout = isWalked ? timeoutMs.walked : timeoutMs.seen
    this.#dueMs = Math.min(this.#dueMs, this.#nowMs() + timeout)
    this.#changes.set(change.path, change)
    this.#files += 1 + filesOf(change)
  }

  /**
   * Applies all changes in one transaction. The batch is then empty, also if the transaction has
   * failed.
   */
  async flush() {
    const changes = [...this.#changes.values()]
    this.#changes = new Map()
    this.#files = 0
    this.#dueMs = Infinity
    if (changes.length === 0) return { applied: undefined, error: undefined, changes }
    try {
      return { applied: await this.#writer.apply(changes), error: undefined, changes }
    } catch (error) {
      return { applied: undefined, error: error as Error, changes }
    }
  }
}
