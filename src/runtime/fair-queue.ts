/**
 * A queue in which owners take turns, so that an owner with many items does not delay those of
 * others.
 */
export class FairQueue<Item> {
  /** The items of each owner, oldest first. The owners are in the order of their turns. */
  readonly #items = new Map<string, Item[]>()
  #size = 0

  get size(): number {
    return this.#size
  }

  has(owner: string): boolean {
    return this.#items.has(owner)
  }

  push(owner: string, item: Item): void {
    const items = this.#items.get(owner)
    if (items === undefined) this.#items.set(owner, [item])
    else items.push(item)
    this.#size++
  }

  /**
   * Removes and returns the oldest item of the owner whose turn it is; `undefined` if there is
   * none.
   * @param mayTake returns false for an owner that keeps its turn for later
   */
  shift(mayTake: (owner: string) => boolean = () => true): Item | undefined {
    for (const [owner, items] of this.#items) {
      const [item] = items
      if (item === undefined || !mayTake(owner)) continue
      this.remove(owner, item)
      // The owner's next turn comes after those of all others.
      if (this.#items.delete(owner) && items.length > 0) this.#items.set(owner, items)
      return item
    }
    return undefined
  }

  /** Removes an item, if it is in the queue. */
  remove(owner: string, item: Item): void {
    const items = this.#items.get(owner) ?? []
    const index = items.indexOf(item)
    if (index < 0) return
    items.splice(index, 1)
    this.#size--
    if (items.length === 0) this.#items.delete(owner)
  }
}
