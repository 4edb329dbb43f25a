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

/** Reads live records by their ids. To be used within a read transaction. */
export function prepareListedFiles(db: Database): (ids: readonly number[]) => ListedFile[] {
  const one = db
    .prepare(
      `SELECT id, directory, name, created_us, coalesce(modified_us, created_us) FROM file
       WHERE id = ?`,
    )
    .raw()
  const pathOf = preparePaths(db)
  const toFile = ([id, directory, name, createdUs, modifiedUs]: ListedRow): ListedFile => ({
    id,
    directory: pathOf(directory),
    name,
    createdUs,
    modifiedUs,
  })
  return (ids) => ids.map((id) => toFile(one.get(id) as ListedRow))
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
