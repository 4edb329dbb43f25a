/**
 * What files of a series are there and were delivered, from what happened to each file: slow, and
 * without anything of the program. Times are seconds since 1970.
 */

/** A file, by its name: it fills one slot. */
interface File {
  isLive: boolean
  isDamaged: boolean
  /** When its present version, or its first good one, came; undefined if nobody saw it. */
  arrival: number | undefined
  /** The order in which the files became good. */
  order: number
  /** When it was found to be damaged. */
  found: number
  /** The share of its epochs that it holds; undefined if nobody knows. */
  share: number | undefined
}

interface Slot {
  readonly files: Map<string, File>
  /** Whether a good file was removed. */
  hadGood: boolean
  /** The arrival of the first good file, as long as the slot is delivered. */
  delivery: { arrival: number | undefined } | undefined
}

export class FilesOfSeries {
  readonly #slots = new Map<number, Slot>()
  readonly #length: number
  #order = 0

  /** @param length of a slot in seconds */
  constructor(length: number) {
    this.#length = length
  }

  /** A file comes, or another version of it. */
  put(
    slot: number,
    name: string,
    { isDamaged, arrival, at }: { isDamaged: boolean; arrival: number | undefined; at: number },
  ): void {
    const { files } = this.#slotOf(slot)
    const before = files.get(name)
    const wasGood = before?.isLive === true && !before.isDamaged
    if (wasGood && !isDamaged) {
      before.share = undefined
      return
    }
    const found = before?.isLive === true && before.isDamaged ? before.found : at
    const order = ++this.#order
    files.set(name, { isLive: true, isDamaged, arrival, order, found, share: undefined })
    if (isDamaged && wasGood) this.#takeBack(slot)
    if (!isDamaged) this.#slotOf(slot).delivery ??= { arrival }
  }

  /** A file that is there is found to be damaged. */
  find(slot: number, name: string, at: number): void {
    const file = this.#slotOf(slot).files.get(name)
    if (file?.isLive !== true || file.isDamaged) return
    file.isDamaged = true
    file.found = at
    this.#takeBack(slot)
  }

  /** The epochs of a good file are counted. @returns false if there is none */
  count(slot: number, name: string, share: number | undefined): boolean {
    const file = this.#slotOf(slot).files.get(name)
    if (file?.isLive !== true || file.isDamaged) return false
    file.share = share
    return true
  }

  remove(slot: number, name: string): void {
    const found = this.#slotOf(slot)
    const file = found.files.get(name)
    if (file?.isLive !== true) return
    file.isLive = false
    if (!file.isDamaged) found.hadGood = true
  }

  isThere(slot: number, name: string): boolean {
    return this.#slots.get(slot)?.files.get(name)?.isLive === true
  }

  /** Delivered slots with their latencies, and those with good, damaged and half files. */
  get history() {
    const delivered = new Map<number, number | undefined>()
    const [live, damaged] = [new Set<number>(), new Map<number, number>()]
    const half = new Set<number>()
    for (const [slot, { files, delivery }] of this.#slots) {
      const end = (slot + 1) * this.#length
      if (delivery !== undefined)
        delivered.set(slot, delivery.arrival === undefined ? undefined : delivery.arrival - end)
      for (const file of files.values())
        if (file.isLive && file.isDamaged)
          damaged.set(slot, Math.min(file.found, damaged.get(slot) ?? Infinity))
        else if (file.isLive) live.add(slot)
      const good = [...files.values()].filter(({ isLive, isDamaged }) => isLive && !isDamaged)
      if (good.length > 0 && good.every(({ share = 1 }) => share < 0.5)) half.add(slot)
    }
    return { delivered, live, damaged, half }
  }

  /** One of the good files of a slot is damaged now. */
  #takeBack(slot: number): void {
    const found = this.#slotOf(slot)
    const [first] = [...found.files.values()]
      .filter(({ isLive, isDamaged }) => isLive && !isDamaged)
      .sort((a, b) => a.order - b.order)
    if (first !== undefined) found.delivery = { arrival: first.arrival }
    else if (!found.hadGood) found.delivery = undefined
  }

  #slotOf(slot: number): Slot {
    const found = this.#slots.get(slot) ?? { files: new Map(), hadGood: false, delivery: undefined }
    this.#slots.set(slot, found)
    return found
  }
}
