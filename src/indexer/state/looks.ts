/** Since when each known directory has been as the catalogue says. */
import type { Moment } from './as-of.ts'
import type { KnownDirectories } from './known-directories.ts'

/** The number of a look that does not count. */
const never = -1

/**
 * Sweeps are numbered, and each known directory has the number of the last one that looked at it;
 * 0 is the last complete scan.
 */
export class Looks {
  readonly #known: KnownDirectories
  /** When the sweeps began that count. */
  readonly #moments = new Map<number, Moment>()

  constructor(known: KnownDirectories) {
    this.#known = known
  }

  /** Begins a sweep. @returns its number */
  begin(): number {
    return ++this.#known.looking
  }

  /** Call it at the end of a scan that has read everything. @param begun when it began */
  scanned(begun: Moment): void {
    this.#moments.set(0, begun)
  }

  /**
   * Call it when everything that a sweep found is reconciled.
   * @param begun when it began; `undefined` if its changes may not be in the catalogue
   * @returns when the sweep began that has the oldest of the last looks; `undefined` if a directory
   * was not looked at since the start of the process
   */
  ended(number: number, begun: Moment | undefined): Moment | undefined {
    const { looked } = this.#known
    if (begun !== undefined) this.#moments.set(number, begun)
    let oldest = number
    for (let slot = 0; slot < this.#known.slots; slot++) {
      if (!this.#known.isKnown(slot)) continue
      if (begun === undefined && looked.get(slot) === number) looked.set(slot, never)
      oldest = Math.min(oldest, looked.get(slot))
    }
    for (const each of this.#moments.keys()) if (each < oldest) this.#moments.delete(each)
    return this.#moments.get(oldest)
  }
}
