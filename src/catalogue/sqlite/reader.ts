import type { Database } from 'better-sqlite3'
import type {
  CatalogueReader,
  CatalogueSummary,
  ChangesPage,
  ChangesQuery,
  FileRecord,
  FoundFile,
  Head,
  Page,
  PageQuery,
  RecordChunk,
} from '../catalogue.ts'
import { defaultOrdering, isUnfiltered } from '../filter.ts'
import { prepareChanges } from './changes.ts'
import { checksumColumns, joinedChecksum, prepareChecksums, toBound } from './checksums.ts'
import type { ChecksumRow, Checksums } from './checksums.ts'
import { connectionSource } from './connection.ts'
import { openPageIndex } from './page-index.ts'
import { openQuestionThread } from './questions/question-thread.ts'
import { fileColumns, toRecord } from './records.ts'
import type { FileRow } from './records.ts'
import { prepareListings } from './listings.ts'
import type { Listings } from './listings.ts'
import { prepareStretches } from './stretches.ts'
import { prepareKnownHead, prepareSummary } from './summary.ts'
import { askedTogether } from './together.ts'

/** Of all plain pages that are read together: so much that many small ones are, and large ones do not pile up. */
const mostRecordsAtOnce = 1000

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
  const plainPage = askedTogether({
    answer: (asked: readonly PageQuery[]) => source.use((queries) => queries.pages(asked)),
    sizeOf: ({ limit }) => limit,
    mostAtOnce: mostRecordsAtOnce,
  })
  return {
    head: () => ask((queries) => queries.head()),
    page: (query) => (isPlain(query) ? plainPage(query) : thread.ask('page', query)),
    record: (id) => ask((queries) => queries.record(id)),
    file: (directory, name) => ask((queries) => queries.file(directory, name)),
    checksumsVersion: (directory) => ask((queries) => queries.checksumsVersion(directory)),
    checksums: (directory, after) => ask((queries) => queries.checksums(directory, after)),
    records: (query) =>
      isUnfiltered(query.filter ?? {})
        ? ask((queries) => queries.records(query.before, query.limit))
        : thread.ask('records', query),
    stations: (query) => thread.ask('stations', query),
    station: (code) => thread.ask('station', { code }),
    changes: (query) => ask((queries) => queries.changes(query)),
    directory: (path) => ask((queries) => queries.directory(path)),
    subdirectories: (query) => ask((queries) => queries.subdirectories(query)),
    filesIn: (query) => ask((queries) => queries.filesIn(query)),
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

interface Queries extends Listings, Checksums {
  head(): Head
  /** All of one moment. */
  pages(asked: readonly PageQuery[]): readonly Page[]
  record(id: number): FileRecord | undefined
  file(directory: string, name: string): FoundFile | undefined
  records(before: number, limit: number): RecordChunk
  changes(query: ChangesQuery): ChangesPage
  summary(): CatalogueSummary
}

function prepareQueries(db: Database): Queries {
  const head = prepareKnownHead(db)
  const index = openPageIndex(db)
  const stretches = prepareStretches(db)
  const from = 'FROM file f JOIN directory d ON d.id = f.directory'
  const record = db.prepare(`SELECT ${fileColumns} ${from} WHERE f.id = ?`)
  const file = db.prepare(
    `SELECT ${fileColumns}, ${checksumColumns}, d.held_since_us IS NOT NULL AS isWithheld
     ${from} ${joinedChecksum} WHERE d.path = ? AND f.name = ?`,
  )
  const recordsAt = ({ limit, offset, ordering = defaultOrdering }: PageQuery) => {
    const { descending } = ordering
    if (!descending) return stretches.onFrom(index.idAt(offset), limit)
    // The head of the list needs no counting.
    const last = offset === 0 ? Number.MAX_SAFE_INTEGER : index.idAt(index.total - 1 - offset)
    return stretches.upTo(last, limit)
  }
  return {
    head,
    pages: db.transaction((asked: readonly PageQuery[]): readonly Page[] => {
      const now = head()
      index.follow(now.seq)
      const count = index.total
      return asked.map((query) => ({
        head: now,
        count,
        records: query.offset < count ? recordsAt(query) : [],
      }))
    }),
    record: (id) => toOptionalRecord(record.get(id)),
    file: (directory, name) => {
      const row = file.get(directory, name) as (FileRow & ChecksumRow & WithheldRow) | undefined
      return row && toFound(row)
    },
    ...prepareChecksums(db, head),
    records: db.transaction((before: number, limit: number): RecordChunk => {
      const records = stretches.upTo(before - 1, limit)
      const next = records.length < limit ? undefined : records.at(-1)?.id
      return { epoch: head().epoch, records, next }
    }),
    changes: db.transaction(prepareChanges(db)),
    ...prepareListings(db, head),
    summary: db.transaction(prepareSummary(db)),
  }
}

interface WithheldRow {
  readonly isWithheld: number
}

function toFound(row: FileRow & ChecksumRow & WithheldRow): FoundFile {
  const { sha256, inode, ctimeUs, links, mode, uid, gid, isWithheld, ...record } = row
  const identity = toBound({ sha256, inode, ctimeUs, links, mode, uid, gid }, record)
  return {
    ...toRecord(record),
    sha256: sha256 ?? undefined,
    identity,
    isWithheld: isWithheld === 1,
  }
}

function toOptionalRecord(row: unknown): FileRecord | undefined {
  return row === undefined ? undefined : toRecord(row as FileRow)
}
