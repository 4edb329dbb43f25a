import { statSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import { CatalogueUnavailable } from '../catalogue.ts'
import type {
  CatalogueReader,
  CatalogueSummary,
  ChangesPage,
  ChangesQuery,
  FileRecord,
  Head,
  Page,
  RecordChunk,
} from '../catalogue.ts'
import { prepareChanges } from './changes.ts'
import { openForReading, UnusableDatabase } from './open.ts'
import { fileColumns, toRecord } from './records.ts'
import type { FileRow } from './records.ts'
import { prepareHead, prepareSummary } from './summary.ts'

/** How long a connection is used before asking whether its file was replaced by another. */
const replacedCheckMs = 500

/**
 * Reads the catalogue in a database file that another process writes, opening it when it is first asked and
 * again whenever the file was replaced or became unreadable. Its connection stays open between calls, which
 * also keeps the side files of WAL alive that a reader without write permission depends on.
 */
export function openReader(options: { readonly database: string }): CatalogueReader {
  const source = connectionSource(options.database)
  const ask = <T>(question: (queries: Queries) => T): Promise<T> =>
    new Promise((resolve) => {
      resolve(source.use(question))
    })
  return {
    head: () => ask((queries) => queries.head()),
    page: (range) => ask((queries) => queries.page(range.limit, range.offset)),
    record: (id) => ask((queries) => queries.record(id)),
    file: (directory, name) => ask((queries) => queries.file(directory, name)),
    records: (range) => ask((queries) => queries.records(range.before, range.limit)),
    changes: (query) => ask((queries) => queries.changes(query)),
    summary: () => ask((queries) => queries.summary()),
    close: () => {
      source.close()
    },
  }
}

interface Connection {
  readonly db: Database
  readonly queries: Queries
  readonly device: number
  readonly inode: number
}

function connectionSource(path: string) {
  let connection: Connection | undefined
  let checkedMs = 0
  let closed = false
  const drop = (): void => {
    connection?.db.close()
    connection = undefined
  }
  const current = (): Connection => {
    if (closed) throw new CatalogueUnavailable('the reader is closed')
    const now = performance.now()
    if (connection !== undefined && now - checkedMs < replacedCheckMs) return connection
    const { dev, ino } = statSync(path)
    if (connection?.device !== dev || connection.inode !== ino) {
      drop()
      const db = openForReading(path)
      try {
        connection = { db, queries: prepareQueries(db), device: dev, inode: ino }
      } catch (error) {
        db.close()
        throw error
      }
    }
    checkedMs = now
    return connection
  }
  return {
    use<T>(question: (queries: Queries) => T): T {
      try {
        return question(current().queries)
      } catch (error) {
        if (!isOfTheDatabase(error)) throw error
        drop()
        throw new CatalogueUnavailable(`cannot read ${path}: ${error.message}`, { cause: error })
      }
    },
    close() {
      closed = true
      drop()
    },
  }
}

/** Whether the file or its engine failed, rather than this program. */
function isOfTheDatabase(error: unknown): error is Error {
  if (error instanceof UnusableDatabase) return true
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^(SQLITE_|E[A-Z]+$)/.test(code)
}

interface Queries {
  head(): Head
  page(limit: number, offset: number): Page
  record(id: number): FileRecord | undefined
  file(directory: string, name: string): FileRecord | undefined
  records(before: number, limit: number): RecordChunk
  changes(query: ChangesQuery): ChangesPage
  summary(): CatalogueSummary
}

function prepareQueries(db: Database): Queries {
  const head = prepareHead(db)
  const count = db.prepare('SELECT coalesce(sum(files), 0) FROM area').pluck()
  const from = 'FROM file f JOIN directory d ON d.id = f.directory'
  const page = db.prepare(`SELECT ${fileColumns} ${from} ORDER BY f.id DESC LIMIT ? OFFSET ?`)
  const below = db.prepare(
    `SELECT ${fileColumns} ${from} WHERE f.id < ? ORDER BY f.id DESC LIMIT ?`,
  )
  const record = db.prepare(`SELECT ${fileColumns} ${from} WHERE f.id = ?`)
  const file = db.prepare(`SELECT ${fileColumns} ${from} WHERE d.path = ? AND f.name = ?`)
  return {
    head,
    page: db.transaction((limit: number, offset: number): Page => {
      const total = count.get() as number
      const rows = offset < total ? (page.all(limit, offset) as FileRow[]) : []
      return { head: head(), count: total, records: rows.map(toRecord) }
    }),
    record: (id) => toOptionalRecord(record.get(id)),
    file: (directory, name) => toOptionalRecord(file.get(directory, name)),
    records: db.transaction((before: number, limit: number): RecordChunk => {
      const rows = below.all(before, limit) as FileRow[]
      return { epoch: head().epoch, records: rows.map(toRecord) }
    }),
    changes: db.transaction(prepareChanges(db)),
    summary: db.transaction(prepareSummary(db)),
  }
}

function toOptionalRecord(row: unknown): FileRecord | undefined {
  return row === undefined ? undefined : toRecord(row as FileRow)
}
