import type { Database } from 'better-sqlite3'
import type { Positions } from './asking.ts'
import { segmentSize } from './columns.ts'
import type { Segment } from './columns.ts'

/** Records of a segment that were modified since they were created. */
export interface Modified {
  /** In the order in which they were modified last. */
  readonly inTime: Positions
  /** When that was, in the same order: microseconds since 1970. */
  readonly us: Float64Array
}

interface Known extends Modified {
  readonly seq: number
}

/** Reads them when they are asked for, again where the segment has changed. To be used within a read transaction. */
export function openModified(db: Database): (segment: Segment) => Modified {
  const select = db
    .prepare(
      `SELECT id, modified_us FROM file INDEXED BY file_modified
       WHERE modified_us IS NOT NULL AND id BETWEEN ? AND ? ORDER BY modified_us`,
    )
    .raw()
  const known = new WeakMap<Segment, Known>()
  return (segment) => {
    const { seq, firstId } = segment
    const kept = known.get(segment)
    if (kept?.seq === seq) return kept
    const rows = select.all(firstId, firstId + segmentSize - 1) as [id: number, us: number][]
    const inTime = Uint16Array.from(rows, ([id]) => id - firstId)
    const modified = { seq, inTime, us: Float64Array.from(rows, ([, us]) => us) }
    known.set(segment, modified)
    return modified
  }
}
