/** A queue in which owners take turns, so that an owner with many items does not delay those of others. */
export class FairQueue<Item> {
  /** The items of each owner, oldest first. The owners are in the order of their turns. */
  readonly #items = new Map<string, Item[]>()

  push(owner: string, item: Item): void {
    const items = this.#items.get(owner)
    if (items === undefined) this.#items.set(owner, [item])
    else items.push(item)
  }

  /** Removes and returns the oldest item of the owner whose turn it is; `undefined` if the queue is empty. */
  shift(): Item | undefined {
    for (const [owner, items] of this.#items) {
      const item = items.shift()
      // The owner's next turn comes after those of all others.
      this.#items.delete(owner)
      if (items.length > 0) this.#items.set(owner, items)
      return item
    }
    return undefined
  }
}
