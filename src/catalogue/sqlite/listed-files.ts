import type { Database } from 'better-sqlite3'
import type { ListedFile } from '../catalogue.ts'

/** Paths of directories that are kept. */
const keptPaths = 20_000

/** Numbers and names as they come out of the table: each value that crosses over costs more than finding it. */
type ListedRow = [
  id: number,
  directory: number,
  name: string,
  createdUs: number,
  modifiedUs: number,
]

/** Reads records for lists. To be used within a read transaction. */
export interface ListedFiles {
  /** Ids from one on downwards, it included. */
  upTo(id: number, limit: number): ListedFile[]
  /** Ids from one on upwards, it included. */
  onFrom(id: number, limit: number): ListedFile[]
  byIds(ids: readonly number[]): ListedFile[]
}

export function prepareListedFiles(db: Database): ListedFiles {
  const select = `SELECT id, directory, name, created_us, coalesce(modified_us, created_us) FROM file`
  // A bare parameter as the limit would have SQLite compile the statement anew at each use, for a better plan.
  const upTo = db.prepare(`${select} WHERE id <= ? ORDER BY id DESC LIMIT +?`).raw()
  const onFrom = db.prepare(`${select} WHERE id >= ? ORDER BY id LIMIT +?`).raw()
  const one = db.prepare(`${select} WHERE id = ?`).raw()
  const pathOf = preparePaths(db)
  const toFile = ([id, directory, name, createdUs, modifiedUs]: ListedRow): ListedFile => ({
    id,
    directory: pathOf(directory),
    name,
    createdUs,
    modifiedUs,
  })
  return {
    upTo: (id, limit) => (upTo.all(id, limit) as ListedRow[]).map(toFile),
    onFrom: (id, limit) => (onFrom.all(id, limit) as ListedRow[]).map(toFile),
    byIds: (ids) => ids.map((id) => toFile(one.get(id) as ListedRow)),
  }
}

/** Paths of directories by their numbers. */
export function preparePaths(db: Database): (directory: number) => string {
  const path = db.prepare('SELECT path FROM directory WHERE id = ?').pluck()
  // A directory keeps its path for ever.
  const paths = new Map<number, string>()
  return (directory) => {
    let known = paths.get(directory)
    if (known === undefined) {
      if (paths.size >= keptPaths) paths.clear()
      paths.set(directory, (known = path.get(directory) as string))
    }
    return known
  }
}
