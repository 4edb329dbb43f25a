import type { Database } from 'better-sqlite3'
import { blockSize, placesOf } from './block-layout.ts'
import { openFenwick } from './fenwick.ts'

/**
 * Finds any place of the list by counting blocks instead of records, so that the last page of ten million costs what the
 * first one does. To be used within one read transaction, after `follow`.
 */
export interface PageIndex {
  /** Takes again the blocks that changed. @param seq the number of the latest change */
  follow(seq: number): void
  /** How many records are live. */
  readonly total: number
  /** The id of the live record at a place, counted from 0 in the order of ids. */
  idAt(place: number): number
}

export function openPageIndex(db: Database): PageIndex {
  // Named, because the engine would go through the whole table rather than sort what it finds by the index.
  const live = 'SELECT id, live FROM block INDEXED BY block_seq'
  const all = db.prepare(`${live} ORDER BY id`).raw()
  const changed = db.prepare(`${live} WHERE seq > ? ORDER BY id`).raw()
  const places = db.prepare('SELECT places FROM block WHERE id = ?').pluck()
  // Blocks have no gaps to speak of, but the first of them may be far up: numbers go on where another database ended.
  const blockIds: number[] = []
  const counts = openFenwick()
  let followed: number | undefined
  return {
    follow(seq) {
      if (seq === followed) return
      const rows = followed === undefined ? all.iterate() : changed.iterate(followed)
      for (const [id, live] of rows as Iterable<[number, number]>) {
        // Ids only grow, so a block that was not there before comes after all others.
        const isNew = id > (blockIds.at(-1) ?? -1)
        counts.set(isNew ? blockIds.push(id) - 1 : indexOf(blockIds, id), live)
      }
      followed = seq
    },
    get total() {
      return counts.total
    },
    idAt(place) {
      const { index, rest } = counts.find(place)
      const block = blockIds[index] ?? 0
      // Nothing was ever removed from most blocks.
      if (counts.at(index) === blockSize) return block * blockSize + rest
      const { stations } = placesOf(places.get(block) as Buffer)
      let at = 0
      for (let left = rest; stations[at] === 0 || left-- > 0; at++);
      return block * blockSize + at
    },
  }
}

/** Where a number stands among others in rising order. */
function indexOf(numbers: readonly number[], wanted: number): number {
  let [low, high] = [0, numbers.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] as number) < wanted) low = middle + 1
    else high = middle
  }
  return low
}
