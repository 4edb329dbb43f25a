/** What is known of a file besides its record, as it is selected of a file `f` with the checksum `c` that holds for it. */
import type { FileDetails } from '../catalogue.ts'
import type { Problem } from '../filter.ts'

/** The first of its problems that applies. */
const problemOf = `CASE WHEN f.incomplete = 1 THEN 'incomplete' WHEN c.broken = 1 THEN 'broken'
  WHEN f.misplaced = 1 THEN 'misplaced' END`

export const detailColumns = `f.size, f.mtime_us, c.sha256, ${problemOf}`

/** Of a tombstone, which has neither. */
export const removedDetailColumns = 'f.size, f.mtime_us, NULL, NULL'

export type DetailRow = readonly [
  size: number | null,
  mtimeUs: number | null,
  sha256: Buffer | null,
  problem: Problem | null,
]

export function toDetails([size, mtimeUs, sha256, problem]: DetailRow): FileDetails {
  return {
    size: size ?? undefined,
    mtimeUs: mtimeUs ?? undefined,
    sha256: sha256 ?? undefined,
    problem: problem ?? undefined,
  }
}
