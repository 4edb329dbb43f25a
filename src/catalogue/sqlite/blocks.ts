import type { Database } from 'better-sqlite3'
import { blockSize, dayOf, narrow, placesOf } from './block-layout.ts'
import type { Places } from './block-layout.ts'
import { prepareExcerpts } from './excerpts.ts'
import type { NamedRun } from './excerpts.ts'

/** Records that differ in nothing but their stations: the numbers of those and of their kind, and when the data start. */
export interface Run extends NamedRun {
  readonly stations: readonly number[]
  readonly kind: number
  readonly startSeconds: number
}

/**
 * Keeps the blocks, and with them the excerpts, in step with the records. What is told is gathered, and written by `flush`
 * in the same transaction.
 */
export interface Blocks {
  /** Records with ids in a row. */
  setAll(firstId: number, run: Run, createdUs: number): void
  clear(id: number): void
  /** @param modifiedUs as the record has it now */
  modified(id: number, modifiedUs: number): void
  /** @param seq the number of the latest change */
  flush(seq: number): void
  /** Forgets what a rolled back transaction gathered. */
  forget(): void
}

interface Block {
  readonly places: Places
  live: number
  createdFromUs: number
  createdToUs: number
  modifiedToUs: number
}

export function prepareBlocks(db: Database): Blocks {
  const read = prepareRead(db)
  const write = db.prepare(
    `INSERT INTO block (id, seq, live, created_from_us, created_to_us, modified_to_us, places)
     VALUES (@id, @seq, @live, @createdFromUs, @createdToUs, @modifiedToUs, @places)
     ON CONFLICT DO UPDATE SET seq = @seq, live = @live, created_from_us = @createdFromUs,
       created_to_us = @createdToUs, modified_to_us = @modifiedToUs, places = @places`,
  )
  const excerpts = prepareExcerpts(db)
  const touched = new Map<number, Block>()
  const blockOf = (id: number): Block => {
    const key = Math.floor(id / blockSize)
    let block = touched.get(key)
    if (block === undefined) touched.set(key, (block = read(key)))
    return block
  }
  return {
    setAll(firstId, run, createdUs) {
      const { stations, kind, startSeconds } = run
      const [kindNumber, day] = [narrow(kind), narrow(dayOf(startSeconds))]
      let block = createdIn(blockOf(firstId), createdUs)
      for (let count = 0; count < stations.length; count++) {
        const index = (firstId + count) % blockSize
        if (index === 0) block = createdIn(blockOf(firstId + count), createdUs)
        const { places } = block
        if (places.stations[index] === 0) block.live++
        places.stations[index] = narrow(stations[count] as number)
        places.kinds[index] = kindNumber
        places.days[index] = day
      }
      excerpts.setAll(firstId, run, createdUs)
    },
    clear(id) {
      const block = blockOf(id)
      const { stations } = block.places
      if (stations[id % blockSize] !== 0) block.live--
      stations[id % blockSize] = 0
      excerpts.clear(id)
    },
    modified(id, modifiedUs) {
      const block = blockOf(id)
      block.modifiedToUs = Math.max(block.modifiedToUs, modifiedUs)
      excerpts.modified(id, modifiedUs)
    },
    flush(seq) {
      for (const [id, { places, ...numbers }] of touched)
        write.run({ id, seq, ...numbers, places: places.bytes })
      touched.clear()
      excerpts.flush()
    },
    forget() {
      touched.clear()
      excerpts.forget()
    },
  }
}

/** Widens the times of a block by that of a record. */
function createdIn(block: Block, createdUs: number): Block {
  block.createdFromUs = Math.min(block.createdFromUs, createdUs)
  block.createdToUs = Math.max(block.createdToUs, createdUs)
  block.modifiedToUs = Math.max(block.modifiedToUs, createdUs)
  return block
}

function prepareRead(db: Database): (id: number) => Block {
  const select = db.prepare(
    `SELECT live, created_from_us AS createdFromUs, created_to_us AS createdToUs,
       modified_to_us AS modifiedToUs, places FROM block WHERE id = ?`,
  )
  return (id) => {
    const row = select.get(id) as (Omit<Block, 'places'> & { places: Buffer }) | undefined
    if (row !== undefined) return { ...row, places: placesOf(row.places) }
    return {
      places: placesOf(),
      live: 0,
      createdFromUs: Number.MAX_SAFE_INTEGER,
      createdToUs: 0,
      modifiedToUs: 0,
    }
  }
}
