/** Counts of texts, of which there may be very many different ones. */

/** Number of different texts above which the rare ones are forgotten. */
const mostTexts = 10_000

/**
 * Counts texts. When there are more than ten thousand different ones, those that were counted least
 * are forgotten, so that the memory is bounded; those that are frequent stay.
 */
export class Tally<Text extends string = string> {
  #counts = new Map<Text, number>()
  #total = 0

  get total(): number {
    return this.#total
  }

  add(text: Text, count = 1): void {
    this.#total += count
    this.#counts.set(text, (this.#counts.get(text) ?? 0) + count)
    if (this.#counts.size > mostTexts) this.#counts = new Map(this.most(mostTexts / 2))
  }

  count(text: Text): number {
    return this.#counts.get(text) ?? 0
  }

  /** The most frequent texts with their counts, highest first. */
  most(number: number): [text: Text, count: number][] {
    return [...this.#counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, number)
  }

  /** All texts with their counts, in their own order. */
  all(): Record<string, number> {
    return Object.fromEntries([...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)))
  }
}
