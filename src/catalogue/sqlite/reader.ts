import type { Database } from 'better-sqlite3'
import type {
  CatalogueReader,
  CatalogueSummary,
  ChangesPage,
  ChangesQuery,
  FileRecord,
  Head,
  Page,
  PageQuery,
  RecordChunk,
} from '../catalogue.ts'
import { defaultOrdering, isUnfiltered } from '../filter.ts'
import { prepareChanges } from './changes.ts'
import { connectionSource } from './connection.ts'
import { openPageIndex } from './page-index.ts'
import { openQuestionThread } from './questions/question-thread.ts'
import { fileColumns, toRecord } from './records.ts'
import type { FileRow } from './records.ts'
import { prepareHead, prepareSummary } from './summary.ts'

/**
 * Reads the catalogue in a database file that another process writes. What one look at an index answers is answered
 * here; what filters, sorts or sums up goes to a thread of its own.
 */
export function openReader(options: { readonly database: string }): CatalogueReader {
  const source = connectionSource(options.database, prepareQueries)
  const thread = openQuestionThread(options)
  const ask = <T>(question: (queries: Queries) => T): Promise<T> =>
    new Promise((resolve) => {
      resolve(source.use(question))
    })
  return {
    head: () => ask((queries) => queries.head()),
    page: (query) =>
      isPlain(query) ? ask((queries) => queries.page(query)) : thread.ask('page', query),
    record: (id) => ask((queries) => queries.record(id)),
    file: (directory, name) => ask((queries) => queries.file(directory, name)),
    records: (query) =>
      isUnfiltered(query.filter ?? {})
        ? ask((queries) => queries.records(query.before, query.limit))
        : thread.ask('records', query),
    stations: (query) => thread.ask('stations', query),
    station: (code) => thread.ask('station', { code }),
    changes: (query) => ask((queries) => queries.changes(query)),
    summary: () => ask((queries) => queries.summary()),
    close: () => {
      thread.close()
      source.close()
    },
  }
}

function isPlain({ filter = {}, ordering = defaultOrdering }: PageQuery): boolean {
  return ordering.key === 'id' && isUnfiltered(filter)
}

interface Queries {
  head(): Head
  page(query: PageQuery): Page
  record(id: number): FileRecord | undefined
  file(directory: string, name: string): FileRecord | undefined
  records(before: number, limit: number): RecordChunk
  changes(query: ChangesQuery): ChangesPage
  summary(): CatalogueSummary
}

function prepareQueries(db: Database): Queries {
  const head = prepareHead(db)
  const index = openPageIndex(db)
  const from = 'FROM file f JOIN directory d ON d.id = f.directory'
  const upTo = db.prepare(
    `SELECT ${fileColumns} ${from} WHERE f.id <= ? ORDER BY f.id DESC LIMIT ?`,
  )
  const onFrom = db.prepare(`SELECT ${fileColumns} ${from} WHERE f.id >= ? ORDER BY f.id LIMIT ?`)
  const below = db.prepare(
    `SELECT ${fileColumns} ${from} WHERE f.id < ? ORDER BY f.id DESC LIMIT ?`,
  )
  const record = db.prepare(`SELECT ${fileColumns} ${from} WHERE f.id = ?`)
  const file = db.prepare(`SELECT ${fileColumns} ${from} WHERE d.path = ? AND f.name = ?`)
  return {
    head,
    page: db.transaction(({ limit, offset, ordering = defaultOrdering }: PageQuery): Page => {
      const now = head()
      index.follow(now.seq)
      const count = index.total
      if (offset >= count) return { head: now, count, records: [] }
      const rows = ordering.descending
        ? upTo.all(index.idAt(count - 1 - offset), limit)
        : onFrom.all(index.idAt(offset), limit)
      return { head: now, count, records: (rows as FileRow[]).map(toRecord) }
    }),
    record: (id) => toOptionalRecord(record.get(id)),
    file: (directory, name) => toOptionalRecord(file.get(directory, name)),
    records: db.transaction((before: number, limit: number): RecordChunk => {
      const rows = below.all(before, limit) as FileRow[]
      const next = rows.length < limit ? undefined : rows.at(-1)?.id
      return { epoch: head().epoch, records: rows.map(toRecord), next }
    }),
    changes: db.transaction(prepareChanges(db)),
    summary: db.transaction(prepareSummary(db)),
  }
}

function toOptionalRecord(row: unknown): FileRecord | undefined {
  return row === undefined ? undefined : toRecord(row as FileRow)
}
