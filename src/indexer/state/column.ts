/** Numbers of many directories in one array, because objects would need ten times the memory. */

const firstLength = 1024

/** A number for each slot (see `KnownDirectories`), or `NaN`. */
export class Column {
  #values = new Float64Array(firstLength).fill(NaN)

  /** Those of all slots, for loops over many of them; another array after `set`. */
  get values(): Float64Array {
    return this.#values
  }

  get(slot: number): number {
    return this.#values[slot] ?? NaN
  }

  set(slot: number, value: number): void {
    if (slot >= this.#values.length) {
      const larger = new Float64Array(Math.max(slot + 1, 2 * this.#values.length)).fill(NaN)
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[slot] = value
  }
}
