/**
 * Paths of many directories in little memory: a tree of their names, in columns. A path with its
 * entries in maps and sets would need three times as much as a row of numbers.
 */

/** No slot. */
const none = -1
const firstLength = 1024
const mostTexts = 10_000
const [fnvBasis, fnvPrime] = [0x811c9dc5, 0x01000193]

/**
 * Gives each path that was added, and each above it, a slot: a number from 0, that of the root, up.
 * The slot of one that was deleted is given to another one.
 */
export class PathSlots {
  /** The last name of each path; `undefined` for a slot that is free. */
  readonly #names: (string | undefined)[] = ['']
  /** One text for equal names, as far as there are few. */
  readonly #texts = new Map<string, string>()
  readonly #free: number[] = []
  #parent = new Int32Array(firstLength).fill(none)
  #firstChild = new Int32Array(firstLength).fill(none)
  #nextSibling = new Int32Array(firstLength).fill(none)
  /** Slots by the hash of parent and name: the first of each chain, and the next ones. */
  #firstOfChain = new Int32Array(firstLength).fill(none)
  #nextInChain = new Int32Array(firstLength).fill(none)

  /** A number above all slots. */
  get end(): number {
    return this.#names.length
  }

  /** The slot of a path; `undefined` if it was not added, and is above none that was. */
  slotOf(path: string): number | undefined {
    let slot = 0
    for (const name of namesOf(path)) {
      slot = this.#childOf(slot, name)
      if (slot === none) return undefined
    }
    return slot
  }

  add(path: string): number {
    let slot = 0
    for (const name of namesOf(path)) {
      const found = this.#childOf(slot, name)
      slot = found === none ? this.#addChild(slot, name) : found
    }
    return slot
  }

  /** Frees the slot of a path without others below it. */
  delete(slot: number): void {
    const [parent, name] = [this.parentAt(slot), this.#names[slot]]
    if (parent === undefined || name === undefined) return
    unlink(slot, { first: this.#firstChild, at: parent, next: this.#nextSibling })
    const at = this.#chainOf(parent, name)
    unlink(slot, { first: this.#firstOfChain, at, next: this.#nextInChain })
    this.#names[slot] = undefined
    this.#free.push(slot)
  }

  /** The path of a slot that is not free. */
  pathAt(slot: number): string {
    let path = this.#names[slot] ?? ''
    for (let at = this.#parent[slot] ?? 0; at > 0; at = this.#parent[at] ?? 0)
      path = `${this.#names[at] ?? ''}/${path}`
    return path
  }

  /** `undefined` for the root. */
  parentAt(slot: number): number | undefined {
    const parent = this.#parent[slot] ?? none
    return parent === none ? undefined : parent
  }

  *childrenAt(slot: number): Generator<number, undefined> {
    for (let at = this.#firstChild[slot] ?? none; at !== none; at = this.#nextSibling[at] ?? none)
      yield at
  }

  hasChildren(slot: number): boolean {
    return this.#firstChild[slot] !== none
  }

  #childOf(parent: number, name: string): number {
    let at = this.#firstOfChain[this.#chainOf(parent, name)] ?? none
    while (at !== none && (this.#parent[at] !== parent || this.#names[at] !== name))
      at = this.#nextInChain[at] ?? none
    return at
  }

  #addChild(parent: number, name: string): number {
    const slot = this.#free.pop() ?? this.#names.length
    if (slot >= this.#parent.length) this.#grow()
    let text = this.#texts.get(name)
    if (text === undefined) {
      text = name
      if (this.#texts.size < mostTexts) this.#texts.set(name, text)
    }
    this.#names[slot] = text
    this.#parent[slot] = parent
    this.#firstChild[slot] = none
    this.#nextSibling[slot] = this.#firstChild[parent] ?? none
    this.#firstChild[parent] = slot
    this.#chain(slot)
    return slot
  }

  #chain(slot: number): void {
    const at = this.#chainOf(this.#parent[slot] ?? none, this.#names[slot] ?? '')
    this.#nextInChain[slot] = this.#firstOfChain[at] ?? none
    this.#firstOfChain[at] = slot
  }

  #chainOf(parent: number, name: string): number {
    let hash = Math.imul(fnvBasis ^ parent, fnvPrime)
    for (let index = 0; index < name.length; index++)
      hash = Math.imul(hash ^ name.charCodeAt(index), fnvPrime)
    return (hash ^ (hash >>> 15)) & (this.#firstOfChain.length - 1)
  }

  #grow(): void {
    const length = 2 * this.#parent.length
    this.#parent = longer(this.#parent, length)
    this.#firstChild = longer(this.#firstChild, length)
    this.#nextSibling = longer(this.#nextSibling, length)
    this.#firstOfChain = new Int32Array(length).fill(none)
    this.#nextInChain = new Int32Array(length).fill(none)
    for (let slot = 1; slot < this.#names.length; slot++)
      if (this.#names[slot] !== undefined) this.#chain(slot)
  }
}

/** The names of a path; none for the root. */
function namesOf(path: string): readonly string[] {
  return path === '' ? [] : path.split('/')
}

function longer(values: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const all = new Int32Array(length).fill(none)
  all.set(values)
  return all
}

/** Takes a slot out of a list, whose first one is `first[at]`. */
function unlink(
  slot: number,
  { first, at, next }: { first: Int32Array; at: number; next: Int32Array },
): void {
  if (first[at] === slot) {
    first[at] = next[slot] ?? none
    return
  }
  for (let before = first[at] ?? none; before !== none; before = next[before] ?? none)
    if (next[before] === slot) next[before] = next[slot] ?? none
}
