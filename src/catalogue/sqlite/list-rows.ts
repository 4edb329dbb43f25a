/** Reads records by id, and the paths of directories. */
import type { Database } from 'better-sqlite3'
import type { ListedFile } from '../records.ts'
import { detailColumns, joinedChecksum, toDetails } from '../questions/record.ts'
import type { DetailRow } from '../questions/record.ts'

/** Rows are arrays of few columns, because passing a value from SQLite to JavaScript costs more than finding it. */
type ListRow = [
  id: number,
  directory: number,
  name: string,
  createdUs: number,
  modifiedUs: number,
  ...details: DetailRow | [],
]

/** Reads the rows of a page. To be used within a read transaction. */
export interface ListRows {
  /** The records of these ids, in the same order. All ids must be live. */
  byIds(ids: readonly number[], details?: boolean): ListedFile[]
  /** Records below an id, highest first. */
  below(id: number, limit: number, details?: boolean): ListedFile[]
}

export function prepareListRows(db: Database): ListRows {
  const statements = (details: boolean) => {
    const select = `SELECT f.id, f.directory, f.name, f.created_us, coalesce(f.modified_us, f.created_us)
      ${details ? `, ${detailColumns}` : ''} FROM file f ${details ? joinedChecksum : ''}`
    return {
      one: db.prepare(`${select} WHERE f.id = ?`).raw(),
      before: db.prepare(`${select} WHERE f.id < ? ORDER BY f.id DESC LIMIT +?`).raw(),
    }
  }
  const [bare, detailed] = [statements(false), statements(true)]
  const pathOf = preparePaths(db)
  const toFile = (row: ListRow): ListedFile => {
    const [id, directory, name, createdUs, modifiedUs, ...details] = row
    const file = { id, directory: pathOf(directory), name, createdUs, modifiedUs }
    return details.length === 0 ? file : { ...file, details: toDetails(details) }
  }
  return {
    byIds(ids, details = false) {
      const { one } = details ? detailed : bare
      return ids.map((id) => toFile(one.get(id) as ListRow))
    },
    below(id, limit, details = false) {
      const { before } = details ? detailed : bare
      return (before.all(id, limit) as ListRow[]).map(toFile)
    },
  }
}

/**
 * Returns a function for the path of a directory id. The function caches only the last path, because consecutive files are mostly
 * in the same directory. The path of an id never changes.
 */
export function preparePaths(db: Database): (directory: number) => string {
  const path = db.prepare('SELECT path FROM directory WHERE id = ?').pluck()
  let last = { directory: 0, path: '' }
  return (directory) => {
    if (last.directory !== directory) last = { directory, path: path.get(directory) as string }
    return last.path
  }
}
