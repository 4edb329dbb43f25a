import type { Database } from 'better-sqlite3'
import type { ListedFile } from '../catalogue.ts'

/** Paths of directories that are kept. */
const keptPaths = 20_000

/** Without names: each value that SQLite hands over costs more than finding it. */
type ListRow = [id: number, directory: number, name: string, createdUs: number, modifiedUs: number]

/** Reads the rows of a page. To be used within a read transaction. */
export interface ListRows {
  /** In the order of the ids, all of which are live. */
  byIds(ids: readonly number[]): ListedFile[]
  /** Highest id first, those below one. */
  below(id: number, limit: number): ListedFile[]
}

export function prepareListRows(db: Database): ListRows {
  const select = `SELECT id, directory, name, created_us, coalesce(modified_us, created_us) FROM file`
  const one = db.prepare(`${select} WHERE id = ?`).raw()
  const before = db.prepare(`${select} WHERE id < ? ORDER BY id DESC LIMIT +?`).raw()
  const pathOf = preparePaths(db)
  const toFile = ([id, directory, name, createdUs, modifiedUs]: ListRow): ListedFile => ({
    id,
    directory: pathOf(directory),
    name,
    createdUs,
    modifiedUs,
  })
  return {
    byIds: (ids) => ids.map((id) => toFile(one.get(id) as ListRow)),
    below: (id, limit) => (before.all(id, limit) as ListRow[]).map(toFile),
  }
}

/** Paths of directories by their ids, of which each keeps its path. */
export function preparePaths(db: Database): (directory: number) => string {
  const path = db.prepare('SELECT path FROM directory WHERE id = ?').pluck()
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
