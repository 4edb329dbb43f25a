/** Reads the listings of directories from the catalogue. */
import type { Database } from 'better-sqlite3'
import type { Entries, EntriesQuery } from '../reader.ts'
import type { DirectoryState, FileEntry, Head, Subdirectory } from '../records.ts'

/** Sorts after every character that the names of directories may contain. */
const afterNames = '~'

/** Reads directory listings: files and direct subdirectories. */
export interface Listings {
  directory(path: string): DirectoryState | undefined
  subdirectories(query: EntriesQuery): Entries<Subdirectory>
  filesIn(query: EntriesQuery): Entries<FileEntry>
}

interface DirectoryRow {
  readonly files: number
  readonly gone: number
  readonly changedUs: number | null
}

type FileRow = [name: string, size: number | null, mtimeUs: number | null]

export function prepareListings(db: Database, head: () => Head): Listings {
  const find = db.prepare(
    'SELECT files, gone, changed_us AS changedUs FROM directory WHERE path = ?',
  )
  // This is one lookup in directory_filled. The query names the index, because with the index of all paths it would read past all
  // empty directories.
  const nextFilled = db
    .prepare(
      `SELECT path FROM directory INDEXED BY directory_filled
       WHERE files > 0 AND path > ? AND path < ? ORDER BY path LIMIT 1`,
    )
    .pluck()
  const latestBelow = db
    .prepare('SELECT max(changed_us) FROM directory WHERE path > ? AND path < ?')
    .pluck()
  const rowOf = (path: string) => find.get(path) as DirectoryRow | undefined
  const filledAfter = (path: string, above: string) =>
    nextFilled.get(path, above + afterNames) as string | undefined
  /**
   * Time of the latest change in a directory or below it. If the directory has no row, or its row has no time, the latest time of
   * the directories below it is used.
   */
  const changedUs = (path: string, row: DirectoryRow | undefined): number | undefined =>
    row?.changedUs ??
    (latestBelow.get(`${path}/`, `${path}/${afterNames}`) as number | null) ??
    undefined

  /**
   * Steps from one subdirectory to the next. For each subdirectory, looks up the first path with files at or below it, and skips
   * all deeper paths. A subdirectory may be found twice, by its own path `a` and by a path below it, `a/b`, because `a-b` sorts
   * between the two. A subdirectory is listed when it is found by its own path. When it is found by a path below it, it is listed
   * only if it has no files itself.
   */
  const subdirectories = ({ path, after, limit }: EntriesQuery): Entries<Subdirectory> => {
    const above = path === '' ? '' : `${path}/`
    const entries: Subdirectory[] = []
    let last = after === '' ? above : after
    while (entries.length < limit) {
      const found = filledAfter(last, above)
      if (found === undefined) return { entries, next: undefined }
      const slash = found.indexOf('/', above.length)
      const child = slash === -1 ? found : found.slice(0, slash)
      const row = rowOf(child)
      if (slash === -1 || (row?.files ?? 0) === 0)
        entries.push({ name: child.slice(above.length), changedUs: changedUs(child, row) })
      last = slash === -1 ? found : `${child}/${afterNames}`
    }
    return { entries, next: last }
  }

  return {
    directory: db.transaction((path: string): DirectoryState | undefined => {
      const { epoch } = head()
      if (path === '') return stateOfRoot(epoch, subdirectories({ path, after: '', limit: 100 }))
      const row = rowOf(path)
      const isThere = row !== undefined && (row.gone === 0 || row.files > 0)
      if (!isThere && filledAfter(`${path}/`, `${path}/`) === undefined) return undefined
      const latestUs = changedUs(path, row)
      return { epoch, version: versionOf(latestUs), changedUs: latestUs }
    }),
    subdirectories: db.transaction(subdirectories),
    filesIn: prepareFiles(db),
  }
}

function prepareFiles(db: Database) {
  // The unique index on (directory, name) has this order.
  const files = db
    .prepare(
      `SELECT name, size, mtime_us FROM file
       WHERE directory = (SELECT id FROM directory WHERE path = ?) AND name > ? ORDER BY name LIMIT +?`,
    )
    .raw()
  return ({ path, after, limit }: EntriesQuery): Entries<FileEntry> => {
    const rows = files.all(path, after, limit) as FileRow[]
    const entries = rows.map(([name, size, mtimeUs]) => ({
      name,
      size: size ?? undefined,
      mtimeUs: mtimeUs ?? undefined,
    }))
    return { entries, next: rows.length < limit ? undefined : entries.at(-1)?.name }
  }
}

/** The state of the root. The root has no row, so its state is computed from those of the areas. */
function stateOfRoot(epoch: string, { entries }: Entries<Subdirectory>): DirectoryState {
  const version = entries.map(({ name, changedUs }) => `${name}.${versionOf(changedUs)}`).join('.')
  const times = entries.flatMap(({ changedUs }) => changedUs ?? [])
  return { epoch, version, changedUs: times.length === 0 ? undefined : Math.max(...times) }
}

function versionOf(changedUs: number | undefined): string {
  return (changedUs ?? 0).toString(36)
}
