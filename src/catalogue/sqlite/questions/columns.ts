import type { Database } from 'better-sqlite3'
import { beyond, blockSize, placesOf } from '../block-layout.ts'

/** Blocks of a segment: the unit in which answers are counted and remembered. */
const blocksPerSegment = 256
export const segmentSize = blocksPerSegment * blockSize
/** The places of 65,536 ids in a row, and of each of its blocks what all its records have in common. */
export interface Segment {
  /** The id of its first place. */
  readonly firstId: number
  readonly stations: Uint16Array
  readonly kinds: Uint16Array
  readonly days: Uint16Array
  readonly blocks: BlockFacts
  /** The days of its live records are between these. */
  dayFrom: number
  dayTo: number
  /** Number of the latest change in it. */
  seq: number
  /** Times that it has changed since it was first read. */
  changes: number
}

/** By block of a segment. The times hold all records that were ever in the block; days hold the live ones. */
export interface BlockFacts {
  readonly live: Uint16Array
  readonly dayFrom: Uint16Array
  readonly dayTo: Uint16Array
  readonly createdFromUs: Float64Array
  readonly createdToUs: Float64Array
  readonly modifiedToUs: Float64Array
}

/** All places, in memory, following the catalogue by its numbers. To be used within a read transaction. */
export interface Columns {
  /** Takes again the blocks that changed. @param seq the number of the latest change */
  follow(seq: number): void
  /** In the order of ids. */
  readonly segments: readonly Segment[]
}

interface BlockRow {
  id: number
  seq: number
  live: number
  createdFromUs: number
  createdToUs: number
  modifiedToUs: number
  places: Buffer
}

export function openColumns(db: Database): Columns {
  const columns = `id, seq, live, created_from_us AS createdFromUs, created_to_us AS createdToUs,
    modified_to_us AS modifiedToUs, places`
  const all = db.prepare(`SELECT ${columns} FROM block ORDER BY id`)
  // Named, because the engine would go through the whole table rather than sort the few that it finds by the index.
  const changed = db.prepare(
    `SELECT ${columns} FROM block INDEXED BY block_seq WHERE seq > ? ORDER BY id`,
  )
  const segments: Segment[] = []
  let followed: number | undefined
  const segmentOf = (blockId: number): Segment => {
    const firstId = Math.floor(blockId / blocksPerSegment) * segmentSize
    const last = segments.at(-1)
    const known =
      last?.firstId === firstId ? last : segments.find((each) => each.firstId === firstId)
    if (known !== undefined) return known
    const segment = newSegment(firstId)
    segments.push(segment)
    return segment
  }
  return {
    segments,
    follow(seq) {
      if (seq === followed) return
      const moved = new Set<Segment>()
      const rows = followed === undefined ? all.iterate() : changed.iterate(followed)
      for (const row of rows as Iterable<BlockRow>) {
        const segment = segmentOf(row.id)
        takeBlock(segment, row)
        moved.add(segment)
      }
      for (const segment of moved) {
        segment.dayFrom = Math.min(...segment.blocks.dayFrom)
        segment.dayTo = Math.max(...segment.blocks.dayTo)
        if (followed !== undefined) segment.changes++
      }
      segments.sort((a, b) => a.firstId - b.firstId)
      followed = seq
    },
  }
}

function newSegment(firstId: number): Segment {
  return {
    firstId,
    stations: new Uint16Array(segmentSize),
    kinds: new Uint16Array(segmentSize),
    days: new Uint16Array(segmentSize),
    blocks: {
      live: new Uint16Array(blocksPerSegment),
      // Of a block without records no day lies between.
      dayFrom: new Uint16Array(blocksPerSegment).fill(beyond),
      dayTo: new Uint16Array(blocksPerSegment),
      createdFromUs: new Float64Array(blocksPerSegment),
      createdToUs: new Float64Array(blocksPerSegment),
      modifiedToUs: new Float64Array(blocksPerSegment),
    },
    dayFrom: beyond,
    dayTo: 0,
    seq: 0,
    changes: 0,
  }
}

function takeBlock(segment: Segment, row: BlockRow): void {
  const index = row.id - segment.firstId / blockSize
  const start = index * blockSize
  const { stations, kinds, days } = placesOf(row.places)
  segment.stations.set(stations, start)
  segment.kinds.set(kinds, start)
  segment.days.set(days, start)
  const { blocks } = segment
  segment.seq = Math.max(segment.seq, row.seq)
  blocks.live[index] = row.live
  blocks.createdFromUs[index] = row.createdFromUs
  blocks.createdToUs[index] = row.createdToUs
  blocks.modifiedToUs[index] = row.modifiedToUs
  let [from, to] = [beyond, 0]
  for (let at = 0; at < blockSize; at++) {
    if (stations[at] === 0) continue
    const day = days[at] as number
    if (day < from) from = day
    if (day > to) to = day
  }
  blocks.dayFrom[index] = from
  blocks.dayTo[index] = to
}
